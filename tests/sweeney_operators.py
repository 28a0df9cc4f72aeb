"""Operators of Sweeney et al. 1991 as the paper has them: breaking, boundary and gluing of a hierarchy.

The simulation has faster code for breaking (``lattice.fracture``) and boundaries (``lattice.deformable.soft_bodies``).
These readable versions are for tests, pictures and benchmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fracture_addon.core.data.surface import Surface
from fracture_addon.core.methods.lattice.lattice import Lattice
from fracture_addon.core.methods.lattice.operators.gluing import NO_PAIRS, Glued, nearest_pairs, pairs_within
from fracture_addon.core.methods.lattice.operators.hierarchy import Hierarchy, numbered_edges
from fracture_addon.core.methods.lattice.operators.structure import glued


@dataclass(frozen=True)
class Intact:
    """The unbroken elements: (E,) bool, unbroken edges, and (C,) bool, valid cells."""

    edges: np.ndarray
    cells: np.ndarray


def edges_of_cell(hierarchy: Hierarchy, cell: int) -> np.ndarray:
    """Return the edges of a cell, with diagonals."""
    return hierarchy.cell_edges.items[hierarchy.cell_edges.owners == cell]


def all_intact(hierarchy: Hierarchy) -> Intact:
    """Mark all edges and cells as unbroken."""
    return Intact(np.ones(len(hierarchy.edges), bool), np.ones(len(hierarchy.cells), bool))


def break_edges(hierarchy: Hierarchy, intact: Intact, rows: np.ndarray | Sequence[int]) -> Intact:
    """Break edges (the breaking operator, section 5.2, and the cells of Norton et al. 1991).

    The cells that contain a broken edge become invalid. Then all edges break that no valid cell contains any more. An
    edge in no cell breaks alone. ``boundary`` finds the newly exposed faces.

    Args:
        hierarchy: The object.
        intact: Unbroken elements before.
        rows: Edges to break.

    Returns:
        Unbroken elements after.
    """
    edges, cells = intact.edges.copy(), intact.cells.copy()
    edges[rows] = False
    owners, items = hierarchy.cell_edges.owners, hierarchy.cell_edges.items
    cells[owners[~edges[items]]] = False
    supported = np.zeros(len(edges), bool)
    supported[items[cells[owners]]] = True
    in_cells = np.zeros(len(edges), bool)
    in_cells[items] = True
    return Intact(edges & (supported | ~in_cells), cells)


def isolated_points(hierarchy: Hierarchy, intact: Intact) -> np.ndarray:
    """Find the points without an unbroken edge, the smallest particles of a break."""
    bonded = np.zeros(len(hierarchy.points), bool)
    bonded[hierarchy.edges[intact.edges]] = True
    return np.flatnonzero(~bonded)


def boundary(hierarchy: Hierarchy, intact: Intact | None = None) -> np.ndarray:
    """Find the faces of valid cells that are on the outside (the boundary operator, section 5.4).

    Two sides of solid cells on the same points cancel when their windings are opposite. Quads cancel as a whole,
    because the two cells may split a quad along different diagonals. All sides of a sheet are outside.

    Args:
        hierarchy: The object.
        intact: Unbroken edges and valid cells; all by default.

    Returns:
        (N,) rows of ``hierarchy.faces``.
    """
    valid = np.ones(len(hierarchy.cells), bool) if intact is None else intact.cells
    rows = np.flatnonzero(valid[hierarchy.side_cells])
    solid = hierarchy.dimensions[hierarchy.side_cells[rows]] == 3
    exposed = np.zeros(len(hierarchy.sides), bool)
    exposed[rows[~solid]] = True
    rows = rows[solid]
    exposed[rows[_uncancelled(hierarchy.sides[rows])]] = True
    return np.flatnonzero(exposed[hierarchy.face_sides])


def rim(faces: np.ndarray) -> np.ndarray:
    """Find the (N, 2) directed boundary edges of (F, 3) triangles. Edges in both directions cancel.

    The result is empty for the outer faces of a solid: a boundary has no boundary.
    """
    start, end = np.asarray(faces).ravel(), np.roll(faces, -1, axis=1).ravel()
    sign = np.where(start < end, 1, -1)
    width = int(max(start.max(initial=0), end.max(initial=0))) + 1
    pairs, row = numbered_edges(np.stack([start, end], axis=1), width)
    net = np.bincount(row, sign, len(pairs)).astype(int)
    directed = np.where(net[:, None] > 0, pairs, pairs[:, ::-1])
    return np.repeat(directed, np.abs(net), axis=0)


def surface_model(
    hierarchy: Hierarchy, intact: Intact | None = None, positions: np.ndarray | None = None
) -> tuple[Surface, np.ndarray]:
    """Extract the outer surface with its points only (the surface model, sections 4 and 5.4).

    Args:
        hierarchy: The object.
        intact: Unbroken edges and valid cells; all by default.
        positions: (P, 3) m, present positions; rest positions by default.

    Returns:
        The surface, whose ``face_source`` is the face of the hierarchy, and (V,) the hierarchy's point of each vertex.
    """
    rows = boundary(hierarchy, intact)
    used, faces = np.unique(hierarchy.faces[rows], return_inverse=True)
    points = hierarchy.points if positions is None else np.asarray(positions)
    return Surface(points[used], faces.reshape(-1, 3), rows), used


def euler_characteristic(sides: np.ndarray, cell_count: int = 0) -> int:
    """Compute points - edges + polygons - cells, which equals components - tunnels + cavities.

    Args:
        sides: (N, 4) polygons, each once or once with either winding.
        cell_count: Number of cells that they enclose; 0 for a surface.
    """
    groups = _group_equal_rows(np.sort(sides, axis=1))
    ends = np.stack([sides, np.roll(sides, -1, axis=1)], axis=-1).reshape(-1, 2)
    edges = _group_equal_rows(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1))
    return len(np.unique(sides)) - int(edges.max(initial=-1)) + int(groups.max(initial=-1)) - cell_count


def _uncancelled(sides: np.ndarray) -> np.ndarray:
    """Find the rows of polygons that remain when pairs of opposite winding cancel."""
    group = _group_equal_rows(np.sort(sides, axis=1))
    sign = np.where(sides[:, 1] < sides[:, 3], 1, -1)
    net = np.bincount(group, sign, int(group.max(initial=-1)) + 1).astype(int)
    candidates = np.flatnonzero(sign * net[group] > 0)
    # Of several with the same winding, as many remain as the net number says.
    order = candidates[np.argsort(group[candidates], kind="stable")]
    first = np.searchsorted(group[order], group[order])
    return order[np.arange(len(order)) - first < np.abs(net[group[order]])]


def _group_equal_rows(rows: np.ndarray) -> np.ndarray:
    """Number rows of integers, (N,), so that equal rows have equal numbers."""
    order = np.lexsort(rows.T[::-1])
    changes = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    number = np.empty(len(rows), np.int64)
    number[order] = np.concatenate([np.zeros(min(len(rows), 1), np.int64), np.cumsum(changes)])
    return number


def glued_by_nodes(
    first: Lattice, second: Lattice, distance: float, nodes: np.ndarray | None = None
) -> tuple[Lattice, Glued]:
    """Replace nodes of the first lattice by the nearest nodes of the second (Norton et al. 1991).

    A bond between two replaced nodes loses its stiffness, because the second lattice may have the same bond. The
    volumes of replaced nodes are added to their replacements.

    Args:
        first: First lattice, in its place.
        second: Second lattice, in its place beside the first.
        distance: m, largest distance between a node and its replacement.
        nodes: Rows of ``first`` that may be replaced; all by default.
    """
    rows = np.arange(first.node_count) if nodes is None else np.asarray(nodes)
    pairs = nearest_pairs(first.points[rows], second.points, distance)
    pairs[:, 0] = rows[pairs[:, 0]]
    return glued(first, second, pairs)


def glued_by_bonds(first: Lattice, second: Lattice, distance: float, stiffness: float) -> tuple[Lattice, Glued]:
    """Join all near nodes of two lattices by bonds (Sweeney et al. 1991).

    The rows ``glue_edges`` of the result identify the new bonds, for thresholds and damping of their own.

    Args:
        first: First lattice, in its place.
        second: Second lattice, in its place, near the first without contact.
        distance: m, largest length of a new bond.
        stiffness: m, spring constant over Young's modulus of each new bond.
    """
    return glued(first, second, NO_PAIRS, pairs_within(first.points, second.points, distance), stiffness)
