"""Rigid runs that end in a break that shows: a run without one is repeated with stronger impacts.

Load factors are proportional to the violence. One run without a break therefore gives the factor that breaks the most
loaded body. Such a run is short, because it breaks and cuts nothing. A small chip does not count as a break, and
neither does a crack in the joints of bonded objects that stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..data.job import Job
from ..data.progress import Progress
from ..data.surface import volume
from ..numerics.rotations import moved
from .assembly import RunResult
from .breaking import BreakStatistics
from .rigid_fragment import Breakable

# Load factor of the most loaded body in the second run. Measured: a cube of 2,000 cells that a ball hits breaks into 23
# to 51 pieces at 2, into 52 to 64 at 4.
TARGET_LOAD = 2.0
# Most runs. More than two are needed if only chips come off, or if the strongest impact is another one than before.
MOST_RUNS = 7
# A break shows if it takes off more than this share of a body's volume: in the run that the artist asks for, and in
# those with stronger impacts. A matter of taste: bowls that fall 1 m lose a piece of the rim with 0.05 to 0.1. A cube
# of 6,000 cells that a ball hits loses 0.05 and 0.11 at a load factor of 2 and still looks whole.
CHIP, STRONGER_CHIP = 0.03, 0.3
# A whole object shows that its joints broke if it moves away from the others by more than this share of the size of
# them all. Measured with balls: at most 0.013 where joints of two and four cubes crack and the cubes stay in place, 1.1
# and more in a tower and a wall that fall. Any value in between gives the same.
APART = 0.03
# Factor on impacts that broke only joints: how much stronger the objects are is not known.
JOINTS_FACTOR = 4.0
# Largest share of a run before its first break, for the division. It affects only the progress bar.
LAST = 0.99
# Share of the rest of the progress bar that frames take before a break that must come, and the power of the share of
# the frames with which the bar grows while no break may come: few frames take little of it, and all frames all. They
# affect only the progress bar.
WHOLE, LATE = 0.1, 4


class Pace:
    """Progress of runs of which the last one may break a body. The break and the frames after it take the most time.

    Example:
        >>> pace = Pace(print)
        >>> pace("Simulating", 1.0, False, repeats=True)
        Simulating 0.1
        >>> pace.begin()
        >>> pace("Simulating", 0.5, True)
        Simulating 0.1
        >>> pace("Simulating", 1.0, True)
        Simulating 1.0

        Nothing may ever break.

        >>> Pace(print)("Simulating", 1.0, False)
        Simulating 1.0
    """

    def __init__(self, progress: Progress):
        """Begin a run; ``progress`` is called with the share of all runs."""
        self._progress, self._share = progress, 0.0
        self.begin()

    def begin(self) -> None:
        """Begin another run, from the present place of the bar."""
        self._start = self._share
        # Shares of the run and of the bar before the first break.
        self._break: tuple[float, float] | None = None

    def __call__(self, stage: str, share: float, breaks: bool, repeats: bool = False) -> None:
        """Report progress; the share never falls.

        Args:
            stage: Name of the stage.
            share: Finished share of the present run.
            breaks: Whether a body breaks or has broken in it.
            repeats: Whether another run follows if none breaks.
        """
        if breaks:
            first, shown = self._break = self._break or (min(share, LAST), self._share)
            found = shown + (1.0 - shown) * (share - first) / (1.0 - first)
        else:
            part = WHOLE * share + (0.0 if repeats else (1.0 - WHOLE) * share**LATE)
            found = self._start + part * (1.0 - self._start)
        self._share = max(self._share, found)
        self._progress(stage, self._share)


def stronger(job: Job, factor: float) -> Job:
    """Return a job in which all impacts on whole bodies are ``factor`` times stronger."""
    return replace(job, bodies=tuple(replace(body, strengthened=factor * body.strengthened) for body in job.bodies))


def brittle_loads(breakables: Sequence[Breakable], statistics: Sequence[BreakStatistics]) -> list[float]:
    """Return the greatest load factor of each body that may be broken: a ductile one bends before it breaks."""
    pairs = zip(breakables, statistics, strict=True)
    return [item.greatest_load for breakable, item in pairs if not breakable.body.material.is_ductile]


def factor_to_break(loads: Sequence[float]) -> float:
    """Return the factor on all impacts after which the most loaded body breaks.

    Args:
        loads: Greatest load factor of each unbroken body; see ``brittle_loads``.

    Returns:
        The factor; 1 if no body is loaded, because no factor helps then.

    Notes:
        Own: load factors are proportional to the violence.

    Example:
        >>> factor_to_break([0.1, 0.5]), factor_to_break([0.0]), factor_to_break([3.0])
        (4.0, 1.0, 2.0)
    """
    greatest = max(loads, default=0.0)
    # A body above its critical load that only lost chips needs a higher target.
    return max(TARGET_LOAD / greatest, TARGET_LOAD if greatest >= 1.0 else 1.0) if greatest > 0.0 else 1.0


def is_seen(run: RunResult, row: int, chip: float) -> bool:
    """Return whether the break of a body is seen at the end of a run.

    Args:
        run: The run.
        row: Row of a body that broke.
        chip: Share of the volume of a bonded object; what takes off less does not divide it.
    """
    breakable = run.breaker.breakables[row]
    pieces = [item for item in run.fragments if item.body == row and item.parent >= 0 and item.death_row < 0]
    if not breakable.members or breakable.body.impacts or not pieces:
        return True
    sizes: list[list[float]] = [[] for _ in breakable.members]
    for piece in pieces:
        for surface, owner in zip(piece.surfaces, piece.owners, strict=True):
            sizes[owner].append(volume(surface))
    if any(max(parts) < (1.0 - chip) * sum(parts) for parts in sizes if parts):
        return True
    heaviest = max(pieces, key=lambda piece: piece.properties.mass)
    start, end = heaviest.properties.center, heaviest.poses[-1:]
    ways = [item.poses[-1, :3] - moved(end, start, item.properties.center)[0, :3] for item in pieces]
    return bool(np.linalg.norm(ways, axis=1).max() > APART * breakable.surface.diagonal)


def run(
    job: Job, breakables: Sequence[Breakable], run_once: Callable[[Job, Sequence[Breakable]], RunResult]
) -> RunResult:
    """Run a job; if no break shows in a job that asks for one, run it again with stronger impacts.

    Args:
        job: The job.
        breakables: Its bodies.
        run_once: Runs a job.

    Returns:
        The result of the first run in which a break shows, or else of the last run that breaks a body, or else of the
        first run, with the factor on all impacts.
    """
    result = best = run_once(job, breakables)
    strengthened, chip = 1.0, CHIP
    for _ in range(MOST_RUNS - 1 if job.break_anyway else 0):
        larger = result.breaker.larger_breaks(chip)
        if any(is_seen(result, row, chip) for row in larger):
            break
        factor = factor_to_break(brittle_loads(breakables, result.breaker.statistics))
        if factor == 1.0:
            break
        strengthened *= max(factor, JOINTS_FACTOR) if larger else factor
        harder = stronger(job, strengthened)
        items = [replace(item, body=body) for item, body in zip(breakables, harder.bodies, strict=True)]
        result = replace(run_once(harder, items), strengthened=strengthened)
        if result.breaker.has_broken():
            best = result
        chip = STRONGER_CHIP
    return best
