"""Fracture of a lattice: bonds beyond their limit and their cells break (Norton et al. 1991, "Cells")."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...numerics.components import components
from .contact import collisions
from .model import Model
from .state import State


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
        bonds_cells: (L,) int32, the first result of ``lattice.bond_cells``.
        bond_starts: (B + 1,) int32, the second result of ``lattice.bond_cells``.
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


def fracture(model: Model, state: State, rows: np.ndarray | None = None) -> np.ndarray:
    """Break bonds, and the cells and bonds that the cell rule breaks with them.

    Args:
        model: The lattice.
        state: Changed in place.
        rows: Bonds to break; those beyond their limit by default.

    Returns:
        Rows of all bonds that broke.
    """
    lattice = model.lattice
    rows = overloaded(model, state) if rows is None else np.asarray(rows)
    before = state.alive.copy()
    cells = (lattice.cell_bonds, lattice.cell_starts, model.bonds_cells, model.bond_starts)
    break_cells(rows, state.alive, state.valid, *cells)
    broken = np.flatnonzero(before & ~state.alive)
    state.stiffness[broken] = state.damping[broken] = 0.0
    state.limits[broken] = np.inf
    state.component = components(lattice.bonds, lattice.node_count, state.alive)
    collisions.add_broken_bonds(model, state, broken)
    return broken


def overloaded(model: Model, state: State) -> np.ndarray:
    """Find the rows of bonds that are longer than their limit. Bonds break under tension only."""
    return np.flatnonzero(lengths(model, state) > state.limits)


def lengths(model: Model, state: State) -> np.ndarray:
    """Compute the (B,) present lengths of the bonds, m."""
    first, second = model.lattice.bonds.T
    return np.linalg.norm(state.positions[second] - state.positions[first], axis=1)
