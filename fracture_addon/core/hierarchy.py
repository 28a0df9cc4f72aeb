"""Points, edges, faces and cells in one structure, and the operators on it (Sweeney et al. 1991, sections 3 to 5).

Objects of all dimensions are made of the same parts: particles of points alone, ropes of points and edges, sheets of
cells with one side, solids of cells that sides close. The time operator is a method's integrator; the others are here:
breaking (``break_edges``), the boundary (``boundary``, ``rim``) and, in ``gluing``, gluing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import frozen
from .surface import Surface

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


def boundary(hierarchy: Hierarchy, intact: Intact | None = None) -> np.ndarray:
    """The boundary operator (section 5.4): rows of the faces of valid cells that are on the outside.

    Sides of solid cells on the same points cancel when they are wound against each other, quads as a whole: two
    triangles of one quad may be divided differently. All sides of a sheet are outside.
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
    """(N, 2) directed edges around (F, 3) triangles, less those that run in both directions.

    Empty for what ``boundary`` gives of a solid: a boundary has no boundary.
    """
    start, end = np.asarray(faces).ravel(), np.roll(faces, -1, axis=1).ravel()
    sign = np.where(start < end, 1, -1)
    width = int(max(start.max(initial=0), end.max(initial=0))) + 1
    pairs, row = numbered_edges(np.stack([start, end], axis=1), width)
    net = np.bincount(row, sign, len(pairs)).astype(int)
    directed = np.where(net[:, None] > 0, pairs, pairs[:, ::-1])
    return np.repeat(directed, np.abs(net), axis=0)


def surface_model(hierarchy: Hierarchy, intact: Intact | None = None, positions=None) -> tuple[Surface, np.ndarray]:
    """The surface model (sections 4 and 5.4): the outside, with only the points that it needs.

    Args:
        hierarchy: The object.
        intact: What holds; all of it by default.
        positions: (P, 3) m, where points are now; at rest by default.

    Returns:
        The surface, whose ``face_source`` is the face of the hierarchy, and (V,) the point behind each of its points.
    """
    rows = boundary(hierarchy, intact)
    used, faces = np.unique(hierarchy.faces[rows], return_inverse=True)
    points = hierarchy.points if positions is None else np.asarray(positions)
    return Surface(points[used], faces.reshape(-1, 3), rows), used


def isolated_points(hierarchy: Hierarchy, intact: Intact) -> np.ndarray:
    """Points that no edge holds any more: the smallest particles that breakage leaves."""
    held = np.zeros(len(hierarchy.points), bool)
    held[hierarchy.edges[intact.edges]] = True
    return np.flatnonzero(~held)


def euler_characteristic(sides: np.ndarray, cell_count: int = 0) -> int:
    """Points less edges plus polygons less cells: pieces, less tunnels, plus cavities.

    Args:
        sides: (N, 4) polygons, each once or once from either side.
        cell_count: Cells that they close; 0 for a surface.
    """
    groups = _alike(np.sort(sides, axis=1))
    ends = np.stack([sides, np.roll(sides, -1, axis=1)], axis=-1).reshape(-1, 2)
    edges = _alike(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1))
    return len(np.unique(sides)) - int(edges.max(initial=-1)) + int(groups.max(initial=-1)) - cell_count


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


def _uncancelled(sides: np.ndarray) -> np.ndarray:
    """Rows of polygons that are left when opposite ones cancel pair by pair."""
    place = _alike(np.sort(sides, axis=1))
    sign = np.where(sides[:, 1] < sides[:, 3], 1, -1)
    net = np.bincount(place, sign, int(place.max(initial=-1)) + 1).astype(int)
    candidates = np.flatnonzero(sign * net[place] > 0)
    # Of several that are wound alike, as many stay as the net number says.
    order = candidates[np.argsort(place[candidates], kind="stable")]
    first = np.searchsorted(place[order], place[order])
    return order[np.arange(len(order)) - first < np.abs(net[place[order]])]


def _alike(rows: np.ndarray) -> np.ndarray:
    """(N,) number of each row of integers, the same for equal rows."""
    order = np.lexsort(rows.T[::-1])
    changes = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    number = np.empty(len(rows), np.int64)
    number[order] = np.concatenate([np.zeros(min(len(rows), 1), np.int64), np.cumsum(changes)])
    return number
