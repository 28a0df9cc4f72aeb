"""Sparse Cholesky factorisation L L^T of a symmetric positive definite matrix of 6 x 6 blocks: multifrontal method.

It replaces a library for two reasons. After a local change, it factorises again only the fronts concerned. It works in
single precision, which suffices for a preconditioner and costs only one or two more iterations. On a bowl of 10,000
cells, a solve takes 4.3 ms, and 15 ms with CHOLMOD (double precision, one thread).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numba import njit
from scipy.sparse import bsr_array

from ...data.errors import SolverDivergedError
from .blas import SGEMM
from .block_matrix import CHAINS, side_by_side
from .dense_fronts import eliminate, eliminate_side_by_side
from .elimination import Elimination

# Increase of the diagonal over its mean. It exceeds the rounding of float32 (6e-8) and is below the softest stiffness.
# At 1e-7 many bodies take fewer iterations, but some do not converge (docs/decisions/sparse_factor.md).
LIFT = 3e-7
# Factor by which the increase grows at a negative pivot, and its limit. The Cholesky factor is a preconditioner: a
# larger increase costs iterations, and the solution stays the same. With 2 to 100, matrices get a factor whose least
# eigenvalue is down to -1e-3 of the mean diagonal. At half and twice both, all recordings keep their bytes.
MORE_LIFT, MOST_LIFT = 10.0, 1e-2
# How much faster all threads together eliminate a wide front than one. It only affects speed.
GAIN_OF_ALL = 1.6
# Numbers in the branches of a factor up to which one thread solves faster than two, because waking a thread takes
# longer than the work. It only affects speed.
WORTH_A_THREAD = 400_000


class CholeskyFactor:
    """Cholesky factor of a matrix with a slightly increased diagonal, in single precision.

    The update matrices of the fronts are stored too. After a local change, only the fronts there and their ancestors
    are factorised again.

    Notes:
        Liu 1992, The Multifrontal Method for Sparse Matrix Solution.

    Example:
        >>> from .elimination import analyse
        >>> blocks = np.array([4.0 * np.eye(6), -np.eye(6), -np.eye(6), 4.0 * np.eye(6)])
        >>> matrix = bsr_array((blocks, [0, 1, 0, 1], [0, 2, 4]), shape=(12, 12))
        >>> factor = CholeskyFactor(matrix, analyse(matrix, np.arange(2)))
        >>> factor.solve(np.ones((2, 6))).round(3)[0].tolist()
        [0.333, 0.333, 0.333, 0.333, 0.333, 0.333]
    """

    def __init__(self, matrix: bsr_array, plan: Elimination, spent: CholeskyFactor | None = None):
        """Factorise a matrix.

        Args:
            matrix: (6C, 6C) with 6 x 6 blocks in both triangles.
            plan: Result of ``analyse`` for this pattern.
            spent: A factor that is not used any more. Its memory is used again: new pages of memory take more time than
                the factorisation.

        Raises:
            SolverDivergedError: The matrix is not positive definite.
        """
        self.plan = plan
        self._panels: np.ndarray = _room(plan.panel_starts[-1], spent._panels if spent else None)
        self._updates: np.ndarray = _room(plan.update_starts[-1], spent._updates if spent else None)
        self._freedoms = (6 * plan.order[:, None] + np.arange(6)).ravel()
        self._front_of_cell = np.empty(len(plan.order), np.int64)
        self._front_of_cell[plan.order] = np.repeat(np.arange(len(plan.parents)), np.diff(plan.starts))
        self._lift = LIFT * matrix.diagonal().mean()
        self.factorise(matrix, np.arange(len(plan.order)))

    def factorise(self, matrix: bsr_array, cells: np.ndarray) -> None:
        """Factorise a changed matrix again, in place.

        Where rounding makes a front lose its positive diagonal, the whole matrix is factorised with a larger increase.

        Args:
            matrix: Matrix of the same pattern.
            cells: Cells whose blocks have changed, on the diagonal or between them.

        Raises:
            SolverDivergedError: The matrix is not positive definite.
        """
        stale = np.zeros(len(self.plan.parents), bool)
        stale[self._front_of_cell[cells]] = True
        _mark(stale, self.plan)
        while not self._eliminate(matrix, stale):
            self._lift *= MORE_LIFT
            if not self._lift <= MOST_LIFT * matrix.diagonal().mean():
                raise SolverDivergedError(
                    "the stiffness matrix is not positive definite; change the detail (Detail, --resolution) or seed"
                )
            stale[:] = True

    def _eliminate(self, matrix: bsr_array, stale: np.ndarray) -> bool:
        """Eliminate the fronts that are ``stale`` (F,) bool; return whether their diagonals stayed positive."""
        plan = self.plan
        arguments = (matrix.data, self._lift, plan, self._updates, self._panels, SGEMM)

        starts = plan.branch_starts
        ends = starts[1:] - self._tails([np.flatnonzero(stale[a:b]) + a for a, b in pairwise(starts)])

        def branches(chain: int) -> bool:
            return _factorise(starts[chain], ends[chain], stale, *arguments)

        def shared(front: int) -> bool:
            if plan.wide[front]:
                return eliminate_side_by_side(front, *arguments)
            return _factorise(front, front + 1, stale, *arguments)

        tails = [np.arange(ends[chain], starts[chain + 1]) for chain in range(CHAINS)]
        fronts = np.concatenate([*tails, np.arange(starts[-1], len(stale))])
        return all(side_by_side(branches)) and all(shared(front) for front in fronts[stale[fronts]])

    def _tails(self, stale: Sequence[np.ndarray]) -> np.ndarray:
        """Return the number of fronts at the end of each chain that all threads share, so that no thread waits.

        Args:
            stale: Fronts that each chain has to eliminate.
        """
        own = self.plan.work
        work = [float(own[fronts].sum()) for fronts in stale]
        least, tails = min(work), np.zeros(CHAINS, np.int64)
        for chain, fronts in enumerate(stale):
            for front in fronts[::-1]:
                gained = work[chain] - max(work[chain] - own[front], least)
                if not self.plan.wide[front] or gained < own[front] / GAIN_OF_ALL:
                    break
                work[chain] -= own[front]
                tails[chain] = self.plan.branch_starts[chain + 1] - front
        return tails

    def solve(self, load: np.ndarray) -> np.ndarray:
        """Solve L L^T x = load in single precision.

        Args:
            load: 6C numbers in any shape.

        Returns:
            x, in the shape of ``load``.
        """
        plan, panels = self.plan, self._panels
        scale = np.abs(load).max() or 1.0
        values = (load.ravel()[self._freedoms] / scale).astype(np.float32)
        first_shared, end = plan.branch_starts[-1], len(plan.starts) - 1
        shared_values = values[6 * plan.starts[first_shared] :]
        # Contributions of each chain to the shared positions.
        changes = np.zeros((CHAINS, len(shared_values)), np.float32)

        def branches_forward(chain: int) -> None:
            first, last = plan.branch_starts[chain : chain + 2]
            _forward(first, last, plan, panels, values, changes[chain])

        def branches_backward(chain: int) -> None:
            first, last = plan.branch_starts[chain : chain + 2]
            _backward(first, last, plan, panels, values)

        at_once = plan.panel_starts[first_shared] > WORTH_A_THREAD
        side_by_side(branches_forward, at_once=at_once)
        shared_values += changes.sum(axis=0)
        _forward(first_shared, end, plan, panels, values, shared_values)
        _backward(first_shared, end, plan, panels, values)
        side_by_side(branches_backward, at_once=at_once)
        result = np.empty(load.size)
        result[self._freedoms] = values
        result *= scale
        return result.reshape(load.shape)


def _room(size: int, spent: np.ndarray | None) -> np.ndarray:
    """Return an array of at least ``size`` float32: the spent one, or a new one with a quarter more for the next."""
    if spent is None:
        return np.empty(size, np.float32)
    return spent if len(spent) >= size else np.empty(size + size // 4, np.float32)


@njit(cache=True)
def _mark(stale: np.ndarray, plan: Elimination) -> None:
    """Mark the ancestors of stale fronts, and descendants whose update matrices are not stored."""
    for front in range(len(stale)):
        if stale[front] and plan.parents[front] >= 0:
            stale[plan.parents[front]] = True
    for front in range(len(stale) - 1, -1, -1):
        if not plan.kept[front] and stale[plan.parents[front]]:
            stale[front] = True


@njit(cache=True, nogil=True)
def _factorise(
    first: int,
    end: int,
    stale: np.ndarray,
    data: np.ndarray,
    lift: float,
    plan: Elimination,
    updates: np.ndarray,
    panels: np.ndarray,
    sgemm: int,
) -> bool:
    """Eliminate the stale fronts from ``first`` to ``end``. Return ``False`` at a negative pivot."""
    for front in range(first, end):
        if stale[front] and not eliminate(front, data, lift, plan, updates, panels, sgemm):
            return False
    return True


@njit(cache=True, nogil=True, fastmath=True)
def _forward(
    first: int, end: int, plan: Elimination, panels: np.ndarray, values: np.ndarray, shared_values: np.ndarray
) -> None:
    """Solve L y = b for the positions of fronts ``first`` to ``end``, and update the rows of their parents."""
    shared = plan.starts[plan.branch_starts[-1]]
    local = np.empty(len(values), np.float32)
    for front in range(first, end):
        begin, width = 6 * plan.starts[front], 6 * (plan.starts[front + 1] - plan.starts[front])
        total = width + 6 * (plan.row_starts[front + 1] - plan.row_starts[front])
        local[:width] = values[begin : begin + width]
        local[width:total] = 0.0
        line = plan.panel_starts[front]
        for i in range(width):
            row, rest = panels[line + i : line + total], local[i:total]
            value = rest[0] / row[0]
            for j in range(len(rest)):
                rest[j] -= row[j] * value
            local[i] = value
            line += total
        values[begin : begin + width] = local[:width]
        for entry in range(plan.row_starts[front], plan.row_starts[front + 1]):
            position = plan.rows[entry]
            for i in range(6):
                if position >= shared:
                    shared_values[6 * (position - shared) + i] += local[width + i]
                else:
                    values[6 * position + i] += local[width + i]
            width += 6


@njit(cache=True, nogil=True, fastmath=True)
def _backward(first: int, end: int, plan: Elimination, panels: np.ndarray, values: np.ndarray) -> None:
    """Solve L^T x = y for the positions of fronts ``first`` to ``end``, from the last to the first."""
    local = np.empty(len(values), np.float32)
    for front in range(end - 1, first - 1, -1):
        begin, width = 6 * plan.starts[front], 6 * (plan.starts[front + 1] - plan.starts[front])
        local[:width] = values[begin : begin + width]
        total = width
        for entry in range(plan.row_starts[front], plan.row_starts[front + 1]):
            for i in range(6):
                local[total + i] = values[6 * plan.rows[entry] + i]
            total += 6
        line = plan.panel_starts[front + 1]
        for i in range(width - 1, -1, -1):
            line -= total
            row, rest = panels[line + i : line + total], local[i:total]
            value = local[i]
            local[i] = 0.0
            for j in range(len(rest)):
                value -= row[j] * rest[j]
            local[i] = value / row[0]
        values[begin : begin + width] = local[:width]
