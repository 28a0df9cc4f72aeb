"""Contact with obstacles by springs with damping and friction (Norton et al. 1991)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit

from ....geometry.distance_field import distance_and_slope
from ....numerics.rotations import matrices
from ...obstacle import Obstacle

# Squared radius of the sphere around a field, over that of its corners. It covers rounding.
SPHERE_MARGIN = 1.001


@dataclass
class SpringContact:
    """An obstacle that pushes nodes out.

    Attributes:
        obstacle: Its shape and motion.
        stiffness: N/m for each node, one value or (N,).
        damping: N s/m for each node, one value or (N,).
        slack: m, depth without a push, one value or (N,). Nodes outside the visible surface have a positive slack,
            nodes in the middle of a rope or sheet a negative one.
        force_sum: (3,) N, the force on the nodes, summed over all steps. Updated in place.
    """

    obstacle: Obstacle
    stiffness: float | np.ndarray = 1e5
    damping: float | np.ndarray = 0.0
    slack: float | np.ndarray = 0.0
    force_sum: np.ndarray = field(default_factory=lambda: np.zeros(3), compare=False)
    # The kernels' arguments by the number of nodes: making them in each step took 40 % of the time (profile).
    _arguments: dict[int, tuple[Any, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """Add the normal forces on the nodes: stiffness times depth, minus damping times the speed out of the obstacle.

        Args:
            positions: (N, 3) m.
            velocities: (N, 3) m/s.
            forces: (N, 3) N, changed in place.

        Notes:
            Norton et al. 1991, "External forces". Own: damping may cancel the push, but an obstacle never pulls.

        Example:
            A node is 10 mm below a floor of 1,000 N/m.

            >>> floor, forces = SpringContact(Obstacle.plane([0, 0, 0]), stiffness=1000.0), np.zeros((1, 3))
            >>> floor.push(np.array([[0.0, 0.0, -0.01]]), np.zeros((1, 3)), forces)
            >>> forces.round(9).tolist()
            [[0.0, 0.0, 10.0]]
        """
        arguments = (positions, velocities, *self._kernel_arguments(len(positions)), forces, self.force_sum)
        _push_kernel(*arguments)

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """Slow sliding nodes, after all other forces have changed their velocities.

        Friction is the coefficient times the normal force, but at most the force that stops the sliding. A resting node
        therefore stays at rest. Without this limit, friction would reverse slow sliding at every step.

        Args:
            positions: (N, 3) m.
            velocities: (N, 3) m/s, changed in place.
            masses: (N,) kg.
            step: s.

        Notes:
            Norton et al. 1991: friction in proportion to the intrusion.

        Example:
            The floor pushes a node of 1 kg with 10 N and has the coefficient 0.5: the node loses 5 m/s2 for 0.1 s.

            >>> floor = SpringContact(Obstacle.plane([0, 0, 0], friction=0.5), stiffness=1000.0)
            >>> velocities = np.array([[2.0, 0.0, 0.0]])
            >>> floor.apply_friction(np.array([[0.0, 0.0, -0.01]]), velocities, np.ones(1), 0.1)
            >>> velocities.round(9).tolist()
            [[1.5, 0.0, 0.0]]
        """
        if self.obstacle.friction > 0.0:
            surroundings = self._kernel_arguments(len(positions))
            arguments = (positions, velocities, *surroundings, masses, self.obstacle.friction, step, self.force_sum)
            _friction_kernel(*arguments)

    def depths(self, positions: np.ndarray) -> np.ndarray:
        """Compute the (N,) depths of (N, 3) positions in the obstacle, m; 0 outside. Slack does not count."""
        return self.obstacle.touch(positions, np.zeros(len(positions))).depth

    def _kernel_arguments(self, count: int) -> tuple[Any, ...]:
        if count not in self._arguments:
            nodes = tuple(np.broadcast_to(values, count) for values in (self.slack, self.stiffness, self.damping))
            self._arguments[count] = *_shape_arguments(self.obstacle), nodes
        return self._arguments[count]


def _shape_arguments(obstacle: Obstacle) -> tuple[Any, ...]:
    """Return the kernels' arguments ``sphere``, ``shape`` and ``motion``; see ``_touch``.

    A plane and a ball are in world space, and all their points have the same velocity.
    """
    position, turn = np.ascontiguousarray(obstacle.pose[:3]), np.ascontiguousarray(matrices(obstacle.pose[3:]))
    shape, zero = obstacle.distances, np.zeros(3)
    grid = shape.origin, shape.spacing, shape.values
    if obstacle.radius == 0.0:
        half = 0.5 * shape.spacing * (np.array(shape.values.shape) - 1)
        sphere = position + turn @ (shape.origin + half), SPHERE_MARGIN * float(half @ half)
        motion = position, turn, obstacle.velocity, obstacle.angular_velocity
        return sphere, (0.0, zero, zero, *grid), motion
    arm = turn @ obstacle.point
    point, velocity = position + arm, obstacle.velocity + np.cross(obstacle.angular_velocity, arm)
    plane = turn @ obstacle.normal
    plane = plane / (np.linalg.norm(plane) or 1.0)
    return (point, np.inf), (float(obstacle.radius), point, plane, *grid), (zero, turn, velocity, zero)


@njit(cache=True, error_model="numpy")
def _may_touch(x: np.ndarray, node: int, sphere: tuple[Any, ...]) -> bool:
    """Return whether a node is in the sphere around the obstacle. Most nodes are not, and ``_touch`` takes far longer.

    Args:
        x: (N, 3) m, positions of nodes.
        node: Row of the node.
        sphere: Centre (3,) m, and squared radius, m2.
    """
    middle, reach = sphere
    d0, d1, d2 = x[node, 0] - middle[0], x[node, 1] - middle[1], x[node, 2] - middle[2]
    return d0 * d0 + d1 * d1 + d2 * d2 < reach


@njit(cache=True, error_model="numpy")
def _touch(
    x: np.ndarray,
    v: np.ndarray,
    node: int,
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    slack: np.ndarray,
    local: np.ndarray,
    normal: np.ndarray,
    sliding: np.ndarray,
) -> float:
    """Compute the depth of a node beyond its slack, m.

    Args:
        x: (N, 3) m, positions of nodes.
        v: (N, 3) m/s, their velocities.
        node: Row of the node.
        shape: Radius, point and plane as for ``Obstacle``, and origin, spacing and values of the distance field.
        motion: Position (3,), rotation (3, 3), velocity (3,) and angular velocity (3,) of the obstacle.
        slack: (N,) m.
        local: (3,) work space.
        normal: (3,) is overwritten with the outward unit vector.
        sliding: (3,) is overwritten with the velocity relative to the obstacle.
    """
    radius, point, plane, origin, spacing, values = shape
    position, turn, velocity, spin = motion
    r0, r1, r2 = x[node, 0] - position[0], x[node, 1] - position[1], x[node, 2] - position[2]
    if radius != 0.0:
        d0, d1, d2 = x[node, 0] - point[0], x[node, 1] - point[1], x[node, 2] - point[2]
        if radius > 0.0:
            distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
            if distance == 0.0:
                return 0.0
            depth = radius - distance - slack[node]
            normal[0], normal[1], normal[2] = d0 / distance, d1 / distance, d2 / distance
        else:
            depth = -(d0 * plane[0] + d1 * plane[1] + d2 * plane[2]) - slack[node]
            normal[:] = plane
        if depth <= 0.0:
            return 0.0
    else:
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
    sphere: tuple[Any, ...],
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    nodes: tuple[Any, ...],
    forces: np.ndarray,
    force_sum: np.ndarray,
) -> None:
    slack, stiffness, damping = nodes
    local, normal, sliding = np.empty(3), np.empty(3), np.empty(3)
    for node in range(len(x)):
        if not _may_touch(x, node, sphere):
            continue
        depth = _touch(x, v, node, shape, motion, slack, local, normal, sliding)
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
    sphere: tuple[Any, ...],
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    nodes: tuple[Any, ...],
    masses: np.ndarray,
    friction: float,
    step: float,
    force_sum: np.ndarray,
) -> None:
    slack, stiffness, damping = nodes
    local, normal, sliding = np.empty(3), np.empty(3), np.empty(3)
    for node in range(len(x)):
        if not _may_touch(x, node, sphere):
            continue
        depth = _touch(x, v, node, shape, motion, slack, local, normal, sliding)
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
