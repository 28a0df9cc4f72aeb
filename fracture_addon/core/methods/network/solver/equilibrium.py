"""Equilibrium of a loaded network: K d = Q - M a, solved again after each round of breaks.

a is the rigid acceleration of each fragment: inertia balances the load. K = J^T C^-1 J is singular, with six rigid
motions per fragment. The balanced load does no work on them. A shift of the diagonal makes K positive definite.
"""

from __future__ import annotations

import copy
from threading import Thread

import numpy as np
from scipy.sparse import bsr_array, csr_array

from ....data.errors import SolverDivergedError
from ...rigid_components import RigidComponents
from ..bonds.full_bonds import FullBonds
from .choice import solver_for

# Shift of the diagonal, as a share of its mean. Insensitive: half and twice give the same counts of fragments in 17
# of 18 runs (docs/decisions/constants.md).
SHIFT = 1e-9
# Stiffness that fixes a held cell, over the mean of the diagonal. A held cell then moves by a thousandth of the
# displacement between cells. Insensitive: 10 and 1e6 give the same breaking loads (docs/decisions/collapse.md).
HELD = 1e3
# No cells are held.
NONE_HELD = np.empty(0, np.int64)
# Relative residual at which the solver stops; with two levels, relative error in the energy norm. Measured on a bowl of
# 10,000 cells: half and twice this residual gave the same fragments.
RESIDUAL = 1e-2
# Most iterations. Measured: a factor needs about 2, two levels 10 to 20.
ITERATION_LIMIT = 500


def balanced(bonds: FullBonds, parts: RigidComponents, forces: np.ndarray, held: np.ndarray = NONE_HELD) -> np.ndarray:
    """Return the load Q - M a: forces Q minus the inertia of each fragment's rigid acceleration a.

    Fragments with a held cell do not accelerate.

    Args:
        bonds: Cells and bonds.
        parts: Connected components of the bonds that hold.
        forces: Q, (C, 3) N.
        held: (H,) cells that do not move.

    Returns:
        (6C,) N.

    Notes:
        d'Alembert 1743: inertia balances the load. It is the projection by which Smith et al. 2001 find forces that
        bonds can transmit.

    Example:
        The weight of a falling body loads no bond. If it is held, it does.

        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> from ...rigid_components import find_components
        >>> from ..bonds.full_bonds import build_full_bonds
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> bonds = build_full_bonds(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN)
        >>> parts, weight = find_components(bonds.cells, bonds.pairs), np.array([[0.0, 0.0, -4000.0]] * 2)
        >>> [float(abs(balanced(bonds, parts, weight, held)).max().round(6)) for held in (NONE_HELD, np.array([0]))]
        [0.0, 4000.0]
    """
    cells = bonds.cells
    acceleration, angular = parts.accelerations(cells, forces)
    if len(held):
        stands = np.zeros(len(parts.masses), bool)
        stands[parts.part_of_cell[held]] = True
        acceleration[stands[parts.part_of_cell]] = 0.0
        angular[stands] = 0.0
    load = np.empty((bonds.cell_count, 6))
    load[:, :3] = forces - cells.masses[:, None] * acceleration
    load[:, 3:] = -np.einsum("cij,cj->ci", cells.inertias, angular[parts.part_of_cell]) / bonds.cell_size
    return load.ravel()


class Equilibrium:
    """The stiffness of the bonds that hold, and the displacement under the last load.

    Attributes:
        bonds: All bonds, broken ones included.
        matrix: (6C, 6C) N/m, stiffness of the bonds that hold.
        displacement: (6C,) m, under the last load.
        held: (H,) cells that do not move.
    """

    matrix: bsr_array
    # (F, 4) blocks of each bond; (F,) the pair of cells that it connects; number of bonds that hold in each pair.
    _places: np.ndarray
    _pair_of_bond: np.ndarray
    _holding: np.ndarray

    def __init__(self, bonds: FullBonds, held: np.ndarray = NONE_HELD):
        """Assemble and factorise the stiffness.

        Args:
            bonds: All bonds.
            held: (H,) cells that do not move.
        """
        self.bonds, self.held = bonds, held
        self.displacement = np.zeros(6 * bonds.cell_count)
        shift = self._assemble()
        self._solver = solver_for(bonds, self.matrix, shift)
        self._preparing: Thread | None = None
        self._iterations, self._is_whole, self._shares_matrix = 0, True, False
        # Residual, load and displacement of the last solve of the unbroken body: an impact often repeats that load.
        self._answered: tuple[float, np.ndarray, np.ndarray] | None = None

    def copy(self) -> Equilibrium:
        """Return a copy that shares the matrix and the solver; breaking its bonds leaves this one unchanged."""
        self._shares_matrix = True
        result = copy.copy(self)
        result.displacement = self.displacement.copy()
        return result

    def make_ready(self) -> None:
        """Adapt the shared solver to the unbroken body in a thread. The next solve waits for it."""
        if self._preparing is None or not self._preparing.is_alive():
            self._preparing = Thread(target=self._solver.adapted, args=(self.matrix,))
            self._preparing.start()

    def remove(self, rows: np.ndarray) -> None:
        """Subtract the bonds ``rows`` (K,) from the stiffness."""
        if self._shares_matrix:
            self.matrix = self.matrix.copy()
        self._is_whole = self._shares_matrix = False
        self.bonds.add_stiffness(-1.0, rows, self._places, self.matrix.data)
        self._holding = self._holding.copy()
        np.subtract.at(self._holding, self._pair_of_bond[rows], 1)
        # Remove rounding errors: a zero block marks two cells that no bond connects.
        apart = rows[self._holding[self._pair_of_bond[rows]] == 0]
        self.matrix.data[self._places[apart, 2:]] = 0.0

    def solve(self, load: np.ndarray, residual: float = RESIDUAL) -> np.ndarray:
        """Solve K d = load by preconditioned conjugate gradients.

        Args:
            load: (6C,) N, balanced; see ``balanced``.
            residual: Relative residual at which the iteration stops.

        Returns:
            (6C,) m, the attribute ``displacement``, not a copy.

        Raises:
            SolverDivergedError: The residual was not reached.

        Notes:
            Smith et al. 2001, section 3.2: the multipliers of very stiff glue are C^-1 J d. The preconditioner is a
            Cholesky factor or two levels; see ``choice.solver_for``.

        Example:
            Two cells are pulled apart with 1 N. Their bond transmits that force.

            >>> import numpy as np
            >>> from fracture_addon.core.data.material import PORCELAIN
            >>> from fracture_addon.core.data.solid import from_cells
            >>> from fracture_addon.core.methods.network.bonds.full_bonds import build_full_bonds
            >>> from fracture_addon.core.methods.rigid_components import find_components
            >>> points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]], float)
            >>> solid = from_cells(points, np.array([[0, 1, 2, 3], [0, 2, 1, 4]]), np.empty((0, 4)))
            >>> bonds = build_full_bonds(solid, PORCELAIN)
            >>> forces = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
            >>> load = balanced(bonds, find_components(bonds.cells, bonds.pairs), forces)
            >>> normal, _ = bonds.tractions(Equilibrium(bonds).solve(load, 1e-6))
            >>> round(float((normal.mean(axis=1) * bonds.areas).sum()), 3)
            1.0
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
            self._preparing.join()
        self._solver = self._solver.adapted(self.matrix)
        if self._is_whole:
            # The result does not depend on earlier solves of the unbroken body.
            self.displacement[:] = 0.0
        iterations = self._solver.solve(load, self.displacement, residual, ITERATION_LIMIT)
        if iterations is None:
            raise SolverDivergedError(
                f"forces have not converged after {ITERATION_LIMIT} iterations; try another resolution or seed"
            )
        self._iterations = iterations
        if self._is_whole:
            self._answered = residual, load, self.displacement.copy()
        return self.displacement

    def _assemble(self) -> np.ndarray:
        """Assemble the stiffness of all bonds, and return the shift of its diagonal (C,), N/m."""
        count, cells = self.bonds.cell_count, np.arange(self.bonds.cell_count)
        # A tie and the face that it crosses connect the same cells.
        keys, self._pair_of_bond = np.unique(self.bonds.pairs.astype(np.int64) @ [count, 1], return_inverse=True)
        self._holding = np.bincount(self._pair_of_bond)
        first, second = keys // count, keys % count
        rows, columns = np.concatenate([cells, first, second]), np.concatenate([cells, second, first])
        pattern = csr_array((np.arange(len(rows)), (rows, columns)), shape=(count, count))
        pattern.sort_indices()
        place = np.empty(len(rows), np.int64)
        place[pattern.data] = np.arange(len(rows))
        places = [place[first], place[second], place[count : count + len(keys)], place[count + len(keys) :]]
        self._places = np.stack(places, axis=1)[self._pair_of_bond]
        data = np.zeros((len(rows), 6, 6))
        self.bonds.add_stiffness(1.0, np.arange(len(self._places)), self._places, data)
        diagonal = place[:count]
        mean = float(np.mean(np.trace(data[diagonal], axis1=1, axis2=2)))
        shift = np.full(count, SHIFT * mean / 6.0)
        shift[self.held] += HELD * mean / 6.0
        data[diagonal] += shift[:, None, None] * np.eye(6)
        self.matrix = bsr_array((data, pattern.indices, pattern.indptr), shape=(6 * count, 6 * count))
        return shift
