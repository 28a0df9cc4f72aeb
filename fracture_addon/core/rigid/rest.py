"""How bodies come to rest: what damps the slow ones, and how slow they have to be to fall asleep.

Speeds are measured by ``fall``, sqrt(g L) in the world's units: what a fall over the size of the objects ends with.
"""

from __future__ import annotations

import math

import rapier3d as rapier

from .units import DETAIL

# A body whose centre, and whose parts about it, move by less than this share of a fall for so long falls asleep.
SLEEP_SPEED, LEAST_SPEED, SLEEP_TIME = 0.02, 1e-3, 0.25
# Seconds times a fall, at least: what starts to fall is faster than that by then, however large.
SLEEP_FALL = 0.1
# Below this share of a fall, but not without weight, pieces that touch something lose speed at this rate (1/s): what
# rattles on small balls comes to rest. A fall of large things is slow for long, and must not be held up.
CALM_SPEED, CALM_RATE = 0.08, 6.0


class Rest:
    """How the bodies of a world come to rest."""

    def __init__(self, world: rapier.PhysicsWorld, fall: float):
        """For a world with no bodies yet, and its ``fall``."""
        self._world, self._fall = world, fall
        self._watched: dict[int, tuple[rapier.RigidBody, float]] = {}
        # What each was last found to touch: most still do, and all that is near one takes long to tell.
        self._touched: dict[int, tuple[rapier.ColliderHandle, rapier.ColliderHandle]] = {}

    def let_sleep(self, body: rapier.RigidBody, radius: float) -> None:
        """Set how slowly a body with a radius of gyration, in the world's units, has to move to fall asleep."""
        speed = max(SLEEP_SPEED * self._fall, LEAST_SPEED)
        activation = body.activation
        # Rapier multiplies the linear threshold by its length unit.
        activation.linear_threshold = speed / DETAIL
        activation.angular_threshold = speed / radius
        activation.time_until_sleep = max(SLEEP_TIME, SLEEP_FALL / self._fall) if self._fall else SLEEP_TIME
        body.activation = activation

    def watch(self, key: int, body: rapier.RigidBody, radius: float) -> None:
        """Damp a body with a radius of gyration, in the world's units, as ``calm`` says, until it is forgotten."""
        self._watched[key] = body, radius

    def forget(self, key: int) -> None:
        """Damp a body no more."""
        self._watched.pop(key, None)
        self._touched.pop(key, None)

    def calm(self) -> None:
        """Damp the slow motion of what is watched and touches something, and no other; once a frame is enough."""
        for key, (body, radius) in self._watched.items():
            if body.is_dynamic and not body.is_sleeping:
                damped = self._is_slow(body, radius) and self._touches(key)
                body.linear_damping = body.angular_damping = CALM_RATE if damped else 0.0

    def _is_slow(self, body: rapier.RigidBody, radius: float) -> bool:
        speed = math.hypot(*body.linvel.to_tuple()) + radius * math.hypot(*body.angvel.to_tuple())
        return speed < CALM_SPEED * self._fall

    def _touches(self, key: int) -> bool:
        contacts = self._world.narrow_phase
        last = contacts.contact_pair(*self._touched[key]) if key in self._touched else None
        if last is not None and last.has_any_active_contact:
            return True
        for pair in contacts.contact_pairs_with(self._watched[key][0].colliders[0]):
            if pair.has_any_active_contact:
                self._touched[key] = pair.collider1, pair.collider2
                return True
        return False
