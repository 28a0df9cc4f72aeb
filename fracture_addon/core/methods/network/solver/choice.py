"""Choice of the linear solver of a network: conjugate gradients with a Cholesky factor or with two levels.

A factor needs about two iterations, and only a part of it is recomputed where bonds broke. Its cost for each cell grows
about with the number of cells, and much faster in compact bodies than in thin ones. Two levels need ten to twenty
iterations, for any size and any number of broken bonds.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_array, csr_array

from ....numerics.sparse.block_matrix import product
from ....numerics.sparse.cholesky import CholeskyFactor
from ....numerics.sparse.conjugate_gradients import conjugate_gradients
from ....numerics.sparse.dissection import nested_dissection
from ....numerics.sparse.elimination import Elimination, analyse
from ..bonds.full_bonds import FullBonds
from .two_levels import TwoLevels

# Most cells for which a factorisation is planned, and most floating-point operations of a factor for each cell. A round
# of breaks takes the same time with both at about 3e5 operations a cell, measured with cubes, slabs and a plank
# (docs/decisions/two_levels.md). A cube of 2,000 cells needs 2.6e5, one of 4,000 6.4e5, a bowl of 53,000 1e5.
PLANNED_CELLS, WORK_A_CELL = 30_000, 3e5


def solver_for(bonds: FullBonds, stiffness: bsr_array, shift: np.ndarray) -> Factored | TwoLevels:
    """Return the solver for a body of this size.

    Args:
        bonds: All bonds.
        stiffness: (6C, 6C) N/m, symmetric positive definite, full 6 x 6 blocks. Its pattern is the same at every call.
        shift: (C,) N/m, part of the diagonal that does not come from bonds.
    """
    # Two levels need exactly one bond for each pair of connected cells; ties are second bonds.
    has_ties = 2 * len(bonds.pairs) + bonds.cell_count > len(stiffness.indices)
    if bonds.cell_count <= PLANNED_CELLS or has_ties:
        pattern = np.ones(len(stiffness.indices)), stiffness.indices, stiffness.indptr
        plan = analyse(stiffness, nested_dissection(csr_array(pattern), bonds.cells.centers / bonds.cell_size))
        if plan.work.sum() <= WORK_A_CELL * bonds.cell_count or has_ties:
            return Factored(stiffness, plan)
    return TwoLevels(bonds, stiffness, shift)


class Factored:
    """Conjugate gradients, preconditioned by the Cholesky factor L L^T of the stiffness."""

    def __init__(self, stiffness: bsr_array, plan: Elimination):
        rows = np.repeat(np.arange(len(stiffness.indptr) - 1), np.diff(stiffness.indptr))
        self._on_diagonal = np.flatnonzero(stiffness.indices == rows)
        self._stiffness, self._factorised = stiffness, self._axial_stiffness(stiffness)
        self._factor = CholeskyFactor(stiffness, plan)

    def adapted(self, stiffness: bsr_array) -> Factored:
        """Return this solver for a new matrix with the same pattern; only changed parts are factorised again."""
        self._stiffness, axial = stiffness, self._axial_stiffness(stiffness)
        changed = np.flatnonzero(axial != self._factorised)
        if len(changed):
            self._factor.factorise(stiffness, changed)
            self._factorised = axial
        return self

    def solve(self, load: np.ndarray, displacement: np.ndarray, residual: float, limit: int) -> int | None:
        """Write the displacement under a balanced load.

        The iteration starts at zero. After breaks, the previous displacement would leave a residual of up to 90 times
        the load, and need more iterations.

        Args:
            load: (6C,) N.
            displacement: (6C,) m, output.
            residual: Relative residual at which the iteration stops.
            limit: Most iterations.

        Returns:
            The iterations; ``None`` if they did not reach the residual.
        """
        goal, solution = residual * float(np.linalg.norm(load)), displacement.reshape(-1, 6)
        solution[:] = 0.0

        def multiply(vector: np.ndarray, result: np.ndarray) -> None:
            product(self._stiffness, vector, result)

        return conjugate_gradients(
            multiply,
            self._factor.solve,
            solution,
            load.reshape(-1, 6).copy(),
            lambda norm, _: norm <= goal,
            limit,
        )

    def _axial_stiffness(self, stiffness: bsr_array) -> np.ndarray:
        """Return (C,) N/m, each cell's stiffness along the first axis. It changes exactly where a bond broke."""
        return stiffness.data[self._on_diagonal, 0, 0]
