"""Levels of load between the critical load and the peak of an impact (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math

import numpy as np

from ...data.impact import Schedule

# Largest ratio of two load steps with full bonds. Chosen; not measured.
LEVEL_RATIO = 2.0
# Factor on a critical load that ensures the break of the bond despite rounding; far above 2e-16 and far below 1.
JUST_OVER = 1.0 + 1e-9


def by_ratio(critical: float, peak: float) -> np.ndarray:
    """Return loads of equal ratios, at most ``LEVEL_RATIO``, from the critical load to the peak, N."""
    # A start just above the critical load avoids an extra level where the peak is a power of the ratio.
    steps = math.ceil(math.log(peak / (critical * JUST_OVER)) / math.log(LEVEL_RATIO))
    return np.geomspace(min(critical * JUST_OVER, peak), peak, steps + 1)


def by_time(critical: float, peak: float, schedule: Schedule, count: int) -> np.ndarray:
    """Return the rising loads of a schedule, N, at ``count`` even steps in time, from the critical load to the peak."""
    times = np.arange(1, count + 1) / count
    rising = peak / schedule.peak * np.unique(np.maximum.accumulate(schedule.load(times)))
    return rising[rising >= critical] if (rising >= critical).any() else np.array([peak])
