"""Points, edges, faces and cells in one structure, and the operators on it (Sweeney et al. 1991, sections 3 to 5).

Objects of all dimensions are made of the same parts: particles of points alone, ropes of points and edges, sheets of
cells with one side, solids of cells that sides close. The time operator is a method's integrator; of the others
breaking (``break_edges``) is here, and ``boundary`` and ``gluing`` have a file each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....data.arrays import frozen

# Sides of a hexahedron, whose corner 4 i + 2 j + k lies at (i, j, k), and of a tetrahedron; normals point out.
HEXAHEDRON_SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
TETRAHEDRON_SIDES = np.array([[1, 2, 3, 3], [0, 3, 2, 2], [0, 1, 3, 3], [0, 2, 1, 1]])
SHEET_SIDES = np.array([[0, 1, 2, 3]])
NONE = -1


@dataclass(frozen=True)
class Rows:
    """Lists of rows, one after the other (compressed rows).

    Attributes:
        starts: (N + 1,) int32; the n-th list is ``items[starts[n] : starts[n + 1]]``.
        items: (L,) int32.
    """

    starts: np.ndarray
    items: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "starts", frozen(self.starts, np.int32, -1))
        object.__setattr__(self, "items", frozen(self.items, np.int32, -1))

    @classmethod
    def grouped(cls, owners: np.ndarray, count: int) -> Rows:
        """For each of ``count`` owners, the places in which ``owners`` names it."""
        order = np.argsort(owners, kind="stable")
        return cls(np.searchsorted(owners[order], np.arange(count + 1)), order)

    @property
    def owners(self) -> np.ndarray:
        """(L,) the list that each item is in."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    def reversed(self, count: int) -> Rows:
        """The way back: for each of ``count`` items, the lists that it is in."""
        back = Rows.grouped(self.items, count)
        return Rows(back.starts, self.owners[back.items])

    def __getitem__(self, row: int) -> np.ndarray:
        return self.items[self.starts[row] : self.starts[row + 1]]


@dataclass(frozen=True)
class Hierarchy:
    """What an object is made of, and what belongs to what.

    Attributes:
        points: (P, 3) m.
        edges: (E, 2) int32, the smaller point first; sorted by first and second point. Each can be a spring.
        cells: (C, W) int32 points of a cell: 8 of a hexahedron, 4 of a tetrahedron or a quad, 2 of a rope's segment;
            the rest -1. A wedge repeats corners.
        dimensions: (C,) int32, 1 to 3, of the cells.
        cell_edges: The edges of each cell, diagonals included.
        sides: (Q, 4) int32, polygons around cells, normals out, from their smallest point on; a triangle repeats its
            last point. Cells do not share them: each has its own, of its own winding.
        side_cells: (Q,) int32.
        faces: (F, 3) int32, triangles; one or two to a side, alike on both sides of it.
        face_sides: (F,) int32.
        part_starts: (S + 1, 4) int32, first point, edge, face and cell of each sub-object: a range of each.
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

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        widths = {"edges": 2, "sides": 4, "faces": 3, "part_starts": 4}
        for name, width in widths.items():
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, -1, width))
        for name in ("dimensions", "side_cells", "face_sides"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, -1))
        object.__setattr__(self, "cells", frozen(self.cells, np.int32, -1, max(np.shape(self.cells)[-1], 1)))

    @property
    def face_cells(self) -> np.ndarray:
        """(F,) the cell of each face."""
        return self.side_cells[self.face_sides]

    @cached_property
    def edge_cells(self) -> Rows:
        """The cells of each edge."""
        return self.cell_edges.reversed(len(self.edges))

    @cached_property
    def cell_faces(self) -> Rows:
        """The faces of each cell."""
        return Rows.grouped(self.face_cells, len(self.cells))

    @cached_property
    def point_edges(self) -> Rows:
        """The edges of each point."""
        ends = Rows.grouped(self.edges.ravel(), len(self.points))
        return Rows(ends.starts, ends.items // 2)


@dataclass(frozen=True)
class Intact:
    """What has not broken: (E,) edges that hold and (C,) cells that are valid, both bool."""

    edges: np.ndarray
    cells: np.ndarray


def hierarchy_of(points, edges, cells, dimensions, cell_edges: Rows, point_starts) -> Hierarchy:
    """A hierarchy from its edges and cells; sides and faces follow.

    Args:
        points: (P, 3) m.
        edges: (E, 2), from ``numbered_edges``.
        cells: (C, W); the part of a cell is that of its smallest point, and cells come part by part.
        dimensions: (C,).
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
    return Hierarchy(points, edges, cells, dimensions, cell_edges, sides, side_cells, faces, face_sides, starts)


def numbered_edges(pairs: np.ndarray, point_count: int) -> tuple[np.ndarray, np.ndarray]:
    """(E, 2) edges, each once, in the order of their points, and the edge of each of (N, 2) pairs of points."""
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    keys = pairs.min(axis=1) * point_count + pairs.max(axis=1)
    unique, rows = np.unique(keys, return_inverse=True)
    return np.stack([unique // max(point_count, 1), unique % max(point_count, 1)], axis=1), rows


def parts_of_cells(cells: np.ndarray, point_starts) -> np.ndarray:
    """(C,) the part in whose range the smallest point of a cell is."""
    smallest = np.where(cells >= 0, cells, np.iinfo(np.int32).max).min(axis=1)
    return np.searchsorted(point_starts, smallest, side="right") - 1


def whole(hierarchy: Hierarchy) -> Intact:
    """Nothing broken yet."""
    return Intact(np.ones(len(hierarchy.edges), bool), np.ones(len(hierarchy.cells), bool))


def break_edges(hierarchy: Hierarchy, intact: Intact, rows) -> Intact:
    """The breaking operator (section 5.2, and the cells of Norton et al. 1991).

    An edge breaks; the cells that it is in are no longer valid; with them break those of their edges that are in no
    valid cell. Which faces that exposes is what ``boundary`` finds then. Edges in no cell break alone.

    Args:
        hierarchy: The object.
        intact: What held so far.
        rows: Edges to break.
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
    """Points that no edge holds any more: the smallest particles that breakage leaves."""
    held = np.zeros(len(hierarchy.points), bool)
    held[hierarchy.edges[intact.edges]] = True
    return np.flatnonzero(~held)


def _sides(cells: np.ndarray, dimensions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    width = (cells >= 0).sum(axis=1)
    kinds = ((3, 8, HEXAHEDRON_SIDES), (3, 4, TETRAHEDRON_SIDES), (2, 4, SHEET_SIDES))
    sides, owners = [np.empty((0, 4), np.int64)], [np.empty(0, np.int64)]
    for dimension, corner_count, template in kinds:
        rows = np.flatnonzero((dimensions == dimension) & (width == corner_count))
        if len(rows):
            sides.append(cells[rows][:, template].reshape(-1, 4))
            owners.append(np.repeat(rows, len(template)))
    sides, owners = _normalised(np.concatenate(sides), np.concatenate(owners))
    order = np.argsort(owners, kind="stable")
    return sides[order], owners[order]


def _normalised(sides: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Polygons from their smallest point on, triangles with their last point repeated, without those of no area."""
    repeats = sides == np.roll(sides, -1, axis=1)
    opposite = (sides[:, 0] == sides[:, 2]) | (sides[:, 1] == sides[:, 3])
    kept = (repeats.sum(axis=1) < 2) & ~opposite
    sides, owners, repeats = sides[kept], owners[kept], repeats[kept]
    triangle = repeats.any(axis=1)
    corners = np.arange(4)
    # A triangle's repeated point goes to the end, and its three points turn among themselves.
    shift = np.where(triangle, np.argmax(repeats, axis=1) + 1, 0)
    sides = np.take_along_axis(sides, (shift[:, None] + corners) % 4, axis=1)
    turn = np.argmin(np.where(triangle[:, None] & (corners == 3), np.iinfo(np.int64).max, sides), axis=1)
    places = np.where(triangle[:, None], (turn[:, None] + np.minimum(corners, 2)) % 3, (turn[:, None] + corners) % 4)
    return np.take_along_axis(sides, places, axis=1), owners
