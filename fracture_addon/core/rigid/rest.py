"""How bodies come to rest: what damps the slow ones, and how slow they have to be to fall asleep.

Speeds are measured by ``fall``, sqrt(g L) in the world's units: what a fall over the size of the objects ends with.
"""

from __future__ import annotations

import math

import numpy as np
import rapier3d as rapier

from .rigid_properties import RigidProperties
from .units import DETAIL

# A body whose centre, and whose parts about it, move by less than this share of a fall for so long falls asleep.
SLEEP_SPEED, LEAST_SPEED, SLEEP_TIME = 0.02, 1e-3, 0.25
# Seconds times a fall, at least: what starts to fall is faster than that by then, however large.
SLEEP_FALL = 0.1
# Below this share of a fall, but not without weight, pieces that touch something lose speed at this rate (1/s): what
# rattles on small balls comes to rest. A fall of large things is slow for long, and must not be held up.
CALM_SPEED, CALM_RATE = 0.08, 6.0


def gyration(properties: RigidProperties) -> float:
    """Radius of gyration, metres."""
    return (float(np.trace(properties.inertia)) / (2.0 * properties.mass)) ** 0.5


def let_sleep(body: rapier.RigidBody, radius: float, fall: float) -> None:
    """Set how slowly a body with a radius of gyration, in the world's units, has to move to fall asleep."""
    speed = max(SLEEP_SPEED * fall, LEAST_SPEED)
    activation = body.activation
    # Rapier multiplies the linear threshold by its length unit.
    activation.linear_threshold = speed / DETAIL
    activation.angular_threshold = speed / radius
    activation.time_until_sleep = max(SLEEP_TIME, SLEEP_FALL / fall) if fall else SLEEP_TIME
    body.activation = activation


def is_slow(body: rapier.RigidBody, radius: float, fall: float) -> bool:
    """Whether a body with a radius of gyration, in the world's units, is slow enough to be damped."""
    return math.hypot(*body.linvel.to_tuple()) + radius * math.hypot(*body.angvel.to_tuple()) < CALM_SPEED * fall


def calm(body: rapier.RigidBody, damped: bool) -> None:
    """Damp a body, or free it."""
    body.linear_damping = body.angular_damping = CALM_RATE if damped else 0.0
