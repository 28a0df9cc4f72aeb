"""Crack preview: the lines of the first break of each body, at low detail.

In a job of one frame, the artist's impacts break the bodies, as in ``fracture_only``. Otherwise bodies move rigidly
until the first impact that breaks them. At the same detail, a simulation breaks along the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from ..cutting.crack_lines import crack_lines
from ..data.crack_preview import BodyCracks, Cracks
from ..data.impact import Impact
from ..data.job import Job, coarse
from ..data.progress import Progress, ShareProgress, part_of
from ..data.surface import Surface
from ..methods.method import Break, RigidMotion
from . import break_anyway, islands
from .assembly import RunResult
from .breaking import Breaker
from .cache import NO_CACHE, Cache
from .fracture_only import break_at_rest, check_rigid
from .fragment_surfaces import cut_surfaces
from .impact_forecast import refine_at_impacts
from .preparation import check, prepare_all
from .rigid_fragment import Breakable, RigidFragment
from .rigid_timeline import Timeline
from .stress_preview import unbroken_whole

# Share of the progress after preparation. It affects only the progress bar.
PREPARED = 0.5


def preview_cracks(
    job: Job,
    progress: Progress,
    cache: Cache = NO_CACHE,
    show: Callable[[Callable[[], Cracks | None]], None] | None = None,
) -> Cracks:
    """Compute the cracks of each body's first break, with at most ``LOW_DETAIL`` cells.

    Args:
        job: The scene. In a job of one frame, impacts that break nothing are not made stronger. Bonds have no effect.
        progress: Called with the name of the stage and the finished share, 0 to 1.
        cache: Results of earlier runs; they do not change the cracks.
        show: Called after each round of breaks of a single body in a job of one frame, with a function that returns the
            cracks so far; ``None`` without cracks. They are along the cells, and their number of fragments is 0.

    Raises:
        SettingsError: A body is deformable.
        FractureError: As in ``timeline.simulate``.
    """
    count = len(job.bodies)
    job = replace(coarse(job), bonds=())
    if job.is_at_rest:

        def watch(body: RigidFragment, lines: Callable[[], np.ndarray]) -> None:
            if show and count == 1:
                show(lambda: _unfinished(body, lines()))

        timeline, owners, _ = break_at_rest(job, progress, cache, must_break=False, watch=watch)
        found = [_living(timeline, row) for row in range(len(owners))]
        breaker: Breaker = timeline.breaker
        wholes: Sequence[RigidFragment] = timeline.scene.fragments
    else:
        breaker, wholes, owners, found = _simulated(job, progress, cache)
    return Cracks(tuple(_cracks(breaker, wholes, np.flatnonzero(owners == body), found) for body in range(count)))


def _simulated(
    job: Job, progress: Progress, cache: Cache
) -> tuple[Breaker, Sequence[RigidFragment], np.ndarray, list[list[Surface]]]:
    """Return a breaker, the whole bodies, the rows of their objects, and the surfaces of each body's fragments."""
    check(job)
    check_rigid(job)
    job, owners = islands.split(job)
    job = refine_at_impacts(job, progress)

    def run_once(job: Job, breakables: Sequence[Breakable]) -> RunResult:
        timeline = Timeline(job, breakables, part_of(progress, PREPARED, 1.0), cache)
        recorder = timeline.breaker = FirstBreaks(breakables, cache)
        return timeline.run(until=recorder.is_complete)

    result = break_anyway.run(job, prepare_all(job, part_of(progress, 0.0, PREPARED), cache), run_once)
    recorder, breakables = cast(FirstBreaks, result.breaker), result.breaker.breakables
    wholes, found = result.fragments[: len(breakables)], []
    for row, whole in enumerate(wholes):
        surfaces = [breakables[row].surface]
        if row in recorder.breaks:
            parts = cut_surfaces(breakables[row], whole, recorder.breaks[row])
            surfaces = [surface for part in parts for surface in part.surfaces]
        found.append(surfaces)
    return recorder, wholes, owners, found


class FirstBreaks(Breaker):
    """A breaker that records the first break of each body. Once all are recorded, it breaks nothing.

    Attributes:
        breaks: Break by row of the body.
    """

    def __init__(self, breakables: Sequence[Breakable], cache: Cache):
        super().__init__(breakables, cache)
        self.breaks: dict[int, Break] = {}

    def is_complete(self) -> bool:
        """Return whether the first break of every body is recorded."""
        return len(self.breaks) == len(self.breakables)

    def strike(
        self,
        fragment: RigidFragment,
        motion: RigidMotion,
        impacts: Sequence[Impact],
        progress: ShareProgress | None = None,
    ) -> Break:
        """Call ``Breaker.strike``, and record the first break of a body. Nothing is cut after the last one."""
        result = super().strike(fragment, motion, impacts, progress)
        if fragment.depth == 0 and result.broken:
            self.breaks.setdefault(fragment.body, result)
        return unbroken_whole(len(fragment.cells)) if self.is_complete() else result


def _living(timeline: Timeline, body: int) -> list[Surface]:
    """Return the surfaces of the fragments of a body that did not break again."""
    fragments = (fragment for fragment in timeline.scene.fragments if fragment.body == body and fragment.key >= 0)
    return [surface for fragment in fragments for surface in fragment.surfaces]


def _unfinished(body: RigidFragment, lines: np.ndarray) -> Cracks | None:
    """Return the cracks of a breaking body from the ends (L, 2, 3) of their lines; ``None`` without lines."""
    if not len(lines):
        return None
    rows = np.arange(2 * len(lines)).reshape(-1, 2)
    return Cracks((BodyCracks(lines.reshape(-1, 3), rows, 0, 0.0, body.smallest_critical, body.cell_size),))


def _cracks(
    breaker: Breaker, wholes: Sequence[RigidFragment], rows: np.ndarray, surfaces: Sequence[Sequence[Surface]]
) -> BodyCracks:
    """Return the cracks of an object that consists of the bodies ``rows``."""
    strongest = max(rows, key=lambda row: breaker.statistics[row].greatest_load)
    critical = wholes[strongest].smallest_critical
    mine = [surface for row in rows for surface in surfaces[row]]
    return BodyCracks(
        *crack_lines(mine),
        len(mine),
        breaker.statistics[strongest].greatest_load,
        critical if np.isfinite(critical) else 0.0,
        wholes[strongest].cell_size,
    )
