"""Lattices of several bodies as one, glued (Norton et al. 1991; Sweeney et al. 1991, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.errors import SettingsError
from ....data.job import Glue
from ..model import Lattice
from . import structure
from .gluing import nearest_pairs, pairs_within


@dataclass
class Joined:
    """Lattices as one, and where the rows of each went."""

    lattice: Lattice
    nodes: list[np.ndarray]
    bonds: list[np.ndarray]
    cells: list[np.ndarray]
    glued: list[tuple[np.ndarray, Glue]]


def join(lattices: Sequence[Lattice], glues: Sequence[Glue]) -> Joined:
    """Lattices one after the other, glued to those before them."""
    first = lattices[0]
    whole = Joined(
        first, [np.arange(first.node_count)], [np.arange(first.bond_count)], [np.arange(len(first.cells))], []
    )
    for row, lattice in enumerate(lattices[1:], 1):
        mine = [glue for glue in glues if row == max(glue.first, glue.second) and glue.first != glue.second]
        kinds = {glue.kind for glue in mine}
        if len(kinds) > 1 or not kinds <= {"nodes", "bonds"}:
            raise SettingsError(f"glue of {' and '.join(sorted(kinds))} on one object; use either nodes or bonds")
        merging = kinds == {"nodes"}
        find = nearest_pairs if merging else pairs_within
        pairs, owners = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for number, glue in enumerate(mine):
            there = whole.nodes[min(glue.first, glue.second)]
            found = find(whole.lattice.points[there], lattice.points, glue.distance)
            pairs.append(np.stack([there[found[:, 0]], found[:, 1]], axis=1))
            owners.append(np.full(len(found), number))
        pairs, owner = np.concatenate(pairs), np.concatenate(owners)
        if merging:
            rows = np.unique(pairs[:, 0], return_index=True)[1]
            pairs, owner = pairs[rows], owner[rows]
            joined, glued = structure.merged(whole.lattice, lattice, pairs)
            new = []
            for number, glue in enumerate(mine):
                shared = glued.second_points[pairs[owner == number, 1]]
                new.append((np.flatnonzero(np.isin(joined.bonds, shared).any(axis=1)), glue))
        else:
            joined, glued = structure.tied(whole.lattice, lattice, pairs, float(np.median(lattice.stiffness)))
            new = [(glued.glue_edges[owner == number], glue) for number, glue in enumerate(mine)]
        whole = Joined(
            joined,
            [*(glued.first_points[rows] for rows in whole.nodes), glued.second_points],
            [*(_through(glued.first_edges, rows) for rows in whole.bonds), glued.second_edges],
            [*(glued.first_cells[rows] for rows in whole.cells), glued.second_cells],
            [*((_held(_through(glued.first_edges, rows)), glue) for rows, glue in whole.glued), *new],
        )
    return whole


def _through(numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Where rows went; -1 stays -1."""
    return np.where(rows >= 0, numbers[rows], -1)


def _held(rows: np.ndarray) -> np.ndarray:
    return rows[rows >= 0]
