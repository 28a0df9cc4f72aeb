"""How fragments leave a blow: with the velocities that their method found, within what the blow can give.

A method sees the impulse of a contact, not what gave it, and lets it end in whatever breaks off where it acts. But a
light fragment leaves what struck it long before it could take the impulse that stopped the whole piece, and a piece
that is squeezed between others takes impulses that have nothing to do with how fast it met them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..methods.method import Break, RigidMotion
from ..rigid.rigid_properties import RigidProperties


@dataclass(frozen=True)
class Allowance:
    """What one blow can give.

    Attributes:
        fastest: m/s, the most that it adds to any part's speed.
        frame: (3,) m/s, rest orientation, of the frame in which energy is counted: that of the common centre of mass of
            the piece and what struck it.
        energy: J, kinetic energy in that frame that there was right before the blow, of both.
    """

    fastest: float
    frame: np.ndarray
    energy: float


def allowance(
    piece: RigidProperties,
    motion: RigidMotion,
    striker_mass: float,
    striker_velocity: np.ndarray,
    closing_speed: float,
    restitution: float,
    violence: float,
) -> Allowance:
    """What a blow can give; a violence above 1 multiplies speeds, and energies by its square.

    Args:
        piece: The struck one.
        motion: Of it, right before the blow.
        striker_mass: kg, of what struck it; infinite for what nothing moves.
        striker_velocity: (3,) m/s, where it touched, rest orientation.
        closing_speed: m/s, at which the two met.
        restitution: Of the piece.
        violence: Of its settings.
    """
    scale = max(1.0, violence)
    share = 1.0 if np.isinf(striker_mass) else striker_mass / (striker_mass + piece.mass)
    frame = motion.velocity + share * (striker_velocity - motion.velocity)
    energy = _energy(piece.mass, motion.velocity - frame) + 0.5 * float(
        motion.angular_velocity @ piece.inertia @ motion.angular_velocity
    )
    if np.isfinite(striker_mass):
        energy += _energy(striker_mass, striker_velocity - frame)
    return Allowance((1.0 + restitution) * scale * closing_speed, frame, scale**2 * energy)


def departures(
    piece: RigidProperties,
    motion: RigidMotion,
    parts: Sequence[RigidProperties],
    result: Break,
    allowances: Sequence[Allowance],
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and angular velocities, (N, 3) each, with which fragments leave, rest orientation.

    Args:
        piece: That broke.
        motion: Of it, right before the blow.
        parts: The fragments.
        result: What the method found.
        allowances: Of the blows that fell together; the most generous counts. None for no limit.
    """
    masses = np.array([part.mass for part in parts])
    inertias = np.array([part.inertia for part in parts])
    arms = np.array([part.center for part in parts]) - piece.center
    had = motion.velocity + np.cross(motion.angular_velocity, arms)
    gained, spun = result.velocity - had, result.angular_velocity - motion.angular_velocity
    if allowances:
        fastest = max(item.fastest for item in allowances)
        speed = np.linalg.norm(gained, axis=1)
        rim = np.linalg.norm(spun, axis=1) * np.sqrt(np.trace(inertias, axis1=1, axis2=2) / (2.0 * masses))
        slower = np.minimum(1.0, fastest / np.maximum(speed, 1e-30))
        gained = gained * slower[:, None]
        spun = spun * np.minimum(slower, fastest / np.maximum(rim, 1e-30))[:, None]
        turn = motion.angular_velocity
        share = max(_share(masses, inertias, had - item.frame, turn, gained, spun, item.energy) for item in allowances)
        gained, spun = share * gained, share * spun
    return had + gained, motion.angular_velocity + spun


def _share(masses, inertias, velocity, turn, gained, spun, energy) -> float:
    """The largest share, 0 to 1, of a gain in motion that leaves the kinetic energy within a bound."""
    quadratic = _energy(masses, gained) + 0.5 * float(np.einsum("ni,nij,nj->", spun, inertias, spun))
    linear = float(np.einsum("n,ni,ni->", masses, velocity, gained) + np.einsum("i,nij,nj->", turn, inertias, spun))
    start = _energy(masses, velocity) + 0.5 * float(np.einsum("i,nij,j->", turn, inertias, turn))
    if quadratic + linear <= energy - start or quadratic == 0.0:
        return 1.0
    left = max(energy - start, 0.0)
    return max(0.0, min(1.0, (-linear + (linear**2 + 4.0 * quadratic * left) ** 0.5) / (2.0 * quadratic)))


def _energy(masses, velocities: np.ndarray) -> float:
    """Kinetic energy of translation, J."""
    return 0.5 * float(np.sum(masses * np.sum(velocities**2, axis=-1)))
