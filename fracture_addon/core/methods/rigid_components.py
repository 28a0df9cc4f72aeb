"""Cells, and connected components of cells, as rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ..data.arrays import ReadOnlyArrays
from ..data.material import Material
from ..data.solid import SolidModel, cell_centers, cell_volumes
from ..numerics.components import components


@dataclass(frozen=True)
class Cells(ReadOnlyArrays):
    """Cells as rigid bodies.

    Attributes:
        centers: (C, 3) m, centroids.
        masses: (C,) kg.
        inertias: (C, 3, 3) kg m2, about the centroids.
    """

    centers: np.ndarray
    masses: np.ndarray
    inertias: np.ndarray


@dataclass(frozen=True)
class Masses(ReadOnlyArrays):
    """Connected components of cells, and their masses.

    Attributes:
        part_of_cell: (C,) int32, part of each cell.
        masses: (N,) kg.
    """

    part_of_cell: np.ndarray
    masses: np.ndarray


@dataclass(frozen=True)
class RigidComponents(Masses):
    """Connected components of cells with their masses, centres of mass and inertias.

    Attributes:
        centers: (N, 3) m, centres of mass.
        inertias: (N, 3, 3) kg m2, about the centres of mass.
    """

    centers: np.ndarray
    inertias: np.ndarray

    def accelerations(self, cells: Cells, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rigid accelerations under forces at the cells' centroids.

        Args:
            cells: All cells.
            forces: (C, 3) N.

        Returns:
            (C, 3) m/s2 of each cell, and (N, 3) rad/s2 of each part.

        Notes:
            Newton 1687 and Euler 1750 for bodies that do not spin yet: a = F / m and alpha = I^-1 sum of r x F.

        Example:
            A couple of 1 N turns two balls of 1 kg and 1 kg m2 at 1 m from their centre: alpha = 2 N m / 4 kg m2.

            >>> cells = Cells(np.array([[-1.0, 0, 0], [1, 0, 0]]), np.ones(2), np.tile(np.eye(3), (2, 1, 1)))
            >>> parts = find_components(cells, np.array([[0, 1]]))
            >>> linear, angular = parts.accelerations(cells, np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]))
            >>> linear.tolist(), angular.tolist()
            ([[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]], [[0.0, 0.0, 0.5]])
        """
        forces = np.ascontiguousarray(forces)
        totals, torques = _totals_kernel(self.part_of_cell, self.centers, cells.centers, forces)
        angular = np.linalg.solve(self.inertias, torques[..., None])[..., 0]
        linear = totals / self.masses[:, None]
        return _moved_kernel(self.part_of_cell, self.centers, cells.centers, linear, angular), angular


@njit(cache=True)
def _totals_kernel(
    part: np.ndarray, middles: np.ndarray, centers: np.ndarray, forces: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the force (N, 3), N, and the torque (N, 3), N m, about its centre of mass on each part."""
    totals, torques = np.zeros(middles.shape), np.zeros(middles.shape)
    for cell in range(len(part)):
        number = part[cell]
        x, y, z = forces[cell, 0], forces[cell, 1], forces[cell, 2]
        a, b, c = (
            centers[cell, 0] - middles[number, 0],
            centers[cell, 1] - middles[number, 1],
            centers[cell, 2] - middles[number, 2],
        )
        totals[number, 0] += x
        totals[number, 1] += y
        totals[number, 2] += z
        torques[number, 0] += b * z - c * y
        torques[number, 1] += c * x - a * z
        torques[number, 2] += a * y - b * x
    return totals, torques


@njit(cache=True)
def _moved_kernel(
    part: np.ndarray, middles: np.ndarray, centers: np.ndarray, linear: np.ndarray, angular: np.ndarray
) -> np.ndarray:
    """Return the acceleration of each cell, (C, 3) m/s2: that of its part plus angular acceleration x arm."""
    result = np.empty(centers.shape)
    for cell in range(len(part)):
        number = part[cell]
        a, b, c = (
            centers[cell, 0] - middles[number, 0],
            centers[cell, 1] - middles[number, 1],
            centers[cell, 2] - middles[number, 2],
        )
        result[cell, 0] = linear[number, 0] + (angular[number, 1] * c - angular[number, 2] * b)
        result[cell, 1] = linear[number, 1] + (angular[number, 2] * a - angular[number, 0] * c)
        result[cell, 2] = linear[number, 2] + (angular[number, 0] * b - angular[number, 1] * a)
    return result


def cells_of(solid: SolidModel, material: Material) -> Cells:
    """Return the tetrahedra of a solid as rigid bodies.

    Args:
        solid: C tetrahedra; a solid of several objects has the densities of its ``mixture``.
        material: Its density, kg/m3.

    Returns:
        Centroids (C, 3) m, masses (C,) kg, and inertias (C, 3, 3) kg m2 about the centroids.

    Notes:
        Smith et al. 2001, section 2.1. The second moment of a uniform tetrahedron about its centroid is m / 20 times
        the sum of the outer products of its corners (Tonon 2004).

    Example:
        Porcelain has a density of 2,400 kg/m3, and the cell a volume of 1/6 m3.

        >>> from ..data.material import PORCELAIN
        >>> from ..data.solid import from_cells
        >>> solid = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], [])
        >>> cells = cells_of(solid, PORCELAIN)
        >>> cells.centers.tolist(), cells.masses.round(6).tolist()
        ([[0.25, 0.25, 0.25]], [400.0])
        >>> cells.inertias[0].round(6).tolist()
        [[30.0, 5.0, 5.0], [5.0, 30.0, 5.0], [5.0, 5.0, 30.0]]
    """
    centers = cell_centers(solid.points, solid.cells)
    density = material.density if solid.mixture is None else solid.mixture.densities
    masses = density * cell_volumes(solid.points, solid.cells)
    offsets = solid.points[solid.cells] - centers[:, None]
    # The second moment of a uniform tetrahedron about its centroid: m/20 sum of corner outer products.
    second = np.einsum("c,cki,ckj->cij", masses / 20.0, offsets, offsets)
    return Cells(centers, masses, np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)


def find_components(cells: Cells, pairs: np.ndarray) -> RigidComponents:
    """Return the parts that bonds connect, in the order of their first cells.

    Args:
        cells: All C cells.
        pairs: (F, 2) cells of each bond that holds.

    Returns:
        N parts with masses (N,) kg, centres of mass (N, 3) m, and inertias (N, 3, 3) kg m2 about these.

    Notes:
        Smith et al. 2001, section 3.5.

    Example:
        Three balls of 1 kg on a line; a bond connects the first two.

        >>> cells = Cells(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.ones(3), np.tile(np.eye(3), (3, 1, 1)))
        >>> parts = find_components(cells, np.array([[0, 1]]))
        >>> parts.part_of_cell.tolist(), parts.masses.tolist(), parts.centers[:, 0].tolist()
        ([0, 0, 1], [2.0, 1.0], [0.5, 2.0])
    """
    part = components(pairs, len(cells.masses))
    return components_by_label(cells, part, int(part.max(initial=-1)) + 1)


def masses_of(cells: Cells, part: np.ndarray) -> Masses:
    """Return the parts with the labels ``part`` (C,), and their masses."""
    return Masses(part.astype(np.int32), np.bincount(part, cells.masses))


def components_by_label(cells: Cells, part: np.ndarray, count: int) -> RigidComponents:
    """Return the rigid parts with the labels ``part`` (C,), 0 to count - 1."""
    part = part.astype(np.int32)
    return RigidComponents(part, *_parts_kernel(part, cells.centers, cells.masses, cells.inertias, count))


@njit(cache=True)
def _parts_kernel(
    part: np.ndarray, centers: np.ndarray, masses: np.ndarray, inertias: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masses (N,) kg, centres of mass (N, 3) m, and inertias (N, 3, 3) kg m2 about them."""
    totals, middles, result = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    for cell in range(len(part)):
        totals[part[cell]] += masses[cell]
        for i in range(3):
            middles[part[cell], i] += masses[cell] * centers[cell, i]
    for number in range(count):
        for i in range(3):
            middles[number, i] /= totals[number]
    arm = np.empty(3)
    for cell in range(len(part)):
        number, mass, square = part[cell], masses[cell], 0.0
        for i in range(3):
            arm[i] = centers[cell, i] - middles[number, i]
            square += arm[i] * arm[i]
        for i in range(3):
            for j in range(3):
                spread = square - arm[i] * arm[j] if i == j else -arm[i] * arm[j]
                result[number, i, j] += inertias[cell, i, j] + mass * spread
    return totals, middles, result
