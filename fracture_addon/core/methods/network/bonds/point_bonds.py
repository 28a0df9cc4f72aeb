"""The paper's own network: point masses at the cells' centroids, one distance constraint a shared face.

J W J^T lambda = -J W Q (Smith et al. 2001, equation 1), by conjugate gradients with the diagonal as preconditioner.
C is the distance less its rest length, so a positive multiplier pushes the two cells apart: compression.

A principal submatrix stays right when constraints break, so nothing is assembled again: broken rows are masked.
The matrix is stored along a curve through space, so that what a row gathers is still in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array, dia_array

from ....data.errors import SolverDivergedError
from ....data.solid import SolidModel
from ....numerics.space_filling_curve import along_a_curve
from ...rigid_parts import Cells

RESIDUAL = 1e-4
# A cell has four faces, so a constraint meets three others at either end.
MOST_NEIGHBOURS = 6
# Of a coordinate, for the order along the curve.
CURVE_BITS = 10


@dataclass(frozen=True)
class PointBonds:
    """Constraints between cells; the matrix in ELL storage.

    Attributes:
        pairs: (F, 2) int32 cells.
        directions: (F, 3) unit vectors from the first cell to the second: the row of J is -direction, +direction.
        inverse_masses: (C,) 1/kg.
        order: (F,) the constraint that each row of the stored matrix stands for.
        diagonal: (F,) of J W J^T.
        columns: (F, 6) uint32 stored rows of constraints that share a cell; a row's own where there are fewer.
        values: (F, 6), 0 there.
    """

    pairs: np.ndarray
    directions: np.ndarray
    inverse_masses: np.ndarray
    order: np.ndarray
    diagonal: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    def matrix(self) -> csr_array:
        """J W J^T as a sparse matrix, (F, F)."""
        jacobian = self.jacobian()
        weights = np.repeat(self.inverse_masses, 3)[None]
        return (jacobian @ dia_array((weights, [0]), shape=2 * weights.shape[1:]) @ jacobian.T).tocsr()

    def jacobian(self) -> csr_array:
        """J (F, 3C)."""
        count = len(self.pairs)
        rows = np.repeat(np.arange(count), 6)
        columns = (3 * self.pairs[:, :, None] + np.arange(3)).reshape(-1)
        values = np.stack([-self.directions, self.directions], axis=1).reshape(-1)
        return csr_array((values, (rows, columns)), shape=(count, 3 * len(self.inverse_masses)))

    def right_side(self, forces: np.ndarray) -> np.ndarray:
        """-J W Q (F,) of (C, 3) forces."""
        accelerations = forces * self.inverse_masses[:, None]
        first, second = self.pairs.T
        return -np.einsum("fi,fi->f", self.directions, accelerations[second] - accelerations[first])

    def solve(self, right_side: np.ndarray, alive: np.ndarray, guess: np.ndarray, residual=RESIDUAL) -> np.ndarray:
        """Multipliers (F,) in newtons, 0 for broken constraints.

        Raises:
            SolverDivergedError: The relative residual was not reached in 4 iterations a constraint.
        """
        stored = np.where(alive, guess, 0.0)[self.order]
        limit = 4 * len(alive) + 100
        iterations = _conjugate_gradients(
            self.diagonal,
            self.columns,
            self.values,
            alive[self.order],
            right_side[self.order],
            stored,
            residual,
            limit,
        )
        if iterations == limit:
            raise SolverDivergedError("the constraint forces did not settle; use full bonds or another resolution")
        multipliers = np.empty_like(stored)
        multipliers[self.order] = stored
        return multipliers


def build_point_bonds(solid: SolidModel, cells: Cells) -> PointBonds:
    """The dual lattice of a solid (section 2.1)."""
    pairs = solid.face_cells
    between = cells.centers[pairs[:, 1]] - cells.centers[pairs[:, 0]]
    directions = between / np.linalg.norm(between, axis=1, keepdims=True)
    inverse_masses = 1.0 / cells.masses
    count = len(pairs)
    middles = 0.5 * (cells.centers[pairs[:, 0]] + cells.centers[pairs[:, 1]])
    order = np.argsort(along_a_curve(middles, middles, CURVE_BITS), kind="stable")
    stored_pairs = pairs[order]
    entries = np.argsort(stored_pairs.T.ravel(), kind="stable") % count
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs.ravel(), minlength=len(cells.masses)))])
    columns, values = _ell(stored_pairs, directions[order], inverse_masses, entries, starts)
    diagonal = inverse_masses[stored_pairs].sum(axis=1)
    return PointBonds(pairs, directions, inverse_masses, order, diagonal, columns, values)


@njit(cache=True)
def _ell(pairs, directions, inverse_masses, constraint_of_entry, starts):
    columns = np.empty((len(pairs), MOST_NEIGHBOURS), np.uint32)
    values = np.zeros((len(pairs), MOST_NEIGHBOURS))
    for row in range(len(pairs)):
        columns[row] = row
        filled = 0
        for side in range(2):
            cell = pairs[row, side]
            for entry in range(starts[cell], starts[cell + 1]):
                other = constraint_of_entry[entry]
                if other == row:
                    continue
                sign = 1.0 if pairs[other, side] == cell else -1.0
                columns[row, filled] = other
                dot = 0.0
                for axis in range(3):
                    dot += directions[row, axis] * directions[other, axis]
                values[row, filled] = sign * inverse_masses[cell] * dot
                filled += 1
    return columns, values


@njit(cache=True)
def _product(diagonal, columns, values, alive, vector, image):
    """The matrix of what is alive times a vector, into ``image``; returns the product of the two."""
    curvature = 0.0
    for row in range(len(diagonal)):
        total = diagonal[row] * vector[row]
        for entry in range(MOST_NEIGHBOURS):
            total += values[row, entry] * vector[columns[row, entry]]
        total = total if alive[row] else 0.0
        image[row] = total
        curvature += total * vector[row]
    return curvature


@njit(cache=True)
def _conjugate_gradients(diagonal, columns, values, alive, right_side, solution, residual, limit):
    count = len(diagonal)
    remainder, image = np.empty(count), np.empty(count)
    _product(diagonal, columns, values, alive, solution, image)
    goal, square, product = 0.0, 0.0, 0.0
    for row in range(count):
        known = right_side[row] if alive[row] else 0.0
        remainder[row] = known - image[row]
        goal += residual * residual * known**2
        square += remainder[row] ** 2
        product += remainder[row] ** 2 / diagonal[row]
    search = remainder / diagonal
    for iteration in range(limit):
        if square <= goal:
            return iteration
        step = product / _product(diagonal, columns, values, alive, search, image)
        before, square, product = product, 0.0, 0.0
        for row in range(count):
            solution[row] += step * search[row]
            remainder[row] -= step * image[row]
            square += remainder[row] ** 2
            product += remainder[row] ** 2 / diagonal[row]
        for row in range(count):
            search[row] = remainder[row] / diagonal[row] + (product / before) * search[row]
    return limit
