"""Velocities of fragments after an impact: with exact momenta, limited by what the impact can give.

A method knows the impulse of a contact, but not the other body. It gives the whole impulse to the fragment at the
contact. A light fragment leaves the other body before it can take the impulse that stopped the whole body. A body
squeezed between others takes impulses that do not depend on its closing speed. Both would make fragments too fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.impact import Impact
from ..methods.method import Break, RigidMotion
from ..rigid.rigid_properties import RigidProperties
from .fragment_group import FragmentGroup

# m/s, smallest speed treated as nonzero in a division; no physical meaning.
TINY_SPEED = 1e-30


@dataclass(frozen=True)
class ImpactLimit(ReadOnlyArrays):
    """Upper limits of the motion that one impact can give to fragments.

    Attributes:
        speed_gain: m/s, greatest gain in speed of any fragment.
        frame: (3,) m/s, rest orientation: velocity of the reference frame of the energy. It is the velocity of the
            common centre of mass of both bodies.
        energy: J, kinetic energy of both in that frame right before the impact.
    """

    speed_gain: float
    frame: np.ndarray
    energy: float


def impact_limit(
    body: RigidProperties,
    motion: RigidMotion,
    partner_mass: float,
    partner_velocity: np.ndarray,
    closing_speed: float,
    restitution: float,
    load_factor: float,
) -> ImpactLimit:
    """Compute the limit of an impact. A load factor above 1 multiplies speeds by itself and energies by its square.

    Args:
        body: Properties of the body.
        motion: Motion of the body right before the impact.
        partner_mass: kg; infinite for a static or kinematic one.
        partner_velocity: (3,) m/s at the contact, rest orientation.
        closing_speed: m/s.
        restitution: Coefficient of restitution of the body.
        load_factor: Load factor of the impact.

    Returns:
        Largest gain in speed, (1 + e) v, and the kinetic energy in the frame of the common centre of mass.

    Notes:
        Newton 1687: coefficient of restitution. Own: it limits fragments too.

    Example:
        1 kg meets a wall at 2 m/s, with a restitution of 0.5.

        >>> body = RigidProperties(1.0, np.zeros(3), np.eye(3))
        >>> falling = RigidMotion(np.array([0, 0, -2.0]), np.zeros(3))
        >>> limit = impact_limit(body, falling, np.inf, np.zeros(3), 2.0, 0.5, 1.0)
        >>> limit.speed_gain, limit.energy
        (3.0, 2.0)
    """
    scale = max(1.0, load_factor)
    share = 1.0 if np.isinf(partner_mass) else partner_mass / (partner_mass + body.mass)
    frame = motion.velocity + share * (partner_velocity - motion.velocity)
    energy = _energy(body.mass, motion.velocity - frame) + 0.5 * float(
        motion.angular_velocity @ body.inertia @ motion.angular_velocity
    )
    if np.isfinite(partner_mass):
        energy += _energy(partner_mass, partner_velocity - frame)
    return ImpactLimit((1.0 + restitution) * scale * closing_speed, frame, scale**2 * energy)


def with_masses(
    result: Break,
    motion: RigidMotion,
    center: np.ndarray,
    cells: Sequence[RigidProperties],
    drawn: Sequence[RigidProperties],
) -> Break:
    """Carry the velocities of fragments over to their drawn shapes, whose masses differ a little from their cells'.

    Each drawn fragment gets the momentum and the angular momentum that the impact gave to its cells.

    Args:
        result: Result of the method, for the masses of cells.
        motion: Motion of the body right before the impact.
        center: (3,) m, centre of mass of the body.
        cells: Properties of the cells of the N fragments.
        drawn: Properties of the drawn fragments.

    Returns:
        The result for the masses of the drawn fragments.

    Notes:
        Own: conservation of momentum.

    Example:
        The cells of a fragment have 1 kg and got 2 N s. Its drawn shape has 4 kg.

        >>> cells, drawn = (RigidProperties(mass, np.zeros(3), np.eye(3)) for mass in (1.0, 4.0))
        >>> velocity, kept = np.array([[2.0, 0, 0]]), np.ones(1, bool)
        >>> result = Break(np.zeros(1, int), velocity, np.zeros((1, 3)), 1.0, 1, 0, 0.0, kept)
        >>> with_masses(result, RigidMotion(*np.zeros((2, 3))), np.zeros(3), [cells], [drawn]).velocity.tolist()
        [[0.5, 0.0, 0.0]]
    """
    velocity, angular_velocity = np.empty_like(result.velocity), np.empty_like(result.angular_velocity)
    # For the method, ``motion`` is the motion of the cells' centre of mass.
    middle = sum(own.mass * own.center for own in cells) / sum(own.mass for own in cells)
    for row, (own, shown) in enumerate(zip(cells, drawn, strict=True)):
        before = motion.velocity + np.cross(motion.angular_velocity, own.center - middle)
        momentum = own.mass * (result.velocity[row] - before)
        spin = own.inertia @ (result.angular_velocity[row] - motion.angular_velocity)
        spin += np.cross(own.center - shown.center, momentum)
        before = motion.velocity + np.cross(motion.angular_velocity, shown.center - center)
        velocity[row] = before + momentum / shown.mass
        angular_velocity[row] = motion.angular_velocity + np.linalg.solve(shown.inertia, spin)
    return replace(result, velocity=velocity, angular_velocity=angular_velocity)


def limited_velocities(
    body: RigidProperties,
    motion: RigidMotion,
    fragments: Sequence[RigidProperties],
    velocities: np.ndarray,
    spins: np.ndarray,
    impacts: Sequence[Impact],
    limits: Sequence[ImpactLimit],
) -> tuple[np.ndarray, np.ndarray, float]:
    """Limit the velocities that a method found for fragments, and make their momenta exact.

    The fragments together get the momentum and the angular momentum of the body, and the same share of the impulse of
    each impact at its point: the share that is nearest to what the method gave them.

    Args:
        body: Properties of the body that broke.
        motion: Its motion right before the impact.
        fragments: Properties of the N fragments.
        velocities: (N, 3) m/s, right after the impact, as the method found them.
        spins: (N, 3) rad/s, likewise.
        impacts: Simultaneous impacts that broke the body, rest space.
        limits: One for each simultaneous collision; the largest counts. Empty for no limit.

    Returns:
        Velocities (N, 3) m/s and angular velocities (N, 3) rad/s, rest orientation, and the share (0 to 1). Without
        fragments, where all of the body became dust, the share is 1.

    Notes:
        Own: conservation of momentum, with the rigid motion of least energy.

    Example:
        >>> halves = [RigidProperties(1.0, np.array([x, 0, 0]), 0.01 * np.eye(3)) for x in (-0.1, 0.1)]
        >>> body, still = RigidProperties(2.0, np.zeros(3), 0.04 * np.eye(3)), RigidMotion(np.zeros(3), np.zeros(3))
        >>> impact = Impact(np.zeros(3), np.array([0.0, 0, -1]), 4.0, 1e-4, 0.0)  # 4 N s on the middle
        >>> found = np.array([[-1.0, 0, -2.0], [1.1, 0, -2.0]])  # the method lost some momentum along x
        >>> velocities, spins, share = limited_velocities(body, still, halves, found, np.zeros((2, 3)), [impact], [])
        >>> velocities.round(3).tolist(), round(share, 3)
        ([[-1.05, 0.0, -2.0], [1.05, 0.0, -2.0]], 1.0)
    """
    if not fragments:
        return velocities, spins, 1.0
    group = FragmentGroup(fragments)
    before = motion.velocity + np.cross(motion.angular_velocity, group.center + group.arms - body.center)
    spin_before = np.tile(motion.angular_velocity, (len(fragments), 1))
    gain, spin_gain = velocities - before, spins - spin_before
    if limits:
        gain, spin_gain = _clamped(group, gain, spin_gain, max(limit.speed_gain for limit in limits))
    momentum = body.mass * motion.velocity
    angular = body.inertia @ motion.angular_velocity + np.cross(body.center - group.center, momentum)
    before, spin_before = group.with_momenta(before, spin_before, momentum, angular)
    impulses = np.array([impact.impulse * impact.direction for impact in impacts]).reshape(-1, 3)
    points = np.array([impact.point for impact in impacts]).reshape(-1, 3)
    impulse, twist = impulses.sum(axis=0), np.cross(points - group.center, impulses).sum(axis=0)
    share = _taken_share(group, gain, spin_gain, impulse, twist)
    gain, spin_gain = group.with_momenta(gain, spin_gain, share * impulse, share * twist)
    if limits:
        scale = max(
            _energy_share(group, before - limit.frame, spin_before, gain, spin_gain, limit.energy) for limit in limits
        )
        gain, spin_gain, share = scale * gain, scale * spin_gain, scale * share
    return before + gain, spin_before + spin_gain, share


def _clamped(
    group: FragmentGroup, gain: np.ndarray, spin_gain: np.ndarray, speed_gain: float
) -> tuple[np.ndarray, np.ndarray]:
    """Limit gains in velocity (N, 3) m/s and in spin (N, 3) rad/s to ``speed_gain``, m/s, of centres and of rims."""
    speed = np.linalg.norm(gain, axis=1)
    gyration = np.sqrt(np.trace(group.inertias, axis1=1, axis2=2) / (2.0 * group.masses))
    rim_speed = np.linalg.norm(spin_gain, axis=1) * gyration
    scale = np.minimum(1.0, speed_gain / np.maximum(speed, TINY_SPEED))
    spin_scale = np.minimum(scale, speed_gain / np.maximum(rim_speed, TINY_SPEED))
    return gain * scale[:, None], spin_gain * spin_scale[:, None]


def _taken_share(
    group: FragmentGroup, gain: np.ndarray, spin_gain: np.ndarray, impulse: np.ndarray, twist: np.ndarray
) -> float:
    """Return the share (0 to 1) of an impulse that is nearest to gains in motion.

    Near means that the rigid motion with the difference of the momenta has little kinetic energy.

    Args:
        group: The fragments.
        gain: (N, 3) m/s.
        spin_gain: (N, 3) rad/s.
        impulse: (3,) N s.
        twist: (3,) N m s, its angular momentum about the centre of the group.
    """
    velocity, spin = group.rigid_motion(impulse, twist)
    momentum, angular = group.momenta(gain, spin_gain)
    whole = float(velocity @ impulse + spin @ twist)
    return float(np.clip((velocity @ momentum + spin @ angular) / whole, 0.0, 1.0)) if whole > 0.0 else 0.0


def _energy_share(
    group: FragmentGroup,
    velocity: np.ndarray,
    spin: np.ndarray,
    gain: np.ndarray,
    spin_gain: np.ndarray,
    energy: float,
) -> float:
    """Return the largest share (0 to 1) of a gain in motion that keeps the kinetic energy below ``energy``, J."""
    quadratic = _energy(group.masses, gain) + 0.5 * _spin_product(group, spin_gain, spin_gain)
    linear = float(np.einsum("n,ni,ni->", group.masses, velocity, gain)) + _spin_product(group, spin, spin_gain)
    start = _energy(group.masses, velocity) + 0.5 * _spin_product(group, spin, spin)
    if quadratic + linear <= energy - start or quadratic == 0.0:
        return 1.0
    left = max(energy - start, 0.0)
    return max(0.0, min(1.0, (-linear + (linear**2 + 4.0 * quadratic * left) ** 0.5) / (2.0 * quadratic)))


def _spin_product(group: FragmentGroup, first: np.ndarray, second: np.ndarray) -> float:
    """Return the sum of first I second over spins (N, 3) rad/s, J."""
    return float(np.einsum("ni,nij,nj->", first, group.inertias, second))


def _energy(masses: float | np.ndarray, velocities: np.ndarray) -> float:
    """Return the kinetic energy of translation, J."""
    return 0.5 * float(np.sum(masses * np.sum(velocities**2, axis=-1)))
