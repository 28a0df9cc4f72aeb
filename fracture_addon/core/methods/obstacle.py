"""Colliders of deformable bodies: planes, balls and closed shapes, at rest or moving."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from ..data.arrays import ReadOnlyArrays
from ..data.job import Collider
from ..data.motion import Motion
from ..geometry.distance_field import DistanceField, closed, distance_and_slope, distance_field
from ..geometry.inspection import is_flat
from ..geometry.plain_shapes import ball_around, plane_through
from ..numerics.rotations import IDENTITY, matrices
from . import pushes

# Spacing of a shape's distance field, in cell sizes. A fine field takes longer: bricks on a blade of 2 cm
# move 62, 68 and 72 mm at 0.2, 0.4 and 0.8.
FIELD_SHARE = 0.4
# Radius of the hollows of a shape that count as inside, in cell sizes. Cells of a body do not resolve narrower ones,
# and contact is too soft to stop heavy thin walls. Without this, a jar that fell on a cushion stood 50 mm inside.
NARROWEST = 1.0
# Places on each outer face of a body that touch obstacles, barycentric: the centres of the four triangles between its
# corners and the middles of its edges.
PLACES = np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0], [2.0, 2.0, 2.0]]) / 6.0
# Values of ``Collider.shape`` that are balls.
BALLS = frozenset({"sphere"})
# ``Obstacle.radius`` of a plane.
PLANE = -1.0
# Smallest length treated as nonzero, m.
TINY = 1e-300
# Distance field of planes and balls, which do not use it.
_NO_FIELD = DistanceField(np.zeros(3), 1.0, np.zeros((1, 1, 1)))
_UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Contact(ReadOnlyArrays):
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
class Obstacle(ReadOnlyArrays):
    """A shape with a pose.

    Attributes:
        point: (3,) m, a point of a plane or the centre of a ball, relative to the reference point.
        normal: (3,) unit, out of a plane; unused for other shapes.
        radius: Radius of a ball, m; ``PLANE`` for a plane, 0 for a distance field.
        distances: Distance field of the shape, relative to its reference point; unused for planes and balls.
        friction: Coefficient of friction.
        pose: (7,) position of the reference point, m, and rotation as a quaternion (w, x, y, z).
        velocity, angular_velocity: (3,) m/s of the reference point, and rad/s.
        inverse_mass: 1/kg; 0 if forces do not move it.
        inverse_inertia: (3, 3) 1/(kg m2), about the reference point, orientation of the world; 0 likewise.
    """

    point: np.ndarray
    normal: np.ndarray
    radius: float
    distances: DistanceField = _NO_FIELD
    friction: float = 0.5
    pose: np.ndarray = field(default_factory=IDENTITY.copy)
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inverse_mass: float = 0.0
    inverse_inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    @classmethod
    def plane(cls, point: ArrayLike, normal: ArrayLike = _UP, friction: float = 0.5) -> Obstacle:
        """Return a half-space at rest below a plane through a point (3,) m with an outward normal (3,)."""
        normal = np.asarray(normal, float)
        return cls(np.asarray(point, float), normal / np.linalg.norm(normal), PLANE, friction=friction)

    @classmethod
    def ball(cls, center: ArrayLike, radius: float, friction: float = 0.5) -> Obstacle:
        """Return a ball at rest with a centre (3,) m and a radius, m."""
        return cls(np.asarray(center, float), np.zeros(3), radius, friction=friction)

    def at(self, motion: Motion) -> Obstacle:
        """Return the obstacle with another motion."""
        return replace(
            self,
            pose=motion.pose,
            velocity=motion.velocity,
            angular_velocity=motion.angular_velocity,
            inverse_mass=motion.inverse_mass,
            inverse_inertia=motion.inverse_inertia,
        )

    def pushed(self, impulses: np.ndarray) -> Obstacle:
        """Return the obstacle with the velocities after impulses (COLUMNS,) on it; see ``pushes``.

        Example:
            >>> ball = replace(Obstacle.ball([0, 0, 0], 1.0), inverse_mass=0.5)
            >>> ball.pushed(pushes.sum_of(np.array([[1.0, 0, 0]]), np.array([[-4.0, 0, 0]]))).velocity.tolist()
            [-2.0, 0.0, 0.0]
        """
        if not self.inverse_mass:
            return self
        turn = self.inverse_inertia @ pushes.moment_about(impulses, self.pose[:3])
        velocity = self.velocity + self.inverse_mass * impulses[pushes.FORCE]
        return replace(self, velocity=velocity, angular_velocity=self.angular_velocity + turn)

    def later(self, seconds: float) -> Obstacle:
        """Return the obstacle moved for ``seconds`` at its velocity, without rotation."""
        return replace(self, pose=np.concatenate([self.pose[:3] + seconds * self.velocity, self.pose[3:]]))

    @property
    def extent(self) -> float:
        """Largest distance of a point of the obstacle from its reference point, m; infinite for a plane."""
        if self.radius < 0.0:
            return np.inf
        return self.radius + float(np.linalg.norm(self.point)) if self.radius > 0.0 else self.distances.extent

    def is_within(self, center: np.ndarray, distance: float) -> bool:
        """Return whether the obstacle may reach to within a distance, m, of a point (3,) m; always for a plane."""
        return bool(np.linalg.norm(self.pose[:3] - center) <= distance + self.extent)

    def touch(self, position: np.ndarray, reach: np.ndarray) -> Contact:
        """Find the nodes inside the obstacle.

        Args:
            position: (N, 3) m.
            reach: (N,) m, distance from each node to the body's surface outside of it.

        Returns:
            Depth, outward normal, and velocity of the obstacle at each node.

        Example:
            Two nodes at 0.9 m and 2 m from the centre of a ball of 1 m.

            >>> contact = Obstacle.ball([0, 0, 0], 1.0).touch(np.array([[0.9, 0, 0], [2.0, 0, 0]]), np.zeros(2))
            >>> contact.depth.round(9).tolist(), contact.normal[0].tolist()
            ([0.1, 0.0], [1.0, 0.0, 0.0])
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
            _depths_kernel(
                local, reach, self.distances.origin, self.distances.spacing, self.distances.values, depth, normal
            )
        arms = position - self.pose[:3]
        return Contact(depth, normal @ turn.T, self.velocity + np.cross(self.angular_velocity, arms))


def obstacle_of(collider: Collider, center: np.ndarray, size: float, friction: float, above: np.ndarray) -> Obstacle:
    """Convert a collider of a job.

    Args:
        collider: Shape and friction.
        center: (3,) m, its reference point in rest space.
        size: Size of a cell of the bodies, m.
        friction: Friction of the bodies; the obstacle gets the mean of both.
        above: (3,) m, a point on the bodies' side of a flat collider.
    """
    points, zero = collider.surface.points, np.zeros(3)
    if collider.shape in BALLS:
        middle, radius = ball_around(points)
        shape = Obstacle(middle - center, zero, radius)
    elif is_flat(points):
        origin, normal = plane_through(points, above)
        shape = Obstacle(origin - center, normal, PLANE)
    else:
        surface = closed(collider.surface, collider.shape, collider.name)
        finest = FIELD_SHARE * size
        centered = replace(surface, points=surface.points - center)
        shape = Obstacle(zero, zero, 0.0, distance_field(centered, finest, NARROWEST * size))
    pose = np.array([*center, 1.0, 0.0, 0.0, 0.0])
    return replace(shape, friction=0.5 * (friction + collider.friction), pose=pose)


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
