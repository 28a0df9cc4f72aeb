"""Balls and planes fitted to points. Distances from them need no grid."""

from __future__ import annotations

import numpy as np


def ball_around(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the centre (3,) and the radius of the ball whose surface has points (N, 3), m."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return middle, float(np.linalg.norm(points - middle, axis=1).max())


def plane_through(points: np.ndarray, above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a point (3,) and the unit normal (3,) of the plane through flat points (N, 3), towards ``above`` (3,)."""
    origin = points.mean(axis=0)
    normal = np.linalg.svd(points - origin, full_matrices=False)[2][2]
    return origin, normal if (above - origin) @ normal >= 0.0 else -normal
