"""Rigid and deformable bodies in one scene: the rigid ones first, and the deformable ones among them.

Rigid bodies break and move as if the deformable ones were not there, and push these: what is soft and light hardly
moves what is hard and heavy. So each keeps its own way of simulation, and its own steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...data.errors import SettingsError
from ...data.job import Collider, Glue, Job
from ...data.recording import Recording
from ...methods import table
from ..cache import Stages
from ..piece import Breakable
from .colliders import Mover, movers

Progress = Callable[[str, float], None]


def rows(job: Job) -> list[int]:
    """Return the rows of the bodies that deform for the whole shot.

    Raises:
        SettingsError: The method of one cannot deform bodies, or has no thin bodies; or a thin body is rigid.
    """
    for body in job.bodies:
        settings, capabilities = body.settings, table.named(body.settings.method).capabilities
        if settings.dynamics not in ("rigid", "deformable"):
            raise SettingsError(f"there are no dynamics '{settings.dynamics}'; use rigid or deformable")
        if body.thin is not None and settings.dynamics != "deformable":
            raise SettingsError(f"'{body.name}' is a {body.thin.kind}, which has to be deformable")
        if settings.dynamics == "deformable" and not capabilities.deformable:
            raise SettingsError(
                f"'{body.name}' is to deform for the whole shot; choose the method Lattice, or Finite elements"
            )
        if body.thin is not None and not capabilities.thin:
            raise SettingsError(f"'{body.name}' is a {body.thin.kind}, which only a lattice can be; choose that method")
    return [row for row, body in enumerate(job.bodies) if body.settings.dynamics == "deformable"]


def simulate(
    job: Job,
    breakables: Sequence[Breakable],
    soft: Sequence[int],
    run_rigid: Callable[[Job, Sequence[Breakable], Progress], Recording],
    progress: Progress,
    stages: Stages,
) -> Recording:
    """Run a job some of whose bodies are deformable, or all.

    Args:
        job: The scene.
        breakables: Its bodies, ready.
        soft: Rows of those that deform, at least one.
        run_rigid: Runs a job of rigid bodies.
        progress: Called with the stage's name and the share that is done.
        stages: Where checkpoints are kept.

    Raises:
        SettingsError: Glue between a deformable and a rigid body.
    """
    rigid = [row for row in range(len(job.bodies)) if row not in soft]
    soft_job = replace(job, bodies=tuple(job.bodies[row] for row in soft), glues=_glues(job, soft))
    items = [breakables[row] for row in soft]
    if not rigid:
        return _simulate_soft(soft_job, items, progress, (), stages)
    bodies = tuple(job.bodies[row] for row in rigid)
    first = run_rigid(
        replace(job, bodies=bodies, glues=(), winds=(), gravity_track=job.gravity_track[:0]),
        [breakables[row] for row in rigid],
        lambda stage, share: progress(stage, 0.5 * share),
    )
    soft_job = replace(soft_job, colliders=_flown(job.colliders, first))
    second = _simulate_soft(
        soft_job,
        items,
        lambda stage, share: progress(stage, 0.5 + 0.5 * share),
        movers(bodies, first),
        stages,
    )
    order = sorted(range(len(job.bodies)), key=[*rigid, *soft].__getitem__)
    reports = [*first.report["bodies"], *second.report["bodies"]]
    tracks = [*first.bodies, *second.bodies]
    return Recording(
        job.frame_start,
        tuple(tracks[row] for row in order),
        first.projectiles,
        tuple(replace(item, body=rigid[item.body]) for item in first.fragments),
        {
            "bodies": [reports[row] for row in order],
            "warnings": [*first.report["warnings"], *second.report["warnings"]],
        },
        tuple(replace(item, body=soft[item.body]) for item in second.deformed),
        tuple(replace(item, body=rigid[item.body]) for item in first.debris),
    )


def _simulate_soft(
    job: Job, items: Sequence[Breakable], progress: Progress, moving: Sequence[Mover], stages: Stages
) -> Recording:
    """Run deformable bodies by the method that they share.

    Raises:
        SettingsError: They do not share one.
    """
    methods = {body.settings.method for body in job.bodies}
    if len(methods) > 1:
        raise SettingsError("deformable objects of one scene have to be of one method; choose it for all of them")
    # Imported here, because loading the compiled code of a method takes about 0.3 s.
    if methods == {"fem"}:
        from . import elements

        return elements.simulate(job, items, progress, moving)
    from . import lattices

    return lattices.simulate(job, items, progress, moving, stages.checkpoints)


def _glues(job: Job, soft: Sequence[int]) -> tuple[Glue, ...]:
    """Glue with the rows of deformable bodies alone."""
    result = []
    for glue in job.glues:
        for row in (glue.first, glue.second):
            if row not in soft:
                raise SettingsError(
                    f"'{job.bodies[row].name}' is glued but rigid; make it deformable too, or pin what hangs on it"
                )
        result.append(replace(glue, first=soft.index(glue.first), second=soft.index(glue.second)))
    return tuple(result)


def _flown(colliders: Sequence[Collider], recording: Recording) -> tuple[Collider, ...]:
    """Free projectiles on the way that they took among the rigid bodies."""
    tracks = {track.name: track for track in recording.projectiles}
    return tuple(
        replace(item, mass=0.0, track=tracks[item.name].poses) if item.mass > 0.0 and item.name in tracks else item
        for item in colliders
    )
