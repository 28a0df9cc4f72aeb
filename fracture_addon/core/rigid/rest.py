"""Damping of slow bodies in contact, and the speed below which a body falls asleep.

Speeds are compared with ``fall`` = sqrt(g L), in the world's units: the speed of a fall over the size of the objects.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise

import rapier3d as rapier

from .units import DETAIL

# A body falls asleep when its centre, and its parts about the centre, stay slower than this share of ``fall``, or than
# this speed (world units per s) where the share is less, for this time, s. Three small scenes (a tile, a slab, several
# bodies) move the same to 0.01 mm with half and twice the time.
SLEEP_SPEED, LEAST_SPEED, SLEEP_TIME = 0.02, 1e-3, 0.25
# Shortest time until sleep, over 1 / ``fall``. A body that begins to fall is faster than SLEEP_SPEED * ``fall`` after
# SLEEP_SPEED / ``fall``. Any larger time keeps it awake; this one is five times as long. It has an effect only if
# ``fall`` is below SLEEP_FALL / SLEEP_TIME.
SLEEP_FALL = 0.1
# Below this share of ``fall``, a body in contact is damped at this rate, 1/s: balls that rattle come to rest.
# Without gravity nothing is damped. The three scenes have the same bytes at 0.04 to 0.16, and move the same to 0.01 mm
# at 3/s to 12/s; at a share of 8, fragments of several bodies move 200 instead of 224 mm.
CALM_SPEED, CALM_RATE = 0.08, 6.0
# Gravity drives a body, so that it is neither damped nor asleep, if over this many frames it moved on a nearly straight
# line (distance over path), downwards (descent over path: the sine of 1.5 degrees), and accelerated (acceleration over
# gravity). A body that rattles in its place does none of this for long, and one that creeps in a heap does not
# accelerate. On slopes of 3 to 10 degrees, boxes of 0.1 and 1 m slide as Coulomb's law predicts, within 3 %.
DRIVEN_FRAMES, STRAIGHT, DESCENT, ACCELERATION = 3, 0.9, 0.026, 0.01

Point = tuple[float, float, float]


@dataclass
class _Watched:
    """A body that may be damped.

    Attributes:
        body: The body.
        radius: Its radius of gyration, world units.
        track: Its last positions, one per frame.
        touched: The pair of colliders that was last found in contact. It is tried first, because most bodies keep their
            contact, and a search among all neighbours is slow.
    """

    body: rapier.RigidBody
    radius: float
    track: deque[Point] = field(default_factory=lambda: deque(maxlen=DRIVEN_FRAMES + 1))
    touched: tuple[rapier.ColliderHandle, rapier.ColliderHandle] | None = None


class Rest:
    """Damping and sleep of the bodies of a world."""

    def __init__(self, world: rapier.PhysicsWorld, gravity: Point):
        """Start with a world without bodies.

        Args:
            world: The world.
            gravity: Its gravity, world units per s2.
        """
        self._world = world
        self._strength = math.hypot(*gravity)
        self._fall = math.sqrt(self._strength)
        self._down = tuple(axis / self._strength for axis in gravity) if self._strength else (0.0, 0.0, 0.0)
        self._watched: dict[int, _Watched] = {}

    def let_sleep(self, body: rapier.RigidBody, radius: float) -> None:
        """Set the speed below which a body falls asleep.

        Args:
            body: The body.
            radius: Its radius of gyration, world units.
        """
        speed = max(SLEEP_SPEED * self._fall, LEAST_SPEED)
        activation = body.activation
        # Rapier multiplies the linear threshold by its length unit.
        activation.linear_threshold = speed / DETAIL
        activation.angular_threshold = speed / radius
        activation.time_until_sleep = max(SLEEP_TIME, SLEEP_FALL / self._fall) if self._fall else SLEEP_TIME
        body.activation = activation

    def watch(self, key: int, body: rapier.RigidBody, radius: float) -> None:
        """Let ``calm`` damp a body with a radius of gyration in world units."""
        self._watched[key] = _Watched(body, radius)

    def forget(self, key: int) -> None:
        """Stop damping a body."""
        self._watched.pop(key, None)

    def calm(self, seconds: float) -> None:
        """Damp slow bodies that touch something and that gravity does not drive. Call it once a frame.

        Args:
            seconds: Time since the last call, s.
        """
        for item in self._watched.values():
            body = item.body
            if not body.is_dynamic or body.is_sleeping:
                item.track.clear()
                continue
            item.track.append(body.translation.to_tuple())
            driven = self._is_driven(item.track, seconds)
            damped = not driven and self._is_slow(body, item.radius) and self._touches(item)
            body.linear_damping = body.angular_damping = CALM_RATE if damped else 0.0
            if driven:
                body.wake_up()

    def _is_driven(self, track: deque[Point], seconds: float) -> bool:
        if len(track) <= DRIVEN_FRAMES:
            return False
        points = list(track)
        steps = [math.dist(before, after) for before, after in pairwise(points)]
        path, distance = sum(steps), math.dist(points[0], points[-1])
        descent = sum((end - start) * axis for start, end, axis in zip(points[0], points[-1], self._down, strict=True))
        gain = (steps[-1] - steps[0]) / ((DRIVEN_FRAMES - 1) * seconds**2)
        return gain > ACCELERATION * self._strength and distance > STRAIGHT * path and descent > DESCENT * path

    def _is_slow(self, body: rapier.RigidBody, radius: float) -> bool:
        speed = math.hypot(*body.linvel.to_tuple()) + radius * math.hypot(*body.angvel.to_tuple())
        return speed < CALM_SPEED * self._fall

    def _touches(self, item: _Watched) -> bool:
        contacts = self._world.narrow_phase
        last = contacts.contact_pair(*item.touched) if item.touched else None
        if last is not None and last.has_any_active_contact:
            return True
        for collider in item.body.colliders:
            for pair in contacts.contact_pairs_with(collider):
                if pair.has_any_active_contact:
                    item.touched = pair.collider1, pair.collider2
                    return True
        return False
