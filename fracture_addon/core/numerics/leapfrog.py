"""Stability of the leapfrog integration of damped vibrations."""

from __future__ import annotations

import numpy as np


def step_factor(ratio: float | np.ndarray) -> float | np.ndarray:
    """Return the largest stable step of a damped vibration over that of an undamped one, 2 / omega.

    Args:
        ratio: zeta, damping over critical damping. Damping is proportional to stiffness.

    Notes:
        The damping force uses the velocities half a step earlier. The step is (2 / omega) (sqrt(1 + zeta^2) - zeta).

    Example:
        >>> float(step_factor(0.0)), float(step_factor(0.75))
        (1.0, 0.5)
    """
    return np.sqrt(1.0 + ratio**2) - ratio
