"""What follows when bonds break: the cell rule (Norton et al. 1991, "Cells")."""

from __future__ import annotations

import numpy as np
from numba import njit


def bond_cells(cell_bonds: np.ndarray, cell_starts: np.ndarray, bond_count: int) -> tuple[np.ndarray, np.ndarray]:
    """The cells of each bond, bond after bond, and (B + 1,) where each bond's begin."""
    owners = np.repeat(np.arange(len(cell_starts) - 1, dtype=np.int32), np.diff(cell_starts))
    order = np.argsort(cell_bonds, kind="stable")
    return owners[order], np.searchsorted(cell_bonds[order], np.arange(bond_count + 1)).astype(np.int32)


@njit(cache=True)
def break_cells(rows, alive, valid, cell_bonds, cell_starts, bonds_cells, bond_starts):
    """Break bonds, the cells that they are in, and the bonds that are then in no valid cell.

    Args:
        rows: Bonds to break.
        alive: (B,) bool, changed.
        valid: (K,) bool, changed.
        cell_bonds: Of the lattice.
        cell_starts: Of the lattice.
        bonds_cells: First of what ``bond_cells`` returns.
        bond_starts: Second of it.
    """
    for row in rows:
        alive[row] = False
        for place in range(bond_starts[row], bond_starts[row + 1]):
            cell = bonds_cells[place]
            if not valid[cell]:
                continue
            valid[cell] = False
            for entry in range(cell_starts[cell], cell_starts[cell + 1]):
                bond = cell_bonds[entry]
                supported = False
                for other in range(bond_starts[bond], bond_starts[bond + 1]):
                    supported |= valid[bonds_cells[other]]
                if not supported:
                    alive[bond] = False
