"""Impacts in one step of the rigid world: which bodies collide, and with what force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..data.impact import hertz_duration
from ..numerics.rotations import cross, length, matrices
from ..rigid.contact_reports import Contact
from ..rigid.contacts import CURVATURE_SHARE, Collision, effective_modulus, hertz_impacts, inverse_mass
from .rigid_scene import RigidScene

# m/s, least change of closing speed that counts as an impact. Insensitive: 0.15 and 0.6 give the same counts of
# fragments (docs/decisions/constants.md).
SLOWEST_IMPACT = 0.3
# Factor that keeps an upper bound valid despite rounding.
ROUNDED_UP = 1.0 + 1e-9
# Steps in which the remaining gap must close for a contact of a kinematic body to count. The gap is measured before the
# step: one step for this one, and one for the next. From 0.02 to 200 the small scenes keep their bytes.
STEPS_TO_CLOSE = 2.0

# Velocity (3,) m/s and angular velocity (3,) rad/s of bodies, by key.
Motions = Mapping[int, tuple[np.ndarray, np.ndarray]]


def kinematic_contacts(scene: RigidScene, before: Motions, seconds: float) -> list[Contact]:
    """Find contacts of kinematic bodies with fixed or kinematic ones, for which the rigid world computes no force.

    The push of each contact is the impulse that would stop the body if it were dynamic.

    Args:
        scene: State after a step.
        before: Motions before the step.
        seconds: Length of the step.
    """
    contacts: list[Contact] = []
    kinematic = [fragment for fragment in scene.fragments if fragment.kinematic and fragment.key in before]
    motions = (scene.world.velocities(key) for key in scene.kinematic_keys() if kinematic)
    if not any(map(_moves, motions)) and not any(_moves(before[fragment.key]) for fragment in kinematic):
        return contacts
    for fragment in kinematic:
        pose, (velocity, spin) = scene.world.pose(fragment.key), before[fragment.key]
        for other, normal in scene.world.contacts.in_the_way(fragment.key):
            offsets, gaps = scene.world.contacts.touching(Contact(other, fragment.key, normal), fragment.key)
            arm = matrices(pose[3:]) @ offsets[0]
            other_velocity = velocity_at(scene, other, scene.world.velocities(other), pose[:3] + arm)
            closing_speed = float((other_velocity - velocity - cross(spin, arm)) @ normal)
            if closing_speed > SLOWEST_IMPACT and gaps[0] <= STEPS_TO_CLOSE * closing_speed * seconds:
                inverse = inverse_mass(fragment.properties, matrices(pose[3:]), arm, normal)
                contacts.append(Contact(other, fragment.key, normal * (closing_speed / inverse)))
    return contacts


def _moves(motion: tuple[np.ndarray, np.ndarray]) -> bool:
    velocity, spin = motion
    return bool(velocity.any() or spin.any())


def impact_of_contact(
    scene: RigidScene, row: int, contact: Contact, push: np.ndarray, before: Motions, diagonal: float
) -> Collision | None:
    """Compute the impact of a contact on a fragment; ``None`` if it is too soft.

    Args:
        scene: State after the step.
        row: Row of the fragment.
        contact: A contact of the fragment.
        push: (3,) N s, impulse on the fragment.
        before: Motions before the step. For bodies that are missing here, the motion after the step is used.
        diagonal: Diagonal of the whole body, m.
    """
    fragment = scene.fragments[row]
    partner = contact.first if contact.second == fragment.key else contact.second
    if _is_soft(scene, (fragment.key, partner), push):
        return None
    offsets, gaps = scene.world.contacts.touching(contact, fragment.key)
    if not len(offsets):
        return None
    own, other = scene.side(fragment.key), scene.side(partner)
    if fragment.kinematic and np.isinf(other.properties.mass):
        own = replace(own, properties=fragment.properties)
    _, impacts = hertz_impacts(
        own, other, offsets, gaps, push, size=fragment.cell_size, diagonal=diagonal, slowest=SLOWEST_IMPACT
    )
    if not impacts:
        return None
    rotation = matrices(own.pose[3:])
    point = own.pose[:3] + rotation @ offsets[0]
    own_velocity = velocity_at(scene, fragment.key, before[fragment.key], point)
    other_motion = before.get(partner) or scene.world.velocities(partner)
    other_velocity = velocity_at(scene, partner, other_motion, point)
    closing_speed = max(0.0, float((other_velocity - own_velocity) @ push) / length(push))
    # The push may have acted at other points too, or come through a third body. The speed change of the deepest point
    # then overestimates the speed of the other body. It is limited to the speed before the step.
    speed = max(closing_speed, length(push) / fragment.properties.mass)
    impacts = tuple(
        replace(impact, speed=min(impact.speed, speed), load_factor=scene.violence(row)) for impact in impacts
    )
    # The impulses of all patches are parallel, so they act like one in the middle of the load.
    middle = sum(impact.impulse * impact.point for impact in impacts) / sum(impact.impulse for impact in impacts)
    point = own.pose[:3] + rotation @ (middle - own.properties.center)
    return Collision(partner, push, point, impacts, closing_speed, other.properties.mass, other_velocity)


def peak_force_bound(scene: RigidScene, row: int, contact: Contact, push: np.ndarray, diagonal: float) -> float:
    """Return an upper bound of the peak force of ``impact_of_contact``, N, for any contact point.

    It takes a fraction of the time of ``impact_of_contact``. The arguments are the same, without ``before``.
    """
    fragment = scene.fragments[row]
    partner = contact.first if contact.second == fragment.key else contact.second
    inverse, impulse = _most_inverse_mass(scene, (fragment.key, partner)), length(push)
    if not 0.0 < inverse < np.inf:
        return np.inf
    material = scene.material(fragment.key)
    assert material is not None
    modulus = effective_modulus(material, scene.material(partner))
    duration = hertz_duration(1.0 / inverse, CURVATURE_SHARE * diagonal, modulus, impulse * inverse)
    return scene.violence(row) * ROUNDED_UP * 2.0 * impulse / duration


def _is_soft(scene: RigidScene, keys: tuple[int, int], push: np.ndarray) -> bool:
    """Return whether a push is too soft for an impact at every contact point: a quick test that rejects most."""
    return bool(0.0 < length(push) * _most_inverse_mass(scene, keys) < SLOWEST_IMPACT)


def _most_inverse_mass(scene: RigidScene, keys: tuple[int, int]) -> float:
    """Return the greatest change of closing speed per impulse at any contact point, 1/kg; 0 if neither body moves."""
    first, second = keys
    return scene.most_inverse_mass(first) + scene.most_inverse_mass(second)


def velocity_at(scene: RigidScene, key: int, motion: tuple[np.ndarray, np.ndarray], point: np.ndarray) -> np.ndarray:
    """Return the velocity (3,) m/s of a body at a point (3,) m of the world."""
    velocity, spin = motion
    return velocity + cross(spin, point - scene.world.pose(key)[:3])
