"""Course of an impact on a network, load by load (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...data.settings.settings import StrikeSettings
from . import fracture
from .load_steps import JUST_OVER, by_time
from .model import Model
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
    """Time passes while cracks advance, and the load changes meanwhile."""

    @staticmethod
    def crack_speed(model: Model) -> float:
        """Return the speed of cracks, m/s."""
        return model.crack_speed

    @staticmethod
    def loads(
        state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
    ) -> Iterator[tuple[float, float]]:
        """See ``loads``: even steps in time; bonds break once per step, as published."""
        peak = impact_load.violence * impact_load.peak
        return ((load, math.inf) for load in by_time(critical, peak, impact_load.schedule, settings.network.load_steps))


class Events:
    """No time passes while cracks advance: the load rises from one failing bond to the next."""

    @staticmethod
    def crack_speed(model: Model) -> float:
        """Return infinity."""
        return math.inf

    @staticmethod
    def loads(
        state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
    ) -> Iterator[tuple[float, float]]:
        """See ``loads``."""
        peak = impact_load.violence * impact_load.peak
        load = min(critical * JUST_OVER, peak)
        while True:
            yield load, 1.0
            if load >= peak:
                return
            load = min(peak, JUST_OVER * max(load, next_failure(state)))


# Values of ``Settings.loading``.
LOADINGS: dict[str, type[Ramp] | type[Events]] = {"ramp": Ramp, "events": Events}


def follow(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    """Simulate impacts on a body, and yield after each rise of the load and after each round of breaks.

    The load on an elastic body is that of a ``Contact``. Rigid point bonds have a prescribed load.

    Yields:
        Share of the impact that is over, 0 to 1, rising.
    """
    if state.compliance:
        yield from _follow_contact(model, state, impact_load, settings)
    else:
        yield from _follow_loads(model, state, impact_load, settings)


def _follow_contact(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    crack_speed = LOADINGS[settings.network.loading].crack_speed(model)
    contact = fracture.initial_contact(model, state, impact_load)
    done = 0.0
    while True:
        needed = JUST_OVER * next_failure(state) / impact_load.factor if impact_load.factor else math.inf
        if needed > contact.peak:
            fracture.follow(model, state, impact_load, contact, contact.time_to_peak)
            yield 1.0
            return
        if contact.force < needed:
            contact = fracture.follow(model, state, impact_load, contact, contact.time_to(needed))
            done = max(done, 1.0 - contact.speed / impact_load.speed)
            yield done
        _, broken = fracture.fracture(model, state, impact_load, settings)
        if not len(broken):
            return
        contact = fracture.follow(model, state, impact_load, contact, state.crack_length / crack_speed)
        done = max(done, 1.0 - contact.speed / impact_load.speed)
        yield done


def _follow_loads(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    peak = impact_load.violence * impact_load.peak
    critical = next_failure(state)
    if 0.0 < peak < critical:
        fracture.advance(model, state, impact_load, peak)
        yield 1.0
    for load, overload in loads(state, impact_load, critical, settings):
        fracture.advance(model, state, impact_load, load)
        yield load / peak
        fracture.break_up(model, state, impact_load, settings, overload)
        yield load / peak
        if fracture.is_spent(model, state, impact_load):
            return


def loads(
    state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
) -> Iterator[tuple[float, float]]:
    """Return prescribed loads (N) from the critical load to the peak, each with the overload that may remain.

    A peak below the critical load has no steps.

    Args:
        state: State of the network. It is read again at each step: the caller removes broken bonds in between.
        impact_load: The impact.
        critical: N, critical load.
        settings: ``loading`` and ``load_steps``.
    """
    loading = LOADINGS[settings.network.loading]
    return (
        loading.loads(state, impact_load, critical, settings)
        if impact_load.violence * impact_load.peak >= critical
        else iter(())
    )
