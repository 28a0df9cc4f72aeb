"""Immovable objects: springs against the depth of intrusion, with damping and friction (Norton et al. 1991)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from ....data.arrays import frozen


@dataclass(frozen=True)
class Obstacle:
    """A half-space or a ball that nodes are pushed out of.

    Attributes:
        point: (3,) m, on the plane, or the ball's centre.
        normal: (3,) out of a plane; unused for a ball.
        radius: m of a ball, 0 for a plane.
        stiffness: N/m a node, of all or (N,).
        damping: N s/m a node, of all or (N,).
        friction: Coulomb's coefficient.
        slack: m a node, of all or (N,), that nodes may be inside: those that stand off the surface that is seen.
        velocity: (3,) m/s at which its surface moves.
        taken: (3,) N, summed over all steps: what it pushed and rubbed with.
    """

    point: np.ndarray
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    radius: float = 0.0
    stiffness: float | np.ndarray = 1e5
    damping: float | np.ndarray = 0.0
    friction: float = 0.5
    slack: float | np.ndarray = 0.0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    taken: np.ndarray = field(default_factory=lambda: np.zeros(3), compare=False)

    def __post_init__(self):
        normal = np.asarray(self.normal, float)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "normal", frozen(normal / np.linalg.norm(normal), np.float64, 3))
        object.__setattr__(self, "velocity", frozen(self.velocity, np.float64, 3))

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """Add to (N, 3) ``forces`` the push on nodes at (N, 3) ``positions`` with (N, 3) ``velocities``."""
        _push_kernel(positions, velocities, *self._parts(len(positions)), forces, self.taken)

    def rub(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """Slow down what slides, in (N, 3) ``velocities`` that all other forces have acted on.

        Friction is the coefficient times the push, but no more than stops the sliding: acting last and so capped it
        holds what rests, where a force beside the others would turn slow sliding round at every step, or let it creep.
        """
        if self.friction > 0.0:
            _rub_kernel(positions, velocities, masses, *self._parts(len(positions)), self.friction, step, self.taken)

    def depths(self, positions: np.ndarray) -> np.ndarray:
        """(N,) m that nodes at (N, 3) are inside, 0 outside, whatever their slack."""
        arms = positions - self.point
        outside = np.linalg.norm(arms, axis=1) - self.radius if self.radius > 0.0 else arms @ self.normal
        return np.maximum(-outside, 0.0)

    def _parts(self, count: int) -> tuple:
        nodes = (np.broadcast_to(values, count) for values in (self.slack, self.stiffness, self.damping))
        return self.point, self.normal, self.velocity, float(self.radius), *nodes


@njit(cache=True, error_model="numpy")
def _intrusion(x, node, point, normal, radius, slack):
    """Depth of a node in an obstacle beyond its slack, metres (0 outside), and the direction out of it."""
    d0, d1, d2 = x[node, 0] - point[0], x[node, 1] - point[1], x[node, 2] - point[2]
    if radius > 0.0:
        distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if distance == 0.0:
            return 0.0, 0.0, 0.0, 0.0
        return max(radius - distance - slack[node], 0.0), d0 / distance, d1 / distance, d2 / distance
    depth = -(d0 * normal[0] + d1 * normal[1] + d2 * normal[2]) - slack[node]
    return max(depth, 0.0), normal[0], normal[1], normal[2]


@njit(cache=True, error_model="numpy")
def _push_kernel(x, v, point, normal, velocity, radius, slack, stiffness, damping, forces, taken):
    for node in range(len(x)):
        depth, n0, n1, n2 = _intrusion(x, node, point, normal, radius, slack)
        if depth > 0.0:
            rate = (v[node, 0] - velocity[0]) * n0 + (v[node, 1] - velocity[1]) * n1 + (v[node, 2] - velocity[2]) * n2
            # Damping may take the whole push away, but an obstacle never pulls.
            push = max(stiffness[node] * depth - damping[node] * rate, 0.0)
            forces[node, 0] += push * n0
            forces[node, 1] += push * n1
            forces[node, 2] += push * n2
            taken[0] += push * n0
            taken[1] += push * n1
            taken[2] += push * n2


@njit(cache=True, error_model="numpy")
def _rub_kernel(x, v, masses, point, normal, velocity, radius, slack, stiffness, damping, friction, step, taken):
    for node in range(len(x)):
        depth, n0, n1, n2 = _intrusion(x, node, point, normal, radius, slack)
        if depth <= 0.0:
            continue
        u0, u1, u2 = v[node, 0] - velocity[0], v[node, 1] - velocity[1], v[node, 2] - velocity[2]
        rate = u0 * n0 + u1 * n1 + u2 * n2
        push = max(stiffness[node] * depth - damping[node] * rate, 0.0)
        s0, s1, s2 = u0 - rate * n0, u1 - rate * n1, u2 - rate * n2
        sliding = np.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
        if sliding > 0.0:
            share = min(friction * push * step / (masses[node] * sliding), 1.0)
            v[node, 0] -= share * s0
            v[node, 1] -= share * s1
            v[node, 2] -= share * s2
            drag = share * masses[node] / step
            taken[0] -= drag * s0
            taken[1] -= drag * s1
            taken[2] -= drag * s2
