"""Networks of rigid bonds: Smith, Witkin and Baraff 2001, with full bonds by default."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.impact import Impact
from ...data.settings.settings import StrikeSettings
from ..fragments import split
from ..method import Break, Method, Progress, RigidMotion
from ..rigid_parts import Cells
from . import fracture, loading
from .model import Model, build
from .stress import stress_window


def critical_force(model: Model, settings: StrikeSettings, impact: Impact, progress: Progress | None = None) -> float:
    """Return the peak force of a rigid contact, N, at which ``impact`` first breaks a bond; one solve.

    The compliance of the body lowers the peak force. A rigid contact therefore needs a higher one.
    """
    impact_load, state = fracture.initial_state(model, [impact], settings)
    return loading.next_failure(state) * impact.peak_force * impact_load.schedule.peak / impact_load.peak


def strike(
    model: Model,
    settings: StrikeSettings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    held: bool = False,
    progress: Progress | None = None,
) -> Break:
    """Break a body by simultaneous impacts; see ``table.strike``.

    A held body is computed like a free one: inertia balances the load, not the anchor.
    """
    impact_load, state = fracture.initial_state(model, impacts, settings)
    critical = loading.next_failure(state)
    for share in loading.follow(model, state, impact_load, settings):
        if progress:
            progress(share)
    state = fracture.finish(model, state, impact_load)
    return split(
        model.cells,
        model.pairs,
        model.areas,
        state.alive,
        state.impulses,
        state.spins,
        motion,
        settings,
        load_factor=impact_load.violence * impact_load.peak / critical,
        solve_count=state.solve_count,
    )


class Network(Method[Model]):
    """The default method."""

    build = staticmethod(build)

    def cells(self, model: Model) -> Cells:
        """Return the cells."""
        return model.cells

    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stress_window = staticmethod(stress_window)
