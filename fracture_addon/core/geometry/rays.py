"""Crossings of rays with a surface: a grid of triangles, which is searched along each ray."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ..data.arrays import ReadOnlyArrays
from ..data.surface import Surface, area_vectors
from ..numerics.threads import in_parts

# Bounds of the number of grid cells along the longest side, which is the square root of the number of faces. They only
# affect speed and memory.
FEWEST_BINS, MOST_BINS = 4, 64
# Factor of the grid's size. It exceeds the rounding of float64, so that every point is in a grid cell.
GROWTH = 1.0 + 1e-9


@dataclass(frozen=True)
class RayGrid(ReadOnlyArrays):
    """A surface in a grid, for many rays.

    Attributes:
        corners: (F, 3, 3) m.
        vectors: (F, 3) area vectors, m2.
        low: (3,) m, lower corner of the grid.
        size: m, edge of a grid cell.
        shape: (3,) number of grid cells along each axis.
        offsets: First entry of each grid cell in ``rows``.
        rows: Faces whose boxes touch each grid cell.

    Notes:
        Uniform grid (Fujimoto, Tanaka and Iwata 1986, ARTS). The traversal is own: a ray is cut into parts of one
        cell's length, and the cells of a part's box are searched, because most rays are short.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> grid = RayGrid.of(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))
        >>> distances, faces = grid.enters(np.array([[0.2, 0.2, -1.0]]), np.array([[0.0, 0.0, 1.0]]), 5.0)
        >>> distances.tolist(), faces.tolist()
        ([1.0], [0])
    """

    corners: np.ndarray
    vectors: np.ndarray
    low: np.ndarray
    size: float
    shape: np.ndarray
    offsets: np.ndarray
    rows: np.ndarray

    @classmethod
    def of(cls, surface: Surface) -> RayGrid:
        """Build the grid of a surface with at least one face."""
        corners = np.ascontiguousarray(surface.corners)
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        bins = int(np.clip(np.sqrt(len(corners)), FEWEST_BINS, MOST_BINS))
        size = float((high - low).max()) / bins * GROWTH + 1e-300
        first = ((corners.min(axis=1) - low) / size).astype(np.int64)
        last = ((corners.max(axis=1) - low) / size).astype(np.int64)
        shape = last.max(axis=0) + 1
        offsets, rows = _bin_boxes(first, last, shape)
        return cls(corners, np.ascontiguousarray(area_vectors(surface)), low, size, shape, offsets, rows)

    def leaves(
        self, origins: np.ndarray, directions: np.ndarray, reach: float | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the first point at which each ray leaves the solid: where it crosses a face along its normal.

        Args:
            origins: (N, 3) m.
            directions: (N, 3) unit vectors.
            reach: Length of the rays, m; one for all, or (N,).

        Returns:
            (N,) distances, m, infinite without a crossing; and (N,) faces, -1 without a crossing.
        """
        return self._crossings(origins, directions, reach, 1.0)

    def enters(
        self, origins: np.ndarray, directions: np.ndarray, reach: float | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the first point at which each ray enters the solid: where it crosses a face against its normal.

        Arguments and results are those of ``leaves``.
        """
        return self._crossings(origins, directions, reach, -1.0)

    def _crossings(
        self, origins: np.ndarray, directions: np.ndarray, reach: float | np.ndarray, side: float
    ) -> tuple[np.ndarray, np.ndarray]:
        grid = self.low, self.size, self.shape, self.offsets, self.rows
        distances, faces = np.full(len(origins), np.inf), np.full(len(origins), -1, np.int64)
        rays = np.ascontiguousarray(origins, float), np.ascontiguousarray(directions, float)
        columns = *rays, np.array(np.broadcast_to(reach, len(origins)), float), distances, faces

        def search(start: int, end: int) -> None:
            part = [column[start:end] for column in columns]
            _first_crossings(self.corners, self.vectors, side, *grid, *part)

        in_parts(search, len(origins))
        return distances, faces


@njit(cache=True, nogil=True)
def _bin_boxes(first: np.ndarray, last: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.zeros(shape[0] * shape[1] * shape[2] + 1, np.int64)
    rows = np.empty(0, np.int64)
    for filling in (False, True):
        if filling:
            offsets = np.cumsum(offsets)
            rows = np.empty(offsets[-1], np.int64)
            place = offsets.copy()
        for row in range(len(first)):
            for i in range(first[row, 0], last[row, 0] + 1):
                for j in range(first[row, 1], last[row, 1] + 1):
                    for k in range(first[row, 2], last[row, 2] + 1):
                        key = (i * shape[1] + j) * shape[2] + k
                        if filling:
                            rows[place[key]] = row
                            place[key] += 1
                        else:
                            offsets[key + 1] += 1
    return offsets, rows


@njit(cache=True, nogil=True)
def _first_crossings(
    corners: np.ndarray,
    vectors: np.ndarray,
    side: float,
    low: np.ndarray,
    size: float,
    shape: np.ndarray,
    offsets: np.ndarray,
    rows: np.ndarray,
    origins: np.ndarray,
    directions: np.ndarray,
    reaches: np.ndarray,
    distances: np.ndarray,
    faces: np.ndarray,
) -> None:
    first, last = np.empty(3, np.int64), np.empty(3, np.int64)
    for index in range(len(origins)):
        origin, direction, nearest = origins[index], directions[index], reaches[index]
        for step in range(int(nearest / size) + 1):
            start = step * size
            if start > nearest:
                break
            end = min(start + size, nearest)
            for axis in range(3):
                one, other = origin[axis] + start * direction[axis], origin[axis] + end * direction[axis]
                first[axis] = max(0, int(np.floor((min(one, other) - low[axis]) / size)))
                last[axis] = min(shape[axis] - 1, int(np.floor((max(one, other) - low[axis]) / size)))
            for i in range(first[0], last[0] + 1):
                for j in range(first[1], last[1] + 1):
                    for k in range(first[2], last[2] + 1):
                        key = (i * shape[1] + j) * shape[2] + k
                        for entry in range(offsets[key], offsets[key + 1]):
                            row = rows[entry]
                            distance = _distance(corners[row], vectors[row], side, origin, direction)
                            if 0.0 < distance < nearest:
                                nearest = distance
                                distances[index] = distance
                                faces[index] = row


@njit(cache=True, nogil=True)
def _distance(corners: np.ndarray, vector: np.ndarray, side: float, origin: np.ndarray, direction: np.ndarray) -> float:
    """Return the distance, m, along a ray to a triangle; -1 without a crossing in the direction ``side``."""
    facing = vector[0] * direction[0] + vector[1] * direction[1] + vector[2] * direction[2]
    if facing * side <= 0.0:
        return -1.0
    height = 0.0
    for axis in range(3):
        height += vector[axis] * (corners[0, axis] - origin[axis])
    distance = height / facing
    x, y, z = (
        origin[0] + distance * direction[0],
        origin[1] + distance * direction[1],
        origin[2] + distance * direction[2],
    )
    for corner in range(3):
        a, b = corners[corner], corners[(corner + 1) % 3]
        ex, ey, ez = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        px, py, pz = x - a[0], y - a[1], z - a[2]
        turn = vector[0] * (ey * pz - ez * py) + vector[1] * (ez * px - ex * pz) + vector[2] * (ex * py - ey * px)
        if turn < 0.0:
            return -1.0
    return distance
