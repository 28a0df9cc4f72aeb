"""The elastic window: the milliseconds in which a struck body rings, cracks and comes apart.

The body floats freely in its rest space, starting unloaded. The blow is a pulse of force on the nodes around its
point. Waves, bending and cracks follow from the equations of motion at the material's own stiffness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.errors import SolverDivergedError
from ...data.impact import PAPER_SCHEDULE, Impact, Schedule
from ...data.job import Settings
from ...data.material import Material
from ..method import Progress
from .advance import Leapfrog
from .contact.impact_pressure import Pressing
from .elements import Law
from .fracture import Cracking, Outcome
from .materials.plasticity import flow_of
from .mesh import Mesh
from .prestress import temper

# Crossings of the body by shear waves that the window goes on for after the blow, and that a blow lasts at most: a
# slower one is as good as standing still, and is shortened at the same peak force.
CROSSINGS_AFTER, MOST_CROSSINGS = 2.0, 8.0
# Shear-wave travel through an element between two looks at the separation tensor.
LOOK_SHARE = 0.35
# Least share of the peak load that a first crack is put down to, as it comes a little after its load.
FIRST_LOAD = 1e-3
# Nodes get no faster than this share of the speed of longitudinal waves: no material that holds gives way faster.
MOST_SPEED = 0.3


@dataclass(frozen=True)
class Span:
    """Durations of a window, s: of one step, between looks (in steps), of the pulse, and of all."""

    step: float
    steps_a_look: int
    pulse: float
    total: float


def span_of(mesh: Mesh, law: Law, step: float, impacts: Sequence[Impact]) -> Span:
    """How long a window has to be for some impacts."""
    points = mesh.rest[mesh.mass > 0.0]
    shear_speed = float(np.sqrt(law.rigidity / law.density))
    crossing = float(np.linalg.norm(np.ptp(points, axis=0))) / shear_speed
    pulse = min(max(impact.duration for impact in impacts), MOST_CROSSINGS * crossing)
    return Span(step, steps_a_look(mesh, law, step), pulse, pulse + CROSSINGS_AFTER * crossing)


def steps_a_look(mesh: Mesh, law: Law, step: float) -> int:
    """Steps of ``step`` (s) between two looks."""
    shear_speed = float(np.sqrt(law.rigidity / law.density))
    return max(1, round(LOOK_SHARE * float(np.median(mesh.size[~mesh.ghost])) / shear_speed / step))


class Window:
    """One body during one blow."""

    def __init__(
        self, mesh: Mesh, law: Law, step: float, material: Material, settings: Settings, impacts: Sequence[Impact]
    ):
        self.mesh, self.law = mesh, law
        if settings.tempering > 0.0:
            temper(mesh, law, step, material, settings.tempering)
        self.span = span_of(mesh, law, step, impacts)
        self._schedule = Schedule(*np.array(settings.impact_schedule).T) if settings.impact_schedule else PAPER_SCHEDULE
        self._motion = Leapfrog(mesh, law, step, MOST_SPEED * law.wave_speed)
        self._flow = flow_of(material)
        self._cracking = Cracking(mesh, self._motion, law, material, settings)
        self.outcome = self._cracking.outcome
        self._pressing = Pressing(mesh, impacts, self._cracking.size)

    def run(
        self, *, cracking: bool, progress: Progress | None = None, watch: Callable[[float], None] | None = None
    ) -> Outcome:
        """Go through the whole window, with cracks or only looking at the tension; ``watch`` is told the time, s."""
        span, mesh = self.span, self.mesh
        looks = int(np.ceil(span.total / (span.step * span.steps_a_look)))
        for look in range(looks):
            time = look * span.steps_a_look * span.step
            times = time + span.step * np.arange(span.steps_a_look)
            self._cracking.keep_out(span.step * span.steps_a_look)
            self._pressing.press(mesh, self._motion.load, span.step * span.steps_a_look)
            self._motion.advance(np.where(times < span.pulse, self._schedule.load(times / span.pulse), 0.0))
            if self._flow:
                self._motion.flow(self._flow)
            self._look(time, cracking)
            if watch:
                watch(time)
            if progress and look % 16 == 0:
                progress(look / looks)
        if not np.isfinite(mesh.position).all():
            raise SolverDivergedError("the finite elements came out of bounds; lower the violence or the detail")
        return self.outcome

    def stiffness_share(self) -> np.ndarray:
        """(E,) factors to the stiffness of elements; 0 for those that bear nothing."""
        result = np.zeros(self.mesh.element_count)
        result[self._motion.rows] = self._motion.shares[0]
        return result

    def _look(self, time: float, cracking: bool) -> None:
        outcome, whole = self.outcome, not self.outcome.crack_count
        changed = self._cracking.look(time, cracking=cracking)
        if whole and outcome.crack_count:
            so_far = np.linspace(0.0, min(time / self.span.pulse, 1.0), 50)
            outcome.first_load = max(float(self._schedule.load(so_far).max()) / self._schedule.peak, FIRST_LOAD)
        if changed:
            self._pressing.find_patches(self.mesh, self._cracking.bearing)
