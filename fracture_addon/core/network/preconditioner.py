"""Approximate inverses of a network's stiffness while bonds break: a Cholesky factor, or multigrid.

A factor costs less than a multigrid hierarchy in thin walls and small solids, and where bonds broke only a part of it
is made again; in large thick ones its fill grows faster than the model. A hierarchy is kept and mended where bonds
broke since it was made, which keeps it useful about five times longer.
"""

from __future__ import annotations

import numpy as np
import pyamg
from scipy.sparse import bsr_array, bsr_matrix, csr_array
from scipy.sparse.linalg import splu

from .cholesky import CholeskyFactor
from .elimination import Elimination, analyse

# Up to so many cells a factorisation is planned, and done where it takes no more floating-point operations than this.
# A bowl of 100,000 cells takes 4.3e11, and its factor 2.6 GB.
PLANNED_CELLS, MOST_WORK = 120_000, 5e11
# After a solve that took more iterations than this a new hierarchy pays for the next one.
PATIENCE = 12
# An old hierarchy is mended on the cells within so many faces of a break, until they are this share of the body.
MENDED_REACH, MOST_MENDED = 4, 0.1


def preconditioner_for(stiffness: bsr_array, centers: np.ndarray, modes: np.ndarray) -> Factor | Multigrid:
    """The preconditioner that suits the size of a symmetric positive definite block matrix.

    Args:
        stiffness: (6C, 6C) with full 6 x 6 blocks in a pattern that stays.
        centers: (C, 3) m, where the cells are.
        modes: (6C, 6) the rigid motions.
    """
    if len(centers) <= PLANNED_CELLS:
        plan = analyse(stiffness, centers)
        if plan.work <= MOST_WORK:
            return Factor(stiffness, plan)
    return Multigrid(stiffness, modes)


class Factor:
    """L L^T of the stiffness."""

    def __init__(self, stiffness: bsr_array, plan: Elimination):
        self._made_of = stiffness.diagonal()
        self._factor = CholeskyFactor(stiffness, plan)

    def adapted(self, stiffness: bsr_array, iterations: int) -> Factor:
        """Itself, made to fit a matrix with the same pattern: what differs from the one that it was made of."""
        changed = _changed_cells(stiffness, self._made_of)
        if len(changed):
            self._factor.factorise(stiffness, changed)
            self._made_of = stiffness.diagonal()
        return self

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction."""
        return self._factor.solve(residual)


class Multigrid:
    """Smoothed aggregation with the six rigid motions as its near-null space."""

    def __init__(self, stiffness: bsr_array, modes: np.ndarray):
        self._modes, self._made_of = modes, stiffness.diagonal()
        self._cycle = pyamg.smoothed_aggregation_solver(
            bsr_matrix(stiffness, copy=True),
            B=modes,
            symmetry="symmetric",
            # Aggregates that leave weak couplings out: 8 iterations where all couplings took 30 (110,000 cells).
            strength=("symmetric", {"theta": 0.08}),
            smooth=("jacobi", {"omega": 4.0 / 3.0, "weighting": "local"}),
            max_coarse=400,
        ).aspreconditioner()

    def adapted(self, stiffness: bsr_array, iterations: int) -> Multigrid | Mended:
        """One that fits another matrix: this, mended, or a new one where the last solve took many ``iterations``."""
        changed = _changed_cells(stiffness, self._made_of)
        if not len(changed):
            return self
        near = np.zeros(stiffness.shape[0] // 6, bool)
        near[changed] = True
        adjacency = csr_array((np.ones(len(stiffness.indices), np.int32), stiffness.indices, stiffness.indptr))
        for _ in range(MENDED_REACH):
            near = adjacency @ near > 0
        if iterations > PATIENCE or np.count_nonzero(near) > MOST_MENDED * len(near):
            return Multigrid(stiffness, self._modes)
        return Mended(self, stiffness, np.flatnonzero(near))

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction by one V-cycle."""
        return self._cycle @ residual


class Mended:
    """An approximate inverse of a matrix as it was, corrected by an exact solve on the cells around what changed.

    Symmetric multiplicative Schwarz: the cells around the change, the whole as it was, the cells again.
    """

    def __init__(self, whole: Multigrid, stiffness: bsr_array, cells: np.ndarray):
        self._whole = whole
        self._freedoms = (6 * cells[:, None] + np.arange(6)).ravel()
        starts, ends = stiffness.indptr[cells], stiffness.indptr[cells + 1]
        entries = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        # The rows of those cells: a local solve changes the residual only through them, as the matrix is symmetric.
        self._rows = bsr_array(
            (stiffness.data[entries], stiffness.indices[entries], np.concatenate([[0], np.cumsum(ends - starts)])),
            shape=(len(self._freedoms), stiffness.shape[1]),
        )
        self._columns = self._rows.T.tobsr((6, 6))
        self._solve = splu(
            self._rows.tocsc()[:, self._freedoms],
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        ).solve

    def adapted(self, stiffness: bsr_array, iterations: int) -> Multigrid | Mended:
        """The whole as it was, mended for another matrix."""
        return self._whole.adapted(stiffness, iterations)

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction."""
        first = self._solve(residual[self._freedoms])
        correction = self._whole(residual - self._columns @ first)
        correction[self._freedoms] += first
        correction[self._freedoms] += self._solve(residual[self._freedoms] - self._rows @ correction)
        return correction


def _changed_cells(stiffness: bsr_array, former: np.ndarray) -> np.ndarray:
    """Cells whose part of the diagonal is not as in the ``former`` one: those of every bond that broke."""
    return np.flatnonzero((stiffness.diagonal() != former).reshape(-1, 6).any(axis=1))
