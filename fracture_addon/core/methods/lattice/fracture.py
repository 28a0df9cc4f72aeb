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

    Notes:
        Norton et al. 1991, "Cells"; Sweeney et al. 1991, section 5.2.

    Example:
        The bonds 0 and 1 form a cell, 1 and 2 another one. When bond 0 breaks, the second cell keeps bond 1.

        >>> from .lattice import bond_cells
        >>> cells = np.array([0, 1, 1, 2]), np.array([0, 2, 4])
        >>> alive, valid = np.ones(3, bool), np.ones(2, bool)
        >>> break_cells(np.array([0]), alive, valid, *cells, *bond_cells(*cells, 3))
        >>> alive.tolist(), valid.tolist()
        ([False, True, True], [False, True])
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

    Notes:
        Norton et al. 1991, "Cells": a bond breaks in stretch, never in compression.

    Example:
        The first of two segments of a rope is 20 % longer than at rest, and breaks at 10 %.

        >>> from .advance import initial_state
        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1], [1, 2]]), np.full(2, 1e-3)
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6, thresholds=0.1)
        >>> state = initial_state(model)
        >>> state.positions[0, 0] = -0.2
        >>> fracture(model, state).tolist(), state.component.tolist()
        ([0], [0, 1, 1])
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
    """Find the bonds that are longer than their limit. Bonds break under tension only.

    Args:
        model: The lattice.
        state: Present positions and limits.

    Returns:
        (K,) rows of bonds.

    Notes:
        Norton et al. 1991, "Breakage threshold".

    Example:
        The first segment of a rope is 20 % longer, the second 20 % shorter than at rest. Both break at 10 %.

        >>> from .advance import initial_state
        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1], [1, 2]]), np.full(2, 1e-3)
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6, thresholds=0.1)
        >>> state = initial_state(model)
        >>> state.positions[1, 0] = 1.2
        >>> overloaded(model, state).tolist()
        [0]
    """
    return np.flatnonzero(lengths(model, state) > state.limits)


def lengths(model: Model, state: State) -> np.ndarray:
    """Compute the (B,) present lengths of the bonds, m."""
    first, second = model.lattice.bonds.T
    return np.linalg.norm(state.positions[second] - state.positions[first], axis=1)
