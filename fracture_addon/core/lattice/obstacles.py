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


def add_obstacle_forces(obstacles: Sequence[Obstacle], positions, velocities, forces) -> None:
    """Add to (N, 3) ``forces`` the push of obstacles on nodes at (N, 3) ``positions`` with (N, 3) ``velocities``."""
    for item in obstacles:
        _push_kernel(positions, velocities, *_parts(item), forces)


def rub(obstacles: Sequence[Obstacle], positions, velocities, masses, step: float) -> None:
    """Let obstacles slow down what slides on them, in (N, 3) ``velocities`` that all other forces have acted on.

    Friction is the coefficient times the push, but no more than stops the sliding: acting last and so capped it holds
    what rests, where a force beside the others would turn slow sliding round at every step, or let it creep.
    """
    for item in obstacles:
        if item.friction > 0.0:
            _rub_kernel(positions, velocities, masses, *_parts(item), item.friction, step)


def _parts(item: Obstacle) -> tuple:
    return item.point, item.normal, item.velocity, item.radius, item.stiffness, item.damping


@njit(cache=True, error_model="numpy")
def _intrusion(x, node, point, normal, radius):
    """Depth of a node in an obstacle, metres (0 outside), and the direction out of it."""
    d0, d1, d2 = x[node, 0] - point[0], x[node, 1] - point[1], x[node, 2] - point[2]
    if radius > 0.0:
        distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if distance == 0.0:
            return 0.0, 0.0, 0.0, 0.0
        return max(radius - distance, 0.0), d0 / distance, d1 / distance, d2 / distance
    depth = -(d0 * normal[0] + d1 * normal[1] + d2 * normal[2])
    return max(depth, 0.0), normal[0], normal[1], normal[2]


@njit(cache=True, error_model="numpy")
def _push_kernel(x, v, point, normal, velocity, radius, stiffness, damping, forces):
    for node in range(len(x)):
        depth, n0, n1, n2 = _intrusion(x, node, point, normal, radius)
        if depth > 0.0:
            rate = (v[node, 0] - velocity[0]) * n0 + (v[node, 1] - velocity[1]) * n1 + (v[node, 2] - velocity[2]) * n2
            # Damping may take the whole push away, but an obstacle never pulls.
            push = max(stiffness * depth - damping * rate, 0.0)
            forces[node, 0] += push * n0
            forces[node, 1] += push * n1
            forces[node, 2] += push * n2


@njit(cache=True, error_model="numpy")
def _rub_kernel(x, v, masses, point, normal, velocity, radius, stiffness, damping, friction, step):
    for node in range(len(x)):
        depth, n0, n1, n2 = _intrusion(x, node, point, normal, radius)
        if depth <= 0.0:
            continue
        u0, u1, u2 = v[node, 0] - velocity[0], v[node, 1] - velocity[1], v[node, 2] - velocity[2]
        rate = u0 * n0 + u1 * n1 + u2 * n2
        push = max(stiffness * depth - damping * rate, 0.0)
        s0, s1, s2 = u0 - rate * n0, u1 - rate * n1, u2 - rate * n2
        sliding = np.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
        if sliding > 0.0:
            share = min(friction * push * step / (masses[node] * sliding), 1.0)
            v[node, 0] -= share * s0
            v[node, 1] -= share * s1
            v[node, 2] -= share * s2
