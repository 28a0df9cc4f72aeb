"""A hierarchy of points, edges, faces and cells (Sweeney et al. 1991, sections 3 and 4).

Objects of all dimensions have the same elements. Particles are points. Ropes have points and edges. The cells of a
sheet have one side, and the cells of a solid are enclosed by sides. The gluing operator is in ``gluing``, the time
operator in ``lattice.advance``, and the breaking operator in ``lattice.fracture``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.arrays import frozen

# Sides of a hexahedron, whose corner 4 i + 2 j + k lies at (i, j, k), of a tetrahedron and of a quad. Normals point
# out.
HEXAHEDRON_SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
TETRAHEDRON_SIDES = np.array([[1, 2, 3, 3], [0, 3, 2, 2], [0, 1, 3, 3], [0, 2, 1, 1]])
SHEET_SIDES = np.array([[0, 1, 2, 3]])
# Marks a missing row.
NONE = -1


@dataclass(frozen=True)
class Rows:
    """Lists of integers in compressed row format.

    Attributes:
        starts: (N + 1,) int32; the n-th list is ``items[starts[n] : starts[n + 1]]``.
        items: (L,) int32.
    """

    starts: np.ndarray
    items: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", frozen(self.starts, np.int32, -1))
        object.__setattr__(self, "items", frozen(self.items, np.int32, -1))

    @property
    def owners(self) -> np.ndarray:
        """List (L,) that contains each item."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


@dataclass(frozen=True)
class Hierarchy:
    """The points, edges, faces and cells of an object, and their incidence.

    Attributes:
        points: (P, 3) m.
        edges: (E, 2) int32, the smaller point first; sorted by first and second point. Each can be a spring.
        cells: (C, W) int32, points of each cell: 8 of a hexahedron, 4 of a tetrahedron or a quad, 2 of a rope segment.
            Shorter rows end with -1. A wedge repeats corners.
        dimensions: (C,) int32, 1 to 3.
        cell_edges: Edges of each cell, with diagonals.
        sides: (Q, 4) int32, polygons around cells, with outward normals. Each starts at its smallest point; a triangle
            repeats its last point. Cells share no sides: each has its own, with its own winding.
        side_cells: (Q,) int32, cell of each side.
        faces: (F, 3) int32, triangles, one or two for each side. Two cells split a common side along the same diagonal.
        face_sides: (F,) int32, side of each face.
        part_starts: (S + 1, 4) int32, first point, edge, face and cell of each part. A part is a range of each.
    """

    points: np.ndarray
    edges: np.ndarray
    cells: np.ndarray
    dimensions: np.ndarray
    cell_edges: Rows
    sides: np.ndarray
    side_cells: np.ndarray
    faces: np.ndarray
    face_sides: np.ndarray
    part_starts: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        widths = {"edges": 2, "sides": 4, "faces": 3, "part_starts": 4}
        for name, width in widths.items():
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, -1, width))
        for name in ("dimensions", "side_cells", "face_sides"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, -1))
        object.__setattr__(self, "cells", frozen(self.cells, np.int32, -1, max(np.shape(self.cells)[-1], 1)))

    @property
    def face_cells(self) -> np.ndarray:
        """Cell (F,) of each face."""
        return self.side_cells[self.face_sides]


def hierarchy_of(
    points: np.ndarray,
    edges: np.ndarray,
    cells: np.ndarray,
    dimensions: np.ndarray,
    cell_edges: Rows,
    point_starts: np.ndarray,
) -> Hierarchy:
    """Build a hierarchy from edges and cells; compute its sides and faces.

    Args:
        points: (P, 3) m.
        edges: (E, 2), from ``numbered_edges``.
        cells: (C, W), sorted by part. The part of a cell is that of its smallest point.
        dimensions: (C,), 1 to 3.
        cell_edges: Edges of each cell.
        point_starts: (S + 1,) first point of each part.
    """
    edges, cells = np.asarray(edges), np.asarray(cells)
    sides, side_cells = _sides(cells, np.asarray(dimensions))
    triangles = np.stack([sides[:, :3], sides[:, [0, 2, 3]]], axis=1)
    exists = np.stack([np.ones(len(sides), bool), sides[:, 2] != sides[:, 3]], axis=1)
    faces, face_sides = triangles[exists], np.nonzero(exists)[0]
    edge_starts = np.searchsorted(edges[:, 0], point_starts)
    cell_starts = np.searchsorted(parts_of_cells(cells, point_starts), np.arange(len(point_starts)))
    face_starts = np.searchsorted(side_cells[face_sides], cell_starts)
    starts = np.stack([point_starts, edge_starts, face_starts, cell_starts], axis=1)
    return Hierarchy(
        points=points,
        edges=edges,
        cells=cells,
        dimensions=dimensions,
        cell_edges=cell_edges,
        sides=sides,
        side_cells=side_cells,
        faces=faces,
        face_sides=face_sides,
        part_starts=starts,
    )


def numbered_edges(pairs: np.ndarray, point_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct edges among pairs of points.

    Args:
        pairs: (N, 2) points, in either order.
        point_count: Number of points.

    Returns:
        (E, 2) edges, sorted, the smaller point first, and (N,) the edge of each pair.
    """
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    keys = pairs.min(axis=1) * point_count + pairs.max(axis=1)
    unique, rows = np.unique(keys, return_inverse=True)
    return np.stack([unique // max(point_count, 1), unique % max(point_count, 1)], axis=1), rows


def parts_of_cells(cells: np.ndarray, point_starts: np.ndarray) -> np.ndarray:
    """Find the (C,) part of each cell: the part whose range contains the smallest point of the cell."""
    smallest = np.where(cells >= 0, cells, np.iinfo(np.int32).max).min(axis=1)
    return np.searchsorted(point_starts, smallest, side="right") - 1


def _sides(cells: np.ndarray, dimensions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Build the (Q, 4) sides of all cells, and the (Q,) cell of each."""
    width = (cells >= 0).sum(axis=1)
    kinds = ((3, 8, HEXAHEDRON_SIDES), (3, 4, TETRAHEDRON_SIDES), (2, 4, SHEET_SIDES))
    side_lists, owner_lists = [np.empty((0, 4), np.int64)], [np.empty(0, np.int64)]
    for dimension, corner_count, template in kinds:
        rows = np.flatnonzero((dimensions == dimension) & (width == corner_count))
        if len(rows):
            side_lists.append(cells[rows][:, template].reshape(-1, 4))
            owner_lists.append(np.repeat(rows, len(template)))
    sides, owners = _normalised(np.concatenate(side_lists), np.concatenate(owner_lists))
    order = np.argsort(owners, kind="stable")
    return sides[order], owners[order]


def _normalised(sides: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start polygons at their smallest point, repeat the last point of triangles, and drop polygons without area."""
    repeats = sides == np.roll(sides, -1, axis=1)
    opposite = (sides[:, 0] == sides[:, 2]) | (sides[:, 1] == sides[:, 3])
    kept = (repeats.sum(axis=1) < 2) & ~opposite
    sides, owners, repeats = sides[kept], owners[kept], repeats[kept]
    triangle = repeats.any(axis=1)
    corners = np.arange(4)
    # The repeated point of a triangle moves to the end; its three points are rotated among themselves.
    shift = np.where(triangle, np.argmax(repeats, axis=1) + 1, 0)
    sides = np.take_along_axis(sides, (shift[:, None] + corners) % 4, axis=1)
    start = np.argmin(np.where(triangle[:, None] & (corners == 3), np.iinfo(np.int64).max, sides), axis=1)
    order = np.where(triangle[:, None], (start[:, None] + np.minimum(corners, 2)) % 3, (start[:, None] + corners) % 4)
    return np.take_along_axis(sides, order, axis=1), owners
