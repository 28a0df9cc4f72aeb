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
        origin = origins[index, 0], origins[index, 1], origins[index, 2]
        direction = directions[index, 0], directions[index, 1], directions[index, 2]
        nearest = reaches[index]
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
                            distance = _distance(corners, vectors, row, side, origin, direction)
                            if 0.0 < distance < nearest:
                                nearest = distance
                                distances[index] = distance
                                faces[index] = row


# Numbers instead of slices: numba counts the references to a slice, which took more than half of the time.
@njit(cache=True, nogil=True)
def _distance(
    corners: np.ndarray,
    vectors: np.ndarray,
    row: int,
    side: float,
    origin: tuple[float, float, float],
    direction: tuple[float, float, float],
) -> float:
    """Return the distance, m, along a ray to triangle ``row``; -1 without a crossing in the direction ``side``."""
    (ox, oy, oz), (dx, dy, dz) = origin, direction
    nx, ny, nz = vectors[row, 0], vectors[row, 1], vectors[row, 2]
    facing = nx * dx + ny * dy + nz * dz
    if facing * side <= 0.0:
        return -1.0
    height = nx * (corners[row, 0, 0] - ox) + ny * (corners[row, 0, 1] - oy) + nz * (corners[row, 0, 2] - oz)
    distance = height / facing
    x, y, z = ox + distance * dx, oy + distance * dy, oz + distance * dz
    for corner in range(3):
        other = (corner + 1) % 3
        ax, ay, az = corners[row, corner, 0], corners[row, corner, 1], corners[row, corner, 2]
        ex, ey, ez = corners[row, other, 0] - ax, corners[row, other, 1] - ay, corners[row, other, 2] - az
        px, py, pz = x - ax, y - ay, z - az
        if nx * (ey * pz - ez * py) + ny * (ez * px - ex * pz) + nz * (ex * py - ey * px) < 0.0:
            return -1.0
    return distance
