"""Motion of a collider in the rigid world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays


@dataclass(frozen=True)
class Motion(ReadOnlyArrays):
    """Motion of a collider at one time.

    Attributes:
        pose: (7,) position (m) and quaternion (w, x, y, z) of its reference point.
        velocity: (3,) m/s, of that point.
        angular_velocity: (3,) rad/s.
    """

    pose: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
