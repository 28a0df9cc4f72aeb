"""How strong the bonds of a solid are, and how heavy its cells, from place to place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.material import Material
from ..data.places import GrainDirection
from ..data.settings.settings import ModelSettings
from ..data.solid import SolidModel, cell_centers, cell_volumes, face_vectors
from .noise import absolute_turbulence, turbulence
from .painting import factors_at

# No place is weaker than this share of the material's strength, whatever scatter and noise say.
WEAKEST = 0.2
NOISE_OCTAVES = 3
# Weibull's modulus over one by the scatter, and the edge (m) of a cell whose faces have the area that bears the
# greatest stress in a bending test, about half a square centimetre.
MODULUS_TIMES_SCATTER, SAMPLE_SIZE = 1.2, 0.01


def bond_strengths(solid: SolidModel, material: Material, settings: ModelSettings) -> np.ndarray:
    """Tensile strength of each shared face that no crack has reached yet, Pa.

    The material's strength, times scatter from bond to bond with the size effect that goes with it, noise in space
    (Perlin 1985), the sizes of the face and its cells, the angle to the grain (Hankinson's rule: across it for a face
    whose normal lies across), and whatever the artist placed and painted.

    Args:
        solid: With F shared faces.
        material: Its strength, scatter and grain.
        settings: Seed, noise, exponents, grain direction, planes, regions, alternation, painted strength.

    Returns:
        (F,) Pa.
    """
    centers, vectors = solid.points[solid.faces].mean(axis=1), face_vectors(solid)
    random = np.random.default_rng([settings.seed, 2])
    variation = 1.0 + material.strength_variation * random.standard_normal(solid.face_count)
    if settings.strength.noise > 0.0:
        variation *= 1.0 + settings.strength.noise * noise(centers, settings, _wavelength(solid, settings))
    variation *= weakest_link(bond_sizes(solid), material.strength_variation)
    strength = material.tensile_strength * np.maximum(variation, WEAKEST)
    strength *= _size_factor(solid, vectors, settings)
    if material.grain_strength_ratio > 1.0:
        grain = grain_directions(centers, settings.strength.grain, settings.strength.grains)
        strength *= grain_factor(vectors, grain, material.grain_strength_ratio)
    return strength * placed_factor(centers, cell_centers(solid.points, solid.cells)[solid.face_cells], settings)


def cell_densities(solid: SolidModel, settings: ModelSettings) -> np.ndarray:
    """(C,) density of each cell over the body's mean: noise, regions and paint move mass about, and add none."""
    centers = cell_centers(solid.points, solid.cells)
    density = np.ones(solid.cell_count)
    if settings.strength.density_noise > 0.0:
        noise = turbulence(centers, settings.seed + 1, _wavelength(solid, settings), NOISE_OCTAVES)
        density *= np.maximum(1.0 + settings.strength.density_noise * noise, WEAKEST)
    for region in settings.strength.regions:
        density *= region.density ** region.weight(centers)
    if settings.strength.painted_density is not None:
        density *= factors_at(settings.strength.painted_density, centers)
    volumes = cell_volumes(solid.points, solid.cells)
    return density * (volumes.sum() / (density @ volumes))


def bond_sizes(solid: SolidModel) -> np.ndarray:
    """(F,) m, how large the cells of each shared face are: the edge of a regular one with their mean volume."""
    volumes = cell_volumes(solid.points, solid.cells)[solid.face_cells].mean(axis=1)
    return np.cbrt(6.0 * np.sqrt(2.0) * volumes)


def weakest_link(sizes: np.ndarray, scatter: float) -> np.ndarray:
    """Strength of bonds of these sizes (m) over that of a sample, for the flaws in their areas (Weibull 1939).

    s ~ area^(-1 / modulus). Of more, smaller bonds the weakest would else be weaker, and a body of finer cells, or
    where its cells are finer, would break at a smaller load.
    """
    return (sizes / SAMPLE_SIZE) ** (-2.0 * scatter / MODULUS_TIMES_SCATTER)


def size_effect(material: Material, cell_size: np.ndarray) -> np.ndarray:
    """Strength that a crack's toughness leaves to cells of this size (m) at its tip, over the material's.

    The stress over a cell at the tip of a crack is about K / sqrt(h): where cells are longer than the material length
    a crack goes on at K_IC / sqrt(h), however strong the whole material is. So a crack costs the same energy an area
    on cells of any size, and starts at the same stress.
    """
    return np.minimum(1.0, np.sqrt(material.material_length / cell_size))


def noise(points: np.ndarray, settings: ModelSettings, wavelength: float) -> np.ndarray:
    """About -1 to 1 at (F, 3) points, of that ``wavelength`` in metres: what ``Settings.noise`` multiplies."""
    kind = settings.strength.noise_kind
    if kind in ("smooth", "layered"):
        return turbulence(points, settings.seed, wavelength, 1 if kind == "smooth" else NOISE_OCTAVES)
    share = absolute_turbulence(points, settings.seed, wavelength, NOISE_OCTAVES)
    return np.where(share < settings.strength.noise_threshold, -1.0, 0.0) if kind == "thresholded" else share - 1.0


def _wavelength(solid: SolidModel, settings: ModelSettings) -> float:
    return settings.strength.noise_size * float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0)))


def _size_factor(solid: SolidModel, vectors: np.ndarray, settings: ModelSettings) -> np.ndarray:
    """The paper's heuristics: a power of the shared area and one of the cells' volume, over their means."""
    areas = np.linalg.norm(vectors, axis=1)
    volumes = cell_volumes(solid.points, solid.cells)
    mean_volumes = volumes[solid.face_cells].mean(axis=1)
    return (areas / areas.mean()) ** settings.strength.area_exponent * (
        mean_volumes / volumes.mean()
    ) ** settings.strength.volume_exponent


def placed_factor(centers: np.ndarray, pairs: np.ndarray, settings: ModelSettings) -> np.ndarray:
    """(F,) what the artist placed and painted makes of the strength of bonds.

    Args:
        centers: (F, 3) m, of the bonds.
        pairs: (F, 2, 3) m, what they join.
        settings: Planes, regions, alternation, painted strength.
    """
    factor = np.ones(len(centers))
    for plane in settings.strength.planes:
        # Where planes cross they do not add up: a corner of joints is no weaker than a joint.
        crossing = plane.strength(centers, pairs)
        factor = np.minimum(factor, crossing) if plane.factor < 1.0 else np.maximum(factor, crossing)
    for region in settings.strength.regions:
        factor *= region.strength ** region.weight(centers)
    for alternation in settings.strength.alternations:
        factor *= alternation.strength(centers)
    if settings.strength.painted_strength is not None:
        factor *= factors_at(settings.strength.painted_strength, centers)
    return factor


def grain_factor(vectors: np.ndarray, grain: np.ndarray, ratio: float) -> np.ndarray:
    """Hankinson: s(angle) = s_along s_across / (s_along sin^2 + s_across cos^2), over s_across.

    Args:
        vectors: (F, 3) along which bonds hold, any length.
        grain: (3,) the strong direction, any length, or (F, 3) of each.
        ratio: Strength along the grain over strength across it.
    """
    length = np.linalg.norm(vectors, axis=1) * np.linalg.norm(grain, axis=-1)
    along = (vectors * grain).sum(axis=1) / length
    return ratio / (ratio * (1.0 - along**2) + along**2)


def grain_directions(points: np.ndarray, grain: np.ndarray, grains: Sequence[GrainDirection]) -> np.ndarray:
    """(N, 3) unit, which way the grain runs at (N, 3) points.

    Between places with directions of their own it is the main axis of all of them, weighted by the inverse squares of
    their distances: directions have no sign.
    """
    if not grains:
        return np.tile(grain / np.linalg.norm(grain), (len(points), 1))
    places = np.array([item.point for item in grains])
    directions = np.array([item.direction for item in grains])
    squares = ((points[:, None] - places) ** 2).sum(axis=2)
    weights = 1.0 / np.maximum(squares, 1e-12 * squares.max(initial=0.0))
    axes = np.einsum("nk,ki,kj->nij", weights / weights.sum(axis=1, keepdims=True), directions, directions)
    return np.linalg.eigh(axes)[1][:, :, 2]
