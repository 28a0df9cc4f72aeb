"""The elastic window: the milliseconds in which a struck body rings, cracks and comes apart.

The body floats freely in its rest space, starting unloaded. The blow is a pulse of force on the nodes around its
point. Waves, bending and cracks follow from the equations of motion at the material's own stiffness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import SolverDivergedError
from ..impact import PAPER_SCHEDULE, Impact, Schedule
from ..job import Settings
from ..material import Material
from ..method import Progress
from .contact import Contacts
from .elements import Law
from .integrate import Leapfrog
from .mesh import Mesh, component_of_element, crack_faces
from .plasticity import flow_of
from .pressing import Pressing
from .prestress import temper
from .relief import Relief
from .remesh import Crack, advance_crack
from .separation import Separation
from .toughness import Strengths

# Crossings of the body by shear waves that the window goes on for after the blow, and that a blow lasts at most: a
# slower one is as good as standing still, and is shortened at the same peak force.
CROSSINGS_AFTER, MOST_CROSSINGS = 2.0, 8.0
# Shear-wave travel through an element between two looks at the separation tensor.
LOOK_SHARE = 0.35
# A front node follows in the same step where its tension was this share of its strength (CACM 2000).
FOLLOWS = 0.8
# Nodes are looked at where an element around them bears a stress of this share of their strength.
SUSPICION = 0.5
# Elements that a crack may run through within one step.
REACH = 3.0
# An element whose stress passes this many times the compressive strength is crushed and bears nothing any more.
CRUSHING = 4.0
# Least share of the peak load that a first crack is put down to, as it comes a little after its load.
FIRST_LOAD = 1e-3
# Nodes get no faster than this share of the speed of longitudinal waves: no material that holds gives way faster.
MOST_SPEED = 0.3
# Mesh growth at which cracking stops.
MOST_GROWTH = 6.0
# A node with less than this share of the median node's mass belongs to a crumb, and does not crack.
LEAST_MASS = 0.03
# Over the square of an element's edge: a node counts for no less area, lest slivers breed cracks. What is left between
# two cracks has little area and little mass, and has to break.
LEAST_AREA = 0.08
# A piece below this share of the largest is not pressed on and cracks no more, as it lies between striker and body:
# from then on it flies freely, and its elements are left out.
CRUMB = 0.02
# Looks between two searches for crumbs, two for elements at cracks that may touch, and two pushes between those.
CRUMB_LOOKS, CONTACT_LOOKS, PUSH_LOOKS = 8, 15, 3


@dataclass
class Outcome:
    """What a window came to.

    Attributes:
        mesh: As it is at the end.
        tension: Greatest tension over strength of any node before the first crack.
        first_load: Share of the peak load at the first crack; 0 without one.
        crack_count: Cracks through one node each.
        look_count: Times that the separation tensor was found.
    """

    mesh: Mesh
    tension: float = 0.0
    first_load: float = 0.0
    crack_count: int = 0
    look_count: int = 0


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
    size = float(np.median(mesh.size[~mesh.ghost]))
    steps_a_look = max(1, round(LOOK_SHARE * size / shear_speed / step))
    return Span(step, steps_a_look, pulse, pulse + CROSSINGS_AFTER * crossing)


class Window:
    """One body during one blow."""

    def __init__(
        self, mesh: Mesh, law: Law, step: float, material: Material, settings: Settings, impacts: Sequence[Impact]
    ):
        self.mesh, self.law = mesh, law
        if settings.tempering > 0.0:
            temper(mesh, law, step, material, settings.tempering)
        self.outcome = Outcome(mesh)
        self.span = span_of(mesh, law, step, impacts)
        self._schedule = Schedule(*np.array(settings.impact_schedule).T) if settings.impact_schedule else PAPER_SCHEDULE
        self._motion = Leapfrog(mesh, law, step, MOST_SPEED * law.wave_speed)
        self._flow = flow_of(material)
        self._strengths = Strengths(mesh, material, settings)
        self._size = float(np.median(mesh.size[~mesh.ghost]))
        self._relief = Relief(mesh, law)
        self._area_floor = LEAST_AREA * self._size**2
        self._most_elements = MOST_GROWTH * np.count_nonzero(~mesh.ghost)
        self._least_mass = LEAST_MASS * float(np.median(mesh.mass[mesh.mass > 0.0]))
        self._crushing = CRUSHING * material.compressive_strength
        self._crushed, self._crumb = np.zeros(mesh.element_count, bool), np.zeros(mesh.element_count, bool)
        self._counted = -CRUMB_LOOKS
        self._bearing = mesh.mass > 0.0
        self._pressing = Pressing(mesh, impacts, self._size)
        self._contacts, self._touched = Contacts(material.friction), -CONTACT_LOOKS
        self._has_changed = False

    def run(
        self, *, cracking: bool, progress: Progress | None = None, watch: Callable[[float], None] | None = None
    ) -> Outcome:
        """Go through the whole window, with cracks or only looking at the tension; ``watch`` is told the time, s."""
        span, mesh = self.span, self.mesh
        looks = int(np.ceil(span.total / (span.step * span.steps_a_look)))
        for look in range(looks):
            time = look * span.steps_a_look * span.step
            times = time + span.step * np.arange(span.steps_a_look)
            self._keep_out(span.step * span.steps_a_look)
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

    def _keep_out(self, seconds: float) -> None:
        """Let the sides of cracks push each other, which nothing does before the first one."""
        mesh, looks = self.mesh, self.outcome.look_count
        if looks % PUSH_LOOKS:
            return
        if self._has_changed and looks >= self._touched + CONTACT_LOOKS:
            at_crack = np.zeros(mesh.element_count, bool)
            at_crack[crack_faces(mesh)[1]] = True
            self._contacts.begin(mesh.position, mesh.elements, self._motion.rows, at_crack)
            self._touched, self._has_changed = looks, False
        self._contacts.push(mesh.position, mesh.velocity, mesh.mass, mesh.elements, PUSH_LOOKS * seconds)

    def stiffness_share(self) -> np.ndarray:
        """(E,) factors to the stiffness of elements; 0 for those that bear nothing."""
        result = np.zeros(self.mesh.element_count)
        result[self._motion.rows] = self._motion.shares[0]
        return result

    def _look(self, time: float, cracking: bool) -> None:
        outcome, mesh = self.outcome, self.mesh
        # What bears less than another node has borne already cannot be the first to crack.
        worst = 1.0 if outcome.crack_count else min(outcome.tension, 1.0 if cracking else np.inf)
        found = self._motion.separation(self._strengths.metric, SUSPICION * worst * self._strengths.least())
        strong = found.tension(self._area_floor) / self._strengths.across(found.normal)
        ratio = np.where((mesh.mass > self._least_mass) & self._bearing, strong, 0.0)
        outcome.look_count += 1
        if not outcome.crack_count:
            outcome.tension = max(outcome.tension, float(ratio.max()))
        if not cracking:
            return
        before = outcome.crack_count, mesh.node_count, mesh.element_count
        if np.count_nonzero(~mesh.ghost) <= self._most_elements:
            self._crack(found, ratio, time)
        if outcome.crack_count and not before[0]:
            so_far = np.linspace(0.0, min(time / self.span.pulse, 1.0), 50)
            outcome.first_load = max(float(self._schedule.load(so_far).max()) / self._schedule.peak, FIRST_LOAD)
        crushed = self._motion.overloaded(self._crushing)
        if len(crushed) or (mesh.node_count, mesh.element_count) != before[1:]:
            self._leave_out(crushed)

    def _crack(self, found: Separation, ratio: np.ndarray, time: float) -> None:
        """Crack every node that bears too much, the worst first."""
        waiting = np.flatnonzero((ratio > 1.0) & self._may_crack(found, time))
        for node in waiting[np.argsort(-ratio[waiting], kind="stable")]:
            if self._may_crack(found, time)[node]:
                normal = found.normal[node]
                cracks = advance_crack(
                    self.mesh, node, normal, REACH * self._size, lambda front: self._follows(front, found, ratio, time)
                )
                self._note(cracks, int(node), normal, time)

    def _may_crack(self, found: Separation, time: float) -> np.ndarray:
        """(N,) whether nodes that were looked at may crack by now."""
        return self._relief.over(time, self._strengths.goes_on(found.normal))

    def _leave_out(self, crushed: np.ndarray) -> None:
        """Take in what has changed, without crumbs and crushed elements; crumbs are looked for every few times."""
        mesh, looks = self.mesh, self.outcome.look_count
        # A crack nearby may have halved elements of a crumb: they have nodes that bear nothing any more.
        known = np.concatenate([self._bearing, np.ones(mesh.node_count - len(self._bearing), bool)])
        added = (~known[mesh.elements[len(self._crumb) :]]).any(axis=1)
        self._crumb = np.concatenate([self._crumb, added])
        self._crushed = np.concatenate([self._crushed, np.zeros(len(added), bool)])
        self._crushed[crushed] = True
        if looks >= self._counted + CRUMB_LOOKS:
            self._crumb, self._counted = self._crumb | is_crumb(mesh), looks
        self._has_changed = True
        idle = self._crushed | self._crumb
        self._bearing = np.zeros(mesh.node_count, bool)
        self._bearing[mesh.elements[~(idle | mesh.ghost)]] = True
        self._motion.refresh(idle)
        self._pressing.find_patches(mesh, self._bearing)

    def _follows(self, front: np.ndarray, found: Separation, ratio: np.ndarray, time: float) -> np.ndarray:
        """(F,) whether nodes at a crack's front crack in the same step; those just made wait for the next look."""
        known = front < len(ratio)
        follows = np.zeros(len(front), bool)
        follows[known] = (ratio[front[known]] > FOLLOWS) & self._may_crack(found, time)[front[known]]
        return follows

    def _note(self, cracks: Sequence[Crack], node: int, normal: np.ndarray, time: float) -> None:
        """Give new nodes their strength; what cracked, or would not, waits, and so do the flanks of cracks."""
        mesh = self.mesh
        self._strengths.grow(mesh)
        self._relief.wait(mesh, np.array([node]), time)
        for crack in cracks:
            self.outcome.crack_count += 1
            self._strengths.weaken(crack.nodes, crack.front, normal)
            self._relief.relieve(mesh, crack.nodes, normal, time)


def is_crumb(mesh: Mesh) -> np.ndarray:
    """(E,) whether an element belongs to a piece with less than ``CRUMB`` of the mass of the largest piece."""
    component = component_of_element(mesh)
    solid = component >= 0
    masses = np.bincount(component[solid], (mesh.density * mesh.volume)[solid])
    return solid & (masses < CRUMB * masses.max())[component]
