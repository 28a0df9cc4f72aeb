"""Steps of a rising load: in time, or from one failing bond to the next (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...data.impact import Schedule
from ...data.settings.settings import StrikeSettings
from .critical_load import next_failure
from .model import Model
from .state import ImpactLoad, State

# Factor on a critical load, so that the bond breaks despite rounding. Its excess over 1 is far above rounding, 2e-16.
JUST_OVER = 1.0 + 1e-9


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
        peak = impact_load.peak_load
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
        peak = impact_load.peak_load
        load = min(critical * JUST_OVER, peak)
        while True:
            yield load, 1.0
            if load >= peak:
                return
            load = min(peak, JUST_OVER * max(load, next_failure(state)))


# Values of ``Settings.loading``.
LOADINGS: dict[str, type[Ramp] | type[Events]] = {"ramp": Ramp, "events": Events}


def loads(
    state: State, impact_load: ImpactLoad, critical: float, settings: StrikeSettings
) -> Iterator[tuple[float, float]]:
    """Return prescribed loads from the critical load to the peak, each with its ``overload``.

    The overload is the ratio of burden to strength at which bonds stop to break under that load; see ``break_up``.
    A peak below the critical load has no steps.

    Args:
        state: State of the network. It is read again at each step: the caller removes broken bonds in between.
        impact_load: The impact.
        critical: N, critical load.
        settings: ``loading`` and ``load_steps``.

    Returns:
        Iterator over pairs of load, N, and overload.

    Notes:
        Smith et al. 2001, section 3.3, figure 3. ``Events`` is our own: its loads do not depend on a number of steps.

    Example:
        Below the critical load of 3 N a peak of 2 N has no steps.

        >>> from ...data.impact import PAPER_SCHEDULE, Impact
        >>> impact = Impact([0, 0, 0], [1, 0, 0], impulse=1.0, duration=1.0, radius=1.0)
        >>> impact_load = ImpactLoad([impact], 2.0, 1.0, 1.0, PAPER_SCHEDULE, speed_change=1.0)
        >>> settings = StrikeSettings().changed(loading="ramp", load_steps=8)
        >>> list(loads(None, impact_load, 3.0, settings))
        []
        >>> [float(load) for load, overload in loads(None, impact_load, 0.9, settings)]
        [1.0, 1.5, 2.0]
    """
    loading = LOADINGS[settings.network.loading]
    return loading.loads(state, impact_load, critical, settings) if impact_load.peak_load >= critical else iter(())


def by_time(critical: float, peak: float, schedule: Schedule, count: int) -> np.ndarray:
    """Return the rising loads of a schedule at even steps in time, from the critical load to the peak.

    Args:
        critical: N, loads below it are left out.
        peak: N, largest load.
        schedule: Load over time.
        count: Number of steps in the whole impact.

    Returns:
        (K,) N; at least the peak.

    Notes:
        Smith et al. 2001, section 3.3, figure 3.

    Example:
        The paper's schedule rises until half of the time. Four of eight steps are on its rise.

        >>> from ...data.impact import PAPER_SCHEDULE
        >>> by_time(0.0, 2.0, PAPER_SCHEDULE, 8).tolist()
        [0.5, 1.0, 1.5, 2.0]
    """
    times = np.arange(1, count + 1) / count
    rising = peak / schedule.peak * np.unique(np.maximum.accumulate(schedule.load(times)))
    return rising[rising >= critical] if (rising >= critical).any() else np.array([peak])
