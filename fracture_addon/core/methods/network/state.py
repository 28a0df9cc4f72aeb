"""The state of a breaking network, and the load of the impacts on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.impact import STEADY, Impact, Schedule
from ..rigid_components import RigidComponents
from .contact import Contact
from .glue import Glue


@dataclass
class State:
    """The varying part of a network.

    Attributes:
        glue: Solver with the forces under the present load.
        alive: (F,) bool, bonds that hold.
        strengths: (F,) Pa or N, strengths after weakening by cracks.
        parts: Connected components of the bonds that hold.
        pressure: (C, 3) N, forces of the impacts on the cells for a total load of 1 N.
        load: N, present load, the sum over all impacts.
        compliance: m/N, twice the strain energy under a load of 1 N. 0 for point bonds, which are rigid.
        time: s, since the first touch.
        crack_length: m, distance that cracks advanced in the last round of breaks.
        impulses: (C, 3) N s, momentum that each cell has received.
        spins: (C, 3) N m s, angular momentum about its own centroid that each cell has received.
        delivered: N s, impulse that the impacts have delivered so far.
        tension: (F, 3) Pa, pull of the second cell on the first in each broken bond right before its break; 0 for the
            others.
        beside_crack: (F,) bool, broken bonds that were already beside a crack at the last solve before they broke.
        released: J, strain energy of body and contact that breaks have released.
        solve_count: Number of linear solves so far.
        is_settled: Whether ``glue`` has solved for the forces since the last break.
    """

    glue: Glue
    alive: np.ndarray
    strengths: np.ndarray
    parts: RigidComponents
    pressure: np.ndarray
    impulses: np.ndarray
    spins: np.ndarray
    tension: np.ndarray
    beside_crack: np.ndarray
    load: float = 0.0
    compliance: float = 0.0
    time: float = 0.0
    crack_length: float = 0.0
    delivered: float = 0.0
    released: float = 0.0
    solve_count: int = 0
    is_settled: bool = True

    def settle(self) -> None:
        """Solve for the forces if a bond broke since the last solve. The last break of a run needs no solve."""
        if not self.is_settled:
            self.glue.solve(self.parts, self.load * self.pressure)
            self.compliance = self.glue.work / self.load**2
            self.solve_count += 1
            self.is_settled = True

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """Return (F,) the burden of bonds under ``factor`` times the present load: Pa with full, N with point bonds."""
        self.settle()
        return self.glue.burden(factor)

    def demand(self, factor: float) -> float:
        """Return the largest ratio of burden to strength under ``factor`` times the present load."""
        return float((self.burden(factor) / self.strengths).max())


@dataclass(frozen=True)
class ImpactLoad:
    """Simultaneous impacts on a model, and the load that they cause.

    The load on an elastic body is ``factor`` times the force of a ``Contact``. Point bonds are rigid: their load is
    prescribed by ``schedule``, as in the paper.

    Attributes:
        impacts: The impacts; none for a weight.
        peak: N, largest load of the schedule on the unbroken body, before ``load_factor`` multiplies it.
        impulse: N s, sum of the impulses.
        load_factor: Load factor of the impacts.
        schedule: Load over time.
        speed: m/s, closing speed of the impacts; for an impact without one, the speed that causes its peak. A steady
            load has none.
        contact_compliance: m/N, compliance of the Hertz contact; 0 for an impact without a speed.
        partner_mobility: 1/kg, inverse effective mass of the other body; 0 for a static one.
        speed_change: m/s, speed change of the contact point of the unbroken body. A fragment that has reached it
            receives no more impulse.
    """

    impacts: Sequence[Impact]
    peak: float
    impulse: float
    load_factor: float
    schedule: Schedule
    speed: float = 0.0
    contact_compliance: float = 0.0
    partner_mobility: float = 0.0
    speed_change: float = 0.0

    @property
    def factor(self) -> float:
        """Load over the force of the contact."""
        return self.load_factor * self.schedule.peak

    @property
    def peak_load(self) -> float:
        """Largest load on the unbroken body, N."""
        return self.load_factor * self.peak

    @property
    def rebounds(self) -> bool:
        """Whether the load falls after its peak; see ``Impact.rebounds``."""
        return all(impact.rebounds for impact in self.impacts)

    @property
    def duration(self) -> float:
        """Duration of a prescribed load, s."""
        return max((impact.duration for impact in self.impacts), default=STEADY)

    @property
    def is_steady(self) -> bool:
        """Whether the load is a pressure, a weight or a thermal shock: it stays while the body deforms."""
        return all(impact.is_steady for impact in self.impacts)

    def contact(self, mobility: float, compliance: float) -> Contact:
        """Return the contact at the first touch.

        Args:
            mobility: 1/kg, speed of the contact point per impulse on the body.
            compliance: m/N, of the body at the contact.
        """
        return Contact(0.0, self.speed, mobility + self.partner_mobility, self.contact_compliance + compliance)
