"""Measured figures, one per row: ``python -m benchmarks [topic ...] [--json] [--write]``.

A topic is a module of this package with a function ``rows() -> Iterator[Row]`` and no underscore in front of its name.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fracture_addon import thread_settings

# The worker has the same. Set before numpy is imported.
thread_settings.apply()
# Set before the first import of core, so that benchmarks keep their compiled code.
COMPILED = Path(__file__).resolve().parents[1] / ".cache" / f"compiled-{sys.version_info.major}{sys.version_info.minor}"
os.environ.setdefault("FRACTURE_COMPILED", str(COMPILED))


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        name: Measured quantity.
        size: Number of cells, fragments or frames.
        value: The figure.
        unit: Unit of the value and the baseline.
        baseline: The same figure of the best known alternative, from the same run; ``None`` without one.
    """

    name: str
    size: int
    value: float
    unit: str
    baseline: float | None = None

    @property
    def ratio(self) -> float | None:
        """Value over baseline; ``None`` without a baseline."""
        return None if self.baseline is None else self.value / self.baseline


def median_seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the median seconds of a call, after one uncounted call that compiles and fills caches."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def least_seconds(*calls: Callable[[], object], repeats: int = 60) -> list[float]:
    """Return the least seconds of each of several short calls that take turns, close to those of an idle machine."""
    for call in calls:
        call()
    least = [float("inf")] * len(calls)
    for _ in range(repeats):
        for row, call in enumerate(calls):
            start = time.perf_counter()
            call()
            least[row] = min(least[row], time.perf_counter() - start)
    return least
