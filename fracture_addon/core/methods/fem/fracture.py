"""Fracture of a moving mesh: cracks, crushed elements, small fragments, and contact between crack faces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...data.material import Material
from ...data.settings.settings import StrikeSettings
from ..snapshots import prefixed, with_prefix
from .advance import Leapfrog
from .contact.contact import Contacts
from .cracks.remesh import Crack, advance_crack
from .cracks.stress_release import StressRelease
from .cracks.toughness import Strengths
from .elements import Law
from .joints import Joints
from .state import Mesh, component_of_element, crack_faces
from .walls import wall_nodes

# A node at a crack front cracks in the same step if its tension is this share of its strength. Cracks advance over
# several elements in a step as in CACM 2000. The share is insensitive from 0.56 to 0.96 (docs/decisions/constants.md).
FRONT_RATIO = 0.8
# The separation tensor is computed only where an element's stress is this share of the strength. Insensitive: impacts
# have the same bytes with 0.35 and 0.6 (docs/decisions/constants.md).
CANDIDATE_RATIO = 0.5
# Largest advance of a crack in one step, in element sizes. Insensitive from 1.5 to 6: fragments of an impact change no
# more than by rounding (docs/decisions/constants.md).
REACH = 3.0
# Largest speed of cracks over that of Rayleigh waves, if no other is set: that of running cracks in glass and ceramics,
# 0.4 to 0.6 (Fineberg and Marder 1999). A block of glass at 1.5 times its critical load has 8 and 14 % dust at 0.4 and
# 0.6, and 40 % without a limit (docs/decisions/crack_distance.md).
CRACK_SPEED = 0.5
# An element is crushed if its stress is this many times the compressive strength. A crushed element has no stiffness.
# Insensitive from 2 to 8: fragments of an impact change no more than by rounding (docs/decisions/constants.md).
CRUSHING = 4.0
# Elements over initial elements at which cracking stops. Tuned: twice this value changes the fragments of an impact no
# more than rounding does; half stops cracks at 7 fragments instead of 19 (docs/decisions/constants.md).
MAX_GROWTH = 6.0
# Mass over the median mass of a node below which a node does not crack. Small enough that bridges between two cracks
# break: while they held, a bowl of 10,000 elements gave 1 fragment instead of 42 (docs/equations.md).
MIN_MASS = 0.03
# Smallest area of a node, over the square of an element's edge, so that slivers do not start cracks. Small enough that
# bridges between two cracks break (docs/equations.md). From 0.04 to 0.16, fragments of three small scenes change no
# more than by rounding.
MIN_AREA = 0.08
# A fragment below this share of the largest fragment's mass lies between impactor and body. It gets no load, does not
# crack again and moves freely. Insensitive from 0.01 to 0.04: fragments of an impact change no more than by rounding
# (docs/decisions/constants.md).
SMALL_FRAGMENT = 0.02
# Intervals in checks: searches for small fragments, searches for elements that may touch at cracks, and contact pushes.
# Insensitive from half to twice the first two: fragments of an impact change no more than by rounding; a push in each
# check gives the same bytes (docs/decisions/constants.md).
SMALL_FRAGMENT_INTERVAL, CONTACT_INTERVAL, PUSH_INTERVAL = 8, 15, 3
# Fields of ``Cracking`` with a value for each node or element, which vary.
NODES_AND_ELEMENTS = ("crushed", "carries_stress", "_is_small", "_arrival")


@dataclass
class CrackingResult:
    """Result of an impact window.

    Attributes:
        mesh: The mesh at the end.
        tension: Largest tension over strength of any node before the first crack.
        first_load: Load at the first crack over the peak load; 0 without a crack.
        crack_count: Number of cracks through single nodes.
        check_count: Number of checks of the separation tensor.
    """

    mesh: Mesh
    tension: float = 0.0
    first_load: float = 0.0
    crack_count: int = 0
    check_count: int = 0


class Cracking:
    """Checks the mesh of one body every few steps, and opens its cracks.

    Args:
        mesh: Changed in place.
        motion: Integrator of the mesh; it is refreshed after every change.
        law: Stiffness.
        material: Strength and toughness.
        settings: StrikeSettings of the body.
        deformable: Whether the body is deformable. Then small fragments keep their stress, but do not crack, and
            fragments collide with their whole surface. Otherwise small fragments move freely, and only crack faces
            collide.
        joints: Joints of a body of several objects, which break too.

    Attributes:
        result: Result up to now.
        strengths: Strengths of the nodes.
        size: Median size of an element, m.
        crushed: (E,) bool, crushed elements.
        carries_stress: (N,) bool, nodes of elements that carry stress.
        max_ratio: Largest tension over strength at the last check; 0 if all nodes are far below one half.
    """

    def __init__(
        self,
        mesh: Mesh,
        motion: Leapfrog,
        law: Law,
        material: Material,
        settings: StrikeSettings,
        *,
        deformable: bool = False,
        joints: Joints | None = None,
    ):
        self.mesh, self.result, self._motion, self._deformable = mesh, CrackingResult(mesh), motion, deformable
        self._joints = joints
        self.strengths = Strengths(mesh, material, settings)
        self.size = float(np.median(mesh.size[~mesh.ghost]))
        self._release = StressRelease(mesh, law)
        self._max_elements = MAX_GROWTH * np.count_nonzero(~mesh.ghost)
        self._material = material
        self.crushed, self._is_small = np.zeros(mesh.element_count, bool), np.zeros(mesh.element_count, bool)
        self._last_small_search = -SMALL_FRAGMENT_INTERVAL
        self.carries_stress = mesh.mass > 0.0
        self._on_wall = wall_nodes(mesh)
        self._contacts = Contacts(material.friction, settings.fem.contact_by_nodes)
        self._last_contact_search = -CONTACT_INTERVAL
        # Before the first crack only a body that collides with itself has contact.
        self._has_changed = deformable and settings.lattice.self_collision
        self.max_ratio = 0.0
        self._passes = settings.fem.crack_passes
        self._given_speed, self._own_speed = settings.fem.crack_speed, CRACK_SPEED * material.rayleigh_speed
        # Time at which a crack with the largest speed reaches a node of its front, s; and time of the last check, s.
        self._arrival, self._last_time = np.full(mesh.node_count, -np.inf), 0.0

    def set_slowness(self, slowness: float) -> None:
        """Set the factor on the times that waves take from now on: 1 over the root of the factor on the stiffness."""
        self._release.slowness = slowness

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all data that vary, besides the mesh; see ``restore``."""
        result = self.result
        checks = self._last_small_search, self._last_contact_search
        return {
            "counts": np.array([result.crack_count, result.check_count, *checks, self._has_changed]),
            "measures": np.array([result.tension, self.max_ratio, self._last_time]),
            "crack_normals": self.strengths.crack_normals,
            "bias": self._motion.shared.bias,
            **{name: getattr(self, name) for name in NODES_AND_ELEMENTS},
            **self._release.snapshot(),
            **prefixed("contacts", self._contacts.snapshot()),
        }

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot``, with the mesh of that time and the present settings."""
        counts, result = snapshot["counts"].tolist(), self.result
        result.crack_count, result.check_count, self._last_small_search, self._last_contact_search = counts[:4]
        self._has_changed = bool(counts[4])
        result.tension, self.max_ratio, self._last_time = snapshot["measures"].tolist()
        for name in NODES_AND_ELEMENTS:
            setattr(self, name, snapshot[name])
        self.strengths.restore(self.mesh, snapshot["crack_normals"])
        self._release.restore(snapshot)
        self._contacts.restore(with_prefix("contacts", snapshot))
        self._on_wall = wall_nodes(self.mesh)
        self._motion.refresh(self.crushed)
        self._motion.set_bias(snapshot["bias"])

    def push_apart(self, seconds: float, every: int = PUSH_INTERVAL) -> None:
        """Push overlapping elements at crack faces apart, and those of a body that collides with itself.

        Args:
            seconds: Time between two checks, s.
            every: Number of checks between two pushes.
        """
        mesh, checks = self.mesh, self.result.check_count
        if checks % every:
            return
        if self._has_changed and checks >= self._last_contact_search + CONTACT_INTERVAL:
            touching = np.full(mesh.element_count, self._deformable)
            touching[crack_faces(mesh)[1]] = True
            # Joints carry the pressure between objects, whose cells may overlap at rest.
            within = None if mesh.objects is None else mesh.objects.of_element(mesh.parent)
            rows = np.sort(self._motion.rows)
            self._contacts.begin(mesh.position, mesh.elements, rows, touching, within=within)
            self._last_contact_search, self._has_changed = checks, False
        self._contacts.push(mesh.position, mesh.velocity, mesh.mass, mesh.elements, every * seconds)

    def check(self, time: float, *, cracking: bool) -> bool:
        """Check the tension of all nodes, and crack those above their strength.

        Args:
            time: Time since the start, s.
            cracking: Whether nodes may crack; otherwise the check only measures the tension.

        Returns:
            Whether elements were divided, crushed or released.
        """
        result, mesh = self.result, self.mesh
        # A node below the largest ratio so far cannot be the first to crack.
        worst = 1.0 if result.crack_count else min(result.tension, 1.0 if cracking else np.inf)
        normals, strong = self._tension_ratios(worst)
        ratio = np.where((mesh.mass > MIN_MASS * self.strengths.masses) & self.carries_stress, strong, 0.0)
        result.check_count += 1
        largest = float(ratio.max())
        of_joints = self._joints.overloads() if self._joints else np.zeros(0)
        self.max_ratio = max(largest, float(of_joints.max(initial=0.0)))
        if not result.crack_count:
            result.tension = max(result.tension, self.max_ratio)
        if not cracking:
            return False
        if self._joints and (broken := self._joints.break_overloaded(of_joints)):
            result.crack_count += broken
        before = mesh.node_count, mesh.element_count
        crushed = self._motion.overloaded(CRUSHING * self._crushing_strength())
        may_crack = np.count_nonzero(~mesh.ghost) <= self._max_elements and largest > 1.0
        if may_crack or len(crushed):
            self._motion.store_mean_stress()
        if may_crack:
            fresh = self._crack(normals, ratio, time)
            for _ in range(self._passes - 1):
                if not len(fresh) or np.count_nonzero(~mesh.ghost) > self._max_elements:
                    break
                fresh = self._crack_again(fresh, time)
        self._last_time = time
        if len(crushed) or (mesh.node_count, mesh.element_count) != before:
            self._refresh_motion(crushed)
            return True
        return False

    def _crushing_strength(self) -> float | np.ndarray:
        """Return the compressive strength, Pa: that of the material, or (A,) of the elements of several objects."""
        mesh = self.mesh
        if mesh.objects is None:
            return self._material.crushing_strength
        strengths = np.array([part.material.crushing_strength for part in mesh.objects.parts])
        return strengths[mesh.objects.of_cell[mesh.parent[self._motion.rows]]]

    def _tension_ratios(self, worst: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the critical plane of each node, (N, 3) normals, and (N,) its tension over its strength."""
        normals, ratio = self._ratios_inside(worst)
        if self._joints:
            ratio = self._joints.limited(ratio, normals, self.strengths.across(normals))
        return normals, ratio

    def _ratios_inside(self, worst: float) -> tuple[np.ndarray, np.ndarray]:
        """Return planes and ratios as ``_tension_ratios``, without the limit at joints.

        The tension of a node in a thin wall is that of the wall's surface. There the separation tensor can only
        continue a crack.
        """
        strengths, on_wall = self.strengths, self._on_wall
        min_stress = CANDIDATE_RATIO * worst * strengths.weakest()
        found = self._motion.separation(strengths.metric, np.where(on_wall & ~strengths.at_front, np.inf, min_stress))
        ratio = found.tension(MIN_AREA * strengths.sizes**2) / strengths.across(found.normal)
        if not on_wall.any():
            return found.normal, ratio
        ratio = np.where(on_wall & ~strengths.continues(slice(len(ratio)), found.normal), 0.0, ratio)
        skin = self._motion.skin(strengths.metric)
        on_skin = skin.tension / strengths.across_skin(skin.normal)
        return np.where((on_skin > ratio)[:, None], skin.normal, found.normal), np.maximum(ratio, on_skin)

    def _crack(
        self, normals: np.ndarray, ratio: np.ndarray, time: float, again: np.ndarray | None = None
    ) -> np.ndarray:
        """Crack every node above its strength, in falling order of the ratio.

        Args:
            normals: (N, 3) critical planes.
            ratio: (N,) tension over strength.
            time: Time since the start, s.
            again: (K,) nodes that crack a second time in a check, and therefore do not pause.

        Returns:
            (K,) int32, copies of the cracked nodes, and nodes of the new fronts.
        """
        fresh: list[np.ndarray] = []
        exempt = np.zeros(len(ratio), bool)
        if again is not None:
            exempt[again] = True
        waiting = np.flatnonzero(ratio > 1.0)
        waiting = waiting[self._may_crack(waiting, normals, time, exempt[waiting])]
        for node in waiting[np.argsort(-ratio[waiting], kind="stable")]:
            if self._may_crack(np.array([node]), normals, time, exempt[node])[0]:
                normal, start = normals[node], max(self._arrival_of(node), self._last_time)
                fails = partial(
                    self._front_cracks, node=int(node), start=start, normals=normals, ratio=ratio, time=time
                )
                cracks = advance_crack(self.mesh, node, normal, REACH * self.strengths.sizes[node], fails)
                self._record_cracks(cracks, int(node), normal, time, start)
                fresh.extend(part for crack in cracks for part in (crack.nodes, crack.front))
        return np.unique(np.concatenate(fresh)) if fresh else np.empty(0, np.int32)

    def _may_crack(
        self, nodes: np.ndarray, normals: np.ndarray, time: float, exempt: np.ndarray | bool = False
    ) -> np.ndarray:
        """Return (K,) bool, whether each of ``nodes`` (K,) may crack at ``time``, s; ``exempt`` (K,) do not pause."""
        continues = self.strengths.continues(nodes, normals[nodes])
        return (self._arrival[nodes] <= time) & (exempt | self._release.may_crack(time, nodes, continues))

    def _refresh_motion(self, crushed: np.ndarray) -> None:
        """Refresh the integrator without small fragments and crushed elements."""
        mesh, checks = self.mesh, self.result.check_count
        if self._joints:
            self._joints.find()
        # A nearby crack may have divided elements of a small fragment. Their nodes carry no stress.
        known = np.concatenate([self.carries_stress, np.ones(mesh.node_count - len(self.carries_stress), bool)])
        added = (~known[mesh.elements[len(self._is_small) :]]).any(axis=1)
        self._is_small = np.concatenate([self._is_small, added])
        self.crushed = np.concatenate([self.crushed, np.zeros(len(added), bool)])
        self.crushed[crushed] = True
        if checks >= self._last_small_search + SMALL_FRAGMENT_INTERVAL:
            self._is_small, self._last_small_search = self._is_small | is_small_fragment(mesh, self._joints), checks
        self._has_changed = True
        idle = self.crushed if self._deformable else self.crushed | self._is_small
        self.carries_stress = np.zeros(mesh.node_count, bool)
        self.carries_stress[mesh.elements[~(idle | self._is_small | mesh.ghost)]] = True
        self._on_wall = wall_nodes(mesh)
        self._motion.refresh(idle)

    def _crack_again(self, nodes: np.ndarray, time: float) -> np.ndarray:
        """Compute the stress after cracks again, and crack ``nodes`` (K,): along a second plane, or ahead of a front.

        Returns:
            (K,) int32, as ``_crack``.
        """
        self._refresh_motion(np.empty(0, np.int64))
        self._motion.store_mean_stress()
        normals, strong = self._tension_ratios(1.0)
        mesh, ratio = self.mesh, np.zeros(len(strong))
        nodes = nodes[(mesh.mass[nodes] > MIN_MASS * self.strengths.masses[nodes]) & self.carries_stress[nodes]]
        ratio[nodes] = strong[nodes]
        return self._crack(normals, ratio, time, again=nodes)

    def _arrival_of(self, node: int) -> float:
        """Return the time (s) at which the fastest crack reaches a node; minus infinity away from fronts."""
        return float(self._arrival[node]) if node < len(self._arrival) else -np.inf

    def _arrivals(self, node: int, front: np.ndarray, start: float) -> np.ndarray:
        """Return the times (F,) s at which the fastest crack from ``node`` at ``start`` (s) reaches ``front`` (F,)."""
        position = self.mesh.position
        speed = self._given_speed or self._own_speed / self._release.slowness
        return start + np.linalg.norm(position[front] - position[node], axis=1) / speed

    def _front_cracks(
        self, front: np.ndarray, node: int, start: float, normals: np.ndarray, ratio: np.ndarray, time: float
    ) -> np.ndarray:
        """Return (F,) bool, whether nodes of a crack front crack in the same step.

        New nodes have no ratio yet; they wait for the next check. The crack left ``node`` at ``start``, s.
        """
        known = front < len(ratio)
        cracks = np.zeros(len(front), bool)
        tested = front[known]
        cracks[known] = (ratio[tested] > FRONT_RATIO) & self._may_crack(tested, normals, time)
        cracks &= self._arrivals(node, front, start) <= time
        return cracks

    def _record_cracks(self, cracks: Sequence[Crack], node: int, normal: np.ndarray, time: float, start: float) -> None:
        """Update strengths and stress release after the cracks of a node, or after a failed attempt.

        The crack left the node at ``start``, s.
        """
        mesh = self.mesh
        self.strengths.grow(mesh)
        self._release.pause(mesh, np.array([node]), time)
        self._arrival = np.append(self._arrival, np.full(mesh.node_count - len(self._arrival), -np.inf))
        for crack in cracks:
            self.result.crack_count += 1
            self._arrival[crack.front] = self._arrivals(node, crack.front, start)
            self.strengths.set_front(crack.nodes, crack.front, normal)
            self._release.release(mesh, crack.nodes, normal, time)


def is_small_fragment(mesh: Mesh, joints: Joints | None = None) -> np.ndarray:
    """Return (E,) bool, elements of fragments with less than ``SMALL_FRAGMENT`` of the largest fragment's mass."""
    component = component_of_element(mesh, joints.elements[joints.holds] if joints else None)
    solid = component >= 0
    masses = np.bincount(component[solid], (mesh.density * mesh.volume)[solid])
    return solid & (masses < SMALL_FRAGMENT * masses.max())[component]
