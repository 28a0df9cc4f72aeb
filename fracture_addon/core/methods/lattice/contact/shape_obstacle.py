"""Obstacles of any closed shape, by a field of distances that is made once and moves along with them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from ....geometry.distance_field import DistanceField, distance_and_slope
from ....numerics.rotations import matrices


@dataclass(frozen=True)
class ShapeObstacle:
    """A shape that nodes are pushed out of; as ``Obstacle`` otherwise.

    Attributes:
        shape: In its own space.
        pose: (7,) from there to the world.
        stiffness: N/m a node, of all or (N,).
        damping: N s/m a node, of all or (N,).
        friction: Coulomb's coefficient.
        slack: m a node, of all or (N,); see ``Obstacle``.
        velocity, angular_velocity: (3,) m/s and rad/s at which it moves about the pose's position.
        taken: (3,) N, summed over all steps: what it pushed and rubbed with.
    """

    shape: DistanceField
    pose: np.ndarray
    stiffness: float | np.ndarray = 1e5
    damping: float | np.ndarray = 0.0
    friction: float = 0.5
    slack: float | np.ndarray = 0.0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    taken: np.ndarray = field(default_factory=lambda: np.zeros(3), compare=False)

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """See ``Obstacle.push``."""
        _push_kernel(positions, velocities, *self._parts(len(positions)), forces, self.taken)

    def rub(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """See ``Obstacle.rub``."""
        if self.friction > 0.0:
            _rub_kernel(positions, velocities, masses, *self._parts(len(positions)), self.friction, step, self.taken)

    def depths(self, positions: np.ndarray) -> np.ndarray:
        """See ``Obstacle.depths``."""
        shape = self.shape
        points = (positions - self.pose[:3]) @ matrices(self.pose[3:])
        distances = [distance_and_slope(p, shape.origin, shape.spacing, shape.values, np.empty(3)) for p in points]
        return np.maximum(-np.array(distances), 0.0)

    def _parts(self, count: int) -> tuple:
        shape = self.shape
        turn = np.ascontiguousarray(matrices(self.pose[3:]))
        motion = (np.ascontiguousarray(self.pose[:3]), turn, self.velocity, self.angular_velocity)
        nodes = (np.broadcast_to(values, count) for values in (self.slack, self.stiffness, self.damping))
        return (shape.origin, shape.spacing, shape.values, *motion, *nodes)


@njit(cache=True, error_model="numpy")
def _touch(x, v, node, origin, spacing, values, place, turn, velocity, spin, slack, local, normal, sliding):
    """Depth of a node in the shape beyond its slack; the direction out of it, and its velocity against the shape."""
    r0, r1, r2 = x[node, 0] - place[0], x[node, 1] - place[1], x[node, 2] - place[2]
    for axis in range(3):
        local[axis] = turn[0, axis] * r0 + turn[1, axis] * r1 + turn[2, axis] * r2
    depth = -distance_and_slope(local, origin, spacing, values, sliding) - slack[node]
    if depth <= 0.0:
        return 0.0
    size = np.sqrt(sliding[0] ** 2 + sliding[1] ** 2 + sliding[2] ** 2)
    if size == 0.0:
        return 0.0
    for axis in range(3):
        along = turn[axis, 0] * sliding[0] + turn[axis, 1] * sliding[1] + turn[axis, 2] * sliding[2]
        normal[axis] = along / size
    sliding[0] = v[node, 0] - velocity[0] - (spin[1] * r2 - spin[2] * r1)
    sliding[1] = v[node, 1] - velocity[1] - (spin[2] * r0 - spin[0] * r2)
    sliding[2] = v[node, 2] - velocity[2] - (spin[0] * r1 - spin[1] * r0)
    return depth


@njit(cache=True, error_model="numpy")
def _push_kernel(
    x, v, origin, spacing, values, place, turn, velocity, spin, slack, stiffness, damping, forces, taken
):  # fmt: skip
    local, normal, sliding = np.empty(3), np.empty(3), np.empty(3)
    for node in range(len(x)):
        depth = _touch(
            x, v, node, origin, spacing, values, place, turn, velocity, spin, slack, local, normal, sliding
        )  # fmt: skip
        if depth > 0.0:
            rate = sliding[0] * normal[0] + sliding[1] * normal[1] + sliding[2] * normal[2]
            # Damping may take the whole push away, but an obstacle never pulls.
            push = max(stiffness[node] * depth - damping[node] * rate, 0.0)
            for axis in range(3):
                forces[node, axis] += push * normal[axis]
                taken[axis] += push * normal[axis]


@njit(cache=True, error_model="numpy")
def _rub_kernel(
    x, v, masses, origin, spacing, values, place, turn, velocity, spin, slack, stiffness, damping, friction, step, taken
):  # fmt: skip
    local, normal, sliding = np.empty(3), np.empty(3), np.empty(3)
    for node in range(len(x)):
        depth = _touch(
            x, v, node, origin, spacing, values, place, turn, velocity, spin, slack, local, normal, sliding
        )  # fmt: skip
        if depth <= 0.0:
            continue
        rate = sliding[0] * normal[0] + sliding[1] * normal[1] + sliding[2] * normal[2]
        push = max(stiffness[node] * depth - damping[node] * rate, 0.0)
        for axis in range(3):
            sliding[axis] -= rate * normal[axis]
        speed = np.sqrt(sliding[0] ** 2 + sliding[1] ** 2 + sliding[2] ** 2)
        if speed > 0.0:
            share = min(friction * push * step / (masses[node] * speed), 1.0)
            for axis in range(3):
                v[node, axis] -= share * sliding[axis]
                taken[axis] -= share * masses[node] / step * sliding[axis]
