"""Load steps of a network, from the critical load to the peak (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...data.settings.settings import StrikeSettings
from .load_steps import JUST_OVER
from .state import ImpactLoad, State

# Largest factor on the present load in the search for the critical load; a body that holds it counts as unbreakable.
MOST_TIMES = 1e18


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


class Ramp:
    """Load steps between the critical load and the peak, chosen by the kind of bonds."""

    @staticmethod
    def loads(
        state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
    ) -> Iterator[tuple[float, float]]:
        """See ``loads``."""
        peak = impact_load.violence * impact_load.peak
        return state.glue.load_steps(critical, peak, impact_load.schedule, settings.network.load_steps)


class Events:
    """Load steps from one failing bond to the next."""

    @staticmethod
    def loads(
        state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
    ) -> Iterator[tuple[float, float]]:
        """See ``loads``."""
        peak = impact_load.violence * impact_load.peak
        load = min(critical * JUST_OVER, peak)
        while True:
            yield load, 1.0
            # Where the energy of the impact limits the load, no higher load can act.
            if load >= peak or state.load < load:
                return
            load = min(peak, JUST_OVER * max(load, next_failure(state)))


# Values of ``Settings.loading``.
LOADINGS: dict[str, type[Ramp] | type[Events]] = {"ramp": Ramp, "events": Events}


def loads(
    state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
) -> Iterator[tuple[float, float]]:
    """Return load steps (N) from the critical load to the peak, each with the overload that may remain.

    A peak below the critical load has no steps.

    Args:
        state: State of the network. It is read again at each step: the caller removes broken bonds in between.
        impact_load: The impact.
        critical: N, critical load.
        settings: ``loading``, and ``load_steps`` for point bonds.
    """
    loading = LOADINGS[settings.network.loading]
    return (
        loading.loads(state, impact_load, critical, settings)
        if impact_load.violence * impact_load.peak >= critical
        else iter(())
    )
