"""Progress of a run: the functions that stages and steps call."""

from __future__ import annotations

from collections.abc import Callable

# Called with the name of the stage and the finished share of the whole, 0 to 1.
Progress = Callable[[str, float], None]
# Called with the finished share of one step, 0 to 1.
ShareProgress = Callable[[float], None]


def part_of(progress: Progress, start: float, end: float) -> Progress:
    """Return a function whose shares 0 to 1 are the shares ``start`` to ``end`` of ``progress``."""
    return lambda stage, share: progress(stage, start + (end - start) * share)
