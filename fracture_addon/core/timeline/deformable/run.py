"""Run of a job with deformable bodies: they and the rigid bodies move on the same timeline, and push each other.

In each time step of the deformable bodies, the rigid ones move at the velocities that the pushes give them. The rigid
run then applies the impulses of these pushes, and takes its own step (docs/decisions/coupling.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...data.errors import SettingsError, about
from ...data.job import Body, Bond, Glue, Job
from ...data.progress import Progress, part_of
from ...data.recording import Recording, Track
from ...methods import table
from ...methods.whole_shot import RigidJoint, WholeShot
from .. import assemblies
from ..assembly import assemble
from ..cache import Cache
from ..joined_solid import check_facing
from ..rigid_fragment import Breakable
from ..rigid_timeline import Timeline
from .checkpoints import Checkpoints
from .colliders import RigidColliders
from .cut import cut_body
from .impacts import AuthoredImpacts

# Share of the progress after the simulation, before the bodies are cut. It affects only the progress bar.
SIMULATED = 0.8
NO_BREAK_ANYWAY = "nothing rigid broke, and Break Anyway has no effect beside deformable objects; raise the violence"


def deformable_rows(job: Job) -> list[int]:
    """Return the rows of the deformable bodies.

    Raises:
        SettingsError: The method of one has no deformable bodies, or no thin ones; or a thin body is rigid.
    """
    return [row for row, body in enumerate(job.bodies) if _is_deformable(body)]


def _is_deformable(body: Body) -> bool:
    with about(body.name):
        deforms, method = body.settings.motion.deforms, table.row(body.settings)
    if body.thin is not None and not deforms:
        raise SettingsError(
            f"'{body.name}' is a {body.thin.kind}, which must be deformable; set Dynamics to Deformable"
        )
    if deforms and not method.capabilities.deformable:
        able = table.labels_with(lambda capabilities: capabilities.deformable)
        raise SettingsError(
            f"'{body.name}' is deformable, which the method {method.label} cannot simulate; choose the method {able}"
        )
    if body.thin is not None and not method.capabilities.thin:
        able = table.labels_with(lambda capabilities: capabilities.thin)
        raise SettingsError(
            f"'{body.name}' is a {body.thin.kind}, which the method {method.label} cannot simulate; "
            f"choose the method {able}"
        )
    return deforms


def simulate(
    job: Job, breakables: Sequence[Breakable], deformable: Sequence[int], progress: Progress, cache: Cache
) -> Recording:
    """Run a job in which some or all bodies are deformable.

    Args:
        job: The scene.
        breakables: Its bodies.
        deformable: Rows of the deformable bodies, at least one.
        progress: Called with the name of the stage and the share that is done.
        cache: Results of earlier runs, and the folder of checkpoints.

    Raises:
        SettingsError: A deformable body is glued to a rigid one, or two deformable bodies have different methods.
        SceneError: Joined bodies do not touch.
    """
    rigid = [row for row in range(len(job.bodies)) if row not in deformable]
    for bond in job.bonds:
        if not {bond.first, bond.second} <= set(rigid):
            check_facing(bond, (breakables[bond.first], breakables[bond.second]))
    soft_job = replace(
        job,
        bodies=tuple(job.bodies[row] for row in deformable),
        glues=_deformable_glues(job, deformable),
        bonds=_bonds_among(job.bonds, deformable),
    )
    _check_methods(soft_job)
    rigid_job = replace(
        job,
        bodies=tuple(job.bodies[row] for row in rigid),
        glues=(),
        bonds=_bonds_among(job.bonds, rigid),
        blasts=job.blasts if rigid else (),
        pressures=job.pressures if rigid else (),
        sounds=job.sounds if rigid else (),
        thermal_shocks=job.thermal_shocks if rigid else (),
        freezes=job.freezes if rigid else (),
        winds=(),
        gravity_track=job.gravity_track[:0],
    )
    assembled = assemblies.assemble_bodies(rigid_job, [breakables[row] for row in rigid], cache)
    items = [breakables[row] for row in deformable]

    def break_progress(stage: str, share: float) -> None:
        # The deformable bodies report the time.
        if stage != "Simulating":
            progress(stage, SIMULATED * share)

    others = [item.surface for item in items]
    timeline = Timeline(assembled.job, assembled.breakables, break_progress, cache, others)
    joints = _rigid_joints(job.bonds, breakables, deformable, _assembled_rows(assembled, rigid))
    colliders = RigidColliders(assembled.job, timeline, joints)
    second = _simulate_deformable(soft_job, items, progress, colliders, cache)
    first = assemble(assembled.job, timeline.result(), part_of(progress, SIMULATED, 1.0))
    first = assemblies.restored(first, assembled.rows)
    warnings = [*first.report["warnings"], *second.report["warnings"]]
    if rigid and job.break_anyway and not timeline.breaker.has_broken():
        warnings.append(NO_BREAK_ANYWAY)
    order = sorted(range(len(job.bodies)), key=[*rigid, *deformable].__getitem__)
    reports = [*first.report["bodies"], *second.report["bodies"]]
    tracks = [*first.bodies, *second.bodies]
    return Recording(
        frame_start=job.frame_start,
        bodies=tuple(tracks[row] for row in order),
        projectiles=first.projectiles,
        fragments=tuple(replace(item, body=rigid[item.body]) for item in first.fragments),
        report={
            "bodies": [reports[row] for row in order],
            "warnings": warnings,
        },
        deformed=tuple(replace(item, body=deformable[item.body]) for item in second.deformed),
        debris=tuple(replace(item, body=rigid[item.body]) for item in first.debris),
        events=first.events.with_bodies(rigid),
    )


def _bonds_among(bonds: Sequence[Bond], rows: Sequence[int]) -> tuple[Bond, ...]:
    """Return the bonds between bodies of some rows, with the places of the bodies in ``rows``."""
    place = {row: number for number, row in enumerate(rows)}
    return tuple(
        replace(bond, first=place[bond.first], second=place[bond.second])
        for bond in bonds
        if bond.first in place and bond.second in place
    )


def _assembled_rows(assembled: assemblies.Assembled, rigid: Sequence[int]) -> dict[int, int]:
    """Return the row among the assembled bodies of each rigid body, by its row in the job."""
    owners = np.repeat(np.arange(len(assembled.breakables)), [len(item.objects) for item in assembled.breakables])
    return {rigid[row]: owner for row, owner in zip(assembled.rows.tolist(), owners.tolist(), strict=True)}


def _rigid_joints(
    bonds: Sequence[Bond], breakables: Sequence[Breakable], deformable: Sequence[int], bodies: Mapping[int, int]
) -> list[RigidJoint]:
    """Return the joints of deformable bodies with rigid ones, whose rows after the assembly are ``bodies``."""
    result = []
    for bond in bonds:
        for soft, hard in ((bond.first, bond.second), (bond.second, bond.first)):
            if soft in deformable and hard in bodies:
                result.append(RigidJoint(deformable.index(soft), bodies[hard], breakables[hard].surface, bond))
    return result


def _check_methods(job: Job) -> None:
    """Refuse deformable bodies with different methods.

    Raises:
        SettingsError: Two methods differ.
    """
    methods = {body.settings.method for body in job.bodies}
    if len(methods) > 1:
        names = ", ".join(sorted(methods))
        raise SettingsError(f"the deformable objects have {len(methods)} methods ({names}); choose one for all of them")


def _simulate_deformable(
    job: Job, items: Sequence[Breakable], progress: Progress, colliders: RigidColliders, cache: Cache
) -> Recording:
    """Run deformable bodies with their common method from the first frame to the last.

    Args:
        job: A job of deformable bodies only.
        items: Its bodies.
        progress: Called with the name of the stage and the share that is done.
        colliders: The rigid bodies around them, which move with them.
        cache: Its folder of checkpoints is used.
    """
    count, method = job.frame_end - job.frame_start + 1, table.row(job.bodies[0].settings)
    closed = [replace(body, surface=item.surface) for body, item in zip(job.bodies, items, strict=True)]
    shot = method.method.whole_shot(
        [item.prepared.model for item in items], replace(job, bodies=tuple(closed)), colliders
    )
    checkpoints = Checkpoints(cache.checkpoints, job, (shot.structure, colliders.structure))
    first = _resumed(checkpoints, shot, colliders)
    impacts = AuthoredImpacts(job, items)

    def show_progress(frame: int, share: float) -> None:
        progress("Simulating", SIMULATED * (frame + share) / count)

    for frame in range(first, count):
        show_progress(frame, 0.0)
        if frame == 0 or frame > first:
            shot.record(frame)
            if checkpoints.is_due(frame) and (saved := shot.checkpoint(frame)):
                checkpoints.save(replace(saved, pushes=colliders.pushes()))
        colliders.start_frame(frame)
        if frame + 1 < count:
            impacts.start(frame, shot)
            shot.advance(frame, partial(show_progress, frame))
    results = []
    for row, item in enumerate(items):
        progress(f"Cutting '{item.body.name}'", SIMULATED + (1.0 - SIMULATED) * row / len(items))
        with about(item.body.name):
            results.append(cut_body(row, item, shot.deformation(row), job.frame_start))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    tracks = tuple(Track(body.name, np.zeros(3), job.frame_start, still) for body in job.bodies)
    warnings = [*checkpoints.warnings, *shot.warnings]
    given = {
        "blasts": job.blasts,
        "pressures": job.pressures,
        "sounds": job.sounds,
        "thermal shocks": job.thermal_shocks,
        "freezes": job.freezes,
    }
    for name, loads in given.items():
        if loads:
            warnings.append(f"{name} have no effect on deformable objects; set Dynamics to Rigid")
    warnings += [
        f"the grip '{grip.name}' does not let go of deformable objects; set its Let Go to 0"
        for grip in job.grips
        if 1 < len(grip.track) < count and any(grip.holds(item.solid.points).any() for item in items)
    ]
    report = {"bodies": [body_report for _, body_report in results], "warnings": warnings}
    return Recording(job.frame_start, tracks, (), (), report, tuple(body for body, _ in results))


def _resumed(checkpoints: Checkpoints, shot: WholeShot, colliders: RigidColliders) -> int:
    """Restore the state of the latest checkpoint, and return its frame; 0 without one."""
    checkpoint = checkpoints.latest()
    if checkpoint is None:
        return 0
    shot.resume(checkpoint)
    colliders.repeat(checkpoint.pushes)
    return checkpoint.frame


def _deformable_glues(job: Job, deformable: Sequence[int]) -> tuple[Glue, ...]:
    """Return the job's glue with rows counted among the deformable bodies."""
    result = []
    for glue in job.glues:
        for row in (glue.first, glue.second):
            if row not in deformable:
                raise SettingsError(
                    f"'{job.bodies[row].name}' is glued but rigid; remove its glue and press Join with both selected, "
                    "or make it deformable too"
                )
        result.append(replace(glue, first=deformable.index(glue.first), second=deformable.index(glue.second)))
    return tuple(result)
