"""The forces in a loaded network: K d = Q - M a, solved again and again while bonds break.

``a`` is each connected part's own rigid acceleration: inertia balances the load. K = J^T C^-1 J is singular, with six
rigid motions a part; the balanced load has no share in them, and a shift of ``SHIFT`` times K's mean diagonal, part
of the operator itself, keeps them out of the answer.
"""

from __future__ import annotations

import copy

import numpy as np
from scipy.sparse import bsr_array

from ..errors import SolverDivergedError
from ..parts import Parts
from .full_bonds import FullBonds
from .solvers import solver_for

SHIFT = 1e-9
# The relative residual, or with two levels the relative error in energy norm, at which forces are good enough to tell
# which bond breaks next: half and twice as much residual gave the same fragments of a bowl of 10,000 cells.
RESIDUAL = 1e-2
ITERATION_LIMIT = 500


def balanced(bonds: FullBonds, parts: Parts, forces: np.ndarray) -> np.ndarray:
    """Load (6C,) of (C, 3) forces less the inertia of the acceleration that they give each part: Q - M a."""
    cells = bonds.cells
    acceleration, angular = parts.accelerations(cells, forces)
    load = np.empty((bonds.cell_count, 6))
    load[:, :3] = forces - cells.masses[:, None] * acceleration
    load[:, 3:] = -np.einsum("cij,cj->ci", cells.inertias, angular[parts.part_of_cell]) / bonds.cell_size
    return load.ravel()


class Equilibrium:
    """The stiffness of what still holds, kept up to date, and the displacement that answers the last load."""

    def __init__(self, bonds: FullBonds):
        self.bonds = bonds
        self.displacement = np.zeros(6 * bonds.cell_count)
        shift = self._assemble()
        self._solver = solver_for(bonds, self.matrix, shift)
        self._iterations = 0

    def copy(self) -> Equilibrium:
        """One that can be broken while this stays whole; they share what is known of the stiffness."""
        result = copy.copy(self)
        result.matrix = self.matrix.copy()
        result.displacement = self.displacement.copy()
        return result

    def remove(self, rows: np.ndarray) -> None:
        """Take broken bonds out of the stiffness."""
        (first, second), data = self.bonds.pairs[rows].T, self.matrix.data
        # Found again, as they would take more memory than the whole matrix.
        blocks = self.bonds.stiffness_blocks(rows)
        np.subtract.at(data, self._diagonal[first], blocks[:, :6, :6])
        np.subtract.at(data, self._diagonal[second], blocks[:, 6:, 6:])
        data[self._upper[rows]] = 0.0
        data[self._lower[rows]] = 0.0

    def solve(self, load: np.ndarray, residual: float = RESIDUAL) -> np.ndarray:
        """Displacement (6C,) under a balanced load (6C,), by preconditioned conjugate gradients.

        Raises:
            SolverDivergedError: The residual was not reached.
        """
        if not load.any():
            # No share of nothing is small enough: it would go on until it divides by zero.
            self.displacement[:] = 0.0
            return self.displacement
        self._solver = self._solver.adapted(self.matrix)
        iterations = self._solver.solve(load, self.displacement, residual, ITERATION_LIMIT)
        if iterations is None:
            raise SolverDivergedError(
                f"the forces did not settle within {ITERATION_LIMIT} iterations; try another resolution or seed"
            )
        self._iterations = iterations
        return self.displacement

    def _assemble(self) -> float:
        """The stiffness of all bonds; the shift of its diagonal, N/m."""
        count, (first, second) = self.bonds.cell_count, self.bonds.pairs.T
        cells = np.arange(count)
        rows, columns = np.concatenate([cells, first, second]), np.concatenate([cells, second, first])
        order = np.lexsort((columns, rows))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])
        self._diagonal = place[:count]
        self._upper, self._lower = place[count : count + len(first)], place[count + len(first) :]
        data, blocks = np.zeros((len(order), 6, 6)), self.bonds.stiffness_blocks()
        np.add.at(data, self._diagonal[first], blocks[:, :6, :6])
        np.add.at(data, self._diagonal[second], blocks[:, 6:, 6:])
        data[self._upper], data[self._lower] = blocks[:, :6, 6:], blocks[:, 6:, :6]
        shift = SHIFT * float(np.mean(np.trace(data[self._diagonal], axis1=1, axis2=2))) / 6.0
        data[self._diagonal] += shift * np.eye(6)
        self.matrix = bsr_array((data, columns[order], indptr), shape=(6 * count, 6 * count))
        return shift
