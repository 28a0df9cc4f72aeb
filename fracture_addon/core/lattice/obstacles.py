"""Immovable objects: springs against the depth of intrusion, with damping and friction (Norton et al. 1991)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from ..arrays import frozen


@dataclass(frozen=True)
class Obstacle:
    """A half-space or a ball that nodes are pushed out of.

    Attributes:
        point: (3,) m, on the plane, or the ball's centre.
        normal: (3,) out of a plane; unused for a ball.
        radius: m of a ball, 0 for a plane.
        stiffness: N/m a node.
        damping: N s/m a node.
        friction: Coulomb's coefficient.
        velocity: (3,) m/s at which its surface moves.
    """

    point: np.ndarray
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    radius: float = 0.0
    stiffness: float = 1e5
    damping: float = 0.0
    friction: float = 0.5
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self):
        normal = np.asarray(self.normal, float)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "normal", frozen(normal / np.linalg.norm(normal), np.float64, 3))
        object.__setattr__(self, "velocity", frozen(self.velocity, np.float64, 3))


def add_obstacle_forces(obstacles: Sequence[Obstacle], positions, velocities, masses, step, forces) -> None:
    """Add to (N, 3) ``forces`` what obstacles do to the nodes.

    Friction is the coefficient times the push, but no more than stops the sliding within the step: as an uncapped
    force it would reverse slow sliding, again and again, and never let it end.

    Args:
        obstacles: Any number.
        positions, velocities: (N, 3) m and m/s.
        masses: (N,) kg.
        step: s.
        forces: Added to.
    """
    for item in obstacles:
        scalars = (item.radius, item.stiffness, item.damping, item.friction, step)
        _obstacle_kernel(positions, velocities, masses, item.point, item.normal, item.velocity, *scalars, forces)


@njit(cache=True, error_model="numpy")
def _obstacle_kernel(x, v, masses, point, normal, velocity, radius, stiffness, damping, friction, step, forces):
    n0, n1, n2 = normal[0], normal[1], normal[2]
    for node in range(len(x)):
        d0, d1, d2 = x[node, 0] - point[0], x[node, 1] - point[1], x[node, 2] - point[2]
        if radius > 0.0:
            distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
            if distance >= radius or distance == 0.0:
                continue
            n0, n1, n2 = d0 / distance, d1 / distance, d2 / distance
            depth = radius - distance
        else:
            depth = -(d0 * n0 + d1 * n1 + d2 * n2)
            if depth <= 0.0:
                continue
        u0, u1, u2 = v[node, 0] - velocity[0], v[node, 1] - velocity[1], v[node, 2] - velocity[2]
        rate = u0 * n0 + u1 * n1 + u2 * n2
        # Damping may take the whole push away, but an obstacle never pulls.
        push = max(stiffness * depth - damping * rate, 0.0)
        s0, s1, s2 = u0 - rate * n0, u1 - rate * n1, u2 - rate * n2
        sliding = np.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
        drag = 0.0
        if sliding > 0.0:
            drag = min(friction * push, masses[node] * sliding / step) / sliding
        forces[node, 0] += push * n0 - drag * s0
        forces[node, 1] += push * n1 - drag * s1
        forces[node, 2] += push * n2 - drag * s2
