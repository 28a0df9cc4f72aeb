"""Convert a lattice to a hierarchy of points, edges, faces and cells, and glue lattices."""

from __future__ import annotations

import numpy as np

from ..lattice import Lattice
from .gluing import Glued, glue_by_edges, glue_by_points
from .hierarchy import Hierarchy, Rows, hierarchy_of, parts_of_cells


def hierarchy_of_lattice(lattice: Lattice) -> Hierarchy:
    """Build the hierarchy of a lattice. Bonds become edges; sides and faces follow from the cells."""
    dimensions = lattice.part_dimensions[parts_of_cells(lattice.cells, lattice.part_starts)]
    cell_bonds = Rows(lattice.cell_starts, lattice.cell_bonds)
    return hierarchy_of(lattice.points, lattice.bonds, lattice.cells, dimensions, cell_bonds, lattice.part_starts)


def merged(first: Lattice, second: Lattice, pairs: np.ndarray) -> tuple[Lattice, Glued]:
    """Replace the first node of each (N, 2) pair, in ``first``, by the second node, in ``second`` (Norton et al. 1991).

    A bond between two replaced nodes loses its stiffness, because the second lattice may have the same bond. The
    volumes of replaced nodes are added to their replacements.
    """
    glued = glue_by_points(hierarchy_of_lattice(first), hierarchy_of_lattice(second), pairs)
    replaced = np.zeros(first.node_count, bool)
    replaced[pairs[:, 0]] = True
    doubled = replaced[first.bonds].all(axis=1)
    return _lattice_of(glued, first, second, np.where(doubled, 0.0, first.stiffness), 0.0), glued


def tied(first: Lattice, second: Lattice, pairs: np.ndarray, stiffness: float) -> tuple[Lattice, Glued]:
    """Join the two nodes of each (N, 2) pair, one of each lattice, by a bond (Sweeney et al. 1991).

    The rows ``glue_edges`` of the result identify the new bonds, for thresholds and damping of their own.
    """
    glued = glue_by_edges(hierarchy_of_lattice(first), hierarchy_of_lattice(second), pairs)
    return _lattice_of(glued, first, second, first.stiffness, stiffness), glued


def _lattice_of(
    glued: Glued, first: Lattice, second: Lattice, first_stiffness: np.ndarray, glue_stiffness: float
) -> Lattice:
    """Build the lattice of a glued hierarchy; sum the stiffness and volume of merged bonds and nodes."""
    hierarchy = glued.hierarchy
    rows = np.concatenate([glued.first_edges, glued.second_edges, glued.glue_edges])
    values = [first_stiffness, second.stiffness, np.full(len(glued.glue_edges), glue_stiffness)]
    kept = rows >= 0
    stiffness = np.bincount(rows[kept], np.concatenate(values)[kept], len(hierarchy.edges))
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
