"""Approximate inverses of a network's stiffness while bonds break: a Cholesky factor, or cells and clumps of cells.

A factor leaves two iterations or so, and only a part of it is made again where bonds broke; but its work grows about as
the square of the cells. Two levels take ten to twenty iterations, however large the body and however much of it broke.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import bsr_array, csr_array

from .blocks import CHAINS, inverted_diagonal, left_by_sweep, side_by_side, sweep, sweep_back
from .cholesky import CholeskyFactor
from .clumps import Clumps, clump_stiffness, clumped, fallen_apart, gathered, scattered
from .dissection import nested_dissection
from .elimination import Elimination, analyse

# Up to so many cells a factorisation is planned, and done where it takes no more floating-point operations than this.
# A bowl of 40,000 cells takes 6e10, and either takes as long there.
PLANNED_CELLS, MOST_WORK = 60_000, 1e11


def preconditioner_for(stiffness: bsr_array, places: np.ndarray) -> Factor | TwoLevels:
    """The preconditioner that suits the size of a symmetric positive definite block matrix.

    Args:
        stiffness: (6C, 6C) with full 6 x 6 blocks in a pattern that stays.
        places: (C, 3) where the cells are, in the unit of length that makes rotations displacements.
    """
    count = len(places)
    if count <= PLANNED_CELLS:
        graph = csr_array((np.ones(len(stiffness.indices)), stiffness.indices, stiffness.indptr), shape=(count, count))
        plan = analyse(stiffness, nested_dissection(graph, places))
        if plan.work <= MOST_WORK:
            return Factor(stiffness, plan)
    return TwoLevels(stiffness, places, clumped(stiffness, places))


class Factor:
    """L L^T of the stiffness."""

    # Whether it takes a start that is far off in what hardly resists, as a part that hangs by one bond: a factor does.
    reaches_soft_motions = True

    def __init__(self, stiffness: bsr_array, plan: Elimination):
        self._made_of = stiffness.diagonal()
        self._factor = CholeskyFactor(stiffness, plan)

    def adapted(self, stiffness: bsr_array) -> Factor:
        """Itself, made to fit a matrix with the same pattern: what differs from the one that it was made of."""
        # The diagonal tells: every bond that breaks changes those of its cells.
        changed = np.flatnonzero((stiffness.diagonal() != self._made_of).reshape(-1, 6).any(axis=1))
        if len(changed):
            self._factor.factorise(stiffness, changed)
            self._made_of = stiffness.diagonal()
        return self

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction."""
        return self._factor.solve(residual)


class TwoLevels:
    """Cells one after the other, then clumps of cells as rigid bodies, then the cells again the other way round.

    Multiplicative and symmetric: a sweep of block Gauss-Seidel, what that leaves balanced among the clumps by their
    factor, and a sweep back, in single precision. It is made anew for what is left of the body, as clumps fall apart.
    """

    reaches_soft_motions = False

    def __init__(self, stiffness: bsr_array, places: np.ndarray, whole: Clumps):
        """For a matrix as it is now.

        Args:
            stiffness: Where nothing holds any more its blocks are zero.
            places: See ``preconditioner_for``.
            whole: Clumps before anything broke.
        """
        self._made_of, self._places, self._whole = stiffness.diagonal(), places, whole
        pattern, data = (whole.indptr, whole.indices), stiffness.data[whole.entries]
        labels, rows, starts = fallen_apart(whole.labels, *pattern, data)
        places = places[whole.order]
        middles = np.stack([np.bincount(labels, column) for column in places.T], axis=1) / np.diff(starts)[:, None]
        arms = places - middles[labels]
        indptr, indices, sums = clump_stiffness(labels, rows, starts, *pattern, data, arms)
        coarse = bsr_array((sums, indices, indptr), shape=(6 * len(middles), 6 * len(middles)))
        self._factor = CholeskyFactor(coarse, analyse(coarse, np.arange(len(middles))))
        self._labels, self._arms, self._matrix = labels, arms.astype(np.float32), (*pattern, data.astype(np.float32))
        self._inverses = inverted_diagonal(*pattern, data)
        # Chains of whole clumps: two cells that hold to nothing but each other must not be looked at apart.
        middle = np.linspace(0, len(labels), CHAINS + 1)[:-1].astype(int)
        self._ends = [*np.searchsorted(whole.labels, whole.labels[middle]), len(labels)]

    def adapted(self, stiffness: bsr_array) -> TwoLevels:
        """One that fits another matrix."""
        same = np.array_equal(stiffness.diagonal(), self._made_of)
        return self if same else TwoLevels(stiffness, self._places, self._whole)

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction."""
        scale = np.abs(residual).max() or 1.0
        load = (residual / scale).astype(np.float32).reshape(-1, 6)[self._whole.order]
        first, left, last = np.empty_like(load), np.empty_like(load), np.empty_like(load)
        self._along_chains(lambda *rows: sweep(*rows, *self._matrix, self._inverses, load, first))
        self._along_chains(lambda *rows: left_by_sweep(*rows, *self._matrix, first, left))
        between = self._by_clumps(left)
        self._along_chains(lambda *rows: sweep_back(*rows, *self._matrix, self._inverses, left, between, last))
        result = np.empty(load.shape)
        result[self._whole.order] = first + last
        return scale * result.ravel()

    def _along_chains(self, kernel: Callable[[int, int], None]) -> None:
        side_by_side(lambda chain: kernel(self._ends[chain], self._ends[chain + 1]))

    def _by_clumps(self, load: np.ndarray) -> np.ndarray:
        """Rigid motions of the clumps that balance them, on the cells."""
        together = gathered(self._labels, self._arms, load)
        motions = self._factor.solve(together.ravel()).reshape(-1, 6)
        return scattered(self._labels, self._arms, motions)
