"""The run of a job, from its meshes to its recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..data.job import Job
from ..data.progress import Progress, part_of
from ..data.recording import Recording
from . import assemblies, break_anyway, grips, islands
from .assembly import RunResult, assemble
from .cache import NO_CACHE, Cache
from .deformable import run as deformable_run
from .impact_forecast import refine_at_impacts
from .preparation import check, prepare_all
from .rigid_fragment import Breakable
from .rigid_timeline import Timeline

# Share of a run's progress after preparation, and of the rest after simulation. They affect only the progress bar.
PREPARED, SIMULATED = 0.3, 0.7
# Share of a simulation that its first break takes; its frames take the rest. It affects only the progress bar. Breaks
# are 37 % of the time of a jar that falls, and 76 % of that of a wall of bricks (docs/measurements.md).
FIRST_BREAK = 0.5


def simulate(job: Job, progress: Progress, cache: Cache = NO_CACHE, frames_after_break: int | None = None) -> Recording:
    """Run a job from its first frame to its last.

    Args:
        job: The scene. The same job gives the same bytes on the same machine.
        progress: Called with the name of the stage and the finished share of the whole run, 0 to 1.
        cache: Results of earlier runs; they do not change the recording.
        frames_after_break: The recording ends so many frames after the first break, unless a body is deformable, or
            bonded with ``break_anyway``; ``None`` for the whole job.

    Returns:
        Fragments and motion. Its report has ``bodies``, a mapping for each body (``name``, ``volume`` in m3, ``cells``,
        ``bonds``, ``fragments``, ``dust_count``, ``dust_volume`` over the body's, ``volume_error``, ``load_factor``,
        ``solve_count``, ``breaks``, ``repair``, ``warnings``, and ``strengthened``, the factor of
        ``break_anyway``, if it is not 1), and ``warnings`` about the scene.

    Raises:
        SceneError: Nothing can break, nothing can break it, or bonded objects do not touch.
        SettingsError: The frame range, rate or number of sub-steps is invalid, or a deformable body is to be split.
        InvalidMeshError: A body's surface cannot be used.
        FractureError: The simulation failed.

    Notes:
        The order of the stages is: check, split islands, forecast impacts for finer cells, prepare bodies, join bonded
        bodies, advance the rigid world and break bodies, simulate deformable bodies among them, assemble, merge
        islands. Methods follow Smith et al. 2001, Norton et al. 1991, and O'Brien and Hodgins 1999.

    Example:
        >>> from fracture_addon.core.data.job import Job
        >>> simulate(Job(bodies=()), print)
        Traceback (most recent call last):
        fracture_addon.core.data.errors.SceneError: there is nothing to break; select a mesh object
    """
    check(job)
    original, preparing = job, part_of(progress, 0.0, PREPARED)
    job, owners = islands.split(job)
    deformable = deformable_run.deformable_rows(job)
    most_frames = None if deformable else frames_after_break
    job = refine_at_impacts(job, preparing)
    breakables = prepare_all(job, preparing, cache)
    grips.check(job, breakables)

    simulating = part_of(progress, PREPARED, 1.0)
    if deformable:
        recording = deformable_run.simulate(job, breakables, deformable, simulating, cache)
    else:
        recording = _simulate_rigid(job, breakables, simulating, cache, most_frames)
    return islands.merge(recording, original, owners)


def _simulate_rigid(
    job: Job, breakables: Sequence[Breakable], progress: Progress, cache: Cache, most_frames: int | None
) -> Recording:
    """Run a job of rigid bodies, until so many frames after the first break; ``None`` for the whole job."""
    simulating = part_of(progress, 0.0, SIMULATED)
    pace = break_anyway.Pace(simulating)

    def run_once(job: Job, breakables: Sequence[Breakable]) -> RunResult:
        def report(stage: str, share: float) -> None:
            breaker, first_break = timeline.breaker, timeline.first_break
            if job.break_anyway:
                breaks = first_break > 0.0 or bool(breaker.larger_breaks(break_anyway.CHIP))
                repeats = any(load > 0.0 for load in break_anyway.brittle_loads(breakables, breaker.statistics))
            else:
                breaks, repeats = first_break > 0.0 or breaker.has_broken(), False
            if breaks:
                first_break = 1.0 if breaker.has_broken() else first_break
                share = FIRST_BREAK * first_break + (1.0 - FIRST_BREAK) * share
            pace(stage, share, breaks, repeats)

        pace.begin()
        timeline = Timeline(job, breakables, report, cache)
        return timeline.run(until=lambda: timeline.broke_before(most_frames))

    assembled = assemblies.assemble_bodies(job, breakables, cache)
    job, breakables = assembled.job, assembled.breakables
    if job.break_anyway and any(item.members for item in breakables):
        most_frames = None  # whether bonded objects come apart is known at the end
    result = break_anyway.run(job, breakables, run_once)
    if most_frames is not None:
        job = replace(job, frame_end=job.frame_start + len(result.fragments[0].poses) - 1)
    recording = assemble(job, result, part_of(progress, SIMULATED, 1.0))
    return assemblies.restored(recording, assembled.rows)
