"""The connected parts of a network, and how they move as rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .material import Material
from .solid import SolidModel, cell_centers, cell_volumes


@dataclass(frozen=True)
class Cells:
    """What moves: ``centers`` (C, 3) m, ``masses`` (C,) kg, ``inertias`` (C, 3, 3) kg m2 about the centroid."""

    centers: np.ndarray
    masses: np.ndarray
    inertias: np.ndarray


@dataclass(frozen=True)
class Masses:
    """Parts by what they weigh.

    Attributes:
        part_of_cell: (C,) int32.
        masses: (N,) kg.
    """

    part_of_cell: np.ndarray
    masses: np.ndarray


@dataclass(frozen=True)
class Parts(Masses):
    """Rigid parts.

    Attributes:
        centers: (N, 3) m.
        inertias: (N, 3, 3) kg m2 about the part's centre of mass.
    """

    centers: np.ndarray
    inertias: np.ndarray

    def accelerations(self, cells: Cells, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What (C, 3) forces at the cells' centroids give: (C, 3) m/s2 of each cell, (N, 3) rad/s2 of each part."""
        part = self.part_of_cell
        arms = cells.centers - self.centers[part]
        linear = sum_by(part, forces, len(self.masses)) / self.masses[:, None]
        torques = sum_by(part, np.cross(arms, forces), len(self.masses))
        angular = np.linalg.solve(self.inertias, torques[..., None])[..., 0]
        return linear[part] + np.cross(angular[part], arms), angular


def cells_of(solid: SolidModel, material: Material) -> Cells:
    """The tetrahedra of a solid as rigid bodies."""
    centers = cell_centers(solid.points, solid.cells)
    masses = material.density * cell_volumes(solid.points, solid.cells)
    offsets = solid.points[solid.cells] - centers[:, None]
    # The second moment of a uniform tetrahedron about its centroid: m/20 sum of corner outer products.
    second = np.einsum("c,cki,ckj->cij", masses / 20.0, offsets, offsets)
    return Cells(centers, masses, np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)


def find_parts(cells: Cells, pairs: np.ndarray) -> Parts:
    """The parts that bonds between ``pairs`` (F, 2) of cells connect."""
    count, part = connected_components(
        coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape=(len(cells.masses), len(cells.masses))), directed=False
    )
    return parts_of(cells, part, count)


def masses_of(cells: Cells, part: np.ndarray) -> Masses:
    """The masses of the parts that ``part`` (C,) numbers from 0 on."""
    return Masses(part.astype(np.int32), np.bincount(part, cells.masses))


def parts_of(cells: Cells, part: np.ndarray, count: int) -> Parts:
    """The rigid parts that ``part`` (C,) numbers 0..count-1."""
    masses = np.bincount(part, cells.masses, count)
    centers = sum_by(part, cells.masses[:, None] * cells.centers, count) / masses[:, None]
    arms = cells.centers - centers[part]
    spread = np.einsum("ci,ci->c", arms, arms)[:, None, None] * np.eye(3) - arms[:, :, None] * arms[:, None]
    inertias = sum_by(part, (cells.inertias + cells.masses[:, None, None] * spread).reshape(-1, 9), count)
    return Parts(part.astype(np.int32), masses, centers, inertias.reshape(-1, 3, 3))


def sum_by(part: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """(N, K) sums of the rows of ``values`` (C, K) by ``part``."""
    return np.stack([np.bincount(part, column, count) for column in values.T], axis=1)
