"""Motion of a collider in the rigid world."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import ReadOnlyArrays


@dataclass(frozen=True)
class Motion(ReadOnlyArrays):
    """Motion of a collider at one time.

    Attributes:
        pose: (7,) position (m) and quaternion (w, x, y, z) of its reference point.
        velocity: (3,) m/s, of that point.
        angular_velocity: (3,) rad/s.
        inverse_mass: 1/kg; 0 if forces do not move it.
        inverse_inertia: (3, 3) 1/(kg m2), about that point, orientation of the world; 0 likewise.
    """

    pose: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    inverse_mass: float = 0.0
    inverse_inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
