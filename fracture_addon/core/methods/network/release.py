"""Release waves: breaks release tension, which moves the fragments apart (docs/decisions/release_waves.md)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...data.arrays import lengths
from ..method import Break
from ..rigid_components import RigidComponents, components_by_label, sum_by
from .model import Model
from .state import State


def release(model: Model, state: State, result: Break) -> Break:
    """Add the motion that release waves give to the fragments.

    A bond of area A breaks under the tension s. On each side a wave runs into the fragment and unloads it. The material
    behind it moves away from the crack at s / (rho c). The impulse on both sides is s A d / c, equal and opposite at
    the same point. The depth d is that of the shallower fragment: its volume over the area of its cracks. Beside a
    crack the tension falls with the square root of the distance; there the impulse is s A sqrt(h d) / c with the cell
    size h.
    No fragment gains more speed than s / (rho c).

    The kinetic energy rises by no more than the released strain energy minus the energy of the cracks.

    Args:
        model: The network.
        state: The network after the impact.
        result: Fragments and their velocities without release waves.
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
    """Limit the lengths of tensions (K, 3) to the strengths (K,), Pa: a bond never pulls more than its strength."""
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
