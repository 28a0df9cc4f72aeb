"""Air velocity, and drag on faces (Sweeney et al. 1991, section 5.1: wind on the faces of sheets)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.wind import Wind
from ..numerics.random_streams import noise_seed
from .noise import turbulence

# Density of air at sea level, kg/m3 (ISO 2533: 1.225).
AIR_DENSITY = 1.2
# Drag coefficient of a square plate perpendicular to the wind (Hoerner 1965, Fluid-Dynamic Drag: 1.18).
DRAG = 1.2
# Speed of eddies along each axis, in sizes of eddies per second. In all it is 1.2, so that gusts change about once per
# second. A sheet in a strong wind tears into 10, 13 and 13 fragments at 0.35, 0.7 and 1.4.
DRIFT = 0.7
# Distance from the axis of a vortex below which its speed falls to zero, m. It only prevents a division by zero.
ON_AXIS = 1e-12


def velocity(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    """Return the air velocity of a wind.

    Args:
        wind: The wind.
        points: (N, 3) m.
        time: Time since the start, s.

    Returns:
        (N, 3) m/s.

    Notes:
        Own kinds; gusts and eddies are noise (Perlin 2002) that drifts.

    Example:
        >>> vortex = Wind("vortex", direction=np.array([0.0, 0.0, 1.0]), speed=3.0)
        >>> velocity(vortex, np.array([[2.0, 0.0, 0.0]]), 0.0).tolist()
        [[0.0, 3.0, 0.0]]
    """
    return VELOCITIES[wind.kind](wind, points, time)


def _drifted(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    """Return points (N, 3) relative to the eddies, in sizes of eddies."""
    return points / wind.size + DRIFT * time


def _turbulent(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    axes = [
        turbulence(_drifted(wind, points, time), noise_seed(wind.seed, "turbulence", axis), 1.0) for axis in range(3)
    ]
    return wind.speed * np.stack(axes, axis=1)


def _speeds(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    """Return the (N, 1) speeds of a wind with gusts, m/s."""
    speed = np.full(len(points), wind.speed)
    if wind.gusts > 0.0:
        speed *= 1.0 + wind.gusts * turbulence(_drifted(wind, points, time), noise_seed(wind.seed, "gusts"), 1.0)
    return speed[:, None]


def _uniform(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    return _speeds(wind, points, time) * wind.direction


def _vortex(wind: Wind, points: np.ndarray, time: float) -> np.ndarray:
    around = np.cross(wind.direction, points - wind.point)
    return _speeds(wind, points, time) * around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), ON_AXIS)


# Air velocity, by ``Wind.kind``.
VELOCITIES = {"uniform": _uniform, "vortex": _vortex, "turbulence": _turbulent}


def drag_forces(
    winds: Sequence[Wind],
    points: np.ndarray,
    velocities: np.ndarray,
    faces: np.ndarray,
    time: float,
    most_area: np.ndarray | float = np.inf,
) -> np.ndarray:
    """Return the drag of winds on a surface.

    Args:
        winds: Winds, whose velocities are added.
        points: (P, 3) m.
        velocities: (P, 3) m/s, of the points.
        faces: (F, 3) rows of ``points``, with outward normals.
        time: Time since the start, s.
        most_area: (F,) m2, largest area of each face that counts.

    Returns:
        (P, 3) N.

    Notes:
        Sweeney et al. 1991, section 5.1, with the drag of a plate (Hoerner 1965): rho / 2 c_d A v_n^2, where v_n is the
        velocity of the air relative to the face against its normal. Each corner gets a third of it. Faces on the lee
        side have no drag.

    Example:
        >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 2, 1], [0, 3, 2]])
        >>> wind = Wind("uniform", speed=10.0)
        >>> drag_forces([wind], square[0], np.zeros((4, 3)), square[1], 0.0).sum(axis=0).round(6).tolist()
        [0.0, 0.0, 72.0]
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
