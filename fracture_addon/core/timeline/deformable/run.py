"""Run of a job with deformable bodies: the rigid bodies first, then the deformable ones among them.

Rigid bodies move and break as if the deformable bodies were not there, and push these. Soft, light bodies hardly move
stiff, heavy ones. Each kind therefore keeps its own simulation and its own time steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...data.errors import SettingsError
from ...data.job import Collider, Glue, Job
from ...data.recording import Recording
from ...methods import table
from ..cache import Cache
from ..rigid_fragment import Breakable
from .colliders import Mover, rigid_movers

# Share of the progress after the rigid bodies' run. Chosen.
RIGID_DONE = 0.5

Progress = Callable[[str, float], None]


def deformable_rows(job: Job) -> list[int]:
    """Return the rows of the deformable bodies.

    Raises:
        SettingsError: The method of one has no deformable bodies, or no thin ones; or a thin body is rigid.
    """
    for body in job.bodies:
        settings, capabilities = body.settings, table.named(body.settings.method).capabilities
        if settings.dynamics not in ("rigid", "deformable"):
            raise SettingsError(
                f"'{body.name}' has the unknown dynamics '{settings.dynamics}'; use rigid or deformable"
            )
        if body.thin is not None and settings.dynamics != "deformable":
            raise SettingsError(
                f"'{body.name}' is a {body.thin.kind}, which must be deformable; set Dynamics to Deformable"
            )
        if settings.dynamics == "deformable" and not capabilities.deformable:
            raise SettingsError(
                f"'{body.name}' is deformable, which the method {settings.method} cannot simulate; "
                "choose the method Lattice or Finite elements"
            )
        if body.thin is not None and not capabilities.thin:
            raise SettingsError(
                f"'{body.name}' is a {body.thin.kind}, which only a lattice can simulate; choose the method Lattice"
            )
    return [row for row, body in enumerate(job.bodies) if body.settings.dynamics == "deformable"]


def simulate(
    job: Job,
    breakables: Sequence[Breakable],
    deformable: Sequence[int],
    run_rigid: Callable[[Job, Sequence[Breakable], Progress], Recording],
    progress: Progress,
    cache: Cache,
) -> Recording:
    """Run a job in which some or all bodies are deformable.

    Args:
        job: The scene.
        breakables: Its bodies.
        deformable: Rows of the deformable bodies, at least one.
        run_rigid: Runs a job of rigid bodies.
        progress: Called with the name of the stage and the share that is done.
        cache: Its folder of checkpoints is used.

    Raises:
        SettingsError: A deformable body is glued to a rigid one, or two deformable bodies have different methods.
    """
    rigid = [row for row in range(len(job.bodies)) if row not in deformable]
    deformable_job = replace(
        job, bodies=tuple(job.bodies[row] for row in deformable), glues=_deformable_glues(job, deformable)
    )
    items = [breakables[row] for row in deformable]
    if not rigid:
        return _simulate_deformable(deformable_job, items, progress, (), cache)
    bodies = tuple(job.bodies[row] for row in rigid)
    first = run_rigid(
        replace(job, bodies=bodies, glues=(), winds=(), gravity_track=job.gravity_track[:0]),
        [breakables[row] for row in rigid],
        lambda stage, share: progress(stage, RIGID_DONE * share),
    )
    second = _simulate_deformable(
        replace(deformable_job, colliders=_with_recorded_tracks(job.colliders, first)),
        items,
        lambda stage, share: progress(stage, RIGID_DONE + (1.0 - RIGID_DONE) * share),
        rigid_movers(bodies, first),
        cache,
    )
    order = sorted(range(len(job.bodies)), key=[*rigid, *deformable].__getitem__)
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
        tuple(replace(item, body=deformable[item.body]) for item in second.deformed),
        tuple(replace(item, body=rigid[item.body]) for item in first.debris),
    )


def _simulate_deformable(
    job: Job, items: Sequence[Breakable], progress: Progress, movers: Sequence[Mover], cache: Cache
) -> Recording:
    """Run deformable bodies with their common method.

    Raises:
        SettingsError: Their methods differ.
    """
    methods = {body.settings.method for body in job.bodies}
    if len(methods) > 1:
        names = ", ".join(sorted(methods))
        raise SettingsError(f"the deformable objects have {len(methods)} methods ({names}); choose one for all of them")
    # Imported here, because loading the compiled code of a method takes about 0.3 s.
    if methods == {"fem"}:
        from . import elements

        return elements.simulate(job, items, progress, movers)
    from . import lattices

    return lattices.simulate(job, items, progress, movers, cache.checkpoints)


def _deformable_glues(job: Job, deformable: Sequence[int]) -> tuple[Glue, ...]:
    """Return the job's glue with rows counted among the deformable bodies."""
    result = []
    for glue in job.glues:
        for row in (glue.first, glue.second):
            if row not in deformable:
                raise SettingsError(
                    f"'{job.bodies[row].name}' is glued but rigid; make it deformable too, or pin what hangs on it"
                )
        result.append(replace(glue, first=deformable.index(glue.first), second=deformable.index(glue.second)))
    return tuple(result)


def _with_recorded_tracks(colliders: Sequence[Collider], recording: Recording) -> tuple[Collider, ...]:
    """Replace free projectiles by kinematic ones on their paths among the rigid bodies."""
    tracks = {track.name: track for track in recording.projectiles}
    return tuple(
        replace(item, mass=0.0, track=tracks[item.name].poses) if item.mass > 0.0 and item.name in tracks else item
        for item in colliders
    )
