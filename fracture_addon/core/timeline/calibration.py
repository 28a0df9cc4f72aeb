"""Finding the load that gives about so many pieces, with the model as it is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..data.job import Settings
from ..methods.method import Break

# How far from the wanted number the search may end, and its strikes, those of the other levers apart.
COUNT_TOLERANCE = 0.3
MOST_STRIKES = 7
# Steps outwards, as ratios of violence, while the wanted number is not between two that are known.
STEP_UP, STEP_DOWN = 2.5, 0.4
# A bracket narrower than this ratio is not divided further: the count jumps within it.
NARROWEST = 1.05
# The dust threshold falls to this share of itself where too few pieces come of any load.
FINER_DUST = 0.25


def search(strike: Callable[[Settings], Break], settings: Settings, first: Break) -> tuple[Break, str]:
    """Look for a break with ``settings.piece_count`` kept pieces, within ``COUNT_TOLERANCE``.

    First by the load alone. The count rises with it on the whole, but in jumps and with noise: so the search keeps
    the best, interpolates the logarithms between the nearest too few and too many, and stops where they touch. Then
    by the other levers: from the nearest with too many, the smallest pieces are left with their neighbours; if there
    never were enough, cracks run on as far as they can and less counts as dust.

    Args:
        strike: Breaks the body anew with other settings.
        settings: As the artist has them.
        first: What they gave.

    Returns:
        The nearest break that was found, and what was changed for it besides the load: '' for nothing.
    """
    wanted = settings.piece_count
    tried = {settings.violence: first}
    for _ in range(MOST_STRIKES - 1):
        if _is_near(_nearest(tried, wanted), wanted):
            break
        violence = _next_violence(tried, wanted)
        if violence is None:
            break
        tried[violence] = strike(replace(settings, violence=violence))
    best = _nearest(tried, wanted)
    if _is_near(best, wanted):
        return best, ""
    enough = [violence for violence, result in tried.items() if _count(result) > wanted]
    if enough:
        violence = min(enough, key=lambda violence: (_count(tried[violence]), violence))
        merged = strike(replace(settings, violence=violence, dust_volume=_threshold(tried[violence], wanted)))
        note = "small pieces left with their neighbours"
    else:
        violence = max(tried)
        dust_volume = FINER_DUST * settings.dust_volume
        merged = strike(replace(settings, violence=violence, crack_growth=1.0, dust_volume=dust_volume))
        note = "full crack growth and smaller dust"
    return (merged, note) if _distance(merged, wanted) < _distance(best, wanted) else (best, "")


def _count(result: Break) -> int:
    return int(np.count_nonzero(result.kept)) if result.broken else 1


def _distance(result: Break, wanted: int) -> float:
    """Of the counts' logarithms; anything broken is nearer than nothing broken."""
    return abs(math.log(_count(result) / wanted)) + (0.0 if result.broken else 1e3)


def _is_near(result: Break, wanted: int) -> bool:
    return result.broken and abs(_count(result) / wanted - 1.0) <= COUNT_TOLERANCE


def _nearest(tried: dict[float, Break], wanted: int) -> Break:
    return min(tried.values(), key=lambda result: _distance(result, wanted))


def _next_violence(tried: dict[float, Break], wanted: int) -> float | None:
    """Where to try next; ``None`` where nothing lies between too few and too many."""
    known = sorted(tried)
    if all(_count(tried[violence]) < wanted for violence in known):
        return STEP_UP * known[-1]
    if all(_count(tried[violence]) >= wanted for violence in known):
        return STEP_DOWN * known[0]
    # Of the places where too few turns into too many, the least load.
    low, high = next((a, b) for a, b in itertools.pairwise(known) if _count(tried[a]) < wanted <= _count(tried[b]))
    if high < NARROWEST * low:
        return None
    few, many = _count(tried[low]), _count(tried[high])
    share = math.log(wanted / few) / math.log(many / few)
    return low * (high / low) ** min(max(share, 0.25), 0.75)


def _threshold(result: Break, wanted: int) -> float:
    """A dust volume at which about the largest ``wanted`` pieces are more than dust; cells count as alike."""
    cell_counts = np.sort(np.bincount(result.fragment_of_cell)[result.kept])[::-1]
    return float((cell_counts[wanted] + 0.5) / len(result.fragment_of_cell))
