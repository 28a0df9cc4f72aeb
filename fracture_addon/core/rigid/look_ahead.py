"""Prediction distances of whole bodies for contacts with other moving bodies.

Rapier's continuous detection finds fixed bodies only. Between moving bodies it predicts contacts instead, within the
distance that the two cover in a step. For that distance it takes the velocity of a fragment as zero, because fragments
predict over a short distance only. A fast body beside fragments that move with it would touch all of their balls: a
step took 1 s, with 900,000 contacts (measured). Such a body therefore looks ahead only while something near it could
pass through it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import rapier3d as rapier

# Prediction distance of whole bodies, world units: enough for any speed. From 10 to 1e5 three scenes keep their bytes.
LOOK_AHEAD = 1e3
# Two bodies cannot pass through each other while they approach by less than this share of the smaller one's thickness
# in a step: half of it is still on its own side, and the contact pushes it back.
# From 0.005 to 50 three runs of bodies that break one another keep their bytes.
SAFE_SHARE = 0.5
# Bodies are near if their boxes can touch within this factor of the distance of a step, because gravity adds to it, and
# this margin, world units, because Rapier keeps the contacts of a pair that moved little. With 2 and 0.1 all recordings
# keep the bytes that they have with ``LOOK_AHEAD`` alone; with 1.5 and 0.02 one of 16 changes.
GROWTH, MARGIN = 2.0, 0.1


class LookAhead:
    """Prediction distances of the whole bodies of a world."""

    def __init__(self, world: rapier.PhysicsWorld):
        """Start with a world without bodies."""
        self._world = world
        self._thickness: dict[int, float] = {}
        self._whole: set[int] = set()

    def watch(self, key: int, thickness: float, *, whole: bool) -> None:
        """Include a body of balls; ``thickness`` is the diameter of its largest ball, world units."""
        self._thickness[key] = thickness
        if whole:
            self._whole.add(key)

    def forget(self, key: int) -> None:
        """Remove a body."""
        self._thickness.pop(key, None)
        self._whole.discard(key)

    def adapt(self, bodies: Mapping[int, rapier.RigidBody], seconds: float) -> None:
        """Set the prediction distances for the next step.

        Args:
            bodies: All bodies, by key.
            seconds: Duration of the step, s.
        """
        fast = [key for key in self._whole if _way(bodies[key], seconds) > SAFE_SHARE * self._thickness[key]]
        for key in self._whole.difference(fast):
            _look(bodies[key], LOOK_AHEAD)
        if not fast:
            return
        keys = list(bodies)
        rows = {key: row for row, key in enumerate(keys)}
        low, high, motion = (np.array(part) for part in zip(*map(self._seen, bodies.values()), strict=True))
        motion *= seconds
        thickness = np.array([self._thickness.get(key, 0.0) for key in keys])
        is_fragment = np.array([key in self._thickness and key not in self._whole for key in keys])
        for key in fast:
            row = rows[key]
            way = motion - motion[row]
            approach, reach = np.linalg.norm(way, axis=1), GROWTH * way
            below, above = low + np.minimum(reach, 0.0) - MARGIN, high + np.maximum(reach, 0.0) + MARGIN
            near = ((below <= high[row]) & (above >= low[row])).all(axis=1)
            near[row] = False
            passes = near & (approach > SAFE_SHARE * np.minimum(thickness, thickness[row]))
            # Between two bodies that look ahead, Rapier takes both velocities, so that both must look far enough.
            distance = GROWTH * approach[passes].max(initial=0.0)
            _look(bodies[key], distance if is_fragment[passes].all() else LOOK_AHEAD)

    def _seen(self, body: rapier.RigidBody) -> tuple[tuple[float, ...], ...]:
        """Return the lower and upper corner of a body's box, world units, and its velocity, world units per s."""
        box = self._world.colliders[body.colliders[0]].compute_aabb()
        return box.mins.to_tuple(), box.maxs.to_tuple(), body.linvel.to_tuple()


def _way(body: rapier.RigidBody, seconds: float) -> float:
    """Return how far a body moves in a step, world units."""
    x, y, z = body.linvel.to_tuple()
    return seconds * (x * x + y * y + z * z) ** 0.5


def _look(body: rapier.RigidBody, distance: float) -> None:
    """Set the prediction distance of a body, world units."""
    if body.soft_ccd_prediction != distance:
        body.soft_ccd_prediction = distance
