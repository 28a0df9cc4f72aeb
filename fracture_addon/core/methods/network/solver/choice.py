"""Which way the forces in a network are found while bonds break: by a Cholesky factor, or by two levels.

A factor leaves two iterations or so, and only a part of it is made again where bonds broke; but its work grows about as
the square of the cells. Two levels take ten to twenty iterations, however large the body and however much of it broke.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_array, csr_array

from ....numerics.sparse.blocks import product
from ....numerics.sparse.cholesky import CholeskyFactor
from ....numerics.sparse.conjugate_gradients import conjugate_gradients
from ....numerics.sparse.dissection import nested_dissection
from ....numerics.sparse.elimination import Elimination, analyse
from ..bonds.full_bonds import FullBonds
from .two_levels import TwoLevels

# Up to so many cells a factorisation is planned, and done where it takes no more floating-point operations than this.
# Of a bowl of 10,000 cells it takes 4e9, and is the quicker way; of 40,000 6e10, and two levels take half the time.
PLANNED_CELLS, MOST_WORK = 30_000, 1.5e10


def solver_for(bonds: FullBonds, stiffness: bsr_array, shift: float) -> Factored | TwoLevels:
    """What suits the size of a body.

    Args:
        bonds: All bonds.
        stiffness: (6C, 6C), symmetric positive definite with full 6 x 6 blocks in a pattern that stays.
        shift: N/m, of its diagonal, which no bond gives.
    """
    if bonds.cell_count <= PLANNED_CELLS:
        pattern = np.ones(len(stiffness.indices)), stiffness.indices, stiffness.indptr
        plan = analyse(stiffness, nested_dissection(csr_array(pattern), bonds.cells.centers / bonds.cell_size))
        if plan.work.sum() <= MOST_WORK:
            return Factored(stiffness, plan)
    return TwoLevels(bonds, stiffness, shift)


class Factored:
    """Conjugate gradients; the preconditioner is L L^T of the stiffness."""

    def __init__(self, stiffness: bsr_array, plan: Elimination):
        rows = np.repeat(np.arange(len(stiffness.indptr) - 1), np.diff(stiffness.indptr))
        self._on_diagonal = np.flatnonzero(stiffness.indices == rows)
        self._stiffness, self._made_of = stiffness, self._pulls(stiffness)
        self._factor = CholeskyFactor(stiffness, plan)

    def adapted(self, stiffness: bsr_array) -> Factored:
        """Itself, made to fit a matrix with the same pattern: what differs from the one that it was made of."""
        self._stiffness, pulls = stiffness, self._pulls(stiffness)
        changed = np.flatnonzero(pulls != self._made_of)
        if len(changed):
            self._factor.factorise(stiffness, changed)
            self._made_of = pulls
        return self

    def solve(self, load: np.ndarray, displacement: np.ndarray, residual: float, limit: int) -> int | None:
        """Write the displacement (6C,) under a balanced load (6C,), to a relative residual: iterations, None for never.

        It starts from nothing: with what broke since, the last answer leaves up to 90 times the load, and takes longer.
        """
        goal, solution = residual * float(np.linalg.norm(load)), displacement.reshape(-1, 6)
        solution[:] = 0.0
        return conjugate_gradients(
            lambda vector, result: product(self._stiffness, vector, result),
            self._factor.solve,
            solution,
            load.reshape(-1, 6).copy(),
            lambda norm, _: norm <= goal,
            limit,
        )

    def _pulls(self, stiffness: bsr_array) -> np.ndarray:
        """(C,) N/m that hold each cell along the first axis. Every bond has a share in it: they tell what broke."""
        return stiffness.data[self._on_diagonal, 0, 0]
