"""Search for the load that breaks a body into a given number of fragments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from ..data.settings.settings import Settings
from ..methods.method import Break

# Accepted relative error of the fragment count. It trades exactness for trials: if 6 fragments are wanted, 0.002 and
# 0.1 give 6, and 0.2 and 0.4 give 5 (docs/decisions/constants.md).
COUNT_TOLERANCE = 0.2
# Most trials of the load; the last step, which changes other settings, adds one. Measured with a tolerance of 0.3: for
# 12 fragments, six shipped meshes took 1 to 8 trials in all.
MAX_TRIALS = 7
# Factors on the load while the wanted count is not yet bracketed. Steps up of 1.25 to 5 give the same bytes. If 6
# fragments are wanted, steps down of 0.2, 0.4 and 0.8 give 3.5, 5.5 and 6, the mean of two seeds
# (docs/decisions/constants.md).
STEP_UP, STEP_DOWN = 2.5, 0.4
# Power of the load with which the count is assumed to grow while it is far below the wanted one, and the largest step
# up. Powers of 0.5 and 1 and largest steps of 16 and 39 come as near to the wanted numbers
# (docs/decisions/constants.md).
GROWTH, LARGEST_STEP = 0.75, STEP_UP**2
# Largest load over the first one. Bodies break into few more fragments beyond it: a bowl of 2,000 cells into 17, 18 and
# 23 at 39, 98 and 244 times the first load.
MOST_LOAD = STEP_UP**6
# Smallest ratio of loads that is divided further: below it the count jumps. From 1 to 2.1 all recordings keep their
# bytes.
SMALLEST_BRACKET = 1.05
# Limits of an interpolated step, as shares of the bracket's logarithm. Insensitive: 0.13 and
# 0.5 instead of the first, and 0.52 and 0.9 instead of the second give the same counts (docs/decisions/constants.md).
LEAST_SHARE, MOST_SHARE = 0.25, 0.75
# Factor on the dust threshold if every load gives too few fragments. A smaller factor comes nearer to the wanted
# number, with smaller fragments: 59, 45 and 31 of 60 at 0.125, 0.25 and 0.5.
FINER_DUST = 0.25
# Count of a break from which only dropped dust is left. It is below 1, the smallest count that can be wanted, and its
# logarithm is finite. From 0.005 to 0.6 all recordings keep their bytes.
NOTHING_KEPT = 0.5
# Distance added to a trial without a break, so that every break is nearer; larger than any logarithm of a ratio.
UNBROKEN_DISTANCE = 1e3


def match_fragment_count(
    strike: Callable[[Settings, float], Break], settings: Settings, load_factor: float, first: Break
) -> tuple[Break, str]:
    """Search for a break with ``settings.pieces.piece_count`` kept fragments, within ``COUNT_TOLERANCE``.

    The search changes the load first. The count rises with the load, but in jumps and with noise. The search therefore
    keeps the best trial, interpolates the logarithms between the nearest lower and higher counts, and stops when their
    loads differ by a factor below ``SMALLEST_BRACKET``. Then it changes other settings once. From the nearest higher
    count, it merges the smallest fragments with their neighbours (``break_result.merged_to_count``). If no load gave
    enough, it sets the largest load, full crack growth and a smaller dust threshold.

    Args:
        strike: Breaks the unbroken body with other settings and another load factor. With ``piece_count`` it merges
            fragments down to it.
        settings: The artist's settings.
        load_factor: Load factor of the impacts.
        first: Result with these settings and this factor, but without ``piece_count``.

    Returns:
        The nearest break, and a note on what was changed besides the load ('' for nothing).

    Notes:
        Own: the count is no smooth function of the load, so that the bracket of textbooks (Press et al. 2007, section
        9.1) keeps its best trial.

    Example:
        A body breaks into ten times as many fragments as its load factor says.

        >>> import numpy as np
        >>> def strike(settings, load_factor):
        ...     count = round(10.0 * load_factor)
        ...     still = np.zeros((count, 3))
        ...     return Break(np.arange(count), still, still, load_factor, 1, 0, 0.0, np.ones(count, bool))
        >>> settings = Settings.of(piece_count=30)
        >>> found, note = match_fragment_count(strike, settings, 1.0, strike(settings, 1.0))
        >>> 24 <= len(found.velocity) <= 36, note
        (True, '')
    """
    wanted = settings.pieces.piece_count
    free = settings.changed(piece_count=0)
    trials, most = {load_factor: first}, MOST_LOAD * load_factor
    for _ in range(MAX_TRIALS - 1):
        if _is_near(_nearest(trials, wanted), wanted):
            break
        load = _next_load_factor(trials, wanted, most)
        if load is None:
            break
        trials[load] = strike(free, load)
    best = _nearest(trials, wanted)
    if _is_near(best, wanted):
        return best, ""
    enough = [load for load, result in trials.items() if _count(result) > wanted]
    if enough:
        last = strike(settings, min(enough, key=lambda load: (_count(trials[load]), load)))
        note = "small pieces left with their neighbours"
    else:
        dust_volume = FINER_DUST * settings.pieces.dust_volume
        last = strike(settings.changed(crack_growth=1.0, dust_volume=dust_volume), most)
        note = "full crack growth and smaller dust"
    return (last, note) if _distance(last, wanted) < _distance(best, wanted) else (best, "")


def _count(result: Break) -> float:
    return max(float(result.piece_count), NOTHING_KEPT) if result.broken else 1.0


def _distance(result: Break, wanted: int) -> float:
    """Return the distance of the counts' logarithms; any break is nearer than none."""
    return abs(math.log(_count(result) / wanted)) + (0.0 if result.broken else UNBROKEN_DISTANCE)


def _is_near(result: Break, wanted: int) -> bool:
    return result.broken and abs(_count(result) / wanted - 1.0) <= COUNT_TOLERANCE


def _nearest(trials: dict[float, Break], wanted: int) -> Break:
    return min(trials.values(), key=lambda result: _distance(result, wanted))


def _next_load_factor(trials: dict[float, Break], wanted: int, most: float) -> float | None:
    """Return the load factor of the next trial; ``None`` if no load up to ``most`` is expected to come nearer."""
    known = sorted(trials)
    if all(_count(trials[load]) < wanted for load in known):
        missing = wanted / max(_count(trials[load]) for load in known)
        load = known[-1] * min(max(missing ** (1.0 / GROWTH), STEP_UP), LARGEST_STEP)
        can_reach = (most / known[-1]) ** GROWTH >= (1.0 - COUNT_TOLERANCE) * missing
        return load if can_reach and load <= most else None
    if all(_count(trials[load]) >= wanted for load in known):
        return STEP_DOWN * known[0]
    # Noise can give several brackets; take the one with the least load.
    low, high = next((a, b) for a, b in itertools.pairwise(known) if _count(trials[a]) < wanted <= _count(trials[b]))
    if high < SMALLEST_BRACKET * low:
        return None
    few, many = _count(trials[low]), _count(trials[high])
    share = math.log(wanted / few) / math.log(many / few)
    return low * (high / low) ** min(max(share, LEAST_SHARE), MOST_SHARE)
