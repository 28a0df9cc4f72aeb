"""Contact with obstacles by springs with damping and friction (Norton et al. 1991)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit

from ....geometry.distance_field import distance_and_slope
from ....numerics.rotations import cross, matrices
from ...obstacle import Obstacle
from ...pushes import COLUMNS, FORCE, add_push, moment_about
from .contact_points import ContactPoints, nodes_as_points

# How easily a point at the edge of a free obstacle moves, over its centre. A uniform ball gives 3.5, a cube 4.
EDGE = 4.0
# Squared radius of the sphere around a field, over that of its corners. It covers rounding.
SPHERE_MARGIN = 1.001


@dataclass
class SpringContact:
    """An obstacle that pushes contact points out.

    Attributes:
        obstacle: Its shape and motion.
        stiffness: N/m for each point, one value or (P,).
        damping: N s/m for each point, one value or (P,).
        slack: m, depth without a push, one value or (P,). Points in the middle of a rope or sheet have a negative one.
        points: The contact points; ``None`` for the nodes themselves.
        impulses: (COLUMNS,) sum of the impulses on the obstacle in all finished steps; see ``pushes``.
    """

    obstacle: Obstacle
    stiffness: float | np.ndarray = 1e5
    damping: float | np.ndarray = 0.0
    slack: float | np.ndarray = 0.0
    points: ContactPoints | None = None
    impulses: np.ndarray = field(default_factory=lambda: np.zeros(COLUMNS), init=False, compare=False)

    def __post_init__(self) -> None:
        # Sum of the forces on the obstacle in this step.
        self._forces = np.zeros(COLUMNS)
        self._shape = _MovingShape(self.obstacle)
        # The kernels' arguments by the number of nodes: making them in each step took 40 % of the time (profile).
        self._points: dict[int, tuple[Any, ...]] = {}

    def start_step(self) -> None:
        """Start a step, and forget the forces of one that was not finished."""
        self._forces[:] = 0.0

    def finish_step(self, step: float) -> None:
        """Change the motion of the obstacle by the forces of a step, and move it.

        Args:
            step: s.

        Notes:
            Own: the obstacle of Norton et al. 1991 does not move.

        Example:
            A ball of 2 kg moves at 3 m/s for 0.1 s.

            >>> from ....data.motion import Motion
            >>> motion = Motion(np.array([0.0, 0, 0, 1, 0, 0, 0]), np.array([3.0, 0, 0]), np.zeros(3), inverse_mass=0.5)
            >>> contact = SpringContact(Obstacle.ball([0, 0, 0], 1.0).at(motion), stiffness=120.0)
            >>> contact.push(np.array([[0.9, 0.0, 0.0]]), *np.zeros((2, 1, 3)))  # 12 N, of which a light ball gets 4
            >>> contact.finish_step(0.1)
            >>> contact.impulses[FORCE].round(9).tolist(), contact.velocity.round(9).tolist()
            ([-0.4, 0.0, 0.0], [2.8, 0.0, 0.0])
        """
        impulses, obstacle, shape = step * self._forces, self.obstacle, self._shape
        self.impulses += impulses
        if obstacle.inverse_mass and impulses.any():
            turn = obstacle.inverse_inertia @ moment_about(impulses, shape.place)
            shape.accelerate(obstacle.inverse_mass * impulses[FORCE], turn)
        shape.move(step)

    @property
    def velocity(self) -> np.ndarray:
        """Velocity (3,) m/s of the obstacle's reference point."""
        return self._shape.velocity

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray, share: float = 1.0) -> None:
        """Add the normal forces on the nodes: stiffness times depth, minus damping times the speed out of the obstacle.

        Args:
            positions: (N, 3) m.
            velocities: (N, 3) m/s.
            forces: (N, 3) N, changed in place.
            share: Weight of these forces in the step.

        Notes:
            Norton et al. 1991, "External forces". Own: damping may cancel the push, but an obstacle never pulls.

        Example:
            A node is 10 mm below a floor of 1,000 N/m.

            >>> floor, forces = SpringContact(Obstacle.plane([0, 0, 0]), stiffness=1000.0), np.zeros((1, 3))
            >>> floor.push(np.array([[0.0, 0.0, -0.01]]), np.zeros((1, 3)), forces)
            >>> forces.round(9).tolist()
            [[0.0, 0.0, 10.0]]
        """
        arguments = (*self._arguments(len(positions)), forces, share, self._forces)
        _push_kernel(positions, velocities, *arguments)

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """Slow sliding nodes, after all other forces have changed their velocities.

        Friction is the coefficient times the normal force, but at most the force that stops the sliding. A resting node
        therefore stays at rest. Without this limit, friction would reverse slow sliding at every step.

        Args:
            positions: (N, 3) m.
            velocities: (N, 3) m/s, changed in place.
            masses: (N,) kg; infinite for a fixed node.
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
            own = 1.0 / masses, self.obstacle.friction, step, self._forces
            arguments = (*self._arguments(len(positions)), *own)
            _friction_kernel(positions, velocities, *arguments)

    def depths(self, positions: np.ndarray) -> np.ndarray:
        """Compute the (P,) depths of the points in the obstacle, m, for nodes at (N, 3); slack does not count."""
        places = positions if self.points is None else self.points.of(positions)
        return self.obstacle.touch(places, np.zeros(len(places))).depth

    def _arguments(self, count: int) -> tuple[Any, ...]:
        if count not in self._points:
            points = self.points or nodes_as_points(np.ones(count))
            values = (self.slack, self.stiffness, self.damping)
            own = (np.broadcast_to(value, len(points.masses)) for value in values)
            give = EDGE * self.obstacle.inverse_mass
            self._points[count] = points.corners, points.weights, points.masses, *own, give
        return *self._shape.arguments, self._points[count]


class _MovingShape:
    """An obstacle as the kernels take it, with arrays that change in place while it moves.

    Attributes:
        place: (3,) m, its reference point.
        velocity, spin: (3,) m/s of that point, and rad/s.
        arguments: The kernels' arguments ``sphere``, ``shape`` and ``motion``; see ``_touch``. A plane and a ball are
            in world space, and all their points have the same velocity.
    """

    def __init__(self, obstacle: Obstacle):
        self.place, self._turn = obstacle.pose[:3].copy(), np.array(matrices(obstacle.pose[3:]), order="C")
        turn = self._turn
        self.velocity, self.spin = obstacle.velocity.copy(), obstacle.angular_velocity.copy()
        grid, zero = obstacle.distances, np.zeros(3)
        field_of = grid.origin, grid.spacing, grid.values
        self._is_field = obstacle.radius == 0.0
        if self._is_field:
            half = 0.5 * grid.spacing * (np.array(grid.values.shape) - 1)
            self._middle = self.place + turn @ (grid.origin + half)
            sphere = self._middle, SPHERE_MARGIN * float(half @ half)
            motion = self.place, turn, self.velocity, self.spin
            self.arguments: tuple[Any, ...] = (sphere, (0.0, zero, zero, *field_of), motion)
            return
        self._middle = self.place + turn @ obstacle.point
        self._middle_velocity = self.velocity + cross(self.spin, self._middle - self.place)
        plane = turn @ obstacle.normal
        plane = plane / (np.linalg.norm(plane) or 1.0)
        motion = zero, turn, self._middle_velocity, zero
        self.arguments = (self._middle, np.inf), (float(obstacle.radius), self._middle, plane, *field_of), motion

    def accelerate(self, velocity: np.ndarray, spin: np.ndarray) -> None:
        """Change velocity (3,) m/s and spin (3,) rad/s."""
        self.velocity += velocity
        self.spin += spin
        if not self._is_field:
            self._middle_velocity[:] = self.velocity + cross(self.spin, self._middle - self.place)

    def move(self, seconds: float) -> None:
        """Move and turn by ``seconds`` at the velocities, to first order: a step turns it by little."""
        self._middle += seconds * (self.velocity if self._is_field else self._middle_velocity)
        self.place += seconds * self.velocity
        if self.spin.any():
            self._turn += seconds * np.cross(self.spin, self._turn, axisb=0, axisc=0)


@njit(cache=True, error_model="numpy")
def _gather(values: np.ndarray, points: tuple[Any, ...], row: int, result: np.ndarray) -> None:
    """Overwrite ``result`` (3,) with the weighted mean of nodal values (N, 3) at a contact point."""
    corners, weights = points[0], points[1]
    share, first = weights[row, 0], corners[row, 0]
    result[0], result[1], result[2] = share * values[first, 0], share * values[first, 1], share * values[first, 2]
    if share == 1.0:
        return
    for corner in range(1, 4):
        weight = weights[row, corner]
        if weight != 0.0:
            for axis in range(3):
                result[axis] += weight * values[corners[row, corner], axis]


@njit(cache=True, error_model="numpy")
def _may_touch(x: np.ndarray, sphere: tuple[Any, ...]) -> bool:
    """Return whether a point is in the sphere around the obstacle. Most are not, and ``_touch`` takes far longer.

    Args:
        x: (3,) m, the point.
        sphere: Centre (3,) m, and squared radius, m2.
    """
    middle, reach = sphere
    d0, d1, d2 = x[0] - middle[0], x[1] - middle[1], x[2] - middle[2]
    return d0 * d0 + d1 * d1 + d2 * d2 < reach


@njit(cache=True, error_model="numpy")
def _touch(
    x: np.ndarray,
    slack: float,
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    local: np.ndarray,
    normal: np.ndarray,
) -> float:
    """Compute the depth of a point beyond its slack, m.

    Args:
        x: (3,) m, the point.
        slack: m.
        shape: Radius, point and plane as for ``Obstacle``, and origin, spacing and values of the distance field.
        motion: Position (3,), rotation (3, 3), velocity (3,) and angular velocity (3,) of the obstacle.
        local: (3,) work space.
        normal: (3,) is overwritten with the outward unit vector.
    """
    radius, point, plane, origin, spacing, values = shape
    position, turn = motion[0], motion[1]
    r0, r1, r2 = x[0] - position[0], x[1] - position[1], x[2] - position[2]
    if radius != 0.0:
        d0, d1, d2 = x[0] - point[0], x[1] - point[1], x[2] - point[2]
        if radius > 0.0:
            distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
            if distance == 0.0:
                return 0.0
            depth = radius - distance - slack
            normal[0], normal[1], normal[2] = d0 / distance, d1 / distance, d2 / distance
        else:
            depth = -(d0 * plane[0] + d1 * plane[1] + d2 * plane[2]) - slack
            normal[:] = plane
        if depth <= 0.0:
            return 0.0
    else:
        slope = np.empty(3)
        for axis in range(3):
            local[axis] = turn[0, axis] * r0 + turn[1, axis] * r1 + turn[2, axis] * r2
        depth = -distance_and_slope(local, origin, spacing, values, slope) - slack
        if depth <= 0.0:
            return 0.0
        size = np.sqrt(slope[0] ** 2 + slope[1] ** 2 + slope[2] ** 2)
        if size == 0.0:
            return 0.0
        for axis in range(3):
            along = turn[axis, 0] * slope[0] + turn[axis, 1] * slope[1] + turn[axis, 2] * slope[2]
            normal[axis] = along / size
    return depth


@njit(cache=True, error_model="numpy")
def _make_relative(x: np.ndarray, motion: tuple[Any, ...], speed: np.ndarray) -> None:
    """Subtract the velocity of the obstacle at a point x (3,) m from a velocity (3,) m/s, in place."""
    position, _, velocity, spin = motion
    r0, r1, r2 = x[0] - position[0], x[1] - position[1], x[2] - position[2]
    speed[0] -= velocity[0] + (spin[1] * r2 - spin[2] * r1)
    speed[1] -= velocity[1] + (spin[2] * r0 - spin[0] * r2)
    speed[2] -= velocity[2] + (spin[0] * r1 - spin[1] * r0)


@njit(cache=True, error_model="numpy")
def _touching(
    x: np.ndarray,
    v: np.ndarray,
    sphere: tuple[Any, ...],
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    points: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Find the points inside the obstacle.

    Returns:
        Their rows (T,), places (T, 3), normals (T, 3), relative velocities (T, 3), and pushes (T,) N; and the share of
        the push that the obstacle allows. It is below 1 for a light, free obstacle, because all points together must
        not be heavier than it.
    """
    corners, _, masses, slack, stiffness, damping, give = points
    rows, count, heavy = np.empty(len(corners), np.int64), 0, 0.0
    places, normals, sliding, pushes = np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3)), np.empty(4)
    place, normal, speed, local = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for row in range(len(corners)):
        _gather(x, points, row, place)
        if not _may_touch(place, sphere):
            continue
        depth = _touch(place, slack[row], shape, motion, local, normal)
        if depth <= 0.0:
            continue
        _gather(v, points, row, speed)
        _make_relative(place, motion, speed)
        if count == len(pushes):
            places, normals = np.concatenate((places, places)), np.concatenate((normals, normals))
            sliding, pushes = np.concatenate((sliding, sliding)), np.concatenate((pushes, pushes))
        rate = speed[0] * normal[0] + speed[1] * normal[1] + speed[2] * normal[2]
        rows[count], places[count], normals[count], sliding[count] = row, place, normal, speed
        # Damping may cancel the push, but an obstacle never pulls.
        pushes[count] = max(stiffness[row] * depth - damping[row] * rate, 0.0)
        heavy += masses[row]
        count += 1
    share = 1.0 / (1.0 + give * heavy)
    return rows[:count], places, normals, sliding, pushes, share


@njit(cache=True, error_model="numpy")
def _push_kernel(
    x: np.ndarray,
    v: np.ndarray,
    sphere: tuple[Any, ...],
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    points: tuple[Any, ...],
    forces: np.ndarray,
    weight: float,
    total: np.ndarray,
) -> None:
    corners, weights = points[0], points[1]
    rows, places, normals, _, pushes, share = _touching(x, v, sphere, shape, motion, points)
    for number in range(len(rows)):
        row, push = rows[number], share * pushes[number]
        add_push(total, places[number], -weight * push * normals[number])
        for corner in range(4):
            part = weights[row, corner] * push
            for axis in range(3):
                forces[corners[row, corner], axis] += part * normals[number, axis]


@njit(cache=True, error_model="numpy")
def _friction_kernel(
    x: np.ndarray,
    v: np.ndarray,
    sphere: tuple[Any, ...],
    shape: tuple[Any, ...],
    motion: tuple[Any, ...],
    points: tuple[Any, ...],
    inverse_masses: np.ndarray,
    friction: float,
    step: float,
    total: np.ndarray,
) -> None:
    corners, weights = points[0], points[1]
    rows, places, normals, sliding, pushes, share = _touching(x, v, sphere, shape, motion, points)
    for number in range(len(rows)):
        row, normal, slip = rows[number], normals[number], sliding[number]
        rate = slip[0] * normal[0] + slip[1] * normal[1] + slip[2] * normal[2]
        for axis in range(3):
            slip[axis] -= rate * normal[axis]
        speed = np.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2)
        inverse = 0.0
        for corner in range(4):
            inverse += weights[row, corner] ** 2 * inverse_masses[corners[row, corner]]
        if speed > 0.0:
            # The impulse of friction over the speed, kg: at most the one that stops the sliding.
            mass = friction * pushes[number] * step / speed
            mass = share * (min(mass, 1.0 / inverse) if inverse > 0.0 else mass)
            add_push(total, places[number], mass / step * slip)
            for corner in range(4):
                node = corners[row, corner]
                part = mass * weights[row, corner] * inverse_masses[node]
                for axis in range(3):
                    v[node, axis] -= part * slip[axis]
