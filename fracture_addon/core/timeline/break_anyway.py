"""Rigid runs that end in a break: a run without a break is repeated with stronger impacts.

Load factors are proportional to the violence. One run without a break therefore gives the factor that breaks the most
loaded body. Such a run is short, because it breaks and cuts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..data.job import Job
from ..data.progress import Progress
from .assembly import RunResult
from .breaking import BreakStatistics
from .rigid_fragment import Breakable

# Load factor of the most loaded body in the second run. Measured: a dropped cube of porcelain broke into 8 pieces at
# 1.2, 56 at 2, 24 at 4 (6,000 cells).
TARGET_LOAD = 2.0
# Most runs. More than two are needed if only dust comes off, or if the strongest impact is another one than before.
MOST_RUNS = 5
# Largest share of a run at its first break, for the division. It affects only the progress bar.
LAST = 0.99
# Share of the rest of the progress bar that frames without a break take. It affects only the progress bar.
WHOLE = 0.1


class Pace:
    """Progress of runs of which the last one breaks a body. Frames after the break take the most time.

    Example:
        >>> pace = Pace(print)
        >>> pace("Simulating", 1.0, False)
        Simulating 0.1
        >>> pace.begin()
        >>> pace("Simulating", 0.5, True)
        Simulating 0.1
        >>> pace("Simulating", 1.0, True)
        Simulating 1.0
    """

    def __init__(self, progress: Progress):
        """Begin a run; ``progress`` is called with the share of all runs."""
        self._progress, self._share = progress, 0.0
        self.begin()

    def begin(self) -> None:
        """Begin another run, from the present place of the bar."""
        self._start = self._share
        # Shares of the run and of the bar at the first break.
        self._break: tuple[float, float] | None = None

    def __call__(self, stage: str, share: float, has_broken: bool) -> None:
        """Report a stage and the finished share of the present run."""
        if has_broken:
            first, shown = self._break = self._break or (min(share, LAST), self._share)
            found = shown + (1.0 - shown) * (share - first) / (1.0 - first)
        else:
            found = self._start + WHOLE * (1.0 - self._start) * share
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
    # A body above its critical load that only lost dust needs a higher target.
    return max(TARGET_LOAD / greatest, TARGET_LOAD if greatest >= 1.0 else 1.0) if greatest > 0.0 else 1.0


def run(
    job: Job, breakables: Sequence[Breakable], run_once: Callable[[Job, Sequence[Breakable]], RunResult]
) -> RunResult:
    """Run a job; if nothing breaks in a job that asks for a break, run it again with stronger impacts.

    Args:
        job: The job.
        breakables: Its bodies.
        run_once: Runs a job.

    Returns:
        The result of the run that breaks a body, with the factor on all impacts; of the first run if none does.
    """
    first, strengthened = run_once(job, breakables), 1.0
    result = first
    for _ in range(MOST_RUNS - 1 if job.break_anyway else 0):
        if result.breaker.has_broken():
            return result
        factor = factor_to_break(brittle_loads(breakables, result.breaker.statistics))
        if factor == 1.0:
            return first
        strengthened *= factor
        harder = stronger(job, strengthened)
        items = [replace(item, body=body) for item, body in zip(breakables, harder.bodies, strict=True)]
        result = replace(run_once(harder, items), strengthened=strengthened)
    return result if result.breaker.has_broken() else first
