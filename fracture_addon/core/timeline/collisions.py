"""Who hit whom in a step of the rigid world, and how hard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..data.impact import hertz_duration
from ..numerics.rotations import cross, length, matrices
from ..rigid.contacts import CURVATURE_SHARE, Blow, effective_modulus, hertz_impacts, inverse_mass
from ..rigid.world import Contact
from .rigid_scene import RigidScene

# Two bodies that meet more slowly do each other no harm, m/s.
SLOWEST_HIT = 0.3
# An upper bound has to be one whatever rounding does.
ROUNDED_UP = 1.0 + 1e-9

# Velocity and angular velocity, (3,) each, of bodies by their keys.
Motions = Mapping[int, tuple[np.ndarray, np.ndarray]]


def collisions(scene: RigidScene, before: Motions, seconds: float) -> list[Contact]:
    """Where held bodies are about to run into what does not give way: the rigid world has no forces for that.

    The push is the one that would stop the body, if it were free.

    Args:
        scene: After a step.
        before: Motions before it.
        seconds: That it took.
    """
    contacts = []
    for piece in scene.pieces:
        if not piece.held or piece.key not in before:
            continue
        pose, (velocity, turn) = scene.world.pose(piece.key), before[piece.key]
        for other, normal in scene.world.in_the_way(piece.key):
            offsets, gaps = scene.world.touching(Contact(other, piece.key, normal), piece.key)
            arm = matrices(pose[3:]) @ offsets[0]
            there = _velocity_at(scene, other, scene.world.velocities(other), pose[:3] + arm)
            closing_speed = float((there - velocity - cross(turn, arm)) @ normal)
            # The gap is from before the step; the next one would close it.
            if closing_speed > SLOWEST_HIT and gaps[0] <= 2.0 * closing_speed * seconds:
                inverse = inverse_mass(piece.properties, matrices(pose[3:]), arm, normal)
                contacts.append(Contact(other, piece.key, normal * (closing_speed / inverse)))
    return contacts


def blow_of(
    scene: RigidScene, row: int, contact: Contact, push: np.ndarray, before: Motions, diagonal: float
) -> Blow | None:
    """The blow that a piece took in a contact; ``None`` for one too soft.

    Args:
        scene: After the step.
        row: Of the piece.
        contact: One of its two.
        push: (3,) N s, on the piece.
        before: Motions before the step; of others, those after it are taken.
        diagonal: Of the body that the piece is of, metres.
    """
    piece = scene.pieces[row]
    partner = contact.first if contact.second == piece.key else contact.second
    if _is_soft(scene, (piece.key, partner), push):
        return None
    offsets, gaps = scene.world.touching(contact, piece.key)
    if not len(offsets):
        return None
    struck, other = scene.side(piece.key), scene.side(partner)
    if piece.held and np.isinf(other.properties.mass):
        struck = replace(struck, properties=piece.properties)
    _, impacts = hertz_impacts(
        struck, other, offsets, gaps, push, size=piece.cell_size, diagonal=diagonal, slowest=SLOWEST_HIT
    )
    if not impacts:
        return None
    point = struck.pose[:3] + matrices(struck.pose[3:]) @ offsets[0]
    own = _velocity_at(scene, piece.key, before[piece.key], point)
    others = _velocity_at(scene, partner, before.get(partner) or scene.world.velocities(partner), point)
    closing_speed = max(0.0, float((others - own) @ push) / length(push))
    # The push may not have been at the deepest point alone, or have been passed on from elsewhere: the speed that it
    # would have given that point then says nothing about how fast the striker is.
    met = max(closing_speed, length(push) / piece.properties.mass)
    impacts = tuple(replace(impact, speed=min(impact.speed, met)) for impact in impacts)
    return Blow(row, partner, push, point, impacts, closing_speed, other.properties.mass, others)


def most_force(scene: RigidScene, row: int, contact: Contact, push: np.ndarray, diagonal: float) -> float:
    """N, no impact of ``blow_of`` has more at its peak, wherever the two touch: the harder, the easier both give way.

    Args, without ``before``: as of ``blow_of``, which takes several times as long.
    """
    piece = scene.pieces[row]
    partner = contact.first if contact.second == piece.key else contact.second
    inverse, impulse = _most_inverse_mass(scene, (piece.key, partner)), length(push)
    if not 0.0 < inverse < np.inf:
        return np.inf
    modulus = effective_modulus(scene.material(piece.key), scene.material(partner))
    duration = hertz_duration(1.0 / inverse, CURVATURE_SHARE * diagonal, modulus, impulse * inverse)
    return ROUNDED_UP * 2.0 * impulse / duration


def _is_soft(scene: RigidScene, keys: tuple[int, int], push: np.ndarray) -> bool:
    """Whether a push is too soft for a hit wherever two bodies touch: most are, and need not be looked into."""
    return bool(0.0 < length(push) * _most_inverse_mass(scene, keys) < SLOWEST_HIT)


def _most_inverse_mass(scene: RigidScene, keys: tuple[int, int]) -> float:
    """1/kg, by which a push speeds up one body past the other at most, wherever they touch; 0 where neither moves."""
    first, second = keys
    return scene.most_inverse_mass(first) + scene.most_inverse_mass(second)


def _velocity_at(scene: RigidScene, key: int, motion: tuple[np.ndarray, np.ndarray], point: np.ndarray) -> np.ndarray:
    """(3,) m/s of a point (3,) of the world that moves with a body."""
    velocity, turn = motion
    return velocity + cross(turn, point - scene.world.pose(key)[:3])
