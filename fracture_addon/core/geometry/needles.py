"""Triangles without height taken out of a closed surface: short edges collapse, and the long sides of caps turn."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..data.arrays import order_of
from ..numerics.rotations import cross

# A face that keeps more height than asked for may turn by as much as this cosine when a corner of it moves.
LEAST_TURN = 0.5
# How often those that are left are looked at again, at most.
ROUNDS = 30


def heights(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(F,) smallest height of each triangle, metres: twice its area over its longest edge."""
    result = np.zeros(len(faces))
    _heights_kernel(points, faces, result)
    return result


@njit(cache=True, nogil=True)
def _heights_kernel(points, faces, heights):
    for row in range(len(faces)):
        a, b, c = faces[row]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        wx, wy, wz = vx - ux, vy - uy, vz - uz
        longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
        if longest > 0.0:
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            heights[row] = np.sqrt((nx * nx + ny * ny + nz * nz) / longest)


def without_needles(points: np.ndarray, faces: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface without the triangles that are lower than ``least``, as far as its edges allow.

    No point is new; what moves, moves by less than ``least`` at a time. The surface stays closed and keeps its genus.

    Args:
        points: (P, 3), metres.
        faces: (F, 3), closed, two faces an edge.
        least: Metres.

    Returns:
        (G, 3) faces and (G,) the row of ``faces`` that each is a part of.
    """
    low = np.flatnonzero(heights(points, faces) < least)
    if not len(low):
        return faces, np.arange(len(faces))
    return _Triangles(points, faces, least).cleared(low)


class _Faces(dict[int, tuple[int, int, int] | None]):
    """Corners by row, ``None`` where a face is gone; only those that were asked for, as needles are few."""

    def __init__(self, faces: np.ndarray):
        super().__init__()
        self._all = faces

    def __missing__(self, row: int) -> tuple[int, int, int]:
        a, b, c = self._all[row].tolist()
        self[row] = a, b, c
        return a, b, c

    def left(self) -> tuple[np.ndarray, np.ndarray]:
        """(G, 3) what there is now, and (G,) its rows."""
        faces, kept = np.array(self._all, np.int64), np.ones(len(self._all), bool)
        for row, face in self.items():
            if face is None:
                kept[row] = False
            else:
                faces[row] = face
        return faces[kept], np.flatnonzero(kept)


class _Around(dict[int, set[int]]):
    """Rows of the faces around each point; a point's are looked up before any of them changes."""

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
    """Triangles that change, and which of them are around each point."""

    def __init__(self, points: np.ndarray, faces: np.ndarray, least: float):
        self._points, self._least = points, least
        self._faces, self._around = _Faces(faces), _Around(faces)
        self._rows = np.arange(len(faces))

    def cleared(self, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take out the faces ``low`` and what becomes low by that, and hand back what is left and where it was."""
        waiting = low.tolist()
        # A strip of needles opens from its ends: what could not be turned may be, once its neighbour is.
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
        face = self._faces[row]
        return face is not None and self._height(face) < self._least

    def _clear(self, row: int) -> list[int]:
        """Collapse the shortest edge of a face where that is short, else turn its longest; the faces that changed."""
        face = self._faces[row]
        edges = sorted((self._length(face[k], face[(k + 1) % 3]), k) for k in range(3))
        length, shortest = edges[0]
        if length < self._least:
            one, other = face[shortest], face[(shortest + 1) % 3]
            for kept, gone in ((one, other), (other, one)):
                changed = self._collapsed(kept, gone)
                if changed:
                    return changed
        return self._turned(row, edges[2][1])

    def _collapsed(self, kept: int, gone: int) -> list[int]:
        """Move a point onto a neighbour, if that folds nothing."""
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

    def _turned(self, row: int, edge: int) -> list[int]:
        """Put the other diagonal into the two faces at an edge, if that leaves the lower of them higher."""
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
        # Both halves lie where the higher of the two faces was.
        self._rows[row] = self._rows[other] = self._rows[other if across > own else row]
        return [row, other]

    def _folds(self, before: tuple[int, int, int], after: tuple[int, int, int]) -> bool:
        if min(self._height(before), self._height(after)) < self._least:
            return False
        old, new = self._normal(before), self._normal(after)
        return bool(old @ new < LEAST_TURN * np.linalg.norm(old) * np.linalg.norm(new))

    def _neighbours(self, point: int) -> set[int]:
        return {corner for row in self._around[point] for corner in self._faces[row]} - {point}

    def _remove(self, row: int) -> None:
        for point in self._faces[row]:
            self._around[point].discard(row)
        self._faces[row] = None

    def _put(self, row: int, face: tuple[int, int, int]) -> None:
        self._faces[row] = face
        for point in face:
            self._around[point].add(row)

    def _length(self, one: int, other: int) -> float:
        return float(np.linalg.norm(self._points[one] - self._points[other]))

    def _normal(self, face: tuple[int, int, int]) -> np.ndarray:
        a, b, c = self._points[list(face)]
        return cross(b - a, c - a)

    def _height(self, face: tuple[int, int, int]) -> float:
        return float(heights(self._points, np.array([face]))[0])


def _renamed(face: tuple[int, int, int], old: int, new: int) -> tuple[int, int, int]:
    return tuple(new if point == old else point for point in face)
