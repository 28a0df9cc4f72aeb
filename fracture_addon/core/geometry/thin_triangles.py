"""Removal of almost degenerate triangles from a closed surface by edge collapses and edge flips."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..data.arrays import frozen, order_of
from ..numerics.rotations import cross

# Cosine of the largest angle by which the normal of a face that is not thin may turn: 60 degrees prevent folds. From -1
# to 0.75 the union of two balls and a box keeps its faces; at 0.95, 8 more of 984 thin triangles remain.
LEAST_TURN = 0.5
# Largest number of passes over the thin triangles. They end earlier when nothing changes: from 4 to 60 passes give the
# same result for a union of two balls and a box.
ROUNDS = 30

Corners = tuple[int, int, int]


def heights(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the smallest height of each triangle.

    Args:
        points: (P, 3) m.
        faces: (F, 3) rows of ``points``.

    Returns:
        (F,) m: twice the area over the longest edge; 0 for a triangle without area.

    Example:
        >>> heights(np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, 2.0, 0.0]]), np.array([[0, 1, 2]])).tolist()
        [2.0]
    """
    result = np.zeros(len(faces))
    # Of one type, so that one function is compiled: faces of a mesh are also int32 and writable.
    _heights_kernel(frozen(points, float), frozen(faces, np.int64), result)
    return result


@njit(cache=True, nogil=True)
def _heights_kernel(points: np.ndarray, faces: np.ndarray, heights: np.ndarray) -> None:
    for row in range(len(faces)):
        a, b, c = faces[row]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        wx, wy, wz = vx - ux, vy - uy, vz - uz
        longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
        if longest > 0.0:
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            heights[row] = np.sqrt((nx * nx + ny * ny + nz * nz) / longest)


def without_thin_triangles(points: np.ndarray, faces: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Remove triangles with a small height from a closed surface.

    Args:
        points: (P, 3) m.
        faces: (F, 3), closed, with two faces at each edge.
        least: Smallest height of a triangle, m.

    Returns:
        (G, 3) faces over the same points, and (G,) the row of ``faces`` that contains each.

    Notes:
        Botsch and Kobbelt 2001, A Robust Procedure to Eliminate Degenerate Faces from Triangle Meshes: the shortest
        edge of a thin triangle is collapsed if it is shorter than ``least``; otherwise its longest edge is flipped. A
        step that would fold the surface or change its genus is left out, so that some thin triangles may remain.

    Example:
        >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1e-6, 0, 0]])  # the last is on an edge
        >>> faces = np.array([[0, 2, 4], [4, 2, 1], [0, 4, 3], [4, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> kept, source = without_thin_triangles(points, faces, 1e-3)
        >>> len(kept), bool(heights(points, kept).min() > 0.5)
        (4, True)
    """
    low = np.flatnonzero(heights(points, faces) < least)
    if not len(low):
        return faces, np.arange(len(faces))
    return _Triangles(points, faces, least).without_thin(low)


class _Faces(dict[int, Corners]):
    """Corners of faces by row, without the removed faces. The corners of unchanged faces are read when needed."""

    def __init__(self, faces: np.ndarray):
        super().__init__()
        self._all = faces
        self._removed: set[int] = set()

    def __missing__(self, row: int) -> Corners:
        a, b, c = self._all[row].tolist()
        self[row] = a, b, c
        return a, b, c

    def __contains__(self, row: object) -> bool:
        return row not in self._removed

    def put(self, row: int, corners: Corners) -> None:
        """Set the corners of a face, removed or not."""
        self[row] = corners
        self._removed.discard(row)

    def remove(self, row: int) -> None:
        """Remove a face."""
        self._removed.add(row)

    def left(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the present faces (G, 3) and their rows (G,)."""
        faces, kept = np.array(self._all, np.int64), np.ones(len(self._all), bool)
        for row, face in self.items():
            faces[row] = face
        kept[list(self._removed)] = False
        return faces[kept], np.flatnonzero(kept)


class _Around(dict[int, set[int]]):
    """Rows of the faces around each point. Those of a point are read before any of them changes."""

    def __init__(self, faces: np.ndarray):
        super().__init__()
        corners = faces.ravel()
        self._order = order_of(corners)
        self._corners = corners[self._order]

    def __missing__(self, point: int) -> set[int]:
        first, last = np.searchsorted(self._corners, [point, point + 1])
        found = set((self._order[first:last] // 3).tolist())
        self[point] = found
        return found


class _Triangles:
    """A surface whose triangles change, and the triangles around each point."""

    def __init__(self, points: np.ndarray, faces: np.ndarray, least: float):
        self._points, self._least = points, least
        self._faces, self._around = _Faces(faces), _Around(faces)
        self._rows = np.arange(len(faces))

    def without_thin(self, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Remove the thin faces ``low`` and those that become thin. Return the faces, and the original row of each."""
        waiting = low.tolist()
        # A strip of thin triangles opens from its ends: an edge may become flippable after its neighbour is flipped.
        for _ in range(ROUNDS):
            touched: set[int] = set()
            for row in waiting:
                if self._is_low(row):
                    touched.update(self._clear(row))
            if not touched:
                break
            waiting = [row for row in sorted(touched.union(waiting)) if self._is_low(row)]
        faces, kept = self._faces.left()
        return faces, self._rows[kept]

    def _is_low(self, row: int) -> bool:
        return row in self._faces and self._height(self._faces[row]) < self._least

    def _clear(self, row: int) -> list[int]:
        """Collapse the shortest edge of a face if it is short, else flip its longest. Return the changed faces."""
        face = self._faces[row]
        edges = sorted((self._length(face[k], face[(k + 1) % 3]), k) for k in range(3))
        length, shortest = edges[0]
        if length < self._least:
            # The order depends on positions only, so both sides of a crack keep the same point.
            one, other = sorted((face[shortest], face[(shortest + 1) % 3]), key=lambda row: tuple(self._points[row]))
            for kept, gone in ((one, other), (other, one)):
                changed = self._collapsed(kept, gone)
                if changed:
                    return changed
        return self._flipped(row, edges[2][1])

    def _collapsed(self, kept: int, gone: int) -> list[int]:
        """Move a point to a neighbour unless that folds the surface. Return the changed faces."""
        shared = self._around[kept] & self._around[gone]
        if len(shared) != 2 or len(self._neighbours(kept) & self._neighbours(gone)) != 2:
            return []
        moved = {row: _renamed(self._faces[row], gone, kept) for row in self._around[gone] - shared}
        if any(self._folds(self._faces[row], face) for row, face in moved.items()):
            return []
        for row in shared:
            self._remove(row)
        for row, face in moved.items():
            self._remove(row)
            self._put(row, face)
        return list(moved)

    def _flipped(self, row: int, edge: int) -> list[int]:
        """Flip the edge of two faces if that increases the smaller of their heights. Return the changed faces."""
        a, b, c = (self._faces[row][(edge + k) % 3] for k in range(3))
        others = (self._around[a] & self._around[b]) - {row}
        if len(others) != 1:
            return []
        other = others.pop()
        (d,) = (point for point in self._faces[other] if point not in (a, b))
        if c == d or self._around[c] & self._around[d]:
            return []
        first, second = (a, d, c), (d, b, c)
        own, across = self._height(self._faces[row]), self._height(self._faces[other])
        if min(self._height(first), self._height(second)) <= min(own, across):
            return []
        if any(self._folds(self._faces[other], face) for face in (first, second)):
            return []
        self._remove(row)
        self._remove(other)
        self._put(row, first)
        self._put(other, second)
        # The face of greater height contains most of both new ones.
        self._rows[row] = self._rows[other] = self._rows[other if across > own else row]
        return [row, other]

    def _folds(self, before: Corners, after: Corners) -> bool:
        if min(self._height(before), self._height(after)) < self._least:
            return False
        old, new = self._normal(before), self._normal(after)
        return bool(old @ new < LEAST_TURN * np.linalg.norm(old) * np.linalg.norm(new))

    def _neighbours(self, point: int) -> set[int]:
        return {corner for row in self._around[point] for corner in self._faces[row]} - {point}

    def _remove(self, row: int) -> None:
        for point in self._faces[row]:
            self._around[point].discard(row)
        self._faces.remove(row)

    def _put(self, row: int, face: Corners) -> None:
        self._faces.put(row, face)
        for point in face:
            self._around[point].add(row)

    def _length(self, one: int, other: int) -> float:
        return float(np.linalg.norm(self._points[one] - self._points[other]))

    def _normal(self, face: Corners) -> np.ndarray:
        a, b, c = self._points[list(face)]
        return cross(b - a, c - a)

    def _height(self, face: Corners) -> float:
        return float(heights(self._points, np.array([face]))[0])


def _renamed(face: Corners, old: int, new: int) -> Corners:
    a, b, c = (new if point == old else point for point in face)
    return a, b, c
