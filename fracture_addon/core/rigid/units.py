"""From SI units and rows of numpy to what Rapier computes in, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import rapier3d as rapier
from numpy.typing import ArrayLike

from ..numerics.rotations import quaternion
from .rigid_properties import RigidProperties

# Rapier's length unit over the size of the objects: its tolerances (0.5 % sinking, 2 % look-ahead) are for fragments.
DETAIL = 0.1


@dataclass(frozen=True)
class Units:
    """The world's own units of length and mass: those of the objects that break.

    Attributes:
        length: Metres.
        mass: Kilograms.
    """

    length: float
    mass: float

    @property
    def impulse(self) -> float:
        """N s of the world's unit of impulse."""
        return self.mass * self.length

    def scaled(self, metres: ArrayLike) -> tuple[float, float, float]:
        """A place, or a velocity, in the world's units."""
        return vector(np.asarray(metres) / self.length)

    def metres(self, place: rapier.Vec3) -> np.ndarray:
        """(3,) of a place, or a velocity, of Rapier's."""
        return np.array(place.to_tuple()) * self.length

    def isometry(self, pose: np.ndarray) -> rapier.Isometry3:
        """A pose (7,)."""
        rotation = rapier.Rotation3.from_quaternion(*(float(value) for value in pose[3:]))
        return rapier.Isometry3(translation=self.scaled(pose[:3]), rotation=rotation)

    def pose(self, body: rapier.RigidBody) -> np.ndarray:
        """(7,) of a body's centre of mass, with a quaternion of length one."""
        (x, y, z), (i, j, k, w) = body.translation.to_tuple(), body.rotation.to_tuple()
        # Python's own numbers: of so few, numpy takes several times as long.
        metre, size = self.length, math.sqrt(w * w + i * i + j * j + k * k)
        return np.array([x * metre, y * metre, z * metre, w / size, i / size, j / size, k / size])

    def mass_properties(self, properties: RigidProperties) -> rapier.MassProperties:
        """Mass and inertia, about the centre of mass."""
        moments, axes = np.linalg.eigh(properties.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        frame = rapier.Rotation3.from_quaternion(*quaternion(axes))
        moments = moments / (self.mass * self.length**2)
        return rapier.MassProperties((0.0, 0.0, 0.0), properties.mass / self.mass, vector(moments), frame)


def vector(values: Iterable[float]) -> tuple[float, float, float]:
    """What Rapier takes for three numbers."""
    x, y, z = (float(value) for value in values)
    return x, y, z
