"""Conversion of a contact of the rigid world to impacts on a fragment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from ..data.arrays import ReadOnlyArrays, cross_rows, lengths
from ..data.impact import Impact, hertz_duration
from ..data.material import Material
from ..geometry.farthest_points import farthest_points
from ..numerics.rotations import cross, length, matrices
from .rigid_properties import RigidProperties

# Pa, modulus, and Poisson's ratio of colliders, which have no material: those of concrete C20/25 (EN 1992-1-1, 3.1.3).
COLLIDER_MODULUS, COLLIDER_POISSON_RATIO = 30e9, 0.2
# Radius of curvature at a contact over the diagonal of the smaller body; it enters with the power of one
# fifth only. Tuned: a ball breaks a block into 102, 80 and 53 fragments at 0.075, 0.15 and 0.3, and seeds scatter
# by 63.
CURVATURE_SHARE = 0.15
# Radius of a contact patch over a cell's size (the spacing of the points): an impact needs cells to act on.
# Tuned: at 0.6 a dropped tile breaks into 6 instead of 2 fragments; at 2.5 it stays whole.
PATCH_CELLS = 1.25
# Distance above the deepest point, over the body's diagonal, up to which points touch. At 0.0015 a tile and a block
# keep their bytes; at 0.006 the block breaks into 69 instead of 80 fragments.
TOUCHING_SHARE = 0.003
# A contact of a flat side is shared among at most this many patches. A dropped tile breaks into 6, 3, 2 and 2 fragments
# at 1, 2, 4 and 8; a block that a ball hits has one patch.
MOST_PATCHES = 4
# Rounds of Lloyd's method that move each patch to the middle of the points that it represents. Over 200 random rings
# and disks of 20 to 300 points, 2 and 16 rounds move the patches by 0.03 and 0.01 of the radius in the mean.
ROUNDS = 4
# Weight of evenness in ``load_shares``, over the mean speed of a patch for its own impulse. In the same
# contacts, 1e-4 and 1e-2 change the shares by 0.0002 and 0.002 in the mean, and by 0.05 at most.
EVENNESS = 1e-3


@dataclass(frozen=True)
class Side(ReadOnlyArrays):
    """One of two bodies that touch.

    Attributes:
        properties: Mass properties; infinite mass for a static body.
        pose: (7,) pose of its centre of mass.
        material: ``None`` for a collider.
    """

    properties: RigidProperties
    pose: np.ndarray
    material: Material | None


@dataclass(frozen=True)
class Collision(ReadOnlyArrays):
    """The impacts of a contact on a fragment in one step.

    Attributes:
        partner: Key of the other body.
        push: (3,) N s, impulse on the fragment, world orientation.
        point: (3,) m, middle of the load in the world.
        impacts: Impacts in rest space, one for each contact patch.
        closing_speed: m/s, before the contact.
        partner_mass: kg, infinite for a static or kinematic body.
        partner_velocity: (3,) m/s, velocity of the other body at the point before the contact, world orientation.
    """

    partner: int
    push: np.ndarray
    point: np.ndarray
    impacts: tuple[Impact, ...]
    closing_speed: float
    partner_mass: float
    partner_velocity: np.ndarray

    @property
    def force(self) -> float:
        """Sum of the contact forces of all impacts, N, without their load factor."""
        return sum(impact.contact_force for impact in self.impacts)


def inverse_mass(properties: RigidProperties, rotation: np.ndarray, arm: np.ndarray, direction: np.ndarray) -> float:
    """Return the speed that an impulse gives to a point of a body, per impulse.

    Args:
        properties: Mass properties of the body.
        rotation: (3, 3) orientation of the body.
        arm: (3,) m, the point relative to the centre of mass, world orientation.
        direction: (3,) unit vector of impulse and speed, world orientation.

    Returns:
        1/kg; 0 if the body is static.

    Notes:
        1 / m + (r x n) I^-1 (r x n) (Baraff 1997, An Introduction to Physically Based Modeling, equation 8-18).

    Example:
        A rod of 3 kg and 2 m, pushed at its middle and at its end.

        >>> rod = RigidProperties(3.0, np.zeros(3), np.diag([1e-3, 1.0, 1.0]))
        >>> [round(inverse_mass(rod, np.eye(3), np.array([x, 0, 0]), np.array([0, 0, 1.0])), 3) for x in (0.0, 1.0)]
        [0.333, 1.333]
    """
    if not np.isfinite(properties.mass):
        return 0.0
    turn = rotation.T @ cross(arm, direction)
    return float(1.0 / properties.mass + turn @ properties.inverse_inertia @ turn)


def effective_modulus(first: Material | None, second: Material | None) -> float:
    """Return the effective modulus E* of a contact.

    Args:
        first: Material of one body; ``None`` for a collider.
        second: Material of the other body.

    Returns:
        Pa.

    Notes:
        Johnson 1985, Contact Mechanics, section 4.2: 1 / E* = (1 - nu1^2) / E1 + (1 - nu2^2) / E2.

    Example:
        Two colliders of 30 GPa.

        >>> round(effective_modulus(None, None) / 1e9, 3)
        15.625
    """
    return 1.0 / (_contact_compliance(first) + _contact_compliance(second))


def _contact_compliance(material: Material | None) -> float:
    """Return (1 - nu^2) / E, 1/Pa."""
    if material is None:
        return (1.0 - COLLIDER_POISSON_RATIO**2) / COLLIDER_MODULUS
    return (1.0 - material.poisson_ratio**2) / material.young_modulus


def patches(points: np.ndarray, gaps: np.ndarray, tolerance: float, spread: float) -> np.ndarray:
    """Choose a few points that represent a contact: its patches.

    Args:
        points: (K, 3) m, deepest first.
        gaps: (K,) m.
        tolerance: m, distance above the deepest point up to which points touch.
        spread: m, smallest distance between patches.

    Returns:
        (N, 3) at most ``MOST_PATCHES`` of the points; their mean if they are closer than ``spread``.

    Notes:
        The first is the farthest one from the middle, and each next one is the farthest from those before it (Gonzalez
        1985). Lloyd's method (1982) then moves each to the middle of the points that it represents.

    Example:
        A square of 2 m.

        >>> square = np.array([[1.0, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
        >>> len(patches(square, np.zeros(4), 0.01, spread=0.5)), patches(square, np.zeros(4), 0.01, spread=5.0).tolist()
        (4, [[0.0, 0.0, 0.0]])
    """
    points = points[gaps <= max(gaps[0], 0.0) + tolerance]
    middle = points.mean(axis=0)
    chosen = farthest_points(points, MOST_PATCHES, least_distance=spread)
    if len(chosen) == 1:
        return middle[None]
    for _ in range(ROUNDS):
        nearest = np.argmin(lengths(points[:, None] - points[chosen]), axis=1)
        middles = [points[nearest == row].mean(axis=0) for row in range(len(chosen))]
        chosen = np.array([np.argmin(lengths(points - middle)) for middle in middles])
    return points[chosen]


def load_shares(
    points: np.ndarray, direction: np.ndarray, sides: Sequence[tuple[RigidProperties, np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Share an impulse among patches that touch at the same time, so that it stops all of them.

    Args:
        points: (N, 3) m, world orientation.
        direction: (3,) unit vector along the impulses.
        sides: Properties of each body, its rotation (3, 3) and its centre of mass (3,) m.

    Returns:
        (N,) shares that sum to 1.

    Notes:
        Baraff 1989, Analytical Methods for Dynamic Simulation of Non-penetrating Rigid Bodies: all patches close at one
        speed, and impulses f >= 0 stop two rigid bodies there if A f = 1, where A_ij is the speed of patch i for an
        impulse at patch j. Solved by non-negative least squares (Lawson and Hanson 1974). Of several solutions, the
        most even one is taken (docs/decisions/simultaneous_patches.md).

    Example:
        The lever rule.

        >>> rod = RigidProperties(1.0, np.zeros(3), np.diag([1e-3, 1.0, 1.0]))
        >>> points, up = np.array([[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), np.array([0.0, 0.0, 1.0])
        >>> load_shares(points, up, [(rod, np.eye(3), np.zeros(3))]).round(2).tolist()
        [0.75, 0.25]
    """
    speeds = np.zeros((len(points), len(points)))
    for properties, rotation, center in sides:
        if np.isfinite(properties.mass):
            turns = cross_rows(points - center, direction) @ rotation
            speeds += 1.0 / properties.mass + turns @ properties.inverse_inertia @ turns.T
    speeds /= speeds.trace() / len(points)
    impulses, _ = nnls(speeds + EVENNESS * np.eye(len(points)), np.ones(len(points)))
    return impulses / impulses.sum()


def hertz_impacts(
    own: Side,
    other: Side,
    offsets: np.ndarray,
    gaps: np.ndarray,
    push: np.ndarray,
    *,
    size: float,
    diagonal: float,
    slowest: float = 0.0,
) -> tuple[float, tuple[Impact, ...]]:
    """Convert the impulse of a contact to impacts of an elastic contact, one for each patch that touches.

    Args:
        own: The fragment that receives the impacts.
        other: The other body.
        offsets: (K, 3) m, contact points relative to the fragment's centre of mass in rest orientation, deepest first.
        gaps: (K,) m.
        push: (3,) N s, impulse on the fragment, world orientation.
        size: m, size of the fragment's cells.
        diagonal: m, diagonal of the fragment's whole body.
        slowest: m/s, an impulse that changes the relative speed by less makes no impacts.

    Returns:
        The change of the relative speed, m/s (0 when neither body can move), and the impacts in rest space.

    Notes:
        Hertz 1882: the duration of the impact and the radius of its patch, as in Johnson 1985, Contact Mechanics,
        equations 11.24 and 4.22.

    Example:
        A ball of 2 kg falls on a floor at 3 m/s, and stops.

        >>> from ..data.material import PORCELAIN
        >>> from ..numerics.rotations import IDENTITY
        >>> ball = Side(RigidProperties(2.0, np.zeros(3), 0.1 * np.eye(3)), IDENTITY, PORCELAIN)
        >>> floor = Side(RigidProperties(np.inf, np.zeros(3), np.eye(3)), IDENTITY, None)
        >>> below, push = np.array([[0.0, 0.0, -0.1]]), np.array([0.0, 0.0, 6.0])
        >>> speed, (impact,) = hertz_impacts(ball, floor, below, np.zeros(1), push, size=0.01, diagonal=0.3)
        >>> speed, impact.impulse, impact.direction.tolist()
        (3.0, 6.0, [0.0, 0.0, 1.0])
    """
    rotation = matrices(own.pose[3:])
    impulse = length(push)
    direction = push / impulse
    arm = rotation @ offsets[0]
    other_arm = own.pose[:3] + arm - other.pose[:3]
    inverse = inverse_mass(own.properties, rotation, arm, direction)
    inverse += inverse_mass(other.properties, matrices(other.pose[3:]), other_arm, direction)
    speed = impulse * inverse
    if speed == 0.0 or speed < slowest:
        return speed, ()
    modulus = effective_modulus(own.material, other.material)
    curvature = CURVATURE_SHARE * diagonal
    duration = hertz_duration(1.0 / inverse, curvature, modulus, speed)
    points = patches(offsets, gaps, TOUCHING_SHARE * diagonal, 2.0 * PATCH_CELLS * size)
    other_offset = own.pose[:3] - other.pose[:3]
    shares = load_shares(
        points @ rotation.T,
        direction,
        [(own.properties, rotation, np.zeros(3)), (other.properties, matrices(other.pose[3:]), -other_offset)],
    )
    impacts = []
    for point, share in zip(points[shares > 0.0], shares[shares > 0.0], strict=True):
        # Johnson 1985, 4.22: a^3 = 3 F R / 4 E*, with the peak of a triangular pulse.
        radius = float(np.cbrt(0.75 * (2.0 * share * impulse / duration) * curvature / modulus))
        radius = max(radius, PATCH_CELLS * size)
        point = own.properties.center + point
        load = float(share) * impulse, duration, radius, speed, other.properties.ball_radius
        impacts.append(Impact(point, rotation.T @ direction, *load, rebounds=True))
    return speed, tuple(impacts)


def rest_point(pose: np.ndarray, center: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Convert a point of the world to the rest space of a body.

    Args:
        pose: (7,) pose of its centre of mass.
        center: (3,) m, its centre of mass in rest space.
        point: (3,) m, world.

    Returns:
        (3,) m.
    """
    return center + matrices(pose[3:]).T @ (np.asarray(point, float) - pose[:3])
