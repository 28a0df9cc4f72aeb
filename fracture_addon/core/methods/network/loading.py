"""Load steps of a network, from the critical load to the peak (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...data.errors import SettingsError
from ...data.job import Settings
from .state import Blow, State

# Largest ratio of two load steps with full bonds. Chosen; not measured.
LEVEL_RATIO = 2.0
# If a load so many times the present one breaks no bond, the body counts as unbreakable.
MOST_TIMES = 1e18
# Factor on a critical load, so that rounding does not leave the bond unbroken.
JUST_OVER = 1.0 + 1e-9


def next_failure(state: State) -> float:
    """Return the load at which the next bond fails, N; infinite if none does.

    Stress is linear in the load. The result is therefore the present load over the largest ratio of stress to strength.
    With prestress it is found by bisection, which needs no further solve.
    """
    if not state.glue.is_prestressed:
        demand = state.demand(1.0)
        return state.load / demand if demand > 0.0 else math.inf
    low, high = 0.0, 1.0
    while state.demand(high) < 1.0:
        low, high = high, 2.0 * high
        if high > MOST_TIMES:
            return math.inf
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if state.demand(middle) < 1.0 else (low, middle)
    return state.load * high


def loads(state: State, blow: Blow, critical: float, settings: Settings) -> Iterator[tuple[float, float]]:
    """Yield load steps (N) from the critical load to the peak, each with the overload that may remain.

    ``ramp``: steps of equal ratios with full bonds, or equal time steps of the schedule with point bonds. ``events``:
    from one failure to the next, see ``next_failure``. A peak below the critical load yields nothing.

    Args:
        state: State of the network. It is read again at each step: the caller removes broken bonds in between.
        blow: The impact.
        critical: N, critical load.
        settings: ``loading``, and ``load_steps`` for point bonds.
    """
    if settings.loading not in ("ramp", "events"):
        raise SettingsError(f"there is no loading '{settings.loading}'; use ramp or events")
    peak = blow.violence * blow.peak
    if peak < critical:
        return
    if settings.loading == "ramp":
        levels = _steps(blow, critical, settings) if settings.bonds == "point" else _ratios(critical, peak)
        overloads = np.append(levels[1:] / levels[:-1], 1.0) if settings.bonds == "full" else np.ones(len(levels))
        yield from zip(levels, overloads, strict=True)
        return
    load = min(critical * JUST_OVER, peak)
    while True:
        yield load, 1.0
        # Where the energy of the impact limits the load, no higher load can act.
        if load >= peak or state.load < load:
            return
        load = min(peak, JUST_OVER * max(load, next_failure(state)))


def _ratios(critical: float, peak: float) -> np.ndarray:
    # From just above the critical load, so that rounding makes no level more of a peak that is a power of the ratio.
    steps = math.ceil(math.log(peak / (critical * JUST_OVER)) / math.log(LEVEL_RATIO))
    return np.geomspace(min(critical * JUST_OVER, peak), peak, steps + 1)


def _steps(blow: Blow, critical: float, settings: Settings) -> np.ndarray:
    """Even steps in time, those at which the load passes the critical one and all before."""
    times = np.arange(1, settings.load_steps + 1) / settings.load_steps
    rising = np.unique(np.maximum.accumulate(blow.schedule.load(times)))
    rising = blow.violence * blow.peak / blow.schedule.peak * rising
    return rising[rising >= critical] if (rising >= critical).any() else np.array([blow.violence * blow.peak])
