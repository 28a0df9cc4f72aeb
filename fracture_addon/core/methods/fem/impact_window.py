"""The impact window: the milliseconds of an impact in which a body vibrates, cracks and separates.

The body starts unloaded and free in its rest space. The impact is a pulse of force on the nodes around its point.
Waves, bending and cracks follow from the equations of motion with the stiffness of the material.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.errors import SolverDivergedError
from ...data.impact import PAPER_SCHEDULE, Impact, Schedule, deflected
from ...data.material import Material
from ...data.progress import ShareProgress
from ...data.settings.settings import StrikeSettings
from .advance import Leapfrog
from .contact.impact_pressure import ImpactPressure
from .elements import Law
from .fracture import Cracking, CrackingResult
from .joints import Joints
from .materials.flows import flows_of
from .prestress import prestress
from .state import Mesh

# Duration of the window after the pulse, in crossings of the body by shear waves. In more time more waves return: a
# dropped tile breaks into 4, 7 and 9 fragments at 1, 2 and 4.
CROSSINGS_AFTER = 2.0
# Longest pulse, in the same crossings. A longer pulse is quasi-static. It is shortened at the same peak force. An
# impact breaks a slab into 15, 19 and 19 fragments at 4, 8 and 16.
MAX_CROSSINGS = 8.0
# Largest time, in the same crossings, that a soft joint takes to pass a load on. Two planks on nails take about 36.
SLOWEST_JOINT = 50.0
# Travel of shear waves between two checks of the separation tensor, in element sizes. Fewer checks are faster, but the
# stress rises further between them: two bodies that collide break into 16, 11 and 13 fragments at 0.175, 0.35 and 0.7,
# and nothing breaks at 35.
CHECK_DISTANCE = 0.35
# Smallest load at the first crack, over the peak load. It prevents a division by zero. From 1e-5 to 0.1 all recordings
# keep their bytes.
FIRST_LOAD = 1e-3
# Largest speed of a node over the speed of longitudinal waves. Intact material does not deform faster. Without this
# limit, a node of an inverted element in a wall of 800 elements reached 1e39 m/s (docs/equations.md).
MAX_SPEED = 0.3


@dataclass(frozen=True)
class Span:
    """Durations of an impact window.

    Attributes:
        step: Time step, s.
        steps_per_check: Time steps between two checks of the separation tensor.
        pulse: Duration of the load, s.
        total: Duration of the window, s.
    """

    step: float
    steps_per_check: int
    pulse: float
    total: float


def span_of(mesh: Mesh, law: Law, step: float, impacts: Sequence[Impact], joints: Joints | None = None) -> Span:
    """Compute the durations of the window of simultaneous impacts; ``step`` is the time step, s."""
    points = mesh.rest[mesh.mass > 0.0]
    shear_speed = float(np.sqrt(law.rigidity / law.density))
    crossing = float(np.linalg.norm(np.ptp(points, axis=0))) / shear_speed
    if joints is not None:
        # A soft joint passes a load on more slowly than waves.
        crossing = max(crossing, min(joints.slowest, SLOWEST_JOINT * crossing))
    pulse = min(max(impact.duration for impact in impacts), MAX_CROSSINGS * crossing)
    return Span(step, steps_per_check(mesh, law, step), pulse, pulse + CROSSINGS_AFTER * crossing)


def steps_per_check(mesh: Mesh, law: Law, step: float) -> int:
    """Return the number of time steps ``step`` (s) between two checks of the separation tensor."""
    shear_speed = float(np.sqrt(law.rigidity / law.density))
    return max(1, round(CHECK_DISTANCE * float(np.median(mesh.size[~mesh.ghost])) / shear_speed / step))


class Window:
    """Simulation of one body during simultaneous impacts.

    Args:
        mesh: Changed in place.
        law: Stiffness and viscosity.
        step: Time step, s.
        material: Strength and toughness.
        settings: StrikeSettings of the body.
        impacts: Impacts with a load factor of 1.
        joints: Joints of a body of several objects.

    Attributes:
        joints: The same.
        span: Durations of the window.
        result: Result up to now.
    """

    def __init__(
        self,
        mesh: Mesh,
        law: Law,
        step: float,
        material: Material,
        settings: StrikeSettings,
        impacts: Sequence[Impact],
        joints: Joints | None = None,
    ):
        self.mesh, self.law, self.joints = mesh, law, joints
        prestress(mesh, law, step, material, settings)
        self._vibrates = any(impact.deflection is not None for impact in impacts)
        if self._vibrates:
            mesh.position[:] += deflected(impacts, mesh.rest)
        self.span = span_of(mesh, law, step, impacts, joints)
        self._schedule = (
            Schedule(*np.array(settings.cracks.impact_schedule).T)
            if settings.cracks.impact_schedule
            else PAPER_SCHEDULE
        )
        self._motion = Leapfrog(mesh, law, step, MAX_SPEED * law.wave_speed)
        self._flows = flows_of(mesh, material)
        self._cracking = Cracking(mesh, self._motion, law, material, settings, joints=joints)
        self.result = self._cracking.result
        self._pressure = ImpactPressure(mesh, impacts, self._cracking.size)

    def run(
        self, *, cracking: bool, progress: ShareProgress | None = None, watch: Callable[[float], None] | None = None
    ) -> CrackingResult:
        """Simulate the whole window.

        Args:
            cracking: Whether nodes may crack; otherwise the checks only measure the tension.
            progress: Called with the share of the window that is done, 0 to 1.
            watch: Called with the time (s) after each check.

        Raises:
            SolverDivergedError: Positions of nodes are not finite.
        """
        span, mesh = self.span, self.mesh
        checks = int(np.ceil(span.total / (span.step * span.steps_per_check)))
        for check in range(checks):
            time = check * span.steps_per_check * span.step
            times = time + span.step * np.arange(span.steps_per_check)
            self._cracking.push_apart(span.step * span.steps_per_check)
            self._pressure.press(mesh, self._motion.load, span.step * span.steps_per_check)
            self._advance(np.where(times < span.pulse, self._schedule.load(times / span.pulse), 0.0))
            for flow, cells in self._flows:
                self._motion.flow(flow, cells)
            self._check(time, cracking)
            if watch:
                watch(time)
            if progress and check % 16 == 0:
                progress(check / checks)
        if not np.isfinite(mesh.position).all():
            diverged = np.count_nonzero(~np.isfinite(mesh.position).all(axis=1))
            raise SolverDivergedError(
                f"{diverged} of {mesh.node_count} finite-element nodes diverged; lower the violence or the detail"
            )
        return self.result

    def _advance(self, amplitudes: np.ndarray) -> None:
        """Take one time step for each of ``amplitudes`` (K,) of the pressure."""
        if self.joints is None:
            self._motion.advance(amplitudes)
            return
        pressed = self._motion.load.copy()
        for amplitude in amplitudes:
            np.multiply(pressed, amplitude, out=self._motion.load)
            self.joints.pull(self._motion.load)
            self._motion.advance(np.ones(1))
        self.joints.turn()

    def stiffness_share(self) -> np.ndarray:
        """Return the (E,) factors on the stiffness of elements; 0 for idle elements."""
        result = np.zeros(self.mesh.element_count)
        result[self._motion.rows] = self._motion.shares[0]
        return result

    def _check(self, time: float, cracking: bool) -> None:
        """Check for cracks at ``time`` (s), and note the load of the first one."""
        result, was_intact = self.result, not self.result.crack_count
        changed = self._cracking.check(time, cracking=cracking)
        if was_intact and result.crack_count:
            shares = np.linspace(0.0, min(time / self.span.pulse, 1.0), 50)
            load = float(self._schedule.load(shares).max()) / self._schedule.peak
            # A vibration starts at its largest amplitude.
            result.first_load = max(1.0 / result.tension if self._vibrates else load, FIRST_LOAD)
        if changed:
            self._pressure.find_patches(self.mesh, self._cracking.carries_stress)
