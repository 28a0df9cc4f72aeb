"""The lattice method: point masses joined by springs that break (Norton et al. 1991, Sweeney et al. 1991)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.job import Settings
from ..fragments import split, unbroken
from ..method import Break, Capabilities, Method, Progress, RigidMotion
from .advance import checked_step
from .body import Body, build
from .cells.discretise import discretise
from .cells.thin_bodies import ThinSolid, discretise_thin
from .impact_window import follow, pulse_of
from .labels import cell_momenta, dust, label_cells
from .stress import stress_window

# Doublings of the force after which an impact counts as one that breaks nothing: a factor of 1e12.
MOST_DOUBLINGS = 40


def critical_force(body: Body, settings: Settings, impact: Impact, progress: Progress | None = None) -> float:
    """Compute the peak force, newtons, at which ``impact`` first breaks a bond.

    The response without breaks is linear, so one window at a small force gives it.
    """
    key = (impact.point.tobytes(), impact.direction.tobytes(), impact.duration, impact.radius)
    if key not in body.critical_forces:
        body.critical_forces[key] = _critical_force(body, impact, progress)
    return body.critical_forces[key]


def _critical_force(body: Body, impact: Impact, progress: Progress | None) -> float:
    # The probe force is far above rounding errors, and far below large deformations, where the response is not linear.
    probe = float(np.median(body.model.stiffness * body.model.thresholds)) * body.spacing
    probing = replace(impact, impulse=0.5 * probe * impact.duration)
    return probe / follow(body, [probing], 1.0, breaking=False, progress=progress).overload


def usual_step(body: Body, softening: float) -> float:
    """Return the time step, s, of a deformable body whose stiffness is divided by ``softening``."""
    return checked_step(body.model, None) * float(np.sqrt(softening))


def least_blow(body: Body, settings: Settings, impact: Impact) -> tuple[float, float]:
    """Compute the peak force, newtons, at which ``impact`` first breaks a deformable body, and its pulse, seconds.

    The breaking force and the wave speed of a softened body are divided by the square root of its softening. Sheets and
    ropes have no bending stiffness, so their response is not linear. For them the force is doubled until a bond breaks.
    """
    root = float(np.sqrt(settings.softening))
    if isinstance(body.solid, ThinSolid) and body.solid.thin.kind != "shell":
        force = float(np.median(body.model.stiffness * body.model.thresholds)) * body.spacing
        for _ in range(MOST_DOUBLINGS):
            force *= 2.0
            hit = replace(impact, impulse=0.5 * force * impact.duration)
            if follow(body, [hit], 1.0, breaking=False).overload >= 1.0:
                break
    else:
        force = critical_force(body, settings, impact)
    return settings.threshold * force / root, root * pulse_of(body, [impact])


def strike(
    body: Body,
    settings: Settings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    held: bool = False,
    progress: Progress | None = None,
) -> Break:
    """Break a body by simultaneous impacts; see ``method.strike``.

    A pinned body is simulated as a free one, because it breaks before its anchor matters. Violence multiplies the load
    only. The fragments receive the momentum of the impacts without it.
    """

    def first_half(share: float) -> None:
        progress(0.5 * share)

    def second_half(share: float) -> None:
        progress(0.5 + 0.5 * share)

    if settings.violence == 0.0:
        load_factor = 0.0
    elif len(impacts) == 1:
        load_factor = settings.violence * impacts[0].peak_force / critical_force(body, settings, impacts[0])
    else:
        window = follow(body, impacts, settings.violence, breaking=False, progress=progress and first_half)
        load_factor = window.overload
    if load_factor <= 1.0:
        return unbroken(body.cells, impacts, motion, load_factor)
    outcome = follow(body, impacts, settings.violence, breaking=True, progress=progress and second_half)
    label = label_cells(body, outcome.state.valid, settings.dust == "merge", settings.seed)
    pairs = body.solid.face_cells
    impulses, spins = cell_momenta(body, outcome.state, label)
    result = split(
        body.cells,
        pairs,
        body.areas,
        label[pairs[:, 0]] == label[pairs[:, 1]],
        outcome.momentum_share * impulses,
        outcome.momentum_share * spins,
        motion,
        settings,
        load_factor=load_factor,
        solve_count=0,
    )
    count, volume = dust(body, outcome.state, settings.dust_volume)
    return replace(result, dust_count=count, dust_volume=volume)


class Lattice(Method):
    """Springs between the nodes of cells."""

    capabilities = Capabilities(
        deformable=True, thin=True, glue=True, keyed_stiffness=True, checkpoints=True, self_collision=True
    )
    discretise = staticmethod(discretise)
    discretise_thin = staticmethod(discretise_thin)
    build = staticmethod(build)
    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stress_window = staticmethod(stress_window)
