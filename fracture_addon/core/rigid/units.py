"""Conversion between SI units in arrays and the units and types of Rapier."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import rapier3d as rapier
from numpy.typing import ArrayLike

from ..numerics.rotations import quaternion
from .rigid_properties import RigidProperties

# Rapier's length unit over the size of the objects: its tolerances (0.5 % overlap, 2 % prediction) then suit fragments.
# Three small scenes break into the same fragments at 0.05 to 0.2; these move 209 to 241 mm in one scene, 1.79 to 2.05 m
# in another, and 134 to 366 mm in the third. At 0.001 and 10, one scene breaks into 10 and 12 instead of 8 fragments.
DETAIL = 0.1


@dataclass(frozen=True)
class Units:
    """Units of a world: size and mass of the objects that break.

    Attributes:
        length: m.
        mass: kg.
    """

    length: float
    mass: float

    @property
    def impulse(self) -> float:
        """The world's unit of impulse, N s."""
        return self.mass * self.length

    def scaled(self, metres: ArrayLike) -> tuple[float, float, float]:
        """Convert a point, m, or a velocity, m/s, to the world's units."""
        return vector(np.asarray(metres) / self.length)

    def metres(self, place: rapier.Vec3) -> np.ndarray:
        """Convert a point or a velocity of Rapier to (3,) m or m/s."""
        return np.array(place.to_tuple()) * self.length

    def isometry(self, pose: np.ndarray) -> rapier.Isometry3:
        """Convert a pose (7,) to Rapier's type."""
        rotation = rapier.Rotation3.from_quaternion(*(float(value) for value in pose[3:]))
        return rapier.Isometry3(translation=self.scaled(pose[:3]), rotation=rotation)

    def pose(self, body: rapier.RigidBody) -> np.ndarray:
        """Return the pose (7,) of a body's centre of mass, with a unit quaternion."""
        (x, y, z), (i, j, k, w) = body.translation.to_tuple(), body.rotation.to_tuple()
        # For so few numbers NumPy takes several times as long.
        metre, size = self.length, math.sqrt(w * w + i * i + j * j + k * k)
        return np.array([x * metre, y * metre, z * metre, w / size, i / size, j / size, k / size])

    def mass_properties(self, properties: RigidProperties) -> rapier.MassProperties:
        """Convert mass and inertia, about the centre of mass."""
        moments, axes = np.linalg.eigh(properties.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        frame = rapier.Rotation3.from_quaternion(*quaternion(axes))
        moments = moments / (self.mass * self.length**2)
        return rapier.MassProperties((0.0, 0.0, 0.0), properties.mass / self.mass, vector(moments), frame)


def vector(values: Iterable[float]) -> tuple[float, float, float]:
    """Return three numbers as Rapier takes them."""
    x, y, z = (float(value) for value in values)
    return x, y, z
