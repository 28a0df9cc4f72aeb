"""What varies while a network breaks, and what breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..impact import Impact, Schedule
from ..parts import Parts
from .model import FullGlue, PointGlue


@dataclass
class State:
    """What varies while a network breaks.

    Attributes:
        glue: Forces under the present load, once they are settled.
        alive: (F,) bool, bonds that hold.
        strengths: (F,) weakened by cracks.
        parts: What still hangs together.
        pressure: (C, 3) N, forces of the impacts on what they touch, one newton in all.
        load: Present load, newtons over all impacts.
        time: Share of the impact's duration that is over.
        impulses: (C, 3) momentum that each cell has got so far, N s.
        spins: (C, 3) angular momentum about its own centroid that each cell has got, N m s.
        delivered: N s, of the impacts' impulse.
        solve_count: Linear solves so far.
        is_settled: Whether ``glue`` has the forces of what still holds.
    """

    glue: FullGlue | PointGlue
    alive: np.ndarray
    strengths: np.ndarray
    parts: Parts
    pressure: np.ndarray
    impulses: np.ndarray
    spins: np.ndarray
    load: float = 0.0
    time: float = 0.0
    delivered: float = 0.0
    solve_count: int = 0
    is_settled: bool = True

    def settle(self) -> None:
        """Find the forces, if something broke since they were found. After the last break nobody asks for them."""
        if not self.is_settled:
            self.glue.solve(self.parts, self.load * self.pressure)
            self.solve_count += 1
            self.is_settled = True

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """(F,) what bonds bear under ``factor`` times the present load: Pa with full bonds, N with point bonds."""
        self.settle()
        return self.glue.burden(factor)

    def demand(self, factor: float) -> float:
        """Greatest ratio of burden to strength under ``factor`` times the present load."""
        return float((self.burden(factor) / self.strengths).max())


@dataclass(frozen=True)
class Blow:
    """Impacts that fall together on a model, and what they come to.

    Attributes:
        impacts: At least one.
        peak: N, the greatest load of the schedule; stress is found at ``violence`` times that.
        impulse: N s, the sum of their impulses.
        violence: See ``Settings``.
        schedule: How the load goes with time.
        speed_change: m/s that the whole body's contact undergoes; a part that has got it is pushed no more.
    """

    impacts: Sequence[Impact]
    peak: float
    impulse: float
    violence: float
    schedule: Schedule
    speed_change: float = field(default=np.inf)
