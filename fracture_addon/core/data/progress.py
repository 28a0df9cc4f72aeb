"""Progress of a run: the functions that stages and steps call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Called with the name of the stage and the finished share of the whole, 0 to 1.
Progress = Callable[[str, float], None]
# Called with the finished share of one step, 0 to 1.
ShareProgress = Callable[[float], None]
# Called while a body breaks, with a function that returns the lines (L, 2, 3), m, along which the cracks meet its
# surface so far.
CrackWatch = Callable[[Callable[[], np.ndarray]], None]


def part_of(progress: Progress, start: float, end: float) -> Progress:
    """Return a function whose shares 0 to 1 are the shares ``start`` to ``end`` of ``progress``."""
    return lambda stage, share: progress(stage, start + (end - start) * share)


class FirstShown:
    """Progress of tasks that run at the same time: that of the first unfinished one is shown.

    Example:
        >>> shown = FirstShown(print)
        >>> shown.of(1)("Filling 'Cup'", 0.5)
        >>> shown.of(0)("Filling 'Jar'", 0.2)
        Filling 'Jar' 0.2
        >>> shown.next()
        Filling 'Cup' 0.5
    """

    def __init__(self, progress: Progress):
        """Begin with the task 0; ``progress`` shows a stage and a share."""
        self._progress, self._first = progress, 0
        self._last: dict[int, tuple[str, float]] = {}

    def of(self, task: int) -> Progress:
        """Return the function that a task calls."""

        def report(stage: str, share: float) -> None:
            self._last[task] = stage, share
            if task == self._first:
                self._progress(stage, share)

        return report

    def next(self) -> None:
        """Show the task after the one that is shown, which is finished."""
        self._first += 1
        if self._first in self._last:
            self._progress(*self._last[self._first])
