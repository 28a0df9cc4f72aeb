"""Balls and planes fitted to points. Distances from them need no grid."""

from __future__ import annotations

import numpy as np


def ball_around(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the ball whose surface has some points.

    Args:
        points: (N, 3) m, all around the ball.

    Returns:
        Centre (3,) of the points' box, and the largest distance from it, m.

    Notes:
        Own: no fit, because the points are those of a sphere that the artist added.

    Example:
        >>> center, radius = ball_around(np.vstack([np.eye(3), -np.eye(3)]) + 1.0)
        >>> center.tolist(), radius
        ([1.0, 1.0, 1.0], 1.0)
    """
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return middle, float(np.linalg.norm(points - middle, axis=1).max())


def plane_through(points: np.ndarray, above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the plane through flat points.

    Args:
        points: (N, 3) m.
        above: (3,) m, a point on the side to which the normal points.

    Returns:
        A point (3,) m of the plane, and its unit normal (3,).

    Notes:
        Pearson 1901, On Lines and Planes of Closest Fit to Systems of Points in Space.

    Example:
        >>> origin, normal = plane_through(np.array([[0.0, 0, 1], [3, 0, 1], [0, 3, 1]]), np.array([0.0, 0.0, 5.0]))
        >>> origin.tolist(), normal.round(9).tolist()
        ([1.0, 1.0, 1.0], [0.0, 0.0, 1.0])
    """
    origin = points.mean(axis=0)
    normal = np.linalg.svd(points - origin, full_matrices=False)[2][2]
    return origin, normal if (above - origin) @ normal >= 0.0 else -normal
