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


def bond_strengths(solid: SolidModel, material: Material, settings: Settings, cell_size: float) -> np.ndarray:
    """Tensile strength of each shared face, Pa.

    The material's strength, less where cells are longer than its material length (a crack there has to pay the energy
    of its new area, so strength goes with h^-1/2), times scatter from bond to bond, turbulence in space (Perlin 1985),
    and the angle to the grain (Hankinson's rule: across it for a face whose normal lies across).

    Args:
        solid: With F shared faces.
        material: Its strength, scatter and grain.
        settings: Seed, noise, noise size and grain direction.
        cell_size: m.

    Returns:
        (F,) Pa.
    """
    corners = solid.points[solid.faces]
    random = np.random.default_rng([settings.seed, 2])
    strength = np.full(solid.face_count, material.tensile_strength * _size_effect(material, cell_size))
    variation = 1.0 + material.strength_variation * random.standard_normal(solid.face_count)
    if settings.noise > 0.0:
        wavelength = settings.noise_size * float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0)))
        variation *= 1.0 + settings.noise * turbulence(corners.mean(axis=1), settings.seed, wavelength, NOISE_OCTAVES)
    strength *= np.maximum(variation, WEAKEST)
    if material.grain_strength_ratio > 1.0:
        vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        strength *= _grain_factor(vectors, settings.grain, material.grain_strength_ratio)
    return strength


def _size_effect(material: Material, cell_size: float) -> float:
    return min(1.0, float(np.sqrt(material.material_length / cell_size)))


def _grain_factor(vectors: np.ndarray, grain: np.ndarray, ratio: float) -> np.ndarray:
    """Hankinson: s(angle) = s_along s_across / (s_along sin^2 + s_across cos^2), over s_across."""
    along = vectors @ (grain / np.linalg.norm(grain)) / np.linalg.norm(vectors, axis=1)
    return ratio / (ratio * (1.0 - along**2) + along**2)
