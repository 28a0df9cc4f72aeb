"""A lattice as a hierarchy of points, edges, faces and cells, and gluing of lattices through it."""

from __future__ import annotations

import numpy as np

from ..model import Lattice
from .gluing import Glued, glue_by_edges, glue_by_points, nearest_pairs, pairs_within
from .hierarchy import Hierarchy, Intact, Rows, hierarchy_of, parts_of_cells


def hierarchy_of_lattice(lattice: Lattice) -> Hierarchy:
    """Its hierarchy: bonds are the edges, and sides and faces follow from the cells."""
    dimensions = lattice.part_dimensions[parts_of_cells(lattice.cells, lattice.part_starts)]
    cell_bonds = Rows(lattice.cell_starts, lattice.cell_bonds)
    return hierarchy_of(lattice.points, lattice.bonds, lattice.cells, dimensions, cell_bonds, lattice.part_starts)


def intact_of(alive: np.ndarray, valid: np.ndarray) -> Intact:
    """What holds of a lattice that moved and broke: (B,) bonds and (K,) cells."""
    return Intact(np.asarray(alive), np.asarray(valid))


def glued_by_nodes(first: Lattice, second: Lattice, distance: float, nodes=None) -> tuple[Lattice, Glued]:
    """Norton's glue: nodes of the first lattice give way to the nearest of the second.

    A bond between two such nodes gets no stiffness where the second lattice may have one in its place already. What the
    dropped nodes stood for, the others stand for.

    Args:
        first: In place.
        second: In place, with the region to be glued beside that of the first.
        distance: m, the farthest that a node may be from the one that takes its place.
        nodes: Rows of ``first`` that may be glued; all by default.
    """
    rows = np.arange(first.node_count) if nodes is None else np.asarray(nodes)
    pairs = nearest_pairs(first.points[rows], second.points, distance)
    pairs[:, 0] = rows[pairs[:, 0]]
    return merged(first, second, pairs)


def merged(first: Lattice, second: Lattice, pairs: np.ndarray) -> tuple[Lattice, Glued]:
    """The first node of each pair (N, 2), of the first lattice, gives way to the other, of the second."""
    glued = glue_by_points(hierarchy_of_lattice(first), hierarchy_of_lattice(second), pairs)
    dropped = np.zeros(first.node_count, bool)
    dropped[pairs[:, 0]] = True
    doubled = dropped[first.bonds].all(axis=1)
    return _lattice_of(glued, first, second, np.where(doubled, 0.0, first.stiffness), 0.0), glued


def glued_by_bonds(first: Lattice, second: Lattice, distance: float, stiffness: float) -> tuple[Lattice, Glued]:
    """Sweeney's glue: a bond between every two nodes of both that are near each other.

    Thresholds, damping and all else that a glue has of its own goes by the rows ``glue_edges`` of what comes back.

    Args:
        first: In place.
        second: In place, nearby without touching.
        distance: m, of nodes that are tied.
        stiffness: m, spring constant over Young's modulus of each new bond.
    """
    return tied(first, second, pairs_within(first.points, second.points, distance), stiffness)


def tied(first: Lattice, second: Lattice, pairs: np.ndarray, stiffness: float) -> tuple[Lattice, Glued]:
    """A bond of ``stiffness`` (see ``glued_by_bonds``) between the nodes of each pair (N, 2), one of each lattice."""
    glued = glue_by_edges(hierarchy_of_lattice(first), hierarchy_of_lattice(second), pairs)
    return _lattice_of(glued, first, second, first.stiffness, stiffness), glued


def _lattice_of(glued: Glued, first: Lattice, second: Lattice, first_stiffness, glue_stiffness: float) -> Lattice:
    hierarchy = glued.hierarchy
    rows = np.concatenate([glued.first_edges, glued.second_edges, glued.glue_edges])
    values = [first_stiffness, second.stiffness, np.full(len(glued.glue_edges), glue_stiffness)]
    held = rows >= 0
    stiffness = np.bincount(rows[held], np.concatenate(values)[held], len(hierarchy.edges))
    nodes = np.concatenate([glued.first_points, glued.second_points])
    volumes = np.bincount(nodes, np.concatenate([first.volumes, second.volumes]), len(hierarchy.points))
    spans = hierarchy.points[hierarchy.edges[:, 1]] - hierarchy.points[hierarchy.edges[:, 0]]
    return Lattice(
        hierarchy.points,
        volumes,
        hierarchy.edges,
        np.linalg.norm(spans, axis=1),
        stiffness,
        hierarchy.cells,
        hierarchy.cell_edges.items,
        hierarchy.cell_edges.starts,
        hierarchy.part_starts[:, 0],
        np.concatenate([first.part_dimensions, second.part_dimensions]),
    )
