"""Contacts of the rigid world: their impulses in the last step, their points, and fixed bodies in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import rapier3d as rapier

from ..data.arrays import ReadOnlyArrays
from . import engine
from .units import Units

# A contact is reported if its force exceeds this multiple of a body's weight, and accelerates the body by more than
# this, m/s2. From 0.01 to 60, and from 0.01 to 100 without gravity, three runs of bodies that break one another keep
# their bytes: their impacts are far above, and weaker contacts break nothing.
REPORT_WEIGHT, REPORT_ACCELERATION = 1.5, 1.0
# m/s2, acceleration above which ``light`` has the contacts of other bodies: 0.3 m/s, the slowest impact, in a step of
# 10 ms. With a low frame rate and many moving bodies, a step is longer and misses impacts of up to three times that
# speed.
LIGHT_ACCELERATION = 30.0


@dataclass(frozen=True)
class Contact(ReadOnlyArrays):
    """A contact of two bodies in one step.

    Attributes:
        first, second: Keys of the bodies.
        push: (3,) N s, impulse on the second body; the first body has received the opposite.
    """

    first: int
    second: int
    push: np.ndarray


class ContactReports:
    """Contacts of the bodies of a world.

    Attributes:
        light: Strong contacts of the last step without a reported body; empty if they are not noted.
    """

    def __init__(
        self,
        world: rapier.PhysicsWorld,
        bodies: Mapping[int, rapier.RigidBody],
        units: Units,
        gravity: np.ndarray,
        notes_light_contacts: bool,
    ):
        """Start with a world without bodies.

        Args:
            world: The world.
            bodies: Its bodies by key, which change as the world does.
            units: Units of the world.
            gravity: (3,) m/s2.
            notes_light_contacts: Whether ``of_step`` notes ``light``, which takes time.
        """
        self._world, self._bodies, self._units = world, bodies, units
        self._least_acceleration = max(REPORT_WEIGHT * float(np.linalg.norm(gravity)), REPORT_ACCELERATION)
        self._notes_light_contacts = notes_light_contacts
        self.light: list[Contact] = []
        self._events = rapier.ChannelEventCollector()
        world.event_handler = self._events  # type: ignore[assignment] # a collector handles events
        self._key_of_collider: dict[tuple[int, int], int] = {}
        # Force above which ``of_step`` returns contacts of the balls of a collider, in world units.
        self._least_forces: dict[tuple[int, int], float] = {}
        # Centres of balls relative to the centre of mass, m, rest space.
        self._ball_centers: dict[int, np.ndarray] = {}
        # Results of ``touching`` since the last step: several callers ask for the same contact.
        self._touching: dict[tuple[frozenset[int], int], tuple[np.ndarray, np.ndarray]] = {}

    def sent_by(self, shape: rapier.ColliderBuilder, mass: float, *, reported: bool) -> rapier.ColliderBuilder:
        """Return a collider that sends the contacts of its body, of a mass in kg."""
        if not reported and not self._notes_light_contacts:
            return shape
        shape = shape.active_events(rapier.ActiveEvents.CONTACT_FORCE_EVENTS)
        return shape.contact_force_event_threshold(self._threshold(mass, reported))

    def watch(self, key: int) -> None:
        """Include a body."""
        for collider in self._bodies[key].colliders:
            self._key_of_collider[collider.index, collider.generation] = key

    def watch_balls(self, key: int, centers: np.ndarray, mass: float, *, reported: bool) -> None:
        """Store the balls of a watched body, and the force above which ``of_step`` returns its contacts.

        Args:
            key: Its key.
            centers: (B, 3) m, centres of the balls relative to the centre of mass, rest space.
            mass: Mass of the body, kg.
            reported: Whether ``of_step`` returns its contacts.
        """
        self._ball_centers[key] = centers
        if reported:
            for shape in self.senders(key):
                self._least_forces[shape.index, shape.generation] = float(np.float32(self._threshold(mass, reported)))

    def report(self, key: int, mass: float) -> None:
        """Let ``of_step`` return the contacts of a watched body of balls, of a mass in kg, from now on."""
        threshold = self._threshold(mass, reported=True)
        for handle in self.senders(key):
            if (handle.index, handle.generation) not in self._least_forces:
                shape = self._world.colliders[handle]
                shape.active_events = rapier.ActiveEvents.CONTACT_FORCE_EVENTS
                shape.contact_force_event_threshold = threshold
                self._least_forces[handle.index, handle.generation] = float(np.float32(threshold))

    def senders(self, key: int) -> list[rapier.ColliderHandle]:
        """Return the colliders of a body that send its contacts: balls and hull. Triangles touch balls only."""
        colliders = self._world.colliders
        return [item for item in self._bodies[key].colliders if colliders[item].shape.as_trimesh() is None]

    def forget(self, key: int) -> None:
        """Remove a body."""
        self._ball_centers.pop(key, None)

    def of_step(self, seconds: float) -> list[Contact]:
        """Read the contacts of the last step, and store the strong ones of other bodies in ``light``.

        Args:
            seconds: Duration of the step, s.

        Returns:
            Contacts of reported bodies above their threshold, in the order of their keys. Those whose pushes cancel are
            left out.
        """
        self._touching.clear()
        scale = seconds * self._units.mass * self._units.length
        reported: dict[tuple[int, int], np.ndarray] = {}
        light: dict[tuple[int, int], np.ndarray] = {}
        for event in self._events.drain_contact_force_events():
            first, second = self._key(event.collider1), self._key(event.collider2)
            if first in self._bodies and second in self._bodies:
                push = np.array(event.total_force.to_tuple()) * scale
                pushes = reported if event.total_force_magnitude > self._least_force(event) else light
                # Balls of each of two fragments touch the surface of the other: two events for one contact.
                if (second, first) in pushes:
                    pushes[second, first] = pushes[second, first] - push
                else:
                    pushes[first, second] = pushes[first, second] + push if (first, second) in pushes else push
        for first, second in reported:
            light.pop((first, second), None)
            light.pop((second, first), None)
        self.light = _contacts(light)
        return _contacts(reported)

    def in_the_way(self, key: int) -> list[tuple[int, np.ndarray]]:
        """Return the fixed and kinematic bodies that a kinematic body of balls touches or is about to touch.

        Returns:
            Keys, and unit vectors (3,) of the world from each of them to the body.
        """
        found = {}
        narrow_phase = self._world.narrow_phase
        colliders = self._bodies[key].colliders
        for pair in [pair for collider in colliders for pair in narrow_phase.contact_pairs_with(collider)]:
            first, second = self._key(pair.collider1), self._key(pair.collider2)
            other = second if first == key else first
            if other in self._bodies and self._bodies[other].is_dynamic:
                continue
            reached = [manifold for manifold in pair.manifolds if manifold.points]
            if reached:
                deepest = min(reached, key=lambda manifold: min(point.dist for point in manifold.points))
                normal = np.array(deepest.data.normal.to_tuple())
                found[other] = -normal if first == key else normal
        return sorted(found.items(), key=lambda item: item[0])

    def pushes_on(self, key: int, *, fixed: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the pushes of dynamic bodies on a body of balls in the last step, without friction.

        A body that sleeps pushes as in its last step.

        Args:
            key: Key of the body.
            fixed: Whether to include the pushes of fixed and kinematic bodies.

        Returns:
            (K,) keys of the other bodies; (K, 3) m, points relative to the centre of mass in rest orientation; and
            (K, 3) N s, impulses in the orientation of the world.
        """
        keys, points, pushes = [], [np.empty((0, 3))], [np.empty((0, 3))]
        balls, narrow_phase = self._bodies[key].colliders[0], self._world.narrow_phase
        scale = self._units.mass * self._units.length
        for pair in [pair for item in self._bodies[key].colliders for pair in narrow_phase.contact_pairs_with(item)]:
            first, second = self._key(pair.collider1), self._key(pair.collider2)
            is_first = first == key
            other, own = (second, pair.collider1) if is_first else (first, pair.collider2)
            if other not in self._bodies or not (fixed or self._bodies[other].is_dynamic):
                continue
            is_ball = (own.index, own.generation) == (balls.index, balls.generation)
            for manifold in pair.manifolds:
                part = manifold.subshape1 if is_first else manifold.subshape2
                center = self._ball_centers[key][part] if is_ball else np.zeros(3)
                normal = np.array(manifold.data.normal.to_tuple()) * (-scale if is_first else scale)
                for point in manifold.points:
                    place = np.array((point.local_p1 if is_first else point.local_p2).to_tuple())
                    keys.append(other)
                    points.append((center + place * self._units.length)[None])
                    pushes.append(normal[None] * point.impulse)
        return np.array(keys, np.intp), np.concatenate(points), np.concatenate(pushes)

    def touching(self, contact: Contact, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the contact points of a body of balls in a contact of the last step.

        Returns:
            (K, 3) m, points relative to its centre of mass in rest orientation, and (K,) m, gaps; deepest first.
        """
        pair_and_side = frozenset((contact.first, contact.second)), key
        if pair_and_side not in self._touching:
            self._touching[pair_and_side] = self._read_points(contact, key)
        return self._touching[pair_and_side]

    def _read_points(self, contact: Contact, key: int) -> tuple[np.ndarray, np.ndarray]:
        points, gaps = [np.empty((0, 3))], [np.empty(0)]
        balls = self._bodies[key].colliders[0]
        for handles in product(*(self._bodies[side].colliders for side in (contact.first, contact.second))):
            pair = self._world.narrow_phase.contact_pair(*handles)
            if pair is None:
                continue
            is_first = self._key(pair.collider1) == key
            parts, places, distances = engine.contact_points(pair, is_first)
            own = pair.collider1 if is_first else pair.collider2
            is_ball = (own.index, own.generation) == (balls.index, balls.generation)
            centers = self._ball_centers[key][parts] if is_ball else 0.0
            points.append(centers + places * self._units.length)
            gaps.append(distances * self._units.length)
        order = np.argsort(np.concatenate(gaps), kind="stable")
        return np.concatenate(points)[order], np.concatenate(gaps)[order]

    def _threshold(self, mass: float, reported: bool) -> float:
        """Return the force from which on a body of this mass (kg) sends contacts, in world units."""
        return (self._least_acceleration if reported else LIGHT_ACCELERATION) * mass / self._units.impulse

    def _least_force(self, event: rapier.ContactForceEvent) -> float:
        """Return the force above which ``of_step`` returns the contact of an event, in world units."""
        handles = event.collider1, event.collider2
        return min(self._least_forces.get((item.index, item.generation), np.inf) for item in handles)

    def _key(self, handle: rapier.ColliderHandle) -> int:
        return self._key_of_collider.get((handle.index, handle.generation), -1)


def _contacts(pushes: dict[tuple[int, int], np.ndarray]) -> list[Contact]:
    """Return the contacts of pairs of keys, in their order, without those whose pushes cancel."""
    return [Contact(*keys, pushes[keys]) for keys in sorted(pushes) if pushes[keys].any()]
