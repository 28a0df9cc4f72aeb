"""What a mesh cannot enter: planes, balls and any closed shapes, still or on their way.

Contact is between nodes and the shape, as limits to velocity: a node that is inside is not to go deeper. An explicit
step changes the velocities of such nodes alone; a semi-implicit one is solved with them held (Baraff and Witkin 1998).
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

# Share of a node's depth that it is moved out by in a look, and how fast at most, m/s.
RETURN, MOST_RETURN = 0.1, 0.1
# Where a semi-implicit step is tried for what it would run into, as shares of it.
TRIED = (1.0 / 3.0, 2.0 / 3.0, 1.0)
# What a shape's field is resolved to, over the size of an element.
FIELD_SHARE = 0.4
# A field with nothing in it, for planes and balls.
_NOTHING = DistanceField(np.zeros(3), 1.0, np.zeros((1, 1, 1)))


@dataclass(frozen=True)
class Contact:
    """Nodes inside an obstacle.

    Attributes:
        depth: (N,) m, 0 outside.
        normal: (N, 3) out of it.
        velocity: (N, 3) m/s of the obstacle there.
    """

    depth: np.ndarray
    normal: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True)
class Obstacle:
    """A shape at a place.

    Attributes:
        field: Of the shape about its point of reference; unused for planes and balls.
        point: (3,) m, on a plane or in the middle of a ball, about the point of reference.
        normal: (3,) out of a plane.
        radius: m, of a ball; -1 for a plane, 0 for a field.
        friction: Coulomb's coefficient.
        pose: (7,) of the point of reference.
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
        """The same elsewhere."""
        return replace(self, pose=pose, velocity=velocity, angular_velocity=angular_velocity)

    def later(self, seconds: float) -> Obstacle:
        """A little further on its way, not turned."""
        return replace(self, pose=np.concatenate([self.pose[:3] + seconds * self.velocity, self.pose[3:]]))

    def touch(self, position: np.ndarray, reach: np.ndarray) -> Contact:
        """What is inside of nodes at (N, 3) m with a surface that is (N,) m beyond them."""
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
            normal[:] = arms / np.maximum(distance, 1e-300)[:, None]
        else:
            _depths_kernel(local, reach, self.field.origin, self.field.spacing, self.field.values, depth, normal)
        arms = position - self.pose[:3]
        return Contact(depth, normal @ turn.T, self.velocity + np.cross(self.angular_velocity, arms))


def obstacle_of(collider: Collider, center: np.ndarray, size: float, friction: float, above: np.ndarray) -> Obstacle:
    """A collider of a job.

    Args:
        collider: Its shape.
        center: (3,) m, its point of reference in rest space.
        size: m, of an element.
        friction: Of the body; the mean of both counts.
        above: (3,) m, on the side of a flat collider on which the body is.
    """
    points = collider.surface.points
    pose, still = np.array([*center, 1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    rub = 0.5 * (friction + collider.friction)
    if collider.shape == "sphere":
        middle, radius = ball_around(points)
        return Obstacle(_NOTHING, middle - center, still, radius, rub, pose, still, still)
    if is_flat(points):
        origin, normal = plane_through(points, above)
        return Obstacle(_NOTHING, origin - center, normal, -1.0, rub, pose, still, still)
    shape = closed(collider.surface, collider.shape, collider.name)
    field = distance_field(replace(shape, points=shape.points - center), FIELD_SHARE * size)
    return Obstacle(field, still, still, 0.0, rub, pose, still, still)


def keep_out(
    obstacle: Obstacle,
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> np.ndarray:
    """Stop nodes that go deeper into an obstacle, with friction; (3,) N s that the obstacle takes.

    Args:
        obstacle: At its place.
        position: (N, 3) m.
        velocity: (N, 3) m/s, changed in place.
        mass: (N,) kg.
        reach: (N,) m, as of ``Obstacle.touch``.
        seconds: Until the next time.
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
    stopped = np.minimum(obstacle.friction * push / np.maximum(size, 1e-300), 1.0)
    change = push[:, None] * normal - stopped[:, None] * sliding
    velocity[rows] += change
    return -mass[rows] @ change


def leaving_speed(depth: np.ndarray, seconds: float) -> np.ndarray:
    """(N,) m/s at which nodes so deep (N,) in an obstacle leave it."""
    return np.minimum(RETURN * depth / seconds, MOST_RETURN)


def would_hit(
    obstacles: Sequence[Obstacle | None],
    position: np.ndarray,
    velocity: np.ndarray,
    counts: np.ndarray,
    reach: np.ndarray,
    seconds: float,
    least: float,
) -> bool:
    """Whether an obstacle would hit a node harder than a speed; ``None`` is one that is not there.

    Args:
        obstacles: At their places.
        position: (N, 3) m.
        velocity: (N, 3) m/s, kept all the while.
        counts: (N,) bool, nodes that can be hit.
        reach: (N,) m, as of ``Obstacle.touch``.
        seconds: Within which.
        least: m/s.
    """
    for item in obstacles:
        for share in TRIED if item else ():
            contact = item.later(share * seconds).touch(position + share * seconds * velocity, reach)
            closing = np.einsum("ni,ni->n", contact.velocity - velocity, contact.normal)
            if (closing[(contact.depth > 0.0) & counts] > least).any():
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
    """Which nodes an obstacle holds in a semi-implicit step, with friction; ``None`` is one that is not there.

    Args:
        obstacles: At their places.
        position: (N, 3) m.
        velocity: (N, 3) m/s that nodes would have at the end of the step if nothing bent.
        free: (N,) bool, nodes that can be held.
        reach: (N,) m, as of ``Obstacle.touch``.
        seconds: Of the step.

    Returns:
        (N,) row of the first obstacle that holds each node, -1 for none; (N, 3) m/s of those that are held.
    """
    owner, result = np.full(len(position), -1), np.zeros_like(velocity)
    for row, item in enumerate(obstacles):
        if item is None:
            continue
        contact = item.later(seconds).touch(position + seconds * velocity, reach)
        relative = velocity - contact.velocity
        speed = np.einsum("ni,ni->n", relative, contact.normal)
        leaving = np.minimum(speed + contact.depth / seconds, MOST_RETURN)
        nodes = np.flatnonzero((contact.depth > 0.0) & (speed < leaving) & (owner < 0) & free)
        normal, push = contact.normal[nodes], leaving[nodes] - speed[nodes]
        sliding = relative[nodes] - speed[nodes, None] * normal
        size = np.maximum(np.linalg.norm(sliding, axis=1), 1e-300)
        kept = np.maximum(1.0 - item.friction * push / size, 0.0)
        result[nodes] = contact.velocity[nodes] + leaving[nodes, None] * normal + kept[:, None] * sliding
        owner[nodes] = row
    return owner, result


@njit(cache=True)
def _depths_kernel(points, reach, origin, spacing, values, depth, normal):
    slope = np.empty(3)
    for row in range(len(points)):
        distance = distance_and_slope(points[row], origin, spacing, values, slope)
        size = np.sqrt(slope[0] ** 2 + slope[1] ** 2 + slope[2] ** 2)
        if distance < reach[row] and size > 0.0:
            depth[row] = reach[row] - distance
            normal[row] = slope / size
