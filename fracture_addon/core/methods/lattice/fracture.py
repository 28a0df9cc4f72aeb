"""The cell rule: a broken bond breaks its cells, and they break their other bonds (Norton et al. 1991, "Cells")."""

from __future__ import annotations

import numpy as np
from numba import njit


def bond_cells(cell_bonds: np.ndarray, cell_starts: np.ndarray, bond_count: int) -> tuple[np.ndarray, np.ndarray]:
    """List the cells of each bond.

    Args:
        cell_bonds: (L,) int32, see ``Lattice``.
        cell_starts: (K + 1,) int32, see ``Lattice``.
        bond_count: B.

    Returns:
        (L,) int32, the cells of all bonds, bond after bond, and (B + 1,) int32, the first row of each bond.
    """
    owners = np.repeat(np.arange(len(cell_starts) - 1, dtype=np.int32), np.diff(cell_starts))
    order = np.argsort(cell_bonds, kind="stable")
    return owners[order], np.searchsorted(cell_bonds[order], np.arange(bond_count + 1)).astype(np.int32)


@njit(cache=True)
def break_cells(
    rows: np.ndarray,
    alive: np.ndarray,
    valid: np.ndarray,
    cell_bonds: np.ndarray,
    cell_starts: np.ndarray,
    bonds_cells: np.ndarray,
    bond_starts: np.ndarray,
) -> None:
    """Break bonds, the cells that contain them, and the bonds of these cells that no valid cell contains.

    Args:
        rows: Bonds to break.
        alive: (B,) bool, changed in place.
        valid: (K,) bool, changed in place.
        cell_bonds: (L,) int32, see ``Lattice``.
        cell_starts: (K + 1,) int32, see ``Lattice``.
        bonds_cells: (L,) int32, the first result of ``bond_cells``.
        bond_starts: (B + 1,) int32, the second result of ``bond_cells``.
    """
    for row in rows:
        alive[row] = False
        for item in range(bond_starts[row], bond_starts[row + 1]):
            cell = bonds_cells[item]
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
