"""Breaking stretch of bonds, from strength or toughness, with random defects."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from scipy.special import gamma

from ....data.material import Material

# Energy of the bonds that a crack of unit area breaks, over E h stretch^2 / 2. In a cubic lattice with body diagonals
# an area h^2 cuts one edge of stiffness 0.8 E h and four diagonals of 0.3 E h and squared length 3 h^2: 0.8 + 4 x 0.3 x
# 3 = 4.4. Notched beams give 0.97 to 1.20 of the toughness with it (docs/equations.md, P5).
CRACK_SHARE = 4.4
# Smallest factor of defects. Chosen; not measured.
WEAKEST = 0.2

T = TypeVar("T", float, np.ndarray)


def strength_stretch(material: Material) -> float:
    """Compute the stretch over rest length at the tensile strength, sigma_t / E. It does not depend on the spacing."""
    return material.tensile_strength / material.young_modulus


def toughness_stretch(material: Material, spacing: float) -> float:
    """Compute the stretch over rest length at which a crack advances: sqrt(2 G_c / 4.4 E h), G_c = K_IC^2 / E.

    The bonds then release the energy that the crack's area costs.

    Args:
        material: Supplies toughness and modulus.
        spacing: h, m between nodes.
    """
    energy = material.toughness**2 / material.young_modulus
    return float(np.sqrt(2.0 * energy / (CRACK_SHARE * material.young_modulus * spacing)))


def breaking_stretch(material: Material, spacing: float, law: str = "least") -> float:
    """Compute the stretch over rest length at which a sound bond breaks.

    Args:
        material: Material of the bonds.
        spacing: m between nodes.
        law: ``strength``, ``toughness``, or ``least`` for the smaller of both. If the spacing exceeds the material
            length, a crack that waits for the strength costs too much energy.
    """
    stretches = {"strength": strength_stretch(material), "toughness": toughness_stretch(material, spacing)}
    return min(stretches.values()) if law == "least" else stretches[law]


def uniform_defects(count: int, width: float, random: np.random.Generator) -> np.ndarray:
    """Draw (B,) factors of the threshold, uniform between 1 - width and 1 + width."""
    return np.maximum(random.uniform(1.0 - width, 1.0 + width, count), WEAKEST)


def weibull_defects(volumes: np.ndarray, modulus: float, random: np.random.Generator) -> np.ndarray:
    """Draw (B,) factors of the threshold by Weibull's weakest link law: V^(-1/m) times a draw with mean 1.

    Args:
        volumes: (B,) m3, the volume that each bond represents. A larger volume has larger defects.
        modulus: Weibull modulus m, about 1.2 over the relative standard deviation.
        random: Random generator.
    """
    draws = random.weibull(modulus, len(volumes)) / gamma(1.0 + 1.0 / modulus)
    return np.maximum(draws * (volumes / volumes.mean()) ** (-1.0 / modulus), WEAKEST)


def softened(stretch: T, softening: float) -> T:
    """Scale the thresholds of a body whose modulus is divided by ``softening``: a crack costs the same energy."""
    return np.sqrt(softening) * stretch
