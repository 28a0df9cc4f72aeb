"""Convert a lattice to a hierarchy of points, edges, faces and cells, and glue lattices."""

from __future__ import annotations

import numpy as np

from ..lattice import Lattice
from .gluing import NO_PAIRS, Glued, glue
from .hierarchy import Hierarchy, Rows, hierarchy_of, parts_of_cells


def hierarchy_of_lattice(lattice: Lattice) -> Hierarchy:
    """Build the hierarchy of a lattice. Bonds become edges; sides and faces follow from the cells."""
    dimensions = lattice.part_dimensions[parts_of_cells(lattice.cells, lattice.part_starts)]
    cell_bonds = Rows(lattice.cell_starts, lattice.cell_bonds)
    return hierarchy_of(lattice.points, lattice.bonds, lattice.cells, dimensions, cell_bonds, lattice.part_starts)


def glued(
    first: Lattice,
    second: Lattice,
    replaced: np.ndarray,
    tied: np.ndarray = NO_PAIRS,
    stiffness: float = 0.0,
) -> tuple[Lattice, Glued]:
    """Join two lattices by common nodes, by new bonds, or by both.

    Args:
        first: First lattice.
        second: Second lattice.
        replaced: (N, 2) nodes of ``first`` and the nodes of ``second`` that replace them and get their volume. A bond
            between two replaced nodes loses its stiffness, because the second lattice may have the same bond.
        tied: (N, 2) nodes of both that a new bond joins. The rows ``glue_edges`` of the result identify these bonds,
            for thresholds and damping of their own.
        stiffness: Of each new bond, m, as in ``Lattice``.

    Returns:
        The lattice, and the new rows of points, edges and cells.

    Notes:
        Norton et al. 1991 merge nodes; Sweeney et al. 1991, section 5.3, add bonds.

    Example:
        The first node of a second rope replaces the last one of the first rope. It gets the volume of both.

        >>> from ..cells.cells import lattice_of_cells
        >>> ends, cell = np.array([[0.0, 0, 0], [1.0, 0, 0]]), (np.array([[0, 1]]), np.array([1e-3]), "rope")
        >>> ropes = [lattice_of_cells(ends + [shift, 0, 0], *cell, regular=True) for shift in (0.0, 1.0)]
        >>> lattice, _ = glued(*ropes, replaced=np.array([[1, 0]]))
        >>> lattice.bonds.tolist(), lattice.volumes.tolist()
        ([[0, 1], [1, 2]], [0.0005, 0.001, 0.0005])
    """
    result = glue(hierarchy_of_lattice(first), hierarchy_of_lattice(second), replaced, tied)
    gone = np.zeros(first.node_count, bool)
    gone[replaced[:, 0]] = True
    doubled = gone[first.bonds].all(axis=1)
    return _lattice_of(result, first, second, np.where(doubled, 0.0, first.stiffness), stiffness), result


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
        points=hierarchy.points,
        volumes=volumes,
        bonds=hierarchy.edges,
        rest_lengths=np.linalg.norm(spans, axis=1),
        stiffness=stiffness,
        cells=hierarchy.cells,
        cell_bonds=hierarchy.cell_edges.items,
        cell_starts=hierarchy.cell_edges.starts,
        part_starts=hierarchy.part_starts[:, 0],
        part_dimensions=np.concatenate([first.part_dimensions, second.part_dimensions]),
    )
