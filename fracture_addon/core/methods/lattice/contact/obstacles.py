"""Half-spaces and balls that push nodes out by springs, with damping and friction (Norton et al. 1991)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit

from ....data.arrays import frozen


@dataclass(frozen=True)
class Obstacle:
    """A half-space or a ball that pushes nodes out.

    Attributes:
        point: (3,) m, on the plane, or the centre of the ball.
        normal: (3,) outward normal of the plane; unused for a ball.
        radius: m, of the ball; 0 for a plane.
        stiffness: N/m for each node, one value or (N,).
        damping: N s/m for each node, one value or (N,).
        friction: Coulomb coefficient.
        slack: m, depth without a push, one value or (N,). Nodes outside the visible surface have a positive slack.
        velocity: (3,) m/s of the obstacle's surface.
        force_sum: (3,) N, the force on the nodes, summed over all steps. Updated in place.
    """

    point: np.ndarray
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    radius: float = 0.0
    stiffness: float | np.ndarray = 1e5
    damping: float | np.ndarray = 0.0
    friction: float = 0.5
    slack: float | np.ndarray = 0.0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    force_sum: np.ndarray = field(default_factory=lambda: np.zeros(3), compare=False)
    # The kernels' arguments by the number of nodes.
    _arguments: dict[int, tuple[Any, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        normal = np.asarray(self.normal, float)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "normal", frozen(normal / np.linalg.norm(normal), np.float64, 3))
        object.__setattr__(self, "velocity", frozen(self.velocity, np.float64, 3))

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """Add the normal forces on the nodes to ``forces``.

        Args:
            positions: (N, 3) m.
            velocities: (N, 3) m/s.
            forces: (N, 3) N, changed in place.
        """
        arguments = (positions, velocities, *self._kernel_arguments(len(positions)), forces, self.force_sum)
        _push_kernel(*arguments)

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """Slow sliding nodes, after all other forces have changed their velocities.

        Friction is the coefficient times the normal force, but at most what stops the sliding. So a resting node stays
        at rest. An uncapped force would reverse slow sliding at every step, or let the node creep.

        Args:
            positions: (N, 3) m.
            velocities: (N, 3) m/s, changed in place.
            masses: (N,) kg.
            step: s.
        """
        if self.friction > 0.0:
            shape = self._kernel_arguments(len(positions))
            arguments = (positions, velocities, masses, *shape, self.friction, step, self.force_sum)
            _friction_kernel(*arguments)

    def depths(self, positions: np.ndarray) -> np.ndarray:
        """Compute the (N,) depths of (N, 3) positions in the obstacle, m; 0 outside. Slack does not count."""
        arms = positions - self.point
        outside = np.linalg.norm(arms, axis=1) - self.radius if self.radius > 0.0 else arms @ self.normal
        return np.maximum(-outside, 0.0)

    def _kernel_arguments(self, count: int) -> tuple[Any, ...]:
        if count not in self._arguments:
            nodes = (np.broadcast_to(values, count) for values in (self.slack, self.stiffness, self.damping))
            self._arguments[count] = self.point, self.normal, self.velocity, float(self.radius), *nodes
        return self._arguments[count]


@njit(cache=True, error_model="numpy")
def _intrusion(
    x: np.ndarray, node: int, point: np.ndarray, normal: np.ndarray, radius: float, slack: np.ndarray
) -> tuple[float, float, float, float]:
    """Compute the depth of a node beyond its slack, metres (0 outside), and the outward unit vector."""
    d0, d1, d2 = x[node, 0] - point[0], x[node, 1] - point[1], x[node, 2] - point[2]
    if radius > 0.0:
        distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if distance == 0.0:
            return 0.0, 0.0, 0.0, 0.0
        return max(radius - distance - slack[node], 0.0), d0 / distance, d1 / distance, d2 / distance
    depth = -(d0 * normal[0] + d1 * normal[1] + d2 * normal[2]) - slack[node]
    return max(depth, 0.0), normal[0], normal[1], normal[2]


@njit(cache=True, error_model="numpy")
def _push_kernel(
    x: np.ndarray,
    v: np.ndarray,
    point: np.ndarray,
    normal: np.ndarray,
    velocity: np.ndarray,
    radius: float,
    slack: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    forces: np.ndarray,
    force_sum: np.ndarray,
) -> None:
    for node in range(len(x)):
        depth, n0, n1, n2 = _intrusion(x, node, point, normal, radius, slack)
        if depth > 0.0:
            rate = (v[node, 0] - velocity[0]) * n0 + (v[node, 1] - velocity[1]) * n1 + (v[node, 2] - velocity[2]) * n2
            # Damping may cancel the push, but an obstacle never pulls.
            push = max(stiffness[node] * depth - damping[node] * rate, 0.0)
            forces[node, 0] += push * n0
            forces[node, 1] += push * n1
            forces[node, 2] += push * n2
            force_sum[0] += push * n0
            force_sum[1] += push * n1
            force_sum[2] += push * n2


@njit(cache=True, error_model="numpy")
def _friction_kernel(
    x: np.ndarray,
    v: np.ndarray,
    masses: np.ndarray,
    point: np.ndarray,
    normal: np.ndarray,
    velocity: np.ndarray,
    radius: float,
    slack: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    friction: float,
    step: float,
    force_sum: np.ndarray,
) -> None:
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
            force_sum[0] -= drag * s0
            force_sum[1] -= drag * s1
            force_sum[2] -= drag * s2
