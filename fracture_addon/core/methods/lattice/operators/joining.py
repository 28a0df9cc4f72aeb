"""Join the lattices of several bodies to one, with glue (Norton et al. 1991; Sweeney et al. 1991, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.errors import SettingsError
from ....data.job import Glue
from ..lattice import Lattice
from . import structure
from .gluing import nearest_pairs, pairs_within


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

    Raises:
        SettingsError: One object has glue of several kinds, or of an unknown kind.
    """
    first = lattices[0]
    joined = Joined(
        first, [np.arange(first.node_count)], [np.arange(first.bond_count)], [np.arange(len(first.cells))], []
    )
    for row, lattice in enumerate(lattices[1:], 1):
        own_glues = [glue for glue in glues if row == max(glue.first, glue.second) and glue.first != glue.second]
        kinds = {glue.kind for glue in own_glues}
        if len(kinds) > 1 or not kinds <= {"nodes", "bonds"}:
            found_kinds = " and ".join(sorted(kinds))
            raise SettingsError(
                f"Deformable object {row + 1} has glue of kind {found_kinds}; use either nodes or bonds"
            )
        merging = kinds == {"nodes"}
        find = nearest_pairs if merging else pairs_within
        pair_lists, owner_lists = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for number, glue in enumerate(own_glues):
            nodes = joined.nodes[min(glue.first, glue.second)]
            found = find(joined.lattice.points[nodes], lattice.points, glue.distance)
            pair_lists.append(np.stack([nodes[found[:, 0]], found[:, 1]], axis=1))
            owner_lists.append(np.full(len(found), number))
        pairs, owner = np.concatenate(pair_lists), np.concatenate(owner_lists)
        if merging:
            rows = np.unique(pairs[:, 0], return_index=True)[1]
            pairs, owner = pairs[rows], owner[rows]
            both, glued = structure.merged(joined.lattice, lattice, pairs)
            new = []
            for number, glue in enumerate(own_glues):
                shared = glued.second_points[pairs[owner == number, 1]]
                new.append((np.flatnonzero(np.isin(both.bonds, shared).any(axis=1)), glue))
        else:
            both, glued = structure.tied(joined.lattice, lattice, pairs, float(np.median(lattice.stiffness)))
            new = [(glued.glue_edges[owner == number], glue) for number, glue in enumerate(own_glues)]
        joined = Joined(
            both,
            [*(glued.first_points[rows] for rows in joined.nodes), glued.second_points],
            [*(_renumbered(glued.first_edges, rows) for rows in joined.bonds), glued.second_edges],
            [*(glued.first_cells[rows] for rows in joined.cells), glued.second_cells],
            [*((_kept(_renumbered(glued.first_edges, rows)), glue) for rows, glue in joined.glued), *new],
        )
    return joined


def _renumbered(numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Look up the new numbers of rows; -1 stays -1."""
    return np.where(rows >= 0, numbers[rows], -1)


def _kept(rows: np.ndarray) -> np.ndarray:
    """Drop the rows that are -1."""
    return rows[rows >= 0]
