"""How far a bond stretches before it breaks: from strength or toughness, with defects from place to place."""

from __future__ import annotations

import numpy as np
from scipy.special import gamma

from ....data.material import Material

# Energy of a cubic lattice's bonds through a unit of crack, over E h stretch^2 / 2: a crack through them has to pay
# the energy release rate.
CRACK_SHARE = 4.4
# No bond is weaker than this share of the sound material.
WEAKEST = 0.2


def strength_stretch(material: Material) -> float:
    """Stretch over rest length at the tensile strength: sigma_t / E, whatever the spacing."""
    return material.tensile_strength / material.young_modulus


def toughness_stretch(material: Material, spacing: float) -> float:
    """Stretch over rest length at which a crack pays for its area: sqrt(2 G_c / 4.4 E h), G_c = K_IC^2 / E.

    Args:
        material: Toughness and modulus.
        spacing: h, metres between nodes.
    """
    energy = material.toughness**2 / material.young_modulus
    return float(np.sqrt(2.0 * energy / (CRACK_SHARE * material.young_modulus * spacing)))


def breaking_stretch(material: Material, spacing: float, law: str = "least") -> float:
    """The stretch over rest length at which a sound bond breaks.

    Args:
        material: What the bonds are made of.
        spacing: Metres between nodes.
        law: ``strength``, ``toughness``, or ``least`` of both: nodes further apart than the material length would
            spend too much energy on a crack that waits for the strength.
    """
    stretches = {"strength": strength_stretch(material), "toughness": toughness_stretch(material, spacing)}
    return min(stretches.values()) if law == "least" else stretches[law]


def uniform_defects(count: int, width: float, random: np.random.Generator) -> np.ndarray:
    """(B,) factors of the threshold, evenly between 1 - width and 1 + width."""
    return np.maximum(random.uniform(1.0 - width, 1.0 + width, count), WEAKEST)


def weibull_defects(volumes: np.ndarray, modulus: float, random: np.random.Generator) -> np.ndarray:
    """(B,) factors of the threshold: Weibull's weakest link, V^(-1/m) times a draw with mean 1.

    Args:
        volumes: (B,) m3 that each bond stands for; more material holds more defects.
        modulus: Weibull's m, about 1.2 over the relative standard deviation.
        random: Source of the draws.
    """
    draws = random.weibull(modulus, len(volumes)) / gamma(1.0 + 1.0 / modulus)
    return np.maximum(draws * (volumes / volumes.mean()) ** (-1.0 / modulus), WEAKEST)


def softened(stretch, softening: float):
    """Thresholds of a body whose modulus is divided by ``softening``, so that a crack still costs the same energy."""
    return np.sqrt(softening) * stretch
