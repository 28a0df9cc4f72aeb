"""Stability of the leapfrog integration of damped vibrations."""

from __future__ import annotations

import numpy as np


def step_factor(ratio: float | np.ndarray) -> float | np.ndarray:
    """Return the largest stable step of a damped vibration over that of an undamped one, 2 / omega.

    Args:
        ratio: zeta, damping over critical damping. Damping is proportional to stiffness.

    Returns:
        sqrt(1 + zeta^2) - zeta, in the shape of ``ratio``.

    Notes:
        Belytschko, Liu and Moran 2000, Nonlinear Finite Elements for Continua and Structures, chapter 6: central
        differences whose damping force uses the velocities half a step earlier.

    Example:
        >>> float(step_factor(0.0)), float(step_factor(0.75))
        (1.0, 0.5)
    """
    return np.sqrt(1.0 + ratio**2) - ratio
