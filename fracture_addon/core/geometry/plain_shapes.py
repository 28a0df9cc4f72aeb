"""Balls and planes: shapes whose distances need no grid."""

from __future__ import annotations

import numpy as np


def ball_around(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Middle (3,) and radius of the ball that points (N, 3) of a sphere stand for."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return middle, float(np.linalg.norm(points - middle, axis=1).max())


def plane_through(points: np.ndarray, above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A point (3,) and the unit normal (3,) of the plane of flat points (N, 3), towards the side of ``above`` (3,)."""
    origin = points.mean(axis=0)
    normal = np.linalg.svd(points - origin, full_matrices=False)[2][2]
    return origin, normal if (above - origin) @ normal >= 0.0 else -normal
