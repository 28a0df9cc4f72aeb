"""Join the lattices of several bodies to one, with glue (Norton et al. 1991; Sweeney et al. 1991, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.choice import chosen
from ....data.job import Glue
from ..lattice import Lattice
from . import structure
from .gluing import NO_PAIRS, nearest_pairs, pairs_within

# Search for the nodes that glue connects, by ``Glue.kind``.
FIND = {"nodes": nearest_pairs, "bonds": pairs_within}


@dataclass
class Joined:
    """Several lattices joined to one.

    Attributes:
        lattice: The joined lattice.
        nodes, bonds, cells: New rows of the nodes, bonds and cells of each lattice. A bond whose ends became one node
            has -1.
        glued: Rows of the bonds of each glue.
    """

    lattice: Lattice
    nodes: list[np.ndarray]
    bonds: list[np.ndarray]
    cells: list[np.ndarray]
    glued: list[tuple[np.ndarray, Glue]]


def join(lattices: Sequence[Lattice], glues: Sequence[Glue]) -> Joined:
    """Join lattices one after another, and glue each to those before it.

    Args:
        lattices: At least one.
        glues: Glue between rows of ``lattices``.

    Returns:
        The joined lattice, and the new rows of nodes, bonds and cells.

    Raises:
        SettingsError: Glue has an unknown kind.

    Notes:
        Norton et al. 1991 merge nodes; Sweeney et al. 1991, section 5.3, add bonds between near nodes.

    Example:
        Two ropes of 1 m, end to end with a gap of 1 cm. Glue merges the ends, or adds a bond between them.

        >>> from ..cells.cells import lattice_of_cells
        >>> ends, cell = np.array([[0.0, 0, 0], [1.0, 0, 0]]), (np.array([[0, 1]]), np.array([1e-3]), "rope")
        >>> ropes = [lattice_of_cells(ends + [shift, 0, 0], *cell, regular=True) for shift in (0.0, 1.01)]
        >>> for kind in ("nodes", "bonds"):
        ...     lattice = join(ropes, [Glue(0, 1, distance=0.02, kind=kind)]).lattice
        ...     print(lattice.node_count, lattice.bonds.tolist())
        3 [[0, 1], [1, 2]]
        4 [[0, 1], [1, 2], [2, 3]]
    """
    for glue in glues:
        chosen(FIND, glue.kind, "kind of glue")
    first = lattices[0]
    joined = Joined(
        first, [np.arange(first.node_count)], [np.arange(first.bond_count)], [np.arange(len(first.cells))], []
    )
    for row, lattice in enumerate(lattices[1:], 1):
        own = [glue for glue in glues if row == max(glue.first, glue.second) and glue.first != glue.second]
        merging, tying = ([glue for glue in own if glue.kind == kind] for kind in FIND)
        replaced, merged_by = _pairs(joined, lattice, merging)
        rows = np.unique(replaced[:, 0], return_index=True)[1]
        replaced, merged_by = replaced[rows], merged_by[rows]
        tied, tied_by = _pairs(joined, lattice, tying)
        both, glued = structure.glued(joined.lattice, lattice, replaced, tied, float(np.median(lattice.stiffness)))
        new = []
        for number, glue in enumerate(merging):
            shared = glued.second_points[replaced[merged_by == number, 1]]
            new.append((np.flatnonzero(np.isin(both.bonds, shared).any(axis=1)), glue))
        # Bonds between the objects come last: their strength counts also where they end at common nodes.
        new += [(_kept(glued.glue_edges[tied_by == number]), glue) for number, glue in enumerate(tying)]
        joined = Joined(
            both,
            [*(glued.first_points[rows] for rows in joined.nodes), glued.second_points],
            [*(_renumbered(glued.first_edges, rows) for rows in joined.bonds), glued.second_edges],
            [*(glued.first_cells[rows] for rows in joined.cells), glued.second_cells],
            [*((_kept(_renumbered(glued.first_edges, rows)), glue) for rows, glue in joined.glued), *new],
        )
    return joined


def _pairs(joined: Joined, lattice: Lattice, glues: Sequence[Glue]) -> tuple[np.ndarray, np.ndarray]:
    """Find the nodes of a joined lattice and of the next one that glues connect.

    Returns:
        (N, 2) nodes, and (N,) the row of their glue in ``glues``.
    """
    pairs, owners = [NO_PAIRS], [np.empty(0, np.int64)]
    for number, glue in enumerate(glues):
        nodes = joined.nodes[min(glue.first, glue.second)]
        found = FIND[glue.kind](joined.lattice.points[nodes], lattice.points, glue.distance)
        pairs.append(np.stack([nodes[found[:, 0]], found[:, 1]], axis=1))
        owners.append(np.full(len(found), number))
    return np.concatenate(pairs), np.concatenate(owners)


def _renumbered(numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Look up the new numbers of rows; -1 stays -1."""
    return np.where(rows >= 0, numbers[rows], -1)


def _kept(rows: np.ndarray) -> np.ndarray:
    """Drop the rows that are -1."""
    return rows[rows >= 0]
