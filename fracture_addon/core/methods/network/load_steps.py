"""Levels of a prescribed load (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import numpy as np

from ...data.impact import Schedule

# Factor on a critical load that ensures the break of the bond despite rounding; far above 2e-16 and far below 1.
JUST_OVER = 1.0 + 1e-9


def by_time(critical: float, peak: float, schedule: Schedule, count: int) -> np.ndarray:
    """Return the rising loads of a schedule, N, at ``count`` even steps in time, from the critical load to the peak."""
    times = np.arange(1, count + 1) / count
    rising = peak / schedule.peak * np.unique(np.maximum.accumulate(schedule.load(times)))
    return rising[rising >= critical] if (rising >= critical).any() else np.array([peak])
