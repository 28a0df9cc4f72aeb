"""Obstacles of any closed shape, by a signed distance field that is built once and moves with the shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit

from ....geometry.distance_field import DistanceField, distance_and_slope
from ....numerics.rotations import matrices


@dataclass(frozen=True)
class ShapeObstacle:
    """A closed shape that pushes nodes out. Its methods are those of ``Obstacle``.

    Attributes:
        shape: Distance field in the shape's local space.
        pose: (7,) from local space to the world, position in m and quaternion.
        stiffness: N/m for each node, one value or (N,).
        damping: N s/m for each node, one value or (N,).
        friction: Coulomb coefficient.
        slack: m for each node, one value or (N,); see ``Obstacle``.
        velocity, angular_velocity: (3,) m/s and (3,) rad/s, motion about the position of the pose.
        force_sum: (3,) N, the force on the nodes, summed over all steps. Updated in place.
    """

    shape: DistanceField
    pose: np.ndarray
    stiffness: float | np.ndarray = 1e5
    damping: float | np.ndarray = 0.0
    friction: float = 0.5
    slack: float | np.ndarray = 0.0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    force_sum: np.ndarray = field(default_factory=lambda: np.zeros(3), compare=False)
    # The kernels' arguments by the number of nodes: making them in each step took 40 % of the time (profile).
    _arguments: dict[int, tuple[Any, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """See ``Obstacle.push``."""
        arguments = (positions, velocities, *self._kernel_arguments(len(positions)), forces, self.force_sum)
        _push_kernel(*arguments)

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """See ``Obstacle.apply_friction``."""
        if self.friction > 0.0:
            shape = self._kernel_arguments(len(positions))
            arguments = (positions, velocities, masses, *shape, self.friction, step, self.force_sum)
            _friction_kernel(*arguments)

    def depths(self, positions: np.ndarray) -> np.ndarray:
        """See ``Obstacle.depths``."""
        shape = self.shape
        points = (positions - self.pose[:3]) @ matrices(self.pose[3:])
        distances = [distance_and_slope(p, shape.origin, shape.spacing, shape.values, np.empty(3)) for p in points]
        return np.maximum(-np.array(distances), 0.0)

    def _kernel_arguments(self, count: int) -> tuple[Any, ...]:
        if count in self._arguments:
            return self._arguments[count]
        shape = self.shape
        turn = np.ascontiguousarray(matrices(self.pose[3:]))
        half = 0.5 * shape.spacing * (np.array(shape.values.shape) - 1)
        sphere = self.pose[:3] + turn @ (shape.origin + half), 1.001 * float(half @ half)
        motion = (np.ascontiguousarray(self.pose[:3]), turn, self.velocity, self.angular_velocity)
        nodes = (np.broadcast_to(values, count) for values in (self.slack, self.stiffness, self.damping))
        self._arguments[count] = (*sphere, shape.origin, shape.spacing, shape.values, *motion, *nodes)
        return self._arguments[count]


@njit(cache=True, error_model="numpy")
def _may_touch(x: np.ndarray, node: int, middle: np.ndarray, reach: float) -> bool:
    """Return whether a node is in the sphere around the field. Most nodes are not, and ``_touch`` takes far longer.

    Args:
        x: (N, 3) m, positions of nodes.
        node: Row of the node.
        middle: (3,) m, centre of the sphere.
        reach: m2, its squared radius.
    """
    d0, d1, d2 = x[node, 0] - middle[0], x[node, 1] - middle[1], x[node, 2] - middle[2]
    return d0 * d0 + d1 * d1 + d2 * d2 < reach


@njit(cache=True, error_model="numpy")
def _touch(
    x: np.ndarray,
    v: np.ndarray,
    node: int,
    origin: np.ndarray,
    spacing: float,
    values: np.ndarray,
    position: np.ndarray,
    turn: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    slack: np.ndarray,
    local: np.ndarray,
    normal: np.ndarray,
    sliding: np.ndarray,
) -> float:
    """Compute the depth of a node beyond its slack, m.

    Also write the outward unit vector to ``normal`` and the velocity relative to the shape to ``sliding``.
    """
    r0, r1, r2 = x[node, 0] - position[0], x[node, 1] - position[1], x[node, 2] - position[2]
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
    x: np.ndarray,
    v: np.ndarray,
    middle: np.ndarray,
    reach: float,
    origin: np.ndarray,
    spacing: float,
    values: np.ndarray,
    position: np.ndarray,
    turn: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    slack: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    forces: np.ndarray,
    force_sum: np.ndarray,
) -> None:
    local, normal, sliding = np.empty(3), np.empty(3), np.empty(3)
    for node in range(len(x)):
        if not _may_touch(x, node, middle, reach):
            continue
        depth = _touch(
            x, v, node, origin, spacing, values, position, turn, velocity, spin, slack, local, normal, sliding
        )
        if depth > 0.0:
            rate = sliding[0] * normal[0] + sliding[1] * normal[1] + sliding[2] * normal[2]
            # Damping may cancel the push, but an obstacle never pulls.
            push = max(stiffness[node] * depth - damping[node] * rate, 0.0)
            for axis in range(3):
                forces[node, axis] += push * normal[axis]
                force_sum[axis] += push * normal[axis]


@njit(cache=True, error_model="numpy")
def _friction_kernel(
    x: np.ndarray,
    v: np.ndarray,
    masses: np.ndarray,
    middle: np.ndarray,
    reach: float,
    origin: np.ndarray,
    spacing: float,
    values: np.ndarray,
    position: np.ndarray,
    turn: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    slack: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    friction: float,
    step: float,
    force_sum: np.ndarray,
) -> None:
    local, normal, sliding = np.empty(3), np.empty(3), np.empty(3)
    for node in range(len(x)):
        if not _may_touch(x, node, middle, reach):
            continue
        depth = _touch(
            x, v, node, origin, spacing, values, position, turn, velocity, spin, slack, local, normal, sliding
        )
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
                force_sum[axis] -= share * masses[node] / step * sliding[axis]
