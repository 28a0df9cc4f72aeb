"""The load that first breaks a bond of a lattice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.progress import ShareProgress
from ...data.settings.settings import Settings, StrikeSettings
from ..method import Solver
from .cells.thin_bodies import ThinSolid
from .impact_window import follow, pulse_of
from .model import BodyModel

# Most doublings of the force (a factor of 1e12) in the search. After them the body counts as unbreakable.
MOST_DOUBLINGS = 40


class KnownForces(Solver):
    """Cache of critical forces of a body, N. The check for a break and the break itself need the same force."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[bytes, bytes, float, float, float], ...], float] = {}

    def force(self, impacts: Sequence[Impact], compute: Callable[[], float]) -> float:
        """Return the critical force of impacts, N.

        Call ``compute`` only once for impacts with the same points, directions, durations, radii and shares of force.
        """
        total = sum(impact.contact_force for impact in impacts)
        key = tuple(
            (
                impact.point.tobytes(),
                impact.direction.tobytes(),
                impact.duration,
                impact.radius,
                impact.contact_force / total,
            )
            for impact in impacts
        )
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]


def critical_force(
    body: BodyModel,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: KnownForces | None = None,
) -> float:
    """Compute the sum of the peak forces, newtons, at which ``impacts`` first break a bond.

    The response without breaks is linear, so one window at a small force gives it.
    """
    known = solver if solver is not None else KnownForces()
    return known.force(impacts, lambda: _critical_force(body, impacts, progress))


def _critical_force(body: BodyModel, impacts: Sequence[Impact], progress: ShareProgress | None) -> float:
    # The probe force is far above rounding errors, and far below large deformations, where the response is not linear.
    probe = float(np.median(body.model.stiffness * body.model.thresholds)) * body.spacing
    factor = probe / sum(impact.contact_force for impact in impacts)
    probing = [replace(impact, impulse=factor * impact.impulse, load_factor=1.0) for impact in impacts]
    return probe / follow(body, probing, breaking=False, progress=progress).overload


def critical_impact(
    body: BodyModel, settings: Settings, impact: Impact, solver: KnownForces | None = None
) -> tuple[float, float]:
    """Compute the peak force, N, at which ``impact`` first breaks a deformable body, and the duration of its pulse, s.

    The breaking force and the wave speed of a softened body are divided by the square root of its softening. Sheets and
    ropes have no bending stiffness, so their response is not linear. For them the force is doubled until a bond breaks.
    """
    root = float(np.sqrt(settings.motion.softening))
    if isinstance(body.solid, ThinSolid) and not body.solid.thin.resists_bending:
        force = float(np.median(body.model.stiffness * body.model.thresholds)) * body.spacing
        for _ in range(MOST_DOUBLINGS):
            force *= 2.0
            trial = replace(impact, impulse=0.5 * force * impact.duration, load_factor=1.0)
            if follow(body, [trial], breaking=False).overload >= 1.0:
                break
    else:
        force = critical_force(body, settings, [impact], solver=solver)
    return settings.motion.threshold * force / root, root * pulse_of(body, [impact])
