"""How strong the bonds of a solid are, from place to place."""

from __future__ import annotations

import numpy as np

from .job import Settings
from .material import Material
from .roughness import turbulence
from .solid import SolidModel

# No place is weaker than this share of the material's strength, whatever scatter and noise say.
WEAKEST = 0.2
NOISE_OCTAVES = 3


def bond_strengths(solid: SolidModel, material: Material, settings: Settings) -> np.ndarray:
    """Tensile strength of each shared face that no crack has reached yet, Pa.

    The material's strength, times scatter from bond to bond, turbulence in space (Perlin 1985), and the angle to the
    grain (Hankinson's rule: across it for a face whose normal lies across).

    Args:
        solid: With F shared faces.
        material: Its strength, scatter and grain.
        settings: Seed, noise, noise size and grain direction.

    Returns:
        (F,) Pa.
    """
    corners = solid.points[solid.faces]
    random = np.random.default_rng([settings.seed, 2])
    strength = np.full(solid.face_count, material.tensile_strength)
    variation = 1.0 + material.strength_variation * random.standard_normal(solid.face_count)
    if settings.noise > 0.0:
        wavelength = settings.noise_size * float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0)))
        variation *= 1.0 + settings.noise * turbulence(corners.mean(axis=1), settings.seed, wavelength, NOISE_OCTAVES)
    strength *= np.maximum(variation, WEAKEST)
    if material.grain_strength_ratio > 1.0:
        vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        strength *= _grain_factor(vectors, settings.grain, material.grain_strength_ratio)
    return strength


def size_effect(material: Material, cell_size: float) -> float:
    """Strength that a crack's toughness leaves to cells of this size (m) at its tip, over the material's.

    The stress over a cell at the tip of a crack is about K / sqrt(h): where cells are longer than the material length
    a crack goes on at K_IC / sqrt(h), however strong the whole material is. So a crack costs the same energy an area
    on cells of any size, and starts at the same stress.
    """
    return min(1.0, float(np.sqrt(material.material_length / cell_size)))


def _grain_factor(vectors: np.ndarray, grain: np.ndarray, ratio: float) -> np.ndarray:
    """Hankinson: s(angle) = s_along s_across / (s_along sin^2 + s_across cos^2), over s_across."""
    along = vectors @ (grain / np.linalg.norm(grain)) / np.linalg.norm(vectors, axis=1)
    return ratio / (ratio * (1.0 - along**2) + along**2)
