"""Point bonds: point masses at the cells' centroids with one distance constraint per shared face.

This is the network of the paper: J W J^T lambda = -J W Q (Smith et al. 2001, equation 1), solved by conjugate gradients
with a diagonal preconditioner. A constraint is the distance minus the rest length. A positive multiplier therefore
pushes two cells apart, which is compression.

The matrix is assembled once. Broken constraints are masked, because a principal submatrix stays valid.
Rows are stored along a space-filling curve, so that a row's neighbours are in the processor's cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array, dia_array

from ....data.arrays import ReadOnlyArrays
from ....data.errors import SolverDivergedError
from ....data.solid import SolidModel
from ....numerics.morton import morton_codes
from ...rigid_components import Cells

# Relative residual at which the solver stops. An impact breaks a slab into 361, 361 and 360 fragments at 5e-5, 1e-4
# and 2e-4, and into 403 at 0.01.
RESIDUAL = 1e-4
# Constraints that share a cell with a constraint: three others at each of its two tetrahedra.
MOST_NEIGHBOURS = 6
# Bits per coordinate of a position on the space-filling curve. It affects only the time.
CURVE_BITS = 10


@dataclass(frozen=True)
class PointBonds(ReadOnlyArrays):
    """Constraints between cells, and their matrix J W J^T in ELL storage.

    Attributes:
        pairs: (F, 2) int32 cells.
        directions: (F, 3) unit vectors from the first cell to the second. A row of J is (-direction, direction).
        inverse_masses: (C,) 1/kg.
        order: (F,) constraint of each stored row.
        diagonal: (F,) 1/kg, diagonal of the matrix.
        columns: (F, 6) uint32 stored rows of constraints that share a cell; unused entries have the row itself.
        values: (F, 6) 1/kg, off-diagonal entries; 0 where unused.
    """

    pairs: np.ndarray
    directions: np.ndarray
    inverse_masses: np.ndarray
    order: np.ndarray
    diagonal: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    def matrix(self) -> csr_array:
        """Return J W J^T (F, F) as a sparse matrix, 1/kg (Smith et al. 2001, equation 1)."""
        jacobian = self.jacobian()
        weights = np.repeat(self.inverse_masses, 3)[None]
        return (jacobian @ dia_array((weights, [0]), shape=2 * weights.shape[1:]) @ jacobian.T).tocsr()

    def jacobian(self) -> csr_array:
        """Return the Jacobian J of the distances: the change of each distance per displacement of the cells.

        Returns:
            (F, 3C), a row (-direction, direction) for each constraint.

        Notes:
            Smith et al. 2001, section 3: J = dC/dp of C = |p_a - p_b| - d.

        Example:
            >>> none, pair, along = np.zeros((1, 6)), np.array([[0, 1]]), np.array([[1.0, 0, 0]])
            >>> bonds = PointBonds(pair, along, np.ones(2), np.zeros(1, int), 2 * np.ones(1), none, none)
            >>> bonds.jacobian().toarray().tolist()
            [[-1.0, 0.0, 0.0, 1.0, 0.0, 0.0]]
        """
        count = len(self.pairs)
        rows = np.repeat(np.arange(count), 6)
        columns = (3 * self.pairs[:, :, None] + np.arange(3)).reshape(-1)
        values = np.stack([-self.directions, self.directions], axis=1).reshape(-1)
        return csr_array((values, (rows, columns)), shape=(count, 3 * len(self.inverse_masses)))

    def right_side(self, forces: np.ndarray) -> np.ndarray:
        """Return -J W Q (F,), m/s2, minus the relative accelerations of the cells under forces Q (C, 3), N."""
        accelerations = forces * self.inverse_masses[:, None]
        first, second = self.pairs.T
        return -np.einsum("fi,fi->f", self.directions, accelerations[second] - accelerations[first])

    def solve(
        self, right_side: np.ndarray, alive: np.ndarray, guess: np.ndarray, residual: float = RESIDUAL
    ) -> np.ndarray:
        """Solve J W J^T lambda = -J W Q for the multipliers lambda.

        Args:
            right_side: (F,) m/s2, from ``right_side``.
            alive: (F,) bool, constraints that hold.
            guess: (F,) N, start of the iteration.
            residual: Relative residual at which the iteration stops.

        Returns:
            (F,) N, 0 for broken constraints. Compression is positive.

        Raises:
            SolverDivergedError: Four iterations per constraint, plus 100, did not reach the residual.

        Notes:
            Smith et al. 2001, equation 1 and section 3.2: conjugate gradients with a diagonal preconditioner.

        Example:
            Forces of 12 N pull two equal cells apart. The multiplier is a tension of 12 N.

            >>> from ....data.material import PORCELAIN
            >>> from ....data.solid import from_cells
            >>> from ...rigid_components import cells_of
            >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
            >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
            >>> bonds = build_point_bonds(solid, cells_of(solid, PORCELAIN))
            >>> right_side = bonds.right_side(np.array([[-12.0, 0, 0], [12.0, 0, 0]]))
            >>> bonds.solve(right_side, np.ones(1, bool), np.zeros(1)).round(6).tolist()
            [-12.0]
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
            raise SolverDivergedError(
                f"constraint forces have not converged after {limit} iterations; use full bonds or another resolution"
            )
        multipliers = np.empty_like(stored)
        multipliers[self.order] = stored
        return multipliers


def build_point_bonds(solid: SolidModel, cells: Cells) -> PointBonds:
    """Build a distance constraint for each face that two cells share.

    Args:
        solid: Tetrahedra with F shared faces.
        cells: The tetrahedra as rigid bodies; see ``cells_of``.

    Returns:
        F constraints between the centroids, and their matrix.

    Notes:
        Smith et al. 2001, section 2.1, figure 2.

    Example:
        Two cells of 400 kg share a face. The entry of J W J^T is 1 / 400 kg + 1 / 400 kg.

        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> from ...rigid_components import cells_of
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> bonds = build_point_bonds(solid, cells_of(solid, PORCELAIN))
        >>> bonds.directions.tolist(), bonds.matrix().toarray().round(6).tolist()
        ([[1.0, 0.0, 0.0]], [[0.005]])
    """
    pairs = solid.face_cells
    between = cells.centers[pairs[:, 1]] - cells.centers[pairs[:, 0]]
    directions = between / np.linalg.norm(between, axis=1, keepdims=True)
    inverse_masses = 1.0 / cells.masses
    count = len(pairs)
    middles = 0.5 * (cells.centers[pairs[:, 0]] + cells.centers[pairs[:, 1]])
    order = np.argsort(morton_codes(middles, middles, CURVE_BITS), kind="stable")
    stored_pairs = pairs[order]
    entries = np.argsort(stored_pairs.T.ravel(), kind="stable") % count
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs.ravel(), minlength=len(cells.masses)))])
    columns, values = _ell(stored_pairs, directions[order], inverse_masses, entries, starts)
    diagonal = inverse_masses[stored_pairs].sum(axis=1)
    return PointBonds(pairs, directions, inverse_masses, order, diagonal, columns, values)


@njit(cache=True)
def _ell(
    pairs: np.ndarray,
    directions: np.ndarray,
    inverse_masses: np.ndarray,
    constraint_of_entry: np.ndarray,
    starts: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return columns and values of the off-diagonal entries; see ``PointBonds``."""
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
def _product(
    diagonal: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    alive: np.ndarray,
    vector: np.ndarray,
    image: np.ndarray,
) -> float:
    """Write the product of the matrix of unbroken constraints and ``vector`` to ``image``; return their dot product."""
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
def _conjugate_gradients(
    diagonal: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    alive: np.ndarray,
    right_side: np.ndarray,
    solution: np.ndarray,
    residual: float,
    limit: int,
) -> int:
    """Improve ``solution`` in place by preconditioned conjugate gradients; return the iterations, or ``limit``.

    The preconditioner is the diagonal (Smith et al. 2001, section 3.2). Arguments as in ``PointBonds.solve``, in the
    order of the stored rows.
    """
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
    if goal == 0.0:  # a load on loose cells alone: no residual is below it, but the solution is zero
        solution[:] = 0.0
        return 0
    search = remainder / diagonal
    for iteration in range(limit):
        if square <= goal:
            return iteration
        curvature = _product(diagonal, columns, values, alive, search, image)
        if curvature == 0.0 or product == 0.0:  # the square of the remainder underflows to zero
            return iteration
        step = product / curvature
        before, square, product = product, 0.0, 0.0
        for row in range(count):
            solution[row] += step * search[row]
            remainder[row] -= step * image[row]
            square += remainder[row] ** 2
            product += remainder[row] ** 2 / diagonal[row]
        for row in range(count):
            search[row] = remainder[row] / diagonal[row] + (product / before) * search[row]
    return limit
