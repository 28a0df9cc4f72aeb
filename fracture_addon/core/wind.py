"""Moving air, and what it does to faces (Sweeney et al. 1991, section 5.1: wind on the faces of sheets)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .arrays import frozen
from .roughness import turbulence

# Of air at sea level, kg/m3.
AIR_DENSITY = 1.2
# Pressure on a plate across the wind, over the dynamic pressure.
DRAG = 1.2
# Turbulence drifts through its own pattern at this share of its size a second, so that it changes where it stands.
DRIFT = 0.7


@dataclass(frozen=True)
class Wind:
    """A field of velocity.

    Attributes:
        kind: ``uniform`` (along ``direction``), ``vortex`` (around the axis ``direction`` through ``point``, as fast
            everywhere) or ``turbulence`` (any way).
        point: (3,) m.
        direction: (3,) unit vector.
        speed: m/s; of turbulence, about the fastest.
        size: m, of the eddies of turbulence.
        gusts: Relative amplitude of changes in speed, 0 to 1.
        seed: Of turbulence and gusts.
    """

    kind: str
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    direction: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    speed: float = 1.0
    size: float = 1.0
    gusts: float = 0.0
    seed: int = 0

    def __post_init__(self):
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(self.direction, np.float64, 3))

    def velocity(self, points: np.ndarray, time: float) -> np.ndarray:
        """(N, 3) m/s at (N, 3) points, ``time`` seconds from the start."""
        drifted = points / self.size + DRIFT * time
        if self.kind == "turbulence":
            axes = [turbulence(drifted, 3 * self.seed + axis, 1.0) for axis in range(3)]
            return self.speed * np.stack(axes, axis=1)
        speed = np.full(len(points), self.speed)
        if self.gusts > 0.0:
            speed *= 1.0 + self.gusts * turbulence(drifted, self.seed, 1.0)
        if self.kind == "uniform":
            return speed[:, None] * self.direction
        around = np.cross(self.direction, points - self.point)
        return speed[:, None] * around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-12)


def push(winds: Sequence[Wind], points: np.ndarray, velocities: np.ndarray, faces: np.ndarray, time: float):
    """(P, 3) N on the corners of the faces that air blows against.

    A face bears the drag of a plate on the side that the air comes from, as fast as it moves against the face.

    Args:
        winds: Their velocities add up.
        points: (P, 3) m.
        velocities: (P, 3) m/s of the points.
        faces: (F, 3) wound so that normals point out.
        time: s from the start.
    """
    a, b, c = np.moveaxis(points[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    areas = 0.5 * np.linalg.norm(normals, axis=1)
    normals = 0.5 * normals / np.maximum(areas, 1e-300)[:, None]
    centers = (a + b + c) / 3.0
    air = sum(wind.velocity(centers, time) for wind in winds) - velocities[faces].mean(axis=1)
    against = np.minimum(np.einsum("fi,fi->f", air, normals), 0.0)
    force = -(0.5 * AIR_DENSITY * DRAG * areas * against**2 / 3.0)[:, None] * normals
    result = np.zeros_like(points)
    for corner in range(3):
        np.add.at(result, faces[:, corner], force)
    return result
