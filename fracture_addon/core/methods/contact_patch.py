"""Contact patch: the cells on which an impact acts. When they break off, the load moves to the cells behind them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import lengths
from ..data.impact import Impact
from .rigid_components import Cells, Masses

# Smallest fragment that takes load, as a share of the body's mass: smaller ones are crushed between the bodies.
# Insensitive from 0.04 to 0.16: counts of fragments stay within the scatter of seeds (docs/decisions/constants.md).
PASSING_SHARE = 0.08
# Smallest radius of a patch in cell sizes: a smaller patch would load a single cell. Tuned: 0.65 stays within the
# scatter of seeds; with 2.6 a ball no longer breaks a block of 600 cells (docs/decisions/constants.md).
SMALLEST_PATCH = 1.3
# Number of cells that share a steady pressure on a face, so that no single cell carries it. With 4, 8 and 16 a pipe of
# 4,000 cells bursts at 0.91, 0.93 and 0.92 of the pressure of thin-wall theory with the network, and at 0.45, 0.52 and
# 0.50 with the lattice (docs/decisions/pressures.md).
FACE_CELLS = 8


def takes_load(cells: Cells, parts: Masses) -> np.ndarray:
    """Return the cells of fragments that take load: those above ``PASSING_SHARE``, and the largest.

    Args:
        cells: All C cells.
        parts: Their fragments.

    Returns:
        (C,) bool.

    Notes:
        Own: smaller fragments are crushed between the bodies (docs/equations.md).

    Example:
        The third fragment has 3 % of the mass.

        >>> cells = Cells(np.zeros((3, 3)), np.array([60.0, 37.0, 3.0]), np.tile(np.eye(3), (3, 1, 1)))
        >>> takes_load(cells, Masses(np.arange(3), cells.masses)).tolist()
        [True, True, False]
    """
    least = min(PASSING_SHARE * cells.masses.sum(), parts.masses.max())
    return (parts.masses >= least)[parts.part_of_cell]


def spread_forces(cells: Cells, points: np.ndarray, forces: np.ndarray, cell_size: float) -> np.ndarray:
    """Distribute forces at points over the ``FACE_CELLS`` cells nearest to each.

    Args:
        cells: Cells of the body.
        points: (K, 3) m.
        forces: (K, 3) N.
        cell_size: m, size of a cell.

    Returns:
        (C, 3) N.

    Notes:
        Own rule, as for ``patch_forces``: one cell alone would carry a force over few bonds.

    Example:
        Half of the force is on each of two cells that are equally near and heavy.

        >>> cells = Cells(np.array([[0.0, 0, 0], [2, 0, 0]]), np.ones(2), np.tile(np.eye(3), (2, 1, 1)))
        >>> spread_forces(cells, np.array([[1.0, 0, 0]]), np.array([[0.0, 0, -6]]), 2.0)[:, 2].tolist()
        [-3.0, -3.0]
    """
    result = np.zeros_like(cells.centers)
    near, shares = _near_cells(cells, points, cell_size)
    shares /= shares.sum(axis=1, keepdims=True)
    np.add.at(result, near, shares[..., None] * forces[:, None])
    return result


def patch_forces(
    cells: Cells, parts: Masses, impacts: Sequence[Impact], cell_size: float, least_radius: float = 0.0
) -> np.ndarray:
    """Distribute a load of 1 N over the cells near the points of impacts.

    Each impact has a share of the load in proportion to its peak force. The force on a cell that takes load is
    proportional to its mass and to exp(-(r / radius)^2), with the distance r from the point of the impact. If no such
    cell is within the radius of that point, r is the distance from the nearest one. The steady pressure on a face acts
    on the cells nearest to it, whatever has broken off. Free strain has no forces.

    Args:
        cells: Cells of the body.
        parts: Its fragments.
        impacts: At least one impact.
        cell_size: m, size of a cell.
        least_radius: m, smallest radius of a patch. It keeps the critical load independent of the cell size.

    Returns:
        (C, 3) N.

    Notes:
        Own rule: a load on a single cell would depend on the size of the cells (docs/decisions/contact_patch.md).

    Example:
        The force on three cells in a row falls with their distance from the impact.

        >>> from .rigid_components import find_components
        >>> cells = Cells(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.ones(3), np.tile(np.eye(3), (3, 1, 1)))
        >>> impact = Impact([0, 0, 0], [0, 0, -1], impulse=1.0, duration=1e-3, radius=1.0)
        >>> forces = patch_forces(cells, find_components(cells, np.array([[0, 1], [1, 2]])), [impact], 0.5)
        >>> forces[:, 2].round(3).tolist()
        [-0.721, -0.265, -0.013]
    """
    forces = np.zeros_like(cells.centers)
    total = sum(impact.contact_force for impact in impacts)
    large = takes_load(cells, parts)
    for impact in impacts:
        if impact.strain is not None:
            continue
        if impact.faces is not None:
            near, shares = _near_cells(cells, impact.faces.points, cell_size)
            shares *= impact.contact_force / total / shares.sum(axis=1, keepdims=True)
            np.add.at(forces, near, shares[..., None] * impact.faces.shares[:, None])
            continue
        radius = max(impact.radius, SMALLEST_PATCH * cell_size, least_radius)
        distance = lengths(cells.centers - impact.point)
        nearest = int(np.argmin(np.where(large, distance, np.inf)))
        if distance[nearest] > radius:
            distance = lengths(cells.centers - cells.centers[nearest])
        weights = np.where(large, np.exp(-((distance / radius) ** 2)) * cells.masses, 0.0)
        forces += (impact.contact_force / total / weights.sum()) * weights[:, None] * impact.direction
    return forces


def _near_cells(cells: Cells, points: np.ndarray, cell_size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells near each of K points and their shares of its force, up to a factor: (K, ``FACE_CELLS``)."""
    distances, near = cKDTree(cells.centers).query(points, min(FACE_CELLS, len(cells.masses)))
    return near, cells.masses[near] * np.exp(-((distances / (SMALLEST_PATCH * cell_size)) ** 2))
