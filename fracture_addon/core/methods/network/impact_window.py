"""The impact window: the course of an impact on a network, load by load (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...data.settings.settings import StrikeSettings
from .advance import advance, advance_contact, initial_contact, is_spent, raise_steadily
from .contact import Contact
from .critical_load import next_failure
from .fracture import break_up, fracture
from .load_steps import JUST_OVER, LOADINGS, Events, loads
from .model import Model
from .state import ImpactLoad, State


def follow(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    """Simulate impacts on a body, and yield after each rise of the load and after each round of breaks.

    The load on an elastic body is that of a ``Contact``. Rigid point bonds have a prescribed load. A steady load rises
    from one failing bond to the next, and is constant while cracks advance.

    Args:
        model: The network.
        state: The unbroken body; changed.
        impact_load: Load of the impacts.
        settings: ``loading``, ``load_steps``, ``bonds`` and the settings of crack growth.

    Yields:
        Share of the impact that is over, 0 to 1, rising.

    Notes:
        Smith et al. 2001, section 3.3, figure 3, for point bonds. Own: a contact limits the load of an elastic body
        (docs/decisions/energy_limited_force.md).

    Example:
        An impact of 1 N s breaks nothing: its load rises to the peak in one step.

        >>> from ...data.impact import Impact
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .advance import initial_state
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0)
        >>> impact_load, state = initial_state(model, [impact], Settings())
        >>> list(follow(model, state, impact_load, Settings())), state.alive.tolist()
        ([1.0], [True])
    """
    if impact_load.is_steady:
        yield from _follow_steady(model, state, impact_load, settings)
    elif state.compliance:
        yield from _follow_contact(model, state, impact_load, settings)
    else:
        yield from _follow_loads(model, state, impact_load, settings)


def _follow_contact(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    crack_speed = LOADINGS[settings.network.loading].crack_speed(model)
    contact = initial_contact(model, state, impact_load)
    done = 0.0
    while True:
        needed = JUST_OVER * next_failure(state) / impact_load.factor if impact_load.factor else math.inf
        if needed > contact.peak:
            if contact.speed > 0.0:
                advance_contact(model, state, impact_load, contact, contact.time_to_peak)
            yield 1.0
            return
        if contact.force < needed:
            contact = advance_contact(model, state, impact_load, contact, contact.time_to(needed))
            done = max(done, _share(contact, impact_load))
            yield done
        _, broken = fracture(model, state, impact_load, settings)
        if not len(broken):
            return
        seconds = state.crack_length / crack_speed
        if contact.speed > 0.0 or not impact_load.rebounds:
            # Cracks of large cells may take longer than the impact. Its peak still acts on what is left.
            seconds = min(seconds, contact.time_to_peak)
        contact = advance_contact(model, state, impact_load, contact, seconds)
        done = max(done, _share(contact, impact_load))
        yield done


def _share(contact: Contact, impact_load: ImpactLoad) -> float:
    """Return the share of an impact that is over: the closing speed falls from that of the impact to its opposite."""
    return min(1.0, 0.5 - 0.5 * contact.speed / impact_load.speed)


def _follow_steady(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    peak, critical = impact_load.peak_load, next_failure(state)
    if peak < critical:
        raise_steadily(state, impact_load, peak)
        yield 1.0
        return
    for load, overload in Events.loads(state, impact_load, critical, settings):
        raise_steadily(state, impact_load, load)
        yield load / peak
        break_up(model, state, impact_load, settings, overload)
        yield load / peak


def _follow_loads(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> Iterator[float]:
    peak = impact_load.peak_load
    critical = next_failure(state)
    if 0.0 < peak < critical:
        advance(model, state, impact_load, peak)
        yield 1.0
    for load, overload in loads(state, impact_load, critical, settings):
        advance(model, state, impact_load, load)
        yield load / peak
        break_up(model, state, impact_load, settings, overload)
        yield load / peak
        if is_spent(model, state, impact_load):
            return
