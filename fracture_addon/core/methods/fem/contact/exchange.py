"""Momentum that a mesh and a free rigid obstacle exchange where they touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ....data.arrays import ReadOnlyArrays
from ...obstacle import PLACES, Obstacle
from ...pushes import add_push, no_pushes
from .obstacles import leaving_speed

# Sweeps over all points that touch. A body of 1 kg on a face of three nodes needs two.
SWEEPS = 8


@dataclass(frozen=True)
class FacePoints(ReadOnlyArrays):
    """Nodes of a mesh and points on its faces that touch obstacles, which may be smaller than an element.

    Attributes:
        corners: (P, 3) nodes that carry each point.
        weights: (P, 3) their weights, with the sum 1.
    """

    corners: np.ndarray
    weights: np.ndarray

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return the values (P, ...) at the points, from those of the nodes (N, ...)."""
        return np.einsum("pc,pc...->p...", self.weights, values[self.corners])

    def some(self, rows: np.ndarray) -> FacePoints:
        """Return the points of some rows."""
        return FacePoints(self.corners[rows], self.weights[rows])

    def within(self, position: np.ndarray, center: np.ndarray, distance: float) -> np.ndarray:
        """Return the rows of the points closer than ``distance`` (m) to ``center`` (3,), for nodes at (N, 3) m."""
        return _rows_within(self.corners, self.weights, position, center, distance)


def points_on(faces: np.ndarray) -> FacePoints:
    """Choose the nodes of a surface, and ``PLACES`` on each of its faces, as points that touch.

    Args:
        faces: (F, 3) nodes.

    Returns:
        The nodes, then the places by their faces.

    Notes:
        Own.

    Example:
        >>> points = points_on(np.array([[0, 1, 2]]))
        >>> points.of(np.array([0.0, 0.0, 6.0])).round(9).tolist()
        [0.0, 0.0, 6.0, 1.0, 1.0, 4.0, 2.0]
    """
    nodes = np.unique(faces)
    corners = np.concatenate([np.repeat(nodes[:, None], 3, axis=1), np.repeat(faces, len(PLACES), axis=0)])
    at_nodes = np.tile([1.0, 0.0, 0.0], (len(nodes), 1))
    return FacePoints(corners.astype(np.int64), np.concatenate([at_nodes, np.tile(PLACES, (len(faces), 1))]))


def exchange(
    obstacle: Obstacle,
    points: FacePoints,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> np.ndarray:
    """Change the velocities of a mesh and of a free obstacle so that no point moves deeper, with friction.

    Args:
        obstacle: At its current pose, with a finite mass.
        points: Points that touch.
        position: (N, 3) m, nodes.
        velocity: (N, 3) m/s, changed in place.
        inverse_mass: (N,) 1/kg, of the nodes; 0 for fixed ones.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Contact interval, s; see ``leaving_speed``.

    Returns:
        (COLUMNS,) sum of the impulses on the obstacle; see ``pushes``.

    Notes:
        Sequential impulses: Catto 2005, Iterative Dynamics with Temporal Coherence; Moreau 1988 for the limits of the
        impulses.

    Example:
        A face that cannot move stops a ball of 2 kg that falls at 3 m/s.

        >>> from dataclasses import replace
        >>> ball = replace(Obstacle.ball([0, 0, 0.09], 0.1), inverse_mass=0.5, velocity=np.array([0.0, 0, -3.0]))
        >>> nodes, points = np.array([[-1.0, -1, 0], [1, -1, 0], [0, 2, 0]]), points_on(np.array([[0, 1, 2]]))
        >>> impulses = exchange(ball, points, nodes, np.zeros((3, 3)), np.zeros(3), np.zeros(3), 1e-3)
        >>> ball.pushed(impulses).velocity.round(9).tolist()
        [0.0, 0.0, 0.1]
    """
    total = no_pushes(1)[0]
    near = points.some(points.within(position, obstacle.pose[:3], obstacle.extent + reach.max()))
    if not len(near.corners):
        return total
    places = near.of(position)
    contact = obstacle.touch(places, near.of(reach))
    deep = np.flatnonzero(contact.depth > 0.0)
    if len(deep):
        _sweep(
            (near.corners[deep], near.weights[deep]),
            places[deep],
            contact.normal[deep],
            leaving_speed(contact.depth[deep], seconds),
            inverse_mass,
            velocity,
            np.array(obstacle.pose[:3]),
            (obstacle.velocity.copy(), obstacle.angular_velocity.copy()),
            (obstacle.inverse_mass, np.array(obstacle.inverse_inertia)),
            obstacle.friction,
            total,
        )
    return total


@njit(cache=True, error_model="numpy")
def _rows_within(
    corners: np.ndarray, weights: np.ndarray, position: np.ndarray, center: np.ndarray, distance: float
) -> np.ndarray:
    # Most points are far from an obstacle, and arrays of all their places took most of the time (profile).
    rows, count = np.empty(len(corners), np.int64), 0
    for row in range(len(corners)):
        squared = 0.0
        for axis in range(3):
            arm = -center[axis]
            for corner in range(3):
                arm += weights[row, corner] * position[corners[row, corner], axis]
            squared += arm * arm
        if squared < distance * distance:
            rows[count] = row
            count += 1
    return rows[:count]


@njit(cache=True, error_model="numpy")
def _cross(first: np.ndarray, second: np.ndarray, result: np.ndarray) -> None:
    result[0] = first[1] * second[2] - first[2] * second[1]
    result[1] = first[2] * second[0] - first[0] * second[2]
    result[2] = first[0] * second[1] - first[1] * second[0]


@njit(cache=True, error_model="numpy")
def _relative_velocity(
    row: int,
    points: tuple[np.ndarray, np.ndarray],
    velocity: np.ndarray,
    motion: tuple[np.ndarray, np.ndarray],
    arm: np.ndarray,
    result: np.ndarray,
) -> None:
    """Write the velocity (3,) of a point on the mesh relative to the obstacle."""
    (corners, weights), (own_velocity, spin) = points, motion
    _cross(spin, arm, result)
    for axis in range(3):
        result[axis] = -own_velocity[axis] - result[axis]
        for corner in range(3):
            result[axis] += weights[row, corner] * velocity[corners[row, corner], axis]


@njit(cache=True, error_model="numpy")
def _response(
    row: int,
    points: tuple[np.ndarray, np.ndarray],
    inverse_mass: np.ndarray,
    inertia: tuple[float, np.ndarray],
    arm: np.ndarray,
    direction: np.ndarray,
) -> float:
    """Return the change of the relative speed per impulse, both along a direction (3,), 1/kg."""
    (corners, weights), (own_inverse_mass, inverse_inertia) = points, inertia
    turn = np.empty(3)
    _cross(arm, direction, turn)
    result = own_inverse_mass + turn @ (inverse_inertia @ turn)
    for corner in range(3):
        result += weights[row, corner] ** 2 * inverse_mass[corners[row, corner]]
    return float(result)


@njit(cache=True, error_model="numpy")
def _push(
    row: int,
    points: tuple[np.ndarray, np.ndarray],
    inverse_mass: np.ndarray,
    inertia: tuple[float, np.ndarray],
    arm: np.ndarray,
    impulse: np.ndarray,
    velocity: np.ndarray,
    motion: tuple[np.ndarray, np.ndarray],
) -> None:
    """Apply an impulse (3,) N s on the mesh at a point, and its reaction on the obstacle."""
    (corners, weights), (own_inverse_mass, inverse_inertia), (own_velocity, spin) = points, inertia, motion
    for corner in range(3):
        node = corners[row, corner]
        for axis in range(3):
            velocity[node, axis] += weights[row, corner] * inverse_mass[node] * impulse[axis]
    turn = np.empty(3)
    _cross(arm, impulse, turn)
    spin -= inverse_inertia @ turn
    own_velocity -= own_inverse_mass * impulse


@njit(cache=True, error_model="numpy")
def _sweep(
    points: tuple[np.ndarray, np.ndarray],
    places: np.ndarray,
    normals: np.ndarray,
    leaving: np.ndarray,
    inverse_mass: np.ndarray,
    velocity: np.ndarray,
    center: np.ndarray,
    motion: tuple[np.ndarray, np.ndarray],
    inertia: tuple[float, np.ndarray],
    friction: float,
    total: np.ndarray,
) -> None:
    """Apply impulses at each point in turn, ``SWEEPS`` times, and add those on the obstacle to ``total`` (COLUMNS,).

    Args:
        points: Corners and weights of the T points that touch.
        places: (T, 3) m.
        normals: (T, 3) unit, out of the obstacle.
        leaving: (T,) m/s, speeds at which the points leave the obstacle.
        inverse_mass: As for ``exchange``.
        velocity: As for ``exchange``.
        center: (3,) m, reference point of the obstacle.
        motion: Velocity and angular velocity of the obstacle, changed in place.
        inertia: Inverse mass and inverse inertia of the obstacle.
        friction: Coefficient.
        total: As for ``pushes.add_push``.
    """
    count = len(places)
    pushes, slips = np.zeros(count), np.zeros((count, 3))
    relative, wanted = np.empty(3), np.empty(3)
    for _ in range(SWEEPS):
        for row in range(count):
            arm, normal = places[row] - center, normals[row]
            _relative_velocity(row, points, velocity, motion, arm, relative)
            missing = (leaving[row] - relative @ normal) / _response(row, points, inverse_mass, inertia, arm, normal)
            push = max(pushes[row] + missing, 0.0)
            _push(row, points, inverse_mass, inertia, arm, (push - pushes[row]) * normal, velocity, motion)
            pushes[row] = push
            _relative_velocity(row, points, velocity, motion, arm, relative)
            relative -= (relative @ normal) * normal
            size = np.sqrt(relative @ relative)
            if size == 0.0:
                continue
            # Friction stops the sliding, within its cone.
            response = _response(row, points, inverse_mass, inertia, arm, relative / size)
            wanted[:] = slips[row] - relative / response
            length = np.sqrt(wanted @ wanted)
            if length > friction * push:
                wanted *= friction * push / length
            _push(row, points, inverse_mass, inertia, arm, wanted - slips[row], velocity, motion)
            slips[row] = wanted
    for row in range(count):
        add_push(total, places[row], -(pushes[row] * normals[row] + slips[row]))
