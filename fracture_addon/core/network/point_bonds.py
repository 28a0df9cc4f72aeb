"""The paper's own network: point masses at the cells' centroids, one distance constraint a shared face.

J W J^T lambda = -J W Q (Smith et al. 2001, equation 1), by conjugate gradients with the diagonal as preconditioner.
C is the distance less its rest length, so a positive multiplier pushes the two cells apart: compression.

A principal submatrix stays right when constraints break, so nothing is assembled again: broken rows are masked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array, dia_array

from ..errors import SolverDivergedError
from ..parts import Cells
from ..solid import SolidModel

RESIDUAL = 1e-4
# A cell has four faces, so a constraint meets three others at either end.
MOST_NEIGHBOURS = 6


@dataclass(frozen=True)
class PointBonds:
    """Constraints between cells; the matrix in ELL storage.

    Attributes:
        pairs: (F, 2) int32 cells.
        directions: (F, 3) unit vectors from the first cell to the second: the row of J is -direction, +direction.
        inverse_masses: (C,) 1/kg.
        diagonal: (F,) of J W J^T.
        columns: (F, 6) uint32 constraints that share a cell; a row's own index where there are fewer.
        values: (F, 6), 0 there.
    """

    pairs: np.ndarray
    directions: np.ndarray
    inverse_masses: np.ndarray
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
        multipliers = np.where(alive, guess, 0.0)
        limit = 4 * len(alive) + 100
        iterations = _conjugate_gradients(
            self.diagonal, self.columns, self.values, alive, right_side, multipliers, residual, limit
        )
        if iterations == limit:
            raise SolverDivergedError("the constraint forces did not settle; use full bonds or another resolution")
        return multipliers


def build_point_bonds(solid: SolidModel, cells: Cells) -> PointBonds:
    """The dual lattice of a solid (section 2.1)."""
    pairs = solid.face_cells
    between = cells.centers[pairs[:, 1]] - cells.centers[pairs[:, 0]]
    directions = between / np.linalg.norm(between, axis=1, keepdims=True)
    inverse_masses = 1.0 / cells.masses
    count = len(pairs)
    constraints = np.concatenate([np.arange(count), np.arange(count)])
    order = np.argsort(np.concatenate([pairs[:, 0], pairs[:, 1]]), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs.ravel(), minlength=len(cells.masses)))])
    columns, values = _ell(pairs, directions, inverse_masses, constraints[order], starts)
    diagonal = inverse_masses[pairs].sum(axis=1)
    return PointBonds(pairs, directions, inverse_masses, diagonal, columns, values)


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
def _conjugate_gradients(diagonal, columns, values, alive, right_side, solution, residual, limit):
    count = len(diagonal)
    remainder = np.empty(count)
    search = np.zeros(count)
    image = np.empty(count)
    size = 0.0
    for row in range(count):
        total = 0.0
        if alive[row]:
            total = right_side[row] - diagonal[row] * solution[row]
            for entry in range(MOST_NEIGHBOURS):
                total -= values[row, entry] * solution[columns[row, entry]]
            size += right_side[row] ** 2
        remainder[row] = total
    goal = residual * residual * size
    before = np.inf
    for iteration in range(limit):
        square = 0.0
        product = 0.0
        for row in range(count):
            square += remainder[row] ** 2
            product += remainder[row] ** 2 / diagonal[row]
        if square <= goal:
            return iteration
        for row in range(count):
            search[row] = remainder[row] / diagonal[row] + (product / before) * search[row]
        curvature = 0.0
        for row in range(count):
            total = 0.0
            if alive[row]:
                total = diagonal[row] * search[row]
                for entry in range(MOST_NEIGHBOURS):
                    total += values[row, entry] * search[columns[row, entry]]
            image[row] = total
            curvature += total * search[row]
        step = product / curvature
        for row in range(count):
            solution[row] += step * search[row]
            remainder[row] -= step * image[row]
        before = product
    return limit
