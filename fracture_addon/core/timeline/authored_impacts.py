"""Conversion of the artist's impacts to impacts on fragments."""

from __future__ import annotations

import numpy as np

from ..data.impact import Impact, hertz_duration
from ..data.job import AuthoredImpact, Body
from ..numerics.rotations import length, matrices
from ..rigid import contacts
from .breaking import Breaker
from .rigid_fragment import RigidFragment

# m/s, closing speed that sets the duration of an artist's impact. The duration depends on its fifth root only (Hertz).
# Insensitive: from 0.05 to 500 small scenes have the same numbers of fragments (docs/decisions/constants.md).
AUTHORED_SPEED = 5.0


def duration(body: Body, diagonal: float, mass: float) -> float:
    """Return the duration of an artist's impact: that of a Hertz contact at ``AUTHORED_SPEED``.

    Args:
        body: The body of the job.
        diagonal: Diagonal of its surface, m.
        mass: Mass of the fragment that receives the impact, kg.

    Returns:
        s.

    Notes:
        Johnson 1985, Contact Mechanics, equation 11.24.

    Example:
        It is proportional to the mass to the power of 2/5: 32 times the mass, four times the duration.

        >>> from types import SimpleNamespace
        >>> from ..data.material import PORCELAIN
        >>> body = SimpleNamespace(material=PORCELAIN)
        >>> round(duration(body, 0.1, 32.0) / duration(body, 0.1, 1.0), 9)
        4.0
    """
    modulus = contacts.effective_modulus(body.material, None)
    return hertz_duration(mass, contacts.CURVATURE_SHARE * diagonal, modulus, AUTHORED_SPEED)


def impact_on(breaker: Breaker, fragment: RigidFragment, pose: np.ndarray, authored: AuthoredImpact) -> Impact:
    """Return an artist's impact in rest space; its strength is a multiple of the fragment's critical load.

    Args:
        breaker: Computes the critical load.
        fragment: The fragment that receives the impact.
        pose: (7,) pose of its centre of mass.
        authored: The impact.
    """
    point = contacts.rest_point(pose, fragment.properties.center, authored.point)
    direction = matrices(pose[3:]).T @ np.asarray(authored.direction, float)
    radius = authored.radius or contacts.PATCH_CELLS * fragment.cell_size
    seconds = _duration_on(breaker, fragment)
    critical = breaker.critical_force(fragment, [Impact(point, direction, 1.0, seconds, radius)])
    impulse = 0.5 * authored.strength * critical * seconds
    violence = breaker.breakables[fragment.body].body.violence(fragment.depth)
    return Impact(point, direction, impulse, seconds, radius, load_factor=violence)


def push_of(breaker: Breaker, fragment: RigidFragment, authored: AuthoredImpact) -> np.ndarray:
    """Return the impulse (3,) N s of an artist's impact on a fragment that is too small to break.

    The tensile strength times the square of the cell size serves as its critical load.
    """
    material = breaker.breakables[fragment.body].body.material
    force = authored.strength * material.tensile_strength * fragment.cell_size**2
    direction = np.asarray(authored.direction, float)
    return 0.5 * force * _duration_on(breaker, fragment) * direction / length(direction)


def _duration_on(breaker: Breaker, fragment: RigidFragment) -> float:
    breakable = breaker.breakables[fragment.body]
    return duration(breakable.body, breakable.surface.diagonal, fragment.properties.mass)
