"""Networks of rigid bonds: Smith, Witkin and Baraff 2001, with full bonds by default."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.impact import Impact
from ...data.job import Settings
from ..fragments import split
from ..method import Break, Capabilities, Method, Progress, RigidMotion
from . import fracture, loading
from .model import Model, build
from .stress import stress_window


def critical_force(model: Model, settings: Settings, impact: Impact, progress: Progress | None = None) -> float:
    """Peak force of the rigid contact, newtons, at which ``impact`` first breaks a bond; one solve.

    The body's compliance lowers the force of an impact, so that the contact alone would have to press harder.
    """
    blow, state = fracture.initial_state(model, [impact], settings)
    return loading.next_failure(state) * impact.peak_force * blow.schedule.peak / blow.peak


def strike(
    model: Model,
    settings: Settings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    held: bool = False,
    progress: Progress | None = None,
) -> Break:
    """Break a body by impacts that fall together; see ``method.strike``.

    A held body is treated as a free one: its anchor is taken to bear the load in proportion to mass, as inertia does.
    """
    blow, state = fracture.initial_state(model, impacts, settings)
    critical = loading.next_failure(state)
    for load, overload in loading.loads(state, blow, critical, settings):
        state = fracture.advance(model, state, blow, load)
        state = fracture.break_up(model, state, blow, settings, overload)
        if progress:
            progress(load / (blow.violence * blow.peak))
        if fracture.is_spent(model, state, blow):
            break
    state = fracture.finish(model, state, blow)
    return split(
        model.cells,
        model.pairs,
        model.areas,
        state.alive,
        state.impulses,
        state.spins,
        motion,
        settings,
        load_factor=blow.violence * blow.peak / critical,
        solve_count=state.solve_count,
    )


class Network(Method):
    """The default method."""

    capabilities = Capabilities(tempering=True, density=True, grain=True, crack_growth=True, needs_padding=False)
    build = staticmethod(build)
    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stress_window = staticmethod(stress_window)
