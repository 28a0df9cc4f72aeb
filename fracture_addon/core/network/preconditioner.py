"""Approximate inverses of a network's stiffness while bonds break: a Cholesky factor, or multigrid.

A factor costs less than a multigrid hierarchy in thin walls and small solids, and where bonds broke only a part of it
is made again; in large thick ones its fill grows faster than the model. A hierarchy is kept and mended where bonds
broke since it was made, which keeps it useful about five times longer.
"""

from __future__ import annotations

import numpy as np
import pyamg
from scipy.sparse import bsr_array, bsr_matrix
from scipy.sparse.linalg import splu

from .cholesky import CholeskyFactor
from .elimination import analyse

# Up to so many cells a factorisation is planned, and done where it takes no more floating-point operations than this.
PLANNED_CELLS, MOST_WORK = 25_000, 1e11


def preconditioner_for(stiffness: bsr_array, centers: np.ndarray, modes: np.ndarray) -> Factor | Multigrid:
    """The preconditioner that suits the size of a symmetric positive definite block matrix.

    Args:
        stiffness: (6C, 6C) with full 6 x 6 blocks in a pattern that stays.
        centers: (C, 3) m, where the cells are.
        modes: (6C, 6) the rigid motions.
    """
    if stiffness.shape[0] <= 6 * PLANNED_CELLS:
        plan = analyse(stiffness, centers)
        if plan.work <= MOST_WORK:
            return Factor(CholeskyFactor(stiffness, plan))
    return Multigrid(stiffness, modes)


class Factor:
    """L L^T of the stiffness."""

    renews_locally = True

    def __init__(self, factor: CholeskyFactor):
        self._factor = factor

    def renewed(self, stiffness: bsr_array, changed: np.ndarray, *, shared: bool) -> Factor:
        """That of a matrix whose blocks changed only between ``changed`` cells; in place unless it is ``shared``."""
        result = Factor(self._factor.copy()) if shared else self
        result._factor.factorise(stiffness, changed)
        return result

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction."""
        return self._factor.solve(residual)


class Multigrid:
    """Smoothed aggregation with the six rigid motions as its near-null space."""

    renews_locally = False

    def __init__(self, stiffness: bsr_array, modes: np.ndarray):
        self._modes = modes
        self._cycle = pyamg.smoothed_aggregation_solver(
            bsr_matrix(stiffness, copy=True),
            B=modes,
            symmetry="symmetric",
            # Aggregates that leave weak couplings out: 8 iterations where all couplings took 30 (110,000 cells).
            strength=("symmetric", {"theta": 0.08}),
            smooth=("jacobi", {"omega": 4.0 / 3.0, "weighting": "local"}),
            max_coarse=400,
        ).aspreconditioner()

    def renewed(self, stiffness: bsr_array, changed: np.ndarray, *, shared: bool) -> Multigrid:
        """The hierarchy of another matrix."""
        return Multigrid(stiffness, self._modes)

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction by one V-cycle."""
        return self._cycle @ residual


class Mended:
    """An approximate inverse of a matrix as it was, corrected by an exact solve on the cells around what changed.

    Symmetric multiplicative Schwarz: the cells around the change, the whole as it was, the cells again.
    """

    def __init__(self, whole: Factor | Multigrid, stiffness: bsr_array, cells: np.ndarray):
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

    def __call__(self, residual: np.ndarray) -> np.ndarray:
        """(6C,) correction."""
        first = self._solve(residual[self._freedoms])
        correction = self._whole(residual - self._columns @ first)
        correction[self._freedoms] += first
        correction[self._freedoms] += self._solve(residual[self._freedoms] - self._rows @ correction)
        return correction
