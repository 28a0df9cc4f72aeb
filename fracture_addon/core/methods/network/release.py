"""Release waves: breaks release tension, which moves the fragments apart (docs/decisions/release_waves.md)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...data.arrays import lengths, sum_by
from ..method import Break
from ..rigid_components import RigidComponents, components_by_label
from .model import Model
from .state import State


def release(model: Model, state: State, result: Break) -> Break:
    """Add the motion that release waves give to the fragments.

    A bond of area A breaks under the tension s. On each side a wave runs into the fragment and unloads it. The material
    behind it moves away from the crack at s / (rho c). The impulse on both sides is s A d / c, equal and opposite at
    the same point. The depth d is that of the shallower fragment: its volume over the area of its cracks. Beside a
    crack the tension falls with the square root of the distance; there the impulse is s A sqrt(h d) / c with the cell
    size h. No fragment gains more speed than s / (rho c).

    The kinetic energy rises by no more than the released strain energy minus the energy of the cracks.

    Args:
        model: The network.
        state: The network after the impact.
        result: Fragments and their velocities without release waves.

    Returns:
        The fragments with the added motion.

    Notes:
        Own rule (docs/decisions/release_waves.md). The speed s / (rho c) is that behind a wave in a bar (Kolsky 1963,
        Stress Waves in Solids).

    Example:
        Two cells break apart at 40 MPa. Each leaves at s / (rho c) = 40 MPa / (2400 kg/m3 x 5401 m/s).

        >>> from ...data.impact import Impact
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .advance import initial_state
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0)
        >>> state = initial_state(model, [impact], Settings())[1]
        >>> state.alive[:], state.tension[:], state.released = False, [40e6, 0.0, 0.0], 1e9
        >>> apart = Break(np.arange(2), *np.zeros((2, 2, 3)), 1.0, 1, 0, 0.0, np.ones(2, bool))
        >>> release(model, state, apart).velocity[:, 0].round(3).tolist()
        [-3.086, 3.086]
    """
    label = result.fragment_of_cell[model.pairs]
    rows = np.flatnonzero(label[:, 0] != label[:, 1])
    energy = state.released - model.crack_energy * float(model.areas[~state.alive].sum())
    if energy <= 0.0 or not state.tension[rows].any():
        return result
    parts = components_by_label(model.cells, result.fragment_of_cell, len(result.velocity))
    velocity, spin = _gains(model, state, parts, rows, label[rows])
    share = _share(parts, result, velocity, spin, energy)
    return replace(
        result,
        velocity=result.velocity + share * velocity,
        angular_velocity=result.angular_velocity + share * spin,
    )


def limited(tension: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Limit the lengths of tensions to the strengths: a bond never pulls more than its strength.

    Args:
        tension: (K, 3) Pa.
        strengths: (K,) Pa.

    Returns:
        (K, 3) Pa.

    Example:
        >>> limited(np.array([[3.0, 4.0, 0.0], [1.0, 0.0, 0.0]]), np.array([2.5, 2.5])).tolist()
        [[1.5, 2.0, 0.0], [1.0, 0.0, 0.0]]
    """
    sizes = lengths(tension)
    return tension * np.minimum(1.0, strengths / np.where(sizes > 0.0, sizes, 1.0))[:, None]


def _gains(
    model: Model, state: State, parts: RigidComponents, rows: np.ndarray, label: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the velocities (N, 3) m/s and (N, 3) rad/s that release waves give.

    Args:
        model: The network.
        state: The network after the impact.
        parts: N fragments.
        rows: (K,) bonds between two fragments.
        label: (K, 2) fragments of their cells.
    """
    count, areas = len(parts.masses), model.areas[rows]
    crack_areas = np.bincount(label.ravel(), np.repeat(areas, 2), count)
    depths = (parts.masses / model.density / np.maximum(crack_areas, np.finfo(float).tiny))[label].min(axis=1)
    # The mean of s sqrt(h / r) / 2 over the first cell is s, and over the depth s sqrt(h / d).
    depths = np.where(state.beside_crack[rows], np.minimum(depths, np.sqrt(model.sizes[rows] * depths)), depths)
    impulses = state.tension[rows] * (areas * depths / model.wave_speed)[:, None]
    momentum, angular = np.zeros((2, count, 3))
    for side, pushes in enumerate((-impulses, impulses)):
        arms = model.face_centers[rows] - parts.centers[label[:, side]]
        momentum += sum_by(label[:, side], pushes, count)
        angular += sum_by(label[:, side], np.cross(arms, pushes), count)
    return momentum / parts.masses[:, None], np.linalg.solve(parts.inertias, angular[..., None])[..., 0]


def _share(parts: RigidComponents, result: Break, velocity: np.ndarray, spin: np.ndarray, energy: float) -> float:
    """Return the largest share, 0 to 1, of the gains that raises the kinetic energy by at most ``energy``, J.

    The gains are ``velocity`` (N, 3) m/s and ``spin`` (N, 3) rad/s of the fragments.
    """
    momentum, angular = parts.masses[:, None] * velocity, np.einsum("nij,nj->ni", parts.inertias, spin)
    linear = float(np.sum(momentum * result.velocity) + np.sum(angular * result.angular_velocity))
    square = 0.5 * float(np.sum(momentum * velocity) + np.sum(angular * spin))
    if square + linear <= energy:
        return 1.0
    # The positive root of square x^2 + linear x = energy, without a difference of nearly equal numbers.
    root = math.hypot(linear, 2.0 * math.sqrt(square * energy))
    return 2.0 * energy / (root + linear) if linear > 0.0 else (root - linear) / (2.0 * square)
