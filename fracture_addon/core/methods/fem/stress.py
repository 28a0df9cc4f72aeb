"""Stress preview: stress and cracks inside a body during the impact window, on the mesh at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...data.impact import Impact
from ...data.progress import ShareProgress
from ...data.settings.settings import StrikeSettings
from ...data.solid import SolidModel, outer_faces
from ...data.stress_window import MOST_MOMENTS, NO_CRACK, StressWindow, compacted
from ..method import Solver
from .critical_load import with_peak
from .elements import Law, stresses
from .impact_window import Window
from .materials.fibres import fibres
from .state import Mesh
from .walls import mesh_with_walls

if TYPE_CHECKING:
    from .model import Model

# Smallest volume ratio |det F| in the Cauchy stress. It prevents a division by zero for flat elements. It affects only
# the stress preview; no recording depends on it.
MIN_VOLUME_RATIO = 1e-3


def stress_window(
    model: Model,
    solid: SolidModel,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Solver | None = None,
) -> StressWindow:
    """Record stress and cracks of a body during simultaneous impacts; see ``table.stress_window``."""
    mesh = mesh_with_walls(solid, model.material.density, fibres=fibres(solid, model.material, settings))
    loads = [with_peak(impact, impact.peak_force) for impact in impacts]
    window = Window(mesh, model.law, model.step, model.material, settings, loads)
    recorder = Recorder(window)
    window.run(cracking=True, progress=progress, watch=recorder.take)
    return recorder.window()


class Recorder:
    """Recorder of the stress at evenly spaced moments of an impact window.

    Args:
        window: Not run yet.
    """

    def __init__(self, window: Window):
        self._window = window
        self._times: list[float] = []
        self._points: list[np.ndarray] = []
        self._stress: list[np.ndarray] = []

    def take(self, time: float) -> None:
        """Record the moment ``time`` (s), if the next one is due."""
        count = len(self._times)
        if count == MOST_MOMENTS or time < count / MOST_MOMENTS * self._window.span.total:
            return
        mesh = self._window.mesh
        self._times.append(time)
        mean_displacement = mesh.mass @ (mesh.position - mesh.rest) / mesh.mass.sum()
        self._points.append(mesh.position - mean_displacement)
        self._stress.append(principal_stress(mesh, self._window.law, self._window.stiffness_share()))

    def window(self) -> StressWindow:
        """Return all recorded moments, on the nodes and faces at the end."""
        mesh = self._window.mesh
        faces = outer_faces(mesh.elements[~mesh.ghost])[0]
        points = np.stack([on_all_nodes(mesh, values) for values in self._points])
        stress = [on_all_nodes(mesh, values) for values in self._stress]
        crack = cracks(mesh, faces, points)
        return compacted(self._times, faces, crack, mesh.rest, points, stress)


def principal_stress(mesh: Mesh, law: Law, stiffness_share: np.ndarray | None = None) -> np.ndarray:
    """Compute the largest principal elastic Cauchy stress at each node, from the mean of the elements around it.

    Args:
        mesh: The mesh.
        law: Its material.
        stiffness_share: (E,) factors on the stiffness of elements; ``None`` for all 1.

    Returns:
        (N,) Pa. Elements are weighted by volume.

    Notes:
        Cauchy 1827: sigma = F S F^T / det F.

    Example:
        An element is 0.1 % longer along X: (lambda + 2 mu) 0.001 with lambda = mu = 1 GPa is 3 MPa.

        >>> from ...data.solid import from_cells
        >>> from .state import from_solid
        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []), 2400.0)
        >>> mesh.position[:, 0] *= 1.001
        >>> (principal_stress(mesh, Law(1e9, 1e9, 0.0, 0.0, 2400.0)) / 1e6).round(2).tolist()
        [3.0, 3.0, 3.0, 3.0]
    """
    rows = np.flatnonzero(~mesh.ghost)
    elements, volume = mesh.elements[rows], mesh.volume[rows]
    share = np.ones(len(rows)) if stiffness_share is None else stiffness_share[rows]
    state = mesh.position, mesh.velocity, elements, mesh.basis[rows]
    undamped = share, np.zeros(len(rows)), mesh.plastic_strain[rows]
    stress, gradients = stresses(law, *state, *undamped, mesh.fibres_of(rows))
    # Idle elements may be inverted or flat.
    volume_ratio = np.maximum(np.abs(np.linalg.det(gradients)), MIN_VOLUME_RATIO)
    cauchy = gradients @ stress @ np.swapaxes(gradients, 1, 2) / volume_ratio[:, None, None]
    total = np.bincount(elements.ravel(), np.repeat(volume, 4), mesh.node_count)
    weighted = np.repeat((volume[:, None] * cauchy.reshape(-1, 9)), 4, axis=0)
    sums = np.stack([np.bincount(elements.ravel(), column, mesh.node_count) for column in weighted.T], axis=1)
    mean = sums / np.where(total > 0.0, total, 1.0)[:, None]
    return np.linalg.eigvalsh(mean.reshape(-1, 3, 3))[:, 2]


def on_all_nodes(mesh: Mesh, values: np.ndarray) -> np.ndarray:
    """Extend values of the first M nodes to all nodes: (M, ...) to (N, ...).

    A later node gets the interpolated value of the edge on which it was created.
    """
    result = np.zeros((mesh.node_count, *values.shape[1:]))
    result[: len(values)] = values
    first, second = mesh.origin.T
    edge = mesh.rest[second] - mesh.rest[first]
    along = np.einsum("ni,ni->n", mesh.rest - mesh.rest[first], edge)
    squared = np.einsum("ni,ni->n", edge, edge)
    share = np.divide(along, squared, out=np.zeros(len(along)), where=squared > 0.0)
    share = share.reshape(-1, *[1] * (values.ndim - 1))
    known = np.arange(mesh.node_count) < len(values)
    while not known.all():
        # Both ends of an edge are older than a node on it, so each round finds at least the first unknown node.
        rows = np.flatnonzero(~known & known[first] & known[second])
        result[rows] = (1.0 - share[rows]) * result[first[rows]] + share[rows] * result[second[rows]]
        known[rows] = True
    return result


def cracks(mesh: Mesh, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Find the moment from which a crack is open along each outer face.

    The two faces of a crack coincide in rest space. Before the crack, copies of a node have exactly its position.

    Args:
        mesh: The mesh.
        faces: (F, 3) nodes.
        points: (T, N, 3) m, positions of its nodes at T moments.

    Returns:
        (F,) int32, index of the moment; -1 for the surface of the uncracked body, the last moment for a crack that is
        never open.
    """
    ordered = np.take_along_axis(faces, np.argsort(mesh.rest_node[faces], axis=1), axis=1)
    _, inverse, counts = np.unique(mesh.rest_node[ordered], axis=0, return_inverse=True, return_counts=True)
    rows = np.argsort(inverse.ravel(), kind="stable")
    pairs = rows[counts[inverse.ravel()[rows]] == 2].reshape(-1, 2)
    first, second = ordered[pairs].swapaxes(0, 1)
    is_open = np.stack([(moment[first] != moment[second]).any(axis=(1, 2)) for moment in points])
    result = np.full(len(faces), NO_CRACK, np.int32)
    result[pairs] = np.where(is_open.any(axis=0), is_open.argmax(axis=0), len(points) - 1)[:, None]
    return result
