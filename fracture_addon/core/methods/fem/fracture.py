"""Looking at a mesh in motion every few steps: what cracks, what is crushed, what has come off, and what touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.job import Settings
from ...data.material import Material
from .advance import Leapfrog
from .contact.contact import Contacts
from .cracks.remesh import Crack, advance_crack
from .cracks.stress_release import Relief
from .cracks.toughness import Strengths
from .elements import Law
from .mesh import Mesh, component_of_element, crack_faces
from .walls import walled_nodes

# A front node follows in the same step where its tension was this share of its strength (CACM 2000).
FOLLOWS = 0.8
# Nodes are looked at where an element around them bears a stress of this share of their strength.
SUSPICION = 0.5
# Elements that a crack may run through within one step.
REACH = 3.0
# An element whose stress passes this many times the compressive strength is crushed and bears nothing any more.
CRUSHING = 4.0
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


class Cracking:
    """The cracks of one body: looks at its mesh every few steps, and changes it.

    Args:
        mesh: Changed in place.
        motion: Of the mesh, told of every change.
        law: Its stiffness.
        material: Its strength.
        settings: Of the body.
        lasting: For a whole shot: crumbs go on bearing stress, though they crack no more, and pieces touch with all of
            their surface. Else crumbs fly on as their nodes do, and only the sides of cracks touch.

    Attributes:
        outcome: What has come of it.
        strengths: Of the nodes.
        size: m, of an element, the median.
        crushed: (E,) bool.
        bearing: (N,) bool, nodes of elements that bear stress.
        greatest: Tension over strength at the last look; 0 where all is far below one half.
    """

    def __init__(
        self,
        mesh: Mesh,
        motion: Leapfrog,
        law: Law,
        material: Material,
        settings: Settings,
        *,
        lasting: bool = False,
    ):
        self.mesh, self.outcome, self._motion, self._lasting = mesh, Outcome(mesh), motion, lasting
        self.strengths = Strengths(mesh, material, settings)
        self.size = float(np.median(mesh.size[~mesh.ghost]))
        self._relief = Relief(mesh, law)
        self._area_floor = LEAST_AREA * self.size**2
        self._most_elements = MOST_GROWTH * np.count_nonzero(~mesh.ghost)
        self._least_mass = LEAST_MASS * float(np.median(mesh.mass[mesh.mass > 0.0]))
        self._crushing = CRUSHING * material.compressive_strength
        self.crushed, self._crumb = np.zeros(mesh.element_count, bool), np.zeros(mesh.element_count, bool)
        self._counted = -CRUMB_LOOKS
        self.bearing = mesh.mass > 0.0
        self._walled = walled_nodes(mesh)
        self._contacts, self._touched = Contacts(material.friction, settings.contact), -CONTACT_LOOKS
        self._has_changed = False
        self.greatest = 0.0

    def keep_out(self, seconds: float, every: int = PUSH_LOOKS) -> None:
        """Let the sides of cracks push each other, which nothing does before the first one.

        Args:
            seconds: From look to look.
            every: So many looks.
        """
        mesh, looks = self.mesh, self.outcome.look_count
        if looks % every:
            return
        if self._has_changed and looks >= self._touched + CONTACT_LOOKS:
            touching = np.full(mesh.element_count, self._lasting)
            touching[crack_faces(mesh)[1]] = True
            self._contacts.begin(mesh.position, mesh.elements, np.sort(self._motion.rows), touching)
            self._touched, self._has_changed = looks, False
        self._contacts.push(mesh.position, mesh.velocity, mesh.mass, mesh.elements, every * seconds)

    def look(self, time: float, *, cracking: bool) -> bool:
        """Look once, and crack what bears too much; returns whether elements have changed, or what they bear."""
        outcome, mesh = self.outcome, self.mesh
        # What bears less than another node has borne already cannot be the first to crack.
        worst = 1.0 if outcome.crack_count else min(outcome.tension, 1.0 if cracking else np.inf)
        normals, strong = self._read(worst)
        ratio = np.where((mesh.mass > self._least_mass) & self.bearing, strong, 0.0)
        outcome.look_count += 1
        self.greatest = float(ratio.max())
        if not outcome.crack_count:
            outcome.tension = max(outcome.tension, float(ratio.max()))
        if not cracking:
            return False
        before = mesh.node_count, mesh.element_count
        crushed = self._motion.overloaded(self._crushing)
        may_crack = np.count_nonzero(~mesh.ghost) <= self._most_elements and self.greatest > 1.0
        if may_crack or len(crushed):
            self._motion.take_down()
        if may_crack:
            self._crack(normals, ratio, time)
        if len(crushed) or (mesh.node_count, mesh.element_count) != before:
            self._leave_out(crushed)
            return True
        return False

    def _read(self, worst: float) -> tuple[np.ndarray, np.ndarray]:
        """(N, 3) normal across which each node is nearest to cracking, and (N,) its tension over its strength.

        Nodes of walls are read off the walls' sides; by the separation tensor cracks only go on there.
        """
        strengths, walled = self.strengths, self._walled
        least = SUSPICION * worst * strengths.least()
        found = self._motion.separation(strengths.metric, np.where(walled & ~strengths.at_front, np.inf, least))
        ratio = found.tension(self._area_floor) / strengths.across(found.normal)
        if not walled.any():
            return found.normal, ratio
        ratio = np.where(walled & ~strengths.goes_on(slice(len(ratio)), found.normal), 0.0, ratio)
        skin = self._motion.skin(strengths.metric)
        on_skin = skin.tension / strengths.across_skin(skin.normal)
        return np.where((on_skin > ratio)[:, None], skin.normal, found.normal), np.maximum(ratio, on_skin)

    def _crack(self, normals: np.ndarray, ratio: np.ndarray, time: float) -> None:
        """Crack every node that bears too much, the worst first."""
        waiting = np.flatnonzero(ratio > 1.0)
        waiting = waiting[self._may_crack(waiting, normals, time)]
        for node in waiting[np.argsort(-ratio[waiting], kind="stable")]:
            if self._may_crack(np.array([node]), normals, time)[0]:
                normal = normals[node]
                cracks = advance_crack(
                    self.mesh, node, normal, REACH * self.size, lambda front: self._follows(front, normals, ratio, time)
                )
                self._note(cracks, int(node), normal, time)

    def _may_crack(self, nodes: np.ndarray, normals: np.ndarray, time: float) -> np.ndarray:
        """(K,) whether ``nodes`` (K,) that were looked at may crack by now."""
        return self._relief.over(time, nodes, self.strengths.goes_on(nodes, normals[nodes]))

    def _leave_out(self, crushed: np.ndarray) -> None:
        """Take in what has changed, without crumbs and crushed elements; crumbs are looked for every few times."""
        mesh, looks = self.mesh, self.outcome.look_count
        # A crack nearby may have halved elements of a crumb: they have nodes that bear nothing any more.
        known = np.concatenate([self.bearing, np.ones(mesh.node_count - len(self.bearing), bool)])
        added = (~known[mesh.elements[len(self._crumb) :]]).any(axis=1)
        self._crumb = np.concatenate([self._crumb, added])
        self.crushed = np.concatenate([self.crushed, np.zeros(len(added), bool)])
        self.crushed[crushed] = True
        if looks >= self._counted + CRUMB_LOOKS:
            self._crumb, self._counted = self._crumb | is_crumb(mesh), looks
        self._has_changed = True
        idle = self.crushed if self._lasting else self.crushed | self._crumb
        self.bearing = np.zeros(mesh.node_count, bool)
        self.bearing[mesh.elements[~(idle | self._crumb | mesh.ghost)]] = True
        self._walled = walled_nodes(mesh)
        self._motion.refresh(idle)

    def _follows(self, front: np.ndarray, normals: np.ndarray, ratio: np.ndarray, time: float) -> np.ndarray:
        """(F,) whether nodes at a crack's front crack in the same step; those just made wait for the next look."""
        known = front < len(ratio)
        follows = np.zeros(len(front), bool)
        looked_at = front[known]
        follows[known] = (ratio[looked_at] > FOLLOWS) & self._may_crack(looked_at, normals, time)
        return follows

    def _note(self, cracks: Sequence[Crack], node: int, normal: np.ndarray, time: float) -> None:
        """Give new nodes their strength; what cracked, or would not, waits, and so do the flanks of cracks."""
        mesh = self.mesh
        self.strengths.grow(mesh)
        self._relief.wait(mesh, np.array([node]), time)
        for crack in cracks:
            self.outcome.crack_count += 1
            self.strengths.weaken(crack.nodes, crack.front, normal)
            self._relief.relieve(mesh, crack.nodes, normal, time)


def is_crumb(mesh: Mesh) -> np.ndarray:
    """(E,) whether an element belongs to a piece with less than ``CRUMB`` of the mass of the largest piece."""
    component = component_of_element(mesh)
    solid = component >= 0
    masses = np.bincount(component[solid], (mesh.density * mesh.volume)[solid])
    return solid & (masses < CRUMB * masses.max())[component]
