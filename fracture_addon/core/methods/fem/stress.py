"""Stress and cracks inside a body during the elastic window, on the mesh that the cracks leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.job import Settings
from ...data.solid import CELL_FACES, SolidModel, appears_once
from ...data.stress import MOST_MOMENTS, NO_CRACK, StressWindow, compacted
from ..method import Progress
from .elements import Law, stresses
from .impact_window import Window
from .mesh import Mesh
from .walls import mesh_with_walls


def stress_window(
    model, solid: SolidModel, settings: Settings, impacts: Sequence[Impact], progress: Progress | None = None
) -> StressWindow:
    """What goes on in a body during impacts that fall together; see ``method.strike``."""
    mesh = mesh_with_walls(solid, model.material.density)
    window = Window(mesh, model.law, model.step, model.material, settings, impacts)
    recorder = Recorder(window)
    window.run(cracking=True, progress=progress, watch=recorder.take)
    return recorder.window()


class Recorder:
    """Keeps moments of a window, evenly spread over it."""

    def __init__(self, window: Window):
        """``window`` has not begun yet."""
        self._window = window
        self._times: list[float] = []
        self._points: list[np.ndarray] = []
        self._stress: list[np.ndarray] = []

    def take(self, time: float) -> None:
        """Keep the moment ``time`` (s), where one is due."""
        kept = len(self._times)
        if kept == MOST_MOMENTS or time < kept / MOST_MOMENTS * self._window.span.total:
            return
        mesh = self._window.mesh
        self._times.append(time)
        moved = mesh.mass @ (mesh.position - mesh.rest) / mesh.mass.sum()
        self._points.append(mesh.position - moved)
        self._stress.append(principal_stress(mesh, self._window.law, self._window.stiffness_share()))

    def window(self) -> StressWindow:
        """All that was kept, on the nodes and faces that there are at the end."""
        mesh = self._window.mesh
        nodes = mesh.elements[~mesh.ghost][:, CELL_FACES].reshape(-1, 3)
        faces = nodes[appears_once(nodes)]
        points = np.stack([on_all_nodes(mesh, values) for values in self._points])
        stress = [on_all_nodes(mesh, values) for values in self._stress]
        crack = cracks(mesh, faces, points)
        return compacted(self._times, faces, crack, mesh.rest, points, stress)


def principal_stress(mesh: Mesh, law: Law, stiffness_share: np.ndarray | None = None) -> np.ndarray:
    """(N,) Pa, largest principal value of the elastic Cauchy stress, of the mean over the volume around each node.

    Args:
        mesh: The mesh.
        law: Its material.
        stiffness_share: (E,) factors to the stiffness of elements; all 1 where nothing is said.
    """
    rows = np.flatnonzero(~mesh.ghost)
    elements, volume = mesh.elements[rows], mesh.volume[rows]
    share = np.ones(len(rows)) if stiffness_share is None else stiffness_share[rows]
    state = mesh.position, mesh.velocity, elements, mesh.basis[rows]
    stress, gradients = stresses(law, *state, share, np.zeros(len(rows)), mesh.plastic_strain[rows])
    # What bears nothing any more may be turned inside out.
    sizes = np.maximum(np.abs(np.linalg.det(gradients)), 1e-3)
    cauchy = gradients @ stress @ np.swapaxes(gradients, 1, 2) / sizes[:, None, None]
    total = np.bincount(elements.ravel(), np.repeat(volume, 4), mesh.node_count)
    weighted = np.repeat((volume[:, None] * cauchy.reshape(-1, 9)), 4, axis=0)
    sums = np.stack([np.bincount(elements.ravel(), column, mesh.node_count) for column in weighted.T], axis=1)
    mean = sums / np.where(total > 0.0, total, 1.0)[:, None]
    return np.linalg.eigvalsh(mean.reshape(-1, 3, 3))[:, 2]


def on_all_nodes(mesh: Mesh, values: np.ndarray) -> np.ndarray:
    """(N, ...) of values (M, ...) on the first nodes: a later one has them from the edge that it was put on."""
    result = np.zeros((mesh.node_count, *values.shape[1:]))
    result[: len(values)] = values
    first, second = mesh.origin.T
    edge = mesh.rest[second] - mesh.rest[first]
    way = np.einsum("ni,ni->n", mesh.rest - mesh.rest[first], edge)
    length = np.einsum("ni,ni->n", edge, edge)
    share = np.divide(way, length, out=np.zeros(len(way)), where=length > 0.0).reshape(-1, *[1] * (values.ndim - 1))
    known = np.arange(mesh.node_count) < len(values)
    while not known.all():
        # Ends of an edge come before what is put on it: each round finds at least the first of what is left.
        rows = np.flatnonzero(~known & known[first] & known[second])
        result[rows] = (1.0 - share[rows]) * result[first[rows]] + share[rows] * result[second[rows]]
        known[rows] = True
    return result


def cracks(mesh: Mesh, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(F,) int32, of which of T moments on a crack is open along outer faces (F, 3); -1 for the body's own surface.

    Two faces of a crack lie on one another in rest, and come apart: nodes that a crack makes later are until then, to
    the bit, where their origins are.

    Args:
        mesh: The mesh.
        faces: (F, 3) nodes.
        points: (T, N, 3) of its nodes; a crack that is not open at any moment counts for the last one.
    """
    ordered = np.take_along_axis(faces, np.argsort(mesh.rest_node[faces], axis=1), axis=1)
    _, inverse, counts = np.unique(mesh.rest_node[ordered], axis=0, return_inverse=True, return_counts=True)
    rows = np.argsort(inverse.ravel(), kind="stable")
    pairs = rows[counts[inverse.ravel()[rows]] == 2].reshape(-1, 2)
    one, other = ordered[pairs].swapaxes(0, 1)
    apart = np.stack([(moment[one] != moment[other]).any(axis=(1, 2)) for moment in points])
    result = np.full(len(faces), NO_CRACK, np.int32)
    result[pairs] = np.where(apart.any(axis=0), apart.argmax(axis=0), len(points) - 1)[:, None]
    return result
