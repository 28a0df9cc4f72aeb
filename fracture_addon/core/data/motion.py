"""Motion of bodies in the rigid world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Motion:
    """Motion of a collider: pose (7,) of its reference point, (3,) m/s of that point, and (3,) rad/s."""

    pose: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
