"""The velocity of air, and the drag on faces (Sweeney et al. 1991, section 5.1: wind on the faces of sheets)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.wind import Wind
from .noise import turbulence

# kg/m3, air at sea level (ISO 2533: 1.225).
AIR_DENSITY = 1.2
# Drag coefficient of a square plate across the wind (Hoerner 1965: 1.18).
DRAG = 1.2
# 1/s, eddies that drift past a fixed point; chosen so that gusts change about once a second.
DRIFT = 0.7


def velocity(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    """(N, 3) m/s at (N, 3) points, ``time`` seconds from the start."""
    drifted = points / wind.size + DRIFT * time
    if wind.kind == "turbulence":
        axes = [turbulence(drifted, 3 * wind.seed + axis, 1.0) for axis in range(3)]
        return wind.speed * np.stack(axes, axis=1)
    speed = np.full(len(points), wind.speed)
    if wind.gusts > 0.0:
        speed *= 1.0 + wind.gusts * turbulence(drifted, wind.seed, 1.0)
    if wind.kind == "uniform":
        return speed[:, None] * wind.direction
    around = np.cross(wind.direction, points - wind.point)
    return speed[:, None] * around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-12)


def push(
    winds: Sequence[Wind],
    points: np.ndarray,
    velocities: np.ndarray,
    faces: np.ndarray,
    time: float,
    most_area: np.ndarray | float = np.inf,
) -> np.ndarray:
    """Drag, (P, 3) N, on the corners of the faces that air blows against.

    A face has the drag of a plate, on the side that the air comes from, by the air's velocity relative to the face.

    Args:
        winds: Their velocities add up.
        points: (P, 3) m.
        velocities: (P, 3) m/s of the points.
        faces: (F, 3) wound so that normals point out.
        time: s from the start.
        most_area: (F,) m2, largest area of each face that counts.
    """
    a, b, c = np.moveaxis(points[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    areas = 0.5 * np.linalg.norm(normals, axis=1)
    normals = 0.5 * normals / np.maximum(areas, 1e-300)[:, None]
    areas = np.minimum(areas, most_area)
    centers = (a + b + c) / 3.0
    air = sum(velocity(wind, centers, time) for wind in winds) - velocities[faces].mean(axis=1)
    against = np.minimum(np.einsum("fi,fi->f", air, normals), 0.0)
    force = -(0.5 * AIR_DENSITY * DRAG * areas * against**2 / 3.0)[:, None] * normals
    result = np.zeros_like(points)
    for corner in range(3):
        np.add.at(result, faces[:, corner], force)
    return result
