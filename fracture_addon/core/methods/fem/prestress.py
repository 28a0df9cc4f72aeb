"""Stress without a load: that of tempered glass, and placed or painted prior stress."""

from __future__ import annotations

import numpy as np

from ...data.errors import SettingsError
from ...data.job import Body
from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import outer_faces
from ...data.surface import Surface
from ...fields.prior_stress import has_prior_stress, largest_prior_stress, prior_stress
from ...geometry.nearest import nearest
from .advance import Leapfrog
from .cracks.stress_release import wall_of
from .elements import Law
from .state import Mesh

# Barycentric coordinate of the four quadrature points of a tetrahedron for one corner, (5 + 3 sqrt(5)) / 20. The other
# three corners share the rest equally. This rule is exact for quadratic polynomials.
QUADRATURE = 0.5854102
# Time steps between two checks of the kinetic energy, and the largest number of checks. A tempered slab breaks into
# 20 fragments at 5, 10 and 20 steps, and into 19, 20 and 20 at 200, 400 and 800 checks.
STEPS, MAX_CHECKS = 10, 400
# Kinetic energy over its largest value below which the body is at rest. From 1e-10 to 2e-8 a tempered slab breaks
# into 20 fragments, at 1e-6 into 21.
REST = 1e-8
# Largest strain that tempering or prior stress may cause. The core of a tempered body has half of it, in tension, and
# its elements collapse at a Green strain of -1/3. Glass tempered to 100 MPa has 0.001, and 0.035 if it deforms with the
# default softening.
MOST_STRAIN = 0.5


def check_prestress(body: Body) -> None:
    """Refuse a tempering or a prior stress that finite elements cannot compute.

    Raises:
        SettingsError: It would strain the body by more than ``MOST_STRAIN``.
    """
    settings, material = body.settings, body.material
    # Softening divides the stiffness of a deformable body, and its square root divides the tempering.
    tempering = settings.strength.tempering
    ratio = settings.motion.softening**0.5 if settings.motion.deforms else 1.0
    strain = ratio * tempering * (1.0 - material.poisson_ratio) / material.young_modulus
    if strain > MOST_STRAIN:
        raise SettingsError(
            f"'{body.name}' cannot be tempered to {tempering:.3g} Pa: its surface would be compressed by "
            f"{strain:.0%}, and more than {MOST_STRAIN:.0%} cannot be computed; set Tempering to "
            f"{MOST_STRAIN / strain * tempering:.2g} Pa or less"
        )
    prior = largest_prior_stress(settings)
    strain = ratio * prior * (1.0 - 2.0 * material.poisson_ratio) / material.young_modulus
    if strain > MOST_STRAIN:
        raise SettingsError(
            f"'{body.name}' cannot have a prior stress of {prior:.3g} Pa: it would be strained by {strain:.0%}, and "
            f"more than {MOST_STRAIN:.0%} cannot be computed; set Prior Stress to "
            f"{MOST_STRAIN / strain * prior:.2g} Pa or less"
        )


def is_prestressed(settings: ModelSettings) -> bool:
    """Return whether a body has stress without a load."""
    return settings.strength.tempering > 0.0 or has_prior_stress(settings)


def prestress(
    mesh: Mesh, law: Law, step: float, material: Material, settings: ModelSettings, divisor: float = 1.0
) -> None:
    """Give a mesh its stress without a load, and let it come to rest.

    The stress is written as plastic strain, which the neighbours of an element prevent. Prior stress s is the strain
    -s (1 - 2 nu) / E.

    Args:
        mesh: At rest, changed in place.
        law: Its material.
        step: Time step, s.
        material: The same material, for its Young's modulus and Poisson's ratio.
        settings: ``tempering`` and prior stress.
        divisor: Divisor of these stresses.

    Raises:
        SettingsError: The mesh does not come to rest, because elements turn inside out.
    """
    if not is_prestressed(settings):
        return
    rows, strength = np.flatnonzero(~mesh.ghost), settings.strength
    strain = np.zeros(len(rows))
    if strength.tempering > 0.0:
        strain += _tempered_strain(mesh, rows, material, strength.tempering / divisor)
    if has_prior_stress(settings):
        stress = prior_stress(mesh.rest[mesh.elements[rows]].mean(axis=1), settings) / divisor
        strain -= stress * (1.0 - 2.0 * material.poisson_ratio) / material.young_modulus
    mesh.plastic_strain[rows] = strain[:, None, None] * np.eye(3)
    _settle(mesh, Leapfrog(mesh, law, step))
    if not np.isfinite(mesh.position).all():
        raise SettingsError(
            f"stress without a load strains the body by {np.abs(strain).max():.0%} and turns cells inside out; "
            "lower Tempering or Prior Stress, or the Softening of a deformable object"
        )


def _tempered_strain(mesh: Mesh, rows: np.ndarray, material: Material, compression: float) -> np.ndarray:
    """Return the plastic strain (K,) of tempered elements ``rows``.

    The stress, positive in compression, is the parabola compression (3/2 z^2 - 1/2) from the middle of the wall (z = 0)
    to its surface (z = 1).
    """
    corners = mesh.rest[mesh.elements[rows]]
    others = (1.0 - QUADRATURE) / 3.0
    points = (QUADRATURE - others) * corners + others * corners.sum(axis=1, keepdims=True)
    surface = Surface(mesh.rest, outer_faces(mesh.rest_node[mesh.elements[rows]])[0])
    depth = nearest(surface, points.reshape(-1, 3))[2].reshape(-1, 4)
    height = 1.0 - np.minimum(2.0 * depth / wall_of(mesh), 1.0)
    stress = compression * (1.5 * height**2 - 0.5).mean(axis=1)
    # A strain that is prevented in both directions of a wall gives the stress E / (1 - nu) times the strain.
    return stress * (1.0 - material.poisson_ratio) / material.young_modulus


def _settle(mesh: Mesh, motion: Leapfrog) -> None:
    """Bring a mesh to rest by kinetic damping: set velocities to zero whenever the kinetic energy falls."""
    before = largest = 0.0
    for _ in range(MAX_CHECKS):
        motion.advance(np.zeros(STEPS))
        energy = float(mesh.mass @ (mesh.velocity**2).sum(axis=1))
        largest = max(largest, energy)
        if energy < before:
            mesh.velocity[:] = 0.0
            if before < REST * largest:
                break
            energy = 0.0
        before = energy
    mesh.velocity[:] = 0.0
