"""What varies while a network breaks, and what breaks it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...data.impact import Impact, Schedule
from ..rigid_parts import Parts
from .glue import Glue


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
        compliance: m/N, of what still holds: twice its strain energy under one newton. 0 for rigid point bonds.
        time: Share of the impact's duration that is over.
        impulses: (C, 3) momentum that each cell has got so far, N s.
        spins: (C, 3) angular momentum about its own centroid that each cell has got, N m s.
        delivered: N s, of the impacts' impulse.
        solve_count: Linear solves so far.
        is_settled: Whether ``glue`` has the forces of what still holds.
    """

    glue: Glue
    alive: np.ndarray
    strengths: np.ndarray
    parts: Parts
    pressure: np.ndarray
    impulses: np.ndarray
    spins: np.ndarray
    load: float = 0.0
    compliance: float = 0.0
    time: float = 0.0
    delivered: float = 0.0
    solve_count: int = 0
    is_settled: bool = True

    def settle(self) -> None:
        """Find the forces, if something broke since they were found. After the last break nobody asks for them."""
        if not self.is_settled:
            self.glue.solve(self.parts, self.load * self.pressure)
            self.compliance = self.glue.work / self.load**2
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
    """Impacts that act together on a model, and the load that they cause.

    The contact and the body are two springs in series, which together stop the mass m that moves. At the peak they
    store its kinetic energy: F = v sqrt(m / (contact compliance + body compliance)).

    Attributes:
        impacts: At least one.
        peak: N, greatest load of the schedule on the whole body; stress is computed at ``violence`` times that.
        impulse: N s, the sum of their impulses.
        violence: See ``Settings``.
        schedule: Load over time.
        speed: m/s, closing speed of the impacts; for an impact without one, the speed that causes its peak.
        contact_compliance: m/N, of the contact itself (Hertz); 0 for an impact without a speed.
        partner_mobility: 1/kg, inverse effective mass of what the body hit; 0 for what nothing moves.
        speed_change: m/s that the whole body's contact undergoes; a part that has reached it is pushed no more.
    """

    impacts: Sequence[Impact]
    peak: float
    impulse: float
    violence: float
    schedule: Schedule
    speed: float
    contact_compliance: float
    partner_mobility: float
    speed_change: float = field(default=np.inf)

    def load_limit(self, mobility: float, compliance: float) -> float:
        """Greatest load, N, that the kinetic energy of the impact can cause.

        Args:
            mobility: 1/kg, speed that the contact gains per newton second of impulse on the part that it touches.
            compliance: m/N, of the body at the contact; 0 for point bonds, whose load the paper takes as given.
        """
        if not compliance:
            return math.inf
        mass = 1.0 / (mobility + self.partner_mobility)
        force = self.speed * math.sqrt(mass / (self.contact_compliance + compliance))
        return self.violence * self.schedule.peak * force
