"""Spring lattices: Norton et al. 1991 and Sweeney et al. 1991."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.job import Settings
from ..fragments import split, unbroken
from ..method import Break, Capabilities, Method, Progress, RigidMotion
from .body import Body, build
from .cells.discretise import discretise
from .cells.thin_bodies import ThinSolid, discretise_thin
from .impact_window import follow, pulse_of
from .labels import cell_momenta, dust, label_cells
from .stress import stress_window


def critical_force(body: Body, settings: Settings, impact: Impact, progress: Progress | None = None) -> float:
    """Peak force, newtons, at which ``impact`` first breaks a bond: from one window without breaks, scaled."""
    key = (impact.point.tobytes(), impact.direction.tobytes(), impact.duration, impact.radius)
    if key not in body.critical_forces:
        body.critical_forces[key] = _critical_force(body, impact, progress)
    return body.critical_forces[key]


def _critical_force(body: Body, impact: Impact, progress: Progress | None) -> float:
    # Far above rounding, and far below where large deformation bends the line.
    probe = float(np.median(body.model.stiffness * body.model.thresholds)) * body.spacing
    probing = replace(impact, impulse=0.5 * probe * impact.duration)
    return probe / follow(body, [probing], 1.0, breaking=False, progress=progress).burden


def least_blow(body: Body, settings: Settings, impact: Impact) -> tuple[float, float]:
    """Peak force, newtons, at which ``impact`` first breaks a bond of a body that deforms, and its pulse, seconds.

    A softened body's strength falls, and its waves slow down, with the root of what its stiffness is divided by. What
    has no stiffness in bending bears no load in proportion to a blow: it is tried with ever harder ones.
    """
    root = float(np.sqrt(settings.softening))
    if isinstance(body.solid, ThinSolid) and body.solid.thin.kind != "shell":
        force = float(np.median(body.model.stiffness * body.model.thresholds)) * body.spacing
        burden = 0.0
        while burden < 1.0:
            force *= 2.0
            hit = replace(impact, impulse=0.5 * force * impact.duration)
            burden = follow(body, [hit], 1.0, breaking=False).burden
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
    """Break a body by impacts that fall together; see ``method.strike``.

    A held body is treated as a free one: waves are through with it before an anchor matters. Violence multiplies the
    load; the momentum that the pieces go on with is that of the impacts as they are.
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
        load_factor = window.burden
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
