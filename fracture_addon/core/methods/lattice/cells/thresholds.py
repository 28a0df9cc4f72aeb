"""Breaking stretch of bonds, from strength or toughness, with random defects."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from scipy.special import gamma

from ....data.material import Material
from ....data.settings.settings import ModelSettings
from ....fields.strength import WEAKEST, WEIBULL_FACTOR, grain_directions, grain_factor, noise, placed_factor
from ....numerics.random_streams import rng
from ..lattice import Lattice

# Energy of the bonds that a crack of unit area breaks, over E h stretch^2 / 2. In a cubic lattice with body diagonals
# an area h^2 cuts one edge of stiffness 0.8 E h and four diagonals of 0.3 E h and squared length 3 h^2: 0.8 + 4 x 0.3 x
# 3 = 4.4. Notched beams give 0.97 to 1.20 of the toughness with it (docs/equations.md, P5).
CRACK_SHARE = 4.4
# Smallest volume of a bond over the mean, for the size of its defects, so that slivers are not unbreakable. From 1e-4
# to 0.02 the numbers of fragments stay the same.
SMALLEST_SHARE = 0.01

T = TypeVar("T", float, np.ndarray)


def strength_stretch(material: Material) -> float:
    """Compute the stretch over rest length at the tensile strength, sigma_t / E. It does not depend on the spacing.

    Args:
        material: Its tensile strength and Young's modulus, Pa.

    Returns:
        Stretch over rest length, dimensionless.

    Notes:
        Hooke 1678. Norton et al. 1991 set the threshold by hand.

    Example:
        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> PORCELAIN.tensile_strength, PORCELAIN.young_modulus, round(strength_stretch(PORCELAIN), 6)
        (40000000.0, 70000000000.0, 0.000571)
    """
    return material.tensile_strength / material.young_modulus


def toughness_stretch(material: Material, spacing: float) -> float:
    """Compute the stretch over rest length at which a crack advances: sqrt(2 G_c / 4.4 E h), G_c = K_IC^2 / E.

    The bonds then release the energy that the crack's area costs.

    Args:
        material: Supplies toughness and modulus.
        spacing: h, m between nodes.

    Returns:
        Stretch over rest length, dimensionless.

    Notes:
        Griffith 1921 for the energy; own factor 4.4, see ``CRACK_SHARE``.

    Example:
        A quarter of the spacing doubles it.

        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> round(toughness_stretch(PORCELAIN, 0.001) / toughness_stretch(PORCELAIN, 0.004), 6)
        2.0
    """
    energy = material.toughness**2 / material.young_modulus
    return float(np.sqrt(2.0 * energy / (CRACK_SHARE * material.young_modulus * spacing)))


def breaking_stretch(material: Material, spacing: float) -> float:
    """Compute the stretch over rest length at which a sound bond breaks at a crack tip.

    It is the smaller of ``strength_stretch`` and ``toughness_stretch``. If the spacing exceeds the material length, a
    crack that grows at the strength takes too much energy.

    Args:
        material: Material of the bonds.
        spacing: m between nodes.

    Returns:
        Stretch over rest length, dimensionless.

    Notes:
        Own (docs/decisions/lattice_crack_tips.md).

    Example:
        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> [breaking_stretch(PORCELAIN, spacing) == strength_stretch(PORCELAIN) for spacing in (1e-6, 1.0)]
        [True, False]
    """
    return min(strength_stretch(material), toughness_stretch(material, spacing))


def weibull_defects(volumes: np.ndarray, modulus: float, random: np.random.Generator) -> np.ndarray:
    """Draw factors of the threshold by Weibull's weakest link law: V^(-1/m) times a draw with mean 1.

    Args:
        volumes: (B,) m3, the volume that each bond represents. A larger volume has larger defects.
        modulus: Weibull modulus m, about 1.2 over the relative standard deviation.
        random: Random generator.

    Returns:
        (B,) factors.

    Notes:
        Weibull 1951. Norton et al. 1991 draw random thresholds.

    Example:
        Bonds of eight times the volume have half of the strength for m = 3.

        >>> factors = weibull_defects(np.repeat([1.0, 8.0], 5000), 3.0, np.random.default_rng(0))
        >>> round(float(factors[5000:].mean() / factors[:5000].mean()), 1)
        0.5
    """
    draws = random.weibull(modulus, len(volumes)) / gamma(1.0 + 1.0 / modulus)
    return np.maximum(draws * (volumes / volumes.mean()) ** (-1.0 / modulus), WEAKEST)


def softened(stretch: T, softening: float) -> T:
    """Scale the thresholds of a body whose modulus is divided by ``softening``: a crack takes the same energy.

    Args:
        stretch: Threshold before softening, a number or an array.
        softening: Divisor of the stiffness.

    Returns:
        The threshold, in the shape of ``stretch``.

    Notes:
        Own: the energy of a bond, E stretch^2 / 2 per volume, stays the same.

    Example:
        >>> float(softened(0.001, 100.0))
        0.01
    """
    return np.sqrt(softening) * stretch


def variation(lattice: Lattice, material: Material, settings: ModelSettings, part: int = 0) -> np.ndarray:
    """Compute the (B,) thresholds over those of sound material, from defects, noise, grain and placed fields.

    ``part`` is the number of the object among joined ones: equal objects get different defects.
    """
    factors = np.ones(lattice.bond_count)
    first, second = lattice.points[lattice.bonds[:, 0]], lattice.points[lattice.bonds[:, 1]]
    middles = 0.5 * (first + second)
    if material.strength_variation > 0.0:
        # In an isotropic lattice the sum of k l^2 over all bonds is 6 E V.
        volumes = lattice.stiffness * lattice.rest_lengths**2 / 6.0
        volumes = np.maximum(volumes, SMALLEST_SHARE * volumes.mean())
        random = rng(settings.seed, "lattice strength", part)
        factors *= weibull_defects(volumes, WEIBULL_FACTOR / material.strength_variation, random)
    if settings.strength.noise > 0.0:
        wavelength = settings.strength.noise_size * float(np.linalg.norm(np.ptp(lattice.points, axis=0)))
        factors *= 1.0 + settings.strength.noise * noise(middles, settings, wavelength)
    factors = np.maximum(factors, WEAKEST)
    if material.grain_strength_ratio > 1.0:
        grain = grain_directions(middles, settings.strength.grain, settings.strength.grains)
        factors *= grain_factor(second - first, grain, material.grain_strength_ratio)
    return factors * placed_factor(middles, np.stack([first, second], axis=1), settings)
