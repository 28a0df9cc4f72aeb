"""Loads that are set relative to the load that first breaks something."""

from __future__ import annotations

import math
from collections.abc import Callable

# Relative error of the load factor at which the search stops, and most trials: each needs a critical load of each body.
# At 0.001, 0.01 and 0.1, a blast on a pane takes 4, 3 and 2 to 3 trials and breaks it into 80, 84 and 78 pieces (mean
# of three seeds); the load is wrong by up to 0.01, 1 and 11 %. A pressure takes two trials.
TOLERANCE, MOST_TRIALS = 0.01, 12
# Limits of the exponent of the load over the strength, so that one trial near the limit of the curves of an explosion
# does not throw the search off. The exponent of a pressure is 1, that of the peak of a blast 0.2 to 1, and 0 at the end
# of its curves. From 0.05 to 0.4, from 1 to 4 and without limits, 80 searches of the charge of a peak take 4.5 trials
# on average, and all end within the tolerance after at most 7.
LEAST_EXPONENT, MOST_EXPONENT = 0.2, 2.0


def strength_for(load_factor: Callable[[float], float], strength: float, wanted: float) -> float:
    """Return the strength of a load with a wanted load factor, by the secant method on logarithms.

    Args:
        load_factor: Load over critical load of the most loaded body at a strength; grows with it.
        strength: First trial, above zero.
        wanted: The load factor, above zero.

    Returns:
        The strength; the nearest one of ``MOST_TRIALS``. The first one if no strength breaks anything.

    Notes:
        Own limits of the exponent; the secant method is that of textbooks (Press et al. 2007, section 9.2).

    Example:
        (6 / 3)^(1 / 0.7) = 2.69.

        >>> round(strength_for(lambda charge: 3.0 * charge**0.7, 1.0, 6.0), 2)
        2.69
    """
    trials: list[tuple[float, float]] = []
    exponent, first = 1.0, strength
    for _ in range(MOST_TRIALS):
        found = load_factor(strength)
        if not 0.0 < found < math.inf:
            return first
        trials.append((math.log(strength), math.log(found / wanted)))
        if abs(trials[-1][1]) < TOLERANCE:
            break
        if len(trials) > 1:
            (before, missed), (now, misses) = trials[-2:]
            exponent = min(max((misses - missed) / (now - before), LEAST_EXPONENT), MOST_EXPONENT)
        strength = math.exp(trials[-1][0] - trials[-1][1] / exponent)
    return math.exp(min(trials, key=lambda trial: abs(trial[1]))[0])
