"""Points that are far apart."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..data.arrays import lengths


def farthest_points(
    points: np.ndarray, count: int, chosen: np.ndarray | None = None, least_distance: float = 0.0
) -> np.ndarray:
    """Select points one by one, each the farthest from those before it.

    Args:
        points: (P, 3) m.
        count: Largest number of points.
        chosen: Rows to begin with; by default, the point farthest from the mean of all.
        least_distance: m, the selection ends when all points are so near to a selected one.

    Returns:
        The rows of the points; fewer than ``count`` if points coincide.

    Notes:
        Gonzalez 1985, Clustering to Minimize the Maximum Intercluster Distance.

    Example:
        >>> line = np.array([[0.0, 0, 0], [1, 0, 0], [4, 0, 0]])
        >>> farthest_points(line, 3).tolist(), farthest_points(line, 3, least_distance=1.0).tolist()
        ([2, 0, 1], [2, 0])
    """
    if chosen is None:
        chosen = np.array([np.argmax(lengths(points - points.mean(axis=0)))])
    chosen = chosen[:count]
    rows = np.empty(max(len(chosen), min(count, len(points))), np.int64)
    rows[: len(chosen)] = chosen
    return rows[: _select_kernel(np.ascontiguousarray(points, float), len(chosen), least_distance, rows)]


@njit(cache=True, nogil=True)
def _select_kernel(points: np.ndarray, given: int, least_distance: float, rows: np.ndarray) -> int:
    """Fill ``rows`` after the first ``given``; return the number of rows."""
    distance = np.full(len(points), np.inf)
    for found in range(len(rows)):
        if found >= given:
            rows[found] = np.argmax(distance)
            if distance[rows[found]] <= least_distance**2:
                return found
        x, y, z = points[rows[found]]
        for other in range(len(points)):
            square = (points[other, 0] - x) ** 2 + (points[other, 1] - y) ** 2 + (points[other, 2] - z) ** 2
            distance[other] = min(distance[other], square)
    return len(rows)
