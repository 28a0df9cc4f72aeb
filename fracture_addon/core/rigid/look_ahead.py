"""How far whole bodies look ahead for other moving bodies.

Rapier's continuous detection finds fixed bodies only. Between moving bodies it predicts contacts instead, within the
distance that the two cover in a step. For that distance it takes the velocity of a fragment as zero, because fragments
hardly look ahead. A fast body beside fragments that move with it would then be in contact with all of their balls: a
step took 1 s, with 900,000 contacts (measured). Such a body therefore looks ahead only while something near it could
pass through it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import rapier3d as rapier

# Prediction distance of whole bodies, world units: any speed.
LOOK_AHEAD = 1e3
# Two bodies cannot pass through each other while they approach by less than this share of the smaller one's thickness
# in a step: half of it is still on its own side, and the contact pushes it back.
SAFE_SHARE = 0.5
# Bodies are near if their boxes can touch within this factor of the way of a step, because gravity adds to it, and this
# margin, world units: Rapier may keep the contacts of a pair that moved little. With 1.5 and 0.02, a jar that fell on a
# floor broke otherwise than with 2 and 0.1, which change nothing where no fragments move along.
GROWTH, MARGIN = 2.0, 0.1


@dataclass(frozen=True)
class _Watched:
    """A whole body.

    Attributes:
        body: The body.
        thickness: Diameter of its largest ball, world units.
    """

    body: rapier.RigidBody
    thickness: float


class LookAhead:
    """Prediction distances of the whole bodies of a world."""

    def __init__(self, world: rapier.PhysicsWorld):
        """Make it for a world without bodies."""
        self._world = world
        self._whole: dict[int, _Watched] = {}
        self._thickness: dict[int, float] = {}

    def watch(self, key: int, body: rapier.RigidBody, thickness: float, *, whole: bool) -> None:
        """Include a body of balls; ``thickness`` is the diameter of its largest ball, world units."""
        self._thickness[key] = thickness
        if whole:
            self._whole[key] = _Watched(body, thickness)

    def forget(self, key: int) -> None:
        """Leave a body out that is removed."""
        self._whole.pop(key, None)
        self._thickness.pop(key, None)

    def adapt(self, bodies: Mapping[int, rapier.RigidBody], seconds: float) -> None:
        """Set the prediction distances for the next step.

        Args:
            bodies: All bodies, by key.
            seconds: Duration of the step, s.
        """
        fast = [key for key, item in self._whole.items() if _is_fast(item, seconds)]
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
            distance = GROWTH * approach[passes].max(initial=0.0)
            self._whole[key].body.soft_ccd_prediction = distance if is_fragment[passes].all() else LOOK_AHEAD

    def _seen(self, body: rapier.RigidBody) -> tuple[tuple[float, ...], ...]:
        """Return lower and upper corner of a body's box, and its velocity."""
        box = self._world.colliders[body.colliders[0]].compute_aabb()
        return box.mins.to_tuple(), box.maxs.to_tuple(), body.linvel.to_tuple()


def _is_fast(item: _Watched, seconds: float) -> bool:
    """Return whether a body moves by more than a safe share of its thickness in a step."""
    x, y, z = item.body.linvel.to_tuple()
    return seconds * (x * x + y * y + z * z) ** 0.5 > SAFE_SHARE * item.thickness
