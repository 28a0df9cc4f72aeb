"""The elastic window: the milliseconds in which a struck body rings, cracks and comes apart.

The body floats freely in its rest space, starting unloaded. The blow is a pulse of force on the nodes around its
point. Waves, bending and cracks follow from the equations of motion at the material's own stiffness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..impact import Impact, schedule
from ..job import Settings
from ..material import Material
from ..method import Progress
from ..solid import CELL_FACES
from .elements import Law
from .integrate import Leapfrog
from .mesh import Mesh, component_of_element
from .remesh import Crack, advance_crack
from .separation import grain_metric
from .toughness import Strengths

# Crossings of the body by shear waves that the window goes on for after the blow, and that a blow lasts at most: a
# slower one is as good as standing still, and is shortened at the same peak force.
CROSSINGS_AFTER, MOST_CROSSINGS = 2.0, 8.0
# Shear-wave travel through an element between two looks at the separation tensor.
LOOK_SHARE = 0.35
# Wave travel through an element until the flanks of a crack are relieved; they do not crack before.
RELIEF = 6.0
# Directions steeper than this against the crack's plane (sine) are its flanks, not its front.
FLANK = 0.5
# A front node follows in the same step where its tension was this share of its strength (CACM 2000).
FOLLOWS = 0.8
# Nodes are looked at where an element around them bears a stress of this share of their strength.
SUSPICION = 0.5
# Mesh growth at which cracking stops.
MOST_GROWTH = 6.0
# The contact patch's radius is at least this many elements.
SMALLEST_PATCH = 1.2
# Where less than this share of the first patch is not yet as fast as the striker, the load falls off.
SMALLEST_CONTACT = 0.4
# A node with less than this share of the median node's mass belongs to a crumb, and does not crack.
LEAST_MASS = 0.15
# A piece below this share of the largest is not pressed on and cracks no more, as it lies between striker and body:
# from then on it flies freely, and its elements are left out.
CRUMB = 0.02


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
        self.mesh = mesh
        self.outcome = Outcome(mesh)
        self.span = span_of(mesh, law, step, impacts)
        self._impacts = impacts
        self._motion = Leapfrog(mesh, law, step)
        self._strengths = Strengths(mesh, material, settings)
        self._metric = grain_metric(settings.grain, material.grain_strength_ratio)
        self._size = float(np.median(mesh.size[~mesh.ghost]))
        self._relief = RELIEF * self._size * float(np.sqrt(law.density / law.rigidity))
        self._area_floor = 0.25 * self._size**2
        self._locked = np.zeros(mesh.node_count)
        self._most_elements = MOST_GROWTH * np.count_nonzero(~mesh.ghost)
        self._on_surface = on_surface(mesh)
        self._crumbs = np.zeros(mesh.node_count, bool)
        self._patches = self._find_patches()
        self._whole_weights = [weights.sum() for _, weights in self._patches]
        self._least_mass = LEAST_MASS * float(np.median(mesh.mass[mesh.mass > 0.0]))
        self._speed_limits = self._limits(law)

    def run(self, *, cracking: bool, progress: Progress | None = None) -> Outcome:
        """Go through the whole window, with cracks or only looking at the tension."""
        span = self.span
        looks = int(np.ceil(span.total / (span.step * span.steps_a_look)))
        for look in range(looks):
            time = look * span.steps_a_look * span.step
            times = time + span.step * np.arange(span.steps_a_look)
            self._press()
            self._motion.advance(np.array([schedule(t / span.pulse) if t < span.pulse else 0.0 for t in times]))
            self._look(time, cracking)
            if progress and look % 16 == 0:
                progress(look / looks)
        return self.outcome

    def _look(self, time: float, cracking: bool) -> None:
        outcome, mesh = self.outcome, self.mesh
        found = self._motion.separation(self._metric, SUSPICION * self._strengths.values if cracking else None)
        ratio = np.where(
            (mesh.mass > self._least_mass) & ~self._crumbs,
            found.tension(self._area_floor) / self._strengths.values,
            0.0,
        )
        outcome.look_count += 1
        if not outcome.crack_count:
            outcome.tension = max(outcome.tension, float(ratio.max()))
        if not cracking or ratio.max() <= 1.0 or len(mesh.elements) - mesh.ghost.sum() > self._most_elements:
            return
        before, size = outcome.crack_count, (mesh.node_count, mesh.element_count)
        open_to = np.flatnonzero((ratio > 1.0) & (self._locked <= time))
        for node in open_to[np.argsort(-ratio[open_to], kind="stable")]:
            if self._locked[node] > time:
                continue
            cracks = advance_crack(
                mesh, node, found.normal[node], 3.0 * self._size, lambda front: self._follows(front, ratio, time)
            )
            self._note(cracks, int(node), found.normal[node], time)
        if outcome.crack_count and not before:
            outcome.first_load = max(schedule(min(time / self.span.pulse, 0.5)), 1e-6)
        if (mesh.node_count, mesh.element_count) != size:
            idle = is_crumb(mesh)
            self._crumbs = np.zeros(mesh.node_count, bool)
            self._crumbs[mesh.elements[idle]] = True
            self._motion.refresh(idle)
            self._patches = self._find_patches()

    def _follows(self, front: np.ndarray, ratio: np.ndarray, time: float) -> np.ndarray:
        """(F,) whether nodes at a crack's front crack in the same step; those just made wait for the next look."""
        known = front < len(ratio)
        follows = np.zeros(len(front), bool)
        follows[known] = (ratio[front[known]] > FOLLOWS) & (self._locked[front[known]] <= time)
        return follows

    def _note(self, cracks: Sequence[Crack], node: int, normal: np.ndarray, time: float) -> None:
        """Give new nodes their strength; lock what cracked, and the flanks, which it relieves."""
        mesh = self.mesh
        self._strengths.grow(mesh)
        self._locked = np.concatenate([self._locked, np.zeros(mesh.node_count - len(self._locked))])
        self._locked[node] = time + self._relief
        for crack in cracks:
            self.outcome.crack_count += 1
            self._strengths.weaken(crack.front)
            for part in crack.nodes:
                self._locked[part] = time + self._relief
                around = neighbours(mesh, int(part))
                arms = mesh.rest[around] - mesh.rest[part]
                steep = np.abs(arms @ normal) > FLANK * np.linalg.norm(arms, axis=1)
                self._locked[around[steep]] = time + self._relief

    def _find_patches(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Nodes around each impact and their weights."""
        mesh, patches = self.mesh, []
        added = mesh.node_count - len(self._on_surface)
        self._on_surface = np.concatenate([self._on_surface, np.zeros(added, bool)])
        massive = np.flatnonzero((mesh.mass > 0.0) & self._on_surface[mesh.rest_node] & ~self._crumbs)
        for impact in self._impacts:
            distance = np.linalg.norm(mesh.rest[massive] - impact.point, axis=1)
            radius = self._radius(impact)
            beyond = np.maximum(distance - (distance.min() if distance.min() > radius else 0.0), 0.0)
            near = beyond < 3.0 * radius
            nodes = massive[near]
            weights = mesh.mass[nodes] * np.exp(-((beyond[near] / radius) ** 2))
            patches.append((nodes, weights))
        return patches

    def _radius(self, impact: Impact) -> float:
        return max(impact.radius, SMALLEST_PATCH * self._size)

    def _limits(self, law: Law) -> list[float]:
        """m/s, of the striker: twice the body's own change of speed, and what a wave of the contact's pressure has."""
        mass, limits = self.mesh.mass.sum(), []
        for impact in self._impacts:
            pressure = impact.peak_force / (np.pi * self._radius(impact) ** 2)
            limits.append(2.0 * impact.impulse / mass + pressure / (law.density * law.wave_speed))
        return limits

    def _press(self) -> None:
        """Put the peak load on the nodes of the patches that are not yet as fast as what presses on them."""
        load = self._motion.load
        load[:] = 0.0
        span = self.span.step * self.span.steps_a_look
        for impact, (nodes, weights), limit, whole in zip(
            self._impacts, self._patches, self._speed_limits, self._whole_weights, strict=True
        ):
            slow = np.where(self.mesh.velocity[nodes] @ impact.direction < limit, weights, 0.0)
            total = max(slow.sum(), SMALLEST_CONTACT * whole)
            force = np.minimum(impact.peak_force * slow / total, self.mesh.mass[nodes] * limit / span)
            load[nodes] += force[:, None] * impact.direction


def on_surface(mesh: Mesh) -> np.ndarray:
    """(N,) whether a node of the rest complex lies between an element with mass and one without, or none."""
    cells = mesh.rest_node[mesh.elements[~mesh.ghost]]
    corners = np.sort(cells[:, CELL_FACES].reshape(-1, 3), axis=1)
    faces, count = np.unique(corners, axis=0, return_counts=True)
    result = np.zeros(mesh.node_count, bool)
    result[faces[count == 1]] = True
    return result


def is_crumb(mesh: Mesh) -> np.ndarray:
    """(E,) whether an element belongs to a piece with less than ``CRUMB`` of the mass of the largest piece."""
    component = component_of_element(mesh)
    solid = component >= 0
    masses = np.bincount(component[solid], (mesh.density * mesh.volume)[solid])
    return solid & (masses < CRUMB * masses.max())[component]


def neighbours(mesh: Mesh, node: int) -> np.ndarray:
    """Nodes that share an element with a node."""
    rows, corner = [], int(mesh.first_corner[mesh.rest_node[node]])
    while corner >= 0:
        rows.append(corner >> 2)
        corner = int(mesh.next_corner[corner >> 2, corner & 3])
    star = mesh.elements[rows]
    star = star[(star == node).any(axis=1) & ~mesh.ghost[rows]]
    return np.setdiff1d(star, [node])
