"""Velocities of fragments after an impact, limited by the speed and the energy that the impact can give.

A method knows the impulse of a contact, but not the other body. It gives the whole impulse to the fragment at the
contact. A light fragment leaves the other body before it can take the impulse that stopped the whole body. A body
squeezed between others takes impulses that do not depend on its closing speed. Both would make fragments too fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..methods.method import Break, RigidMotion
from ..rigid.rigid_properties import RigidProperties

# m/s, smallest speed treated as nonzero in a division; no physical meaning.
TINY_SPEED = 1e-30


@dataclass(frozen=True)
class ImpactLimit:
    """The most that one impact can give to fragments.

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
        load_factor: That of the impact.
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
    """
    velocity, angular_velocity = np.empty_like(result.velocity), np.empty_like(result.angular_velocity)
    # The method takes the motion for that of the centre of mass of the cells.
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
    result: Break,
    limits: Sequence[ImpactLimit],
) -> tuple[np.ndarray, np.ndarray]:
    """Limit the velocities that a method found for fragments.

    Args:
        body: Properties of the body that broke.
        motion: Its motion right before the impact.
        fragments: Properties of the N fragments.
        result: Result of the method.
        limits: One for each simultaneous impact; the largest counts. Empty for no limit.

    Returns:
        Velocities (N, 3) m/s and angular velocities (N, 3) rad/s, rest orientation.
    """
    masses = np.array([fragment.mass for fragment in fragments])
    inertias = np.array([fragment.inertia for fragment in fragments])
    arms = np.array([fragment.center for fragment in fragments]) - body.center
    before = motion.velocity + np.cross(motion.angular_velocity, arms)
    gain, spin_gain = result.velocity - before, result.angular_velocity - motion.angular_velocity
    if limits:
        speed_gain = max(limit.speed_gain for limit in limits)
        speed = np.linalg.norm(gain, axis=1)
        rim_speed = np.linalg.norm(spin_gain, axis=1) * np.sqrt(np.trace(inertias, axis1=1, axis2=2) / (2.0 * masses))
        scale = np.minimum(1.0, speed_gain / np.maximum(speed, TINY_SPEED))
        gain = gain * scale[:, None]
        spin_gain = spin_gain * np.minimum(scale, speed_gain / np.maximum(rim_speed, TINY_SPEED))[:, None]
        spin = motion.angular_velocity
        share = max(
            _energy_share(masses, inertias, before - limit.frame, spin, gain, spin_gain, limit.energy)
            for limit in limits
        )
        gain, spin_gain = share * gain, share * spin_gain
    return before + gain, motion.angular_velocity + spin_gain


def _energy_share(
    masses: np.ndarray,
    inertias: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    gain: np.ndarray,
    spin_gain: np.ndarray,
    energy: float,
) -> float:
    """Return the largest share (0 to 1) of a gain in motion that keeps the kinetic energy below ``energy``, J."""
    quadratic = _energy(masses, gain) + 0.5 * float(np.einsum("ni,nij,nj->", spin_gain, inertias, spin_gain))
    linear = float(np.einsum("n,ni,ni->", masses, velocity, gain) + np.einsum("i,nij,nj->", spin, inertias, spin_gain))
    start = _energy(masses, velocity) + 0.5 * float(np.einsum("i,nij,j->", spin, inertias, spin))
    if quadratic + linear <= energy - start or quadratic == 0.0:
        return 1.0
    left = max(energy - start, 0.0)
    return max(0.0, min(1.0, (-linear + (linear**2 + 4.0 * quadratic * left) ** 0.5) / (2.0 * quadratic)))


def _energy(masses: float | np.ndarray, velocities: np.ndarray) -> float:
    """Return the kinetic energy of translation, J."""
    return 0.5 * float(np.sum(masses * np.sum(velocities**2, axis=-1)))
