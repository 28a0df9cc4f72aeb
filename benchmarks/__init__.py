"""Measured figures, one a row: ``python -m benchmarks [topic] [--json]``.

A topic is a module of this package with a function ``rows() -> Iterator[Row]``.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# Before the first import of the package, so that a benchmark compiles only once.
COMPILED = Path(__file__).resolve().parents[1] / ".cache" / f"compiled-{sys.version_info.major}{sys.version_info.minor}"
os.environ.setdefault("FRACTURE_COMPILED", str(COMPILED))


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        name: What was measured.
        size: How much of it: cells, pieces, frames.
        value: The figure.
        unit: Of the value and the baseline.
        baseline: The same by the best known alternative, timed in the same run; ``None`` where there is none.
    """

    name: str
    size: int
    value: float
    unit: str
    baseline: float | None = None

    @property
    def ratio(self) -> float | None:
        """Value over baseline: below 1 is better than the alternative."""
        return None if self.baseline is None else self.value / self.baseline


def median_seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """Median time of a call, after one that is not counted (it compiles and fills caches)."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def least_seconds(*calls: Callable[[], object], repeats: int = 60) -> list[float]:
    """Least time of each of several calls that are short and take turns: as on a machine that does nothing else."""
    for call in calls:
        call()
    least = [float("inf")] * len(calls)
    for _ in range(repeats):
        for row, call in enumerate(calls):
            start = time.perf_counter()
            call()
            least[row] = min(least[row], time.perf_counter() - start)
    return least
