"""Obstacles of a mesh: planes, balls and closed shapes, at rest or moving.

Contact is between nodes and the shape, and limits velocities: a node inside must not go deeper. An explicit step
changes the velocities of these nodes directly. A semi-implicit step prescribes them in its solve (Baraff and Witkin
1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from ....data.job import Collider
from ....geometry.distance_field import DistanceField, closed, distance_and_slope, distance_field
from ....geometry.inspection import is_flat
from ....geometry.plain_shapes import ball_around, plane_through
from ....numerics.rotations import matrices

# Share of a node's depth by which it moves out per contact interval, and the largest speed, m/s. Chosen; not measured.
RETURN, MAX_RETURN_SPEED = 0.1, 0.1
# Moments of a semi-implicit step, as shares of it, at which it is tested for hard impacts. Chosen; not measured.
TEST_MOMENTS = (1.0 / 3.0, 2.0 / 3.0, 1.0)
# Spacing of a shape's distance field over the size of an element. Chosen; not measured.
FIELD_SHARE = 0.4
# Smallest length or speed treated as nonzero, m or m/s.
TINY = 1e-300
# Distance field of planes and balls, which do not use it.
_NO_FIELD = DistanceField(np.zeros(3), 1.0, np.zeros((1, 1, 1)))


@dataclass(frozen=True)
class Contact:
    """Nodes inside an obstacle.

    Attributes:
        depth: (N,) m, 0 outside.
        normal: (N, 3) unit, out of the obstacle.
        velocity: (N, 3) m/s of the obstacle at the nodes.
    """

    depth: np.ndarray
    normal: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True)
class Obstacle:
    """A shape with a pose.

    Attributes:
        field: Distance field of the shape, relative to its reference point; unused for planes and balls.
        point: (3,) m, a point of a plane or the centre of a ball, relative to the reference point.
        normal: (3,) unit, out of a plane.
        radius: Radius of a ball, m; -1 for a plane, 0 for a distance field.
        friction: Coefficient of friction.
        pose: (7,) of the reference point.
        velocity, angular_velocity: (3,) m/s and rad/s.
    """

    field: DistanceField
    point: np.ndarray
    normal: np.ndarray
    radius: float
    friction: float
    pose: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray

    def at(self, pose: np.ndarray, velocity: np.ndarray, angular_velocity: np.ndarray) -> Obstacle:
        """Return the obstacle at another pose, with other velocities."""
        return replace(self, pose=pose, velocity=velocity, angular_velocity=angular_velocity)

    def later(self, seconds: float) -> Obstacle:
        """Return the obstacle after ``seconds`` of its velocity, without rotation."""
        return replace(self, pose=np.concatenate([self.pose[:3] + seconds * self.velocity, self.pose[3:]]))

    def touch(self, position: np.ndarray, reach: np.ndarray) -> Contact:
        """Find the nodes inside the obstacle.

        Args:
            position: (N, 3) m.
            reach: (N,) m, how far the body's surface lies outside of each node.
        """
        turn = matrices(self.pose[3:])
        local = np.ascontiguousarray((position - self.pose[:3]) @ turn)
        depth, normal = np.zeros(len(position)), np.zeros((len(position), 3))
        if self.radius < 0.0:
            depth[:] = np.maximum((self.point - local) @ self.normal + reach, 0.0)
            normal[:] = self.normal
        elif self.radius > 0.0:
            arms = local - self.point
            distance = np.linalg.norm(arms, axis=1)
            depth[:] = np.maximum(self.radius - distance + reach, 0.0)
            normal[:] = arms / np.maximum(distance, TINY)[:, None]
        else:
            _depths_kernel(local, reach, self.field.origin, self.field.spacing, self.field.values, depth, normal)
        arms = position - self.pose[:3]
        return Contact(depth, normal @ turn.T, self.velocity + np.cross(self.angular_velocity, arms))


def obstacle_of(collider: Collider, center: np.ndarray, size: float, friction: float, above: np.ndarray) -> Obstacle:
    """Convert a collider of a job.

    Args:
        collider: Shape and friction.
        center: (3,) m, its reference point in rest space.
        size: Size of an element, m.
        friction: Friction of the body; the obstacle gets the mean of both.
        above: (3,) m, a point on the body's side of a flat collider.
    """
    points = collider.surface.points
    pose, zero = np.array([*center, 1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    mean_friction = 0.5 * (friction + collider.friction)
    if collider.shape == "sphere":
        middle, radius = ball_around(points)
        return Obstacle(_NO_FIELD, middle - center, zero, radius, mean_friction, pose, zero, zero)
    if is_flat(points):
        origin, normal = plane_through(points, above)
        return Obstacle(_NO_FIELD, origin - center, normal, -1.0, mean_friction, pose, zero, zero)
    shape = closed(collider.surface, collider.shape, collider.name)
    field = distance_field(replace(shape, points=shape.points - center), FIELD_SHARE * size)
    return Obstacle(field, zero, zero, 0.0, mean_friction, pose, zero, zero)


def keep_out(
    obstacle: Obstacle,
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> np.ndarray:
    """Stop nodes that go deeper into an obstacle, with friction.

    Args:
        obstacle: At its current pose.
        position: (N, 3) m.
        velocity: (N, 3) m/s, changed in place.
        mass: (N,) kg.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Contact interval in which nodes move out by ``RETURN`` of their depth, s.

    Returns:
        (3,) N s, the impulse on the obstacle.
    """
    contact = obstacle.touch(position, reach)
    rows = np.flatnonzero((contact.depth > 0.0) & (mass > 0.0))
    if not len(rows):
        return np.zeros(3)
    normal, relative = contact.normal[rows], velocity[rows] - contact.velocity[rows]
    speed = np.einsum("ni,ni->n", relative, normal)
    push = np.maximum(leaving_speed(contact.depth[rows], seconds) - speed, 0.0)
    sliding = relative - speed[:, None] * normal
    size = np.linalg.norm(sliding, axis=1)
    stopped = np.minimum(obstacle.friction * push / np.maximum(size, TINY), 1.0)
    change = push[:, None] * normal - stopped[:, None] * sliding
    velocity[rows] += change
    return -mass[rows] @ change


def leaving_speed(depth: np.ndarray, seconds: float) -> np.ndarray:
    """Return the (N,) speed at which nodes at ``depth`` (N,) m leave an obstacle, m/s."""
    return np.minimum(RETURN * depth / seconds, MAX_RETURN_SPEED)


def would_hit(
    obstacles: Sequence[Obstacle | None],
    position: np.ndarray,
    velocity: np.ndarray,
    has_mass: np.ndarray,
    reach: np.ndarray,
    seconds: float,
    min_speed: float,
) -> bool:
    """Return whether an obstacle would hit a node faster than a given speed.

    Args:
        obstacles: At their current poses; ``None`` for an absent one.
        position: (N, 3) m.
        velocity: (N, 3) m/s, assumed constant.
        has_mass: (N,) bool, nodes that count.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Time ahead, s.
        min_speed: m/s.
    """
    for item in obstacles:
        if item is None:
            continue
        for share in TEST_MOMENTS:
            contact = item.later(share * seconds).touch(position + share * seconds * velocity, reach)
            closing = np.einsum("ni,ni->n", contact.velocity - velocity, contact.normal)
            if (closing[(contact.depth > 0.0) & has_mass] > min_speed).any():
                return True
    return False


def hold(
    obstacles: Sequence[Obstacle | None],
    position: np.ndarray,
    velocity: np.ndarray,
    free: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the nodes in contact during a semi-implicit step, and prescribe their velocities, with friction.

    Args:
        obstacles: At their current poses; ``None`` for an absent one.
        position: (N, 3) m.
        velocity: (N, 3) m/s at the end of the step without elastic forces.
        free: (N,) bool, nodes that are not fixed.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Time step, s.

    Returns:
        (N,) row of the first obstacle in contact with each node, -1 for none; (N, 3) m/s of the nodes in contact.
    """
    owner, result = np.full(len(position), -1), np.zeros_like(velocity)
    for row, item in enumerate(obstacles):
        if item is None:
            continue
        contact = item.later(seconds).touch(position + seconds * velocity, reach)
        relative = velocity - contact.velocity
        speed = np.einsum("ni,ni->n", relative, contact.normal)
        leaving = np.minimum(speed + contact.depth / seconds, MAX_RETURN_SPEED)
        nodes = np.flatnonzero((contact.depth > 0.0) & (speed < leaving) & (owner < 0) & free)
        normal, push = contact.normal[nodes], leaving[nodes] - speed[nodes]
        sliding = relative[nodes] - speed[nodes, None] * normal
        size = np.maximum(np.linalg.norm(sliding, axis=1), TINY)
        slip = np.maximum(1.0 - item.friction * push / size, 0.0)
        result[nodes] = contact.velocity[nodes] + leaving[nodes, None] * normal + slip[:, None] * sliding
        owner[nodes] = row
    return owner, result


@njit(cache=True)
def _depths_kernel(
    points: np.ndarray,
    reach: np.ndarray,
    origin: np.ndarray,
    spacing: float,
    values: np.ndarray,
    depth: np.ndarray,
    normal: np.ndarray,
) -> None:
    """Write depth (N,) m and normal (N, 3) of ``points`` (N, 3) within ``reach`` (N,) m of a distance field."""
    slope = np.empty(3)
    for row in range(len(points)):
        distance = distance_and_slope(points[row], origin, spacing, values, slope)
        size = np.sqrt(slope[0] ** 2 + slope[1] ** 2 + slope[2] ** 2)
        if distance < reach[row] and size > 0.0:
            depth[row] = reach[row] - distance
            normal[row] = slope / size
