"""The table of methods, and the calls that go to the method that an object's settings choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ..data.impact import Impact
from ..data.job import Settings
from ..data.material import Material
from ..data.solid import SolidModel
from ..data.stress import StressWindow
from ..data.surface import Surface
from .method import Break, Method, Progress, RigidMotion


def _network() -> Method:
    from .network.method import Network

    return Network()


def _lattice() -> Method:
    from .lattice.method import Lattice

    return Lattice()


def _fem() -> Method:
    from .fem.method import FiniteElements

    return FiniteElements()


# One row per method. A method is imported when a job first needs it: loading its compiled code takes about 0.3 s.
METHODS: dict[str, Callable[[], Method]] = {"network": _network, "lattice": _lattice, "fem": _fem}


@cache
def _made(row: Callable[[], Method]) -> Method:
    return row()


def named(name: str) -> Method:
    """Return the method of a row of ``METHODS``."""
    return _made(METHODS[name])


def discretise(surface: Surface, settings: Settings) -> SolidModel:
    """Fill a closed surface with the cells of the chosen method."""
    return named(settings.method).discretise(surface, settings)


def build(solid: SolidModel, material: Material, settings: Settings) -> Any:
    """Build the constant model of a solid by the chosen method."""
    return named(settings.method).build(solid, material, settings)


def strike(
    model: Any,
    settings: Settings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    held: bool = False,
    progress: Progress | None = None,
) -> Break:
    """Break a body by one or more simultaneous impacts.

    Args:
        model: From ``build``.
        settings: Of the body.
        motion: Of the whole body right before the impacts.
        impacts: Their loads, before ``settings.violence`` scales them.
        held: The body is fixed: its anchor balances the load, not inertia.
        progress: Called with a share from 0 to 1.
    """
    result = named(settings.method).strike(model, settings, motion, impacts, held=held, progress=progress)
    return replace(result, origin=max(impacts, key=lambda impact: impact.peak_force).point)


def critical_force(model: Any, settings: Settings, impact: Impact, progress: Progress | None = None) -> float:
    """Return the peak force, N, at which an impact first breaks something, by the chosen method."""
    return named(settings.method).critical_force(model, settings, impact, progress)


def strength(model: Any, material: Material, settings: Settings) -> float:
    """Return the tension, Pa, at which a model breaks where its strength is not varied, by the chosen method."""
    return named(settings.method).strength(model, material, settings)


def stress_window(
    model: Any, solid: SolidModel, settings: Settings, impacts: Sequence[Impact], progress: Progress | None = None
) -> StressWindow:
    """Return stress and cracks while ``strike`` breaks a body by the same impacts, by the chosen method."""
    return named(settings.method).stress_window(model, solid, settings, impacts, progress)
