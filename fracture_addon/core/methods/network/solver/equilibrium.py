"""The forces in a loaded network: K d = Q - M a, solved again and again while bonds break.

``a`` is each connected part's own rigid acceleration: inertia balances the load. K = J^T C^-1 J is singular, with six
rigid motions a part; the balanced load has no share in them, and a shift of ``SHIFT`` times K's mean diagonal, part
of the operator itself, keeps them out of the answer.
"""

from __future__ import annotations

import copy
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np
from scipy.sparse import bsr_array, csr_array

from ....data.errors import SolverDivergedError
from ...rigid_parts import Parts
from ..bonds.full_bonds import FullBonds
from .choice import solver_for

SHIFT = 1e-9
# The relative residual, or with two levels the relative error in energy norm, at which forces are good enough to tell
# which bond breaks next: half and twice as much residual gave the same fragments of a bowl of 10,000 cells.
RESIDUAL = 1e-2
ITERATION_LIMIT = 500

_BESIDE = ThreadPoolExecutor(1)


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
        self._preparing: Future | None = None
        self._iterations, self._is_whole, self._shares_matrix = 0, True, False
        # What was last asked of the whole body: the load that first breaks it is found under that of the blow itself.
        self._answered: tuple[float, np.ndarray, np.ndarray] | None = None

    def copy(self) -> Equilibrium:
        """One that can be broken while this stays whole; they share what is known of the stiffness."""
        self._shares_matrix = True
        result = copy.copy(self)
        result.displacement = self.displacement.copy()
        return result

    def make_ready(self) -> None:
        """Prepare the shared factor for the whole body again, in a thread; the next solve waits for it."""
        self._preparing = _BESIDE.submit(self._solver.adapted, self.matrix)

    def remove(self, rows: np.ndarray) -> None:
        """Take broken bonds out of the stiffness."""
        if self._shares_matrix:
            self.matrix = self.matrix.copy()
        self._is_whole = self._shares_matrix = False
        self.bonds.add_stiffness(-1.0, rows, self._places, self.matrix.data)
        # Not by rounding only: what is zero is known to be broken.
        self.matrix.data[self._places[rows, 2:]] = 0.0

    def solve(self, load: np.ndarray, residual: float = RESIDUAL) -> np.ndarray:
        """Solve for the displacement (6C,) under a balanced load (6C,) by preconditioned conjugate gradients.

        Raises:
            SolverDivergedError: The residual was not reached.
        """
        if not load.any():
            # A zero load has the zero solution; iterations would divide by its norm.
            self.displacement[:] = 0.0
            return self.displacement
        known = self._answered if self._is_whole else None
        if known and known[0] == residual and np.array_equal(known[1], load):
            self.displacement[:] = known[2]
            return self.displacement
        if self._preparing:
            wait([self._preparing])
        self._solver = self._solver.adapted(self.matrix)
        iterations = self._solver.solve(load, self.displacement, residual, ITERATION_LIMIT)
        if iterations is None:
            raise SolverDivergedError(
                f"the forces did not settle within {ITERATION_LIMIT} iterations; try another resolution or seed"
            )
        self._iterations = iterations
        if self._is_whole:
            self._answered = residual, load, self.displacement.copy()
        return self.displacement

    def _assemble(self) -> float:
        """The stiffness of all bonds; the shift of its diagonal, N/m."""
        count, (first, second) = self.bonds.cell_count, self.bonds.pairs.T
        cells = np.arange(count)
        rows, columns = np.concatenate([cells, first, second]), np.concatenate([cells, second, first])
        pattern = csr_array((np.arange(len(rows)), (rows, columns)), shape=(count, count))
        pattern.sort_indices()
        place = np.empty(len(rows), np.int64)
        place[pattern.data] = np.arange(len(rows))
        self._places = np.stack(
            [place[first], place[second], place[count : count + len(first)], place[count + len(first) :]], axis=1
        )
        data = np.zeros((len(rows), 6, 6))
        self.bonds.add_stiffness(1.0, np.arange(len(first)), self._places, data)
        diagonal = place[:count]
        shift = SHIFT * float(np.mean(np.trace(data[diagonal], axis1=1, axis2=2))) / 6.0
        data[diagonal] += shift * np.eye(6)
        self.matrix = bsr_array((data, pattern.indices, pattern.indptr), shape=(6 * count, 6 * count))
        return shift
