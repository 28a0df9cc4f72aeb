"""Fields of the strength of bonds and of the density of cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.material import Material
from ..data.placed_fields import GrainDirection
from ..data.settings.settings import ModelSettings
from ..data.solid import SolidModel, cell_centers, cell_edge, cell_volumes, face_vectors
from ..numerics.random_streams import noise_seed, rng
from .noise import absolute_turbulence, turbulence
from .painting import factors_at
from .sheets import SheetField

# Least strength, and least density, over the mean. Scatter and noise must not give negative values. From 0.002 to 0.4
# all recordings keep their bytes.
WEAKEST = 0.2
# Octaves of layered noise. A fourth octave is finer than usual cells: a ball breaks a block into 103, 184, 118 and 132
# fragments with 1 to 4 octaves, and seeds scatter by 63.
NOISE_OCTAVES = 3
# Weibull modulus times scatter: the standard deviation of a Weibull distribution is about 1.2 / modulus times its mean.
# Exact values are 1.15, 1.20 and 1.24 for the moduli 5, 10 and 20.
WEIBULL_FACTOR = 1.2
# Edge of a cell, m, whose faces have the area of the highest stress in a bending test, about 0.5 cm2. With half of it,
# strengths would be 16 % lower at a scatter of 0.15.
SAMPLE_SIZE = 0.01
# Weight of the squared shear stress of a face beside its squared tension. Tuned: 0.125 stays within the scatter of
# seeds; with 0.5 a ball breaks a block into 26 fragments instead of 162 (docs/decisions/constants.md).
SHEAR_SHARE = 0.25
# Squared distance from a grain direction over the largest squared distance, below which its weight does not grow. It
# only prevents a division by zero.
LEAST_SQUARE = 1e-12


def bond_strengths(solid: SolidModel, material: Material, settings: ModelSettings, part: int = 0) -> np.ndarray:
    """Return the tensile strength of each shared face of an unbroken solid.

    Args:
        solid: Solid with F shared faces.
        material: Strength, scatter and grain.
        settings: Seed, noise, exponents, grain directions, and the placed and painted fields.
        part: Number of the object among bonded ones: equal objects get different scatter.

    Returns:
        (F,) Pa.

    Notes:
        These factors multiply the strength of the material: normal scatter of each bond and its size effect (Weibull
        1939); noise in space (Perlin 1985); powers of the sizes of face and cells (Smith et al. 2001, section 2.1); a
        factor of the angle between the face's normal and the grain (Hankinson 1921); placed and painted fields. A
        mixture has its own strengths.

    Example:
        Without scatter, noise and fields, a bond has the strength of its material.

        >>> from ..data.solid import from_cells
        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
        >>> solid = from_cells(points, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> glass = Material("Glass", tensile_strength=50e6, strength_variation=0.0)
        >>> bond_strengths(solid, glass, ModelSettings().changed(noise=0.0)).tolist()
        [50000000.0]
    """
    if solid.mixture is not None:
        return solid.mixture.strengths
    centers, vectors = solid.points[solid.faces].mean(axis=1), face_vectors(solid)
    random = rng(settings.seed, "strength", part)
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
    """Return the density of each cell over the mean of the body. Fields redistribute mass and keep its sum.

    Args:
        solid: Solid with C cells.
        settings: Seed, noise of the density, regions and painted density.

    Returns:
        (C,); 1 for a mixture, whose densities already contain these factors.

    Notes:
        Own: noise (Perlin 1985) and the factors of placed fields, divided by their mean over the volume.

    Example:
        A heavy region around one of two cells.

        >>> from ..data.placed_fields import Region
        >>> from ..data.solid import from_cells
        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]]
        >>> solid = from_cells(points, [[0, 1, 2, 3], [0, 4, 2, 3]], [])
        >>> settings = ModelSettings().changed(regions=(Region(np.array([0.25, 0.25, 0.25]), 0.1, density=3.0),))
        >>> cell_densities(solid, settings).round(9).tolist()
        [1.5, 0.5]
    """
    if solid.mixture is not None:
        return np.ones(solid.cell_count)
    centers = cell_centers(solid.points, solid.cells)
    density = np.ones(solid.cell_count)
    if settings.strength.density_noise > 0.0:
        noise = turbulence(
            centers, noise_seed(settings.seed, "density noise"), _wavelength(solid, settings), NOISE_OCTAVES
        )
        density *= np.maximum(1.0 + settings.strength.density_noise * noise, WEAKEST)
    for region in settings.strength.regions:
        density *= region.density ** region.weight(centers)
    if settings.strength.painted_density is not None:
        density *= factors_at(settings.strength.painted_density, centers)
    volumes = cell_volumes(solid.points, solid.cells)
    return density * (volumes.sum() / (density @ volumes))


def bond_sizes(solid: SolidModel) -> np.ndarray:
    """Return the cell size at each shared face: the edge of a regular tetrahedron of the two cells' mean volume.

    Args:
        solid: Solid with F shared faces.

    Returns:
        (F,) m.
    """
    volumes = cell_volumes(solid.points, solid.cells)[solid.face_cells].mean(axis=1)
    return cell_edge(volumes)


def weakest_link(sizes: np.ndarray, scatter: float) -> np.ndarray:
    """Return the strength of bonds over that of a sample, from the number of flaws in their area.

    Args:
        sizes: (F,) sizes of bonds, m.
        scatter: Standard deviation of the strength over its mean.

    Returns:
        (F,) 1 at ``SAMPLE_SIZE``.

    Notes:
        Weibull 1939, A Statistical Theory of the Strength of Materials: strength ~ area^(-1 / modulus). Without this
        factor, a body with more and smaller bonds would break at a smaller load, because the weakest of more bonds is
        weaker.

    Example:
        >>> weakest_link(np.array([0.01, 0.02]), 0.15).round(3).tolist()
        [1.0, 0.841]
    """
    return (sizes / SAMPLE_SIZE) ** (-2.0 * scatter / WEIBULL_FACTOR)


def size_effect(material: Material, cell_size: np.ndarray) -> np.ndarray:
    """Return the strength of cells at a crack tip over that of the material.

    Args:
        material: Strength and toughness.
        cell_size: (F,) sizes h of the cells, m.

    Returns:
        (F,) above 0, at most 1.

    Notes:
        Irwin 1957: the stress near a crack tip falls with the root of the distance. The mean stress in a cell there is
        about K / sqrt(h). If the cell is longer than the material length, the crack grows at the stress K_IC / sqrt(h),
        below the strength. A crack therefore needs the same energy per area with cells of any size. The size effect of
        flaws applies to the strength, but not to the toughness; this factor therefore divides it out.

    Example:
        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> size_effect(PORCELAIN, np.array([0.0005, 0.01])).round(3).tolist()
        [0.582, 0.275]
    """
    flaws = weakest_link(cell_size, material.strength_variation)
    return np.minimum(1.0, np.sqrt(material.material_length / cell_size) / flaws)


def noise(points: np.ndarray, settings: ModelSettings, wavelength: float) -> np.ndarray:
    """Return the noise of the strength.

    Args:
        points: (F, 3) m.
        settings: Seed, and kind and threshold of the noise.
        wavelength: Wavelength of the first octave, m.

    Returns:
        (F,) from about -1 to 1; -1 or 0 for the thresholded kind.

    Notes:
        Smith et al. 2001, section 2.1: noise and turbulence (Perlin 1985).

    Example:
        Gradient noise is 0 at the corners of its lattice.

        >>> settings = ModelSettings().changed(noise_kind="smooth")
        >>> noise(np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.0]]), settings, 1.0).tolist()
        [0.0, 0.0]
    """
    return NOISES[settings.strength.noise_kind](points, settings, wavelength)


def _smooth(points: np.ndarray, settings: ModelSettings, wavelength: float) -> np.ndarray:
    return turbulence(points, noise_seed(settings.seed, "strength noise"), wavelength, 1)


def _layered(points: np.ndarray, settings: ModelSettings, wavelength: float) -> np.ndarray:
    return turbulence(points, noise_seed(settings.seed, "strength noise"), wavelength, NOISE_OCTAVES)


def _creased(points: np.ndarray, settings: ModelSettings, wavelength: float) -> np.ndarray:
    return absolute_turbulence(points, noise_seed(settings.seed, "strength noise"), wavelength, NOISE_OCTAVES) - 1.0


def _thresholded(points: np.ndarray, settings: ModelSettings, wavelength: float) -> np.ndarray:
    share = absolute_turbulence(points, noise_seed(settings.seed, "strength noise"), wavelength, NOISE_OCTAVES)
    return np.where(share < settings.strength.noise_threshold, -1.0, 0.0)


# By ``StrengthSettings.noise_kind``.
NOISES = {"smooth": _smooth, "layered": _layered, "turbulence": _creased, "thresholded": _thresholded}


def _wavelength(solid: SolidModel, settings: ModelSettings) -> float:
    return settings.strength.noise_size * float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0)))


def _size_factor(solid: SolidModel, vectors: np.ndarray, settings: ModelSettings) -> np.ndarray:
    """Return powers of the shared area and of the cells' volume over their means (Smith et al. 2001, section 2.1)."""
    areas = np.linalg.norm(vectors, axis=1)
    volumes = cell_volumes(solid.points, solid.cells)
    mean_volumes = volumes[solid.face_cells].mean(axis=1)
    return (areas / areas.mean()) ** settings.strength.area_exponent * (
        mean_volumes / volumes.mean()
    ) ** settings.strength.volume_exponent


def placed_factor(centers: np.ndarray, pairs: np.ndarray, settings: ModelSettings) -> np.ndarray:
    """Return the factor of the strength of bonds from placed and painted fields.

    Args:
        centers: (F, 3) m, centres of the bonds.
        pairs: (F, 2, 3) m, centroids of the two cells of each bond.
        settings: Planes, sheets, regions, alternations and painted strength.

    Returns:
        (F,) product of the factors.

    Notes:
        Smith et al. 2001, section 2.1 for planes and section 4.2 for alternations.

    Example:
        The bond at x = 1 m crosses a weak plane.

        >>> from ..data.placed_fields import CleavingPlane
        >>> settings = ModelSettings().changed(planes=(CleavingPlane(np.ones(3), [1.0, 0.0, 0.0], factor=0.1),))
        >>> centers = np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
        >>> placed_factor(centers, centers[:, None] + [[[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]], settings).tolist()
        [0.1, 1.0]
    """
    factor = np.ones(len(centers))
    for plane in settings.strength.planes:
        # The factors of crossing planes are not multiplied: a corner of two joints is no weaker than a joint.
        crossing = plane.strength(centers, pairs)
        factor = np.minimum(factor, crossing) if plane.factor < 1.0 else np.maximum(factor, crossing)
    for sheet in settings.strength.sheets:
        crossing = SheetField(sheet).strength(centers, pairs)
        factor = np.minimum(factor, crossing) if sheet.factor < 1.0 else np.maximum(factor, crossing)
    for region in settings.strength.regions:
        factor *= region.strength ** region.weight(centers)
    for alternation in settings.strength.alternations:
        factor *= alternation.strength(centers)
    for painted in (settings.strength.painted_strength, settings.strength.painted_second_strength):
        if painted is not None:
            factor *= factors_at(painted, centers)
    return factor


def grain_factor(vectors: np.ndarray, grain: np.ndarray, ratio: float) -> np.ndarray:
    """Return the strength of bonds in wood over the strength across the grain.

    Args:
        vectors: (F, 3) directions of the bonds, any length.
        grain: (3,) direction of the grain, any length; or (F, 3), one for each bond.
        ratio: Strength along the grain over strength across it.

    Returns:
        (F,) 1 across the grain to ``ratio`` along it.

    Notes:
        Hankinson 1921: s(angle) = s_along s_across / (s_along sin^2 + s_across cos^2), divided by s_across.

    Example:
        >>> grain_factor(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([1.0, 0.0, 0.0]), 10.0).tolist()
        [10.0, 1.0]
    """
    length = np.linalg.norm(vectors, axis=1) * np.linalg.norm(grain, axis=-1)
    along = (vectors * grain).sum(axis=1) / length
    return ratio / (ratio * (1.0 - along**2) + along**2)


def uncracked_grain_factor(normals: np.ndarray, grain: np.ndarray, ratio: float) -> np.ndarray:
    """Return the strength of faces away from cracks over that by Hankinson's formula.

    Args:
        normals: (F, 3) normals of the faces, any length.
        grain: As for ``grain_factor``.
        ratio: Strength along the grain over strength across it.

    Returns:
        (F,) at least 1.

    Notes:
        Own (docs/decisions/grain.md). Tension s along the grain gives a face at the angle t the tension s cos^2 t and
        the shear s sin t cos t. With Hankinson's formula for the angle of the face, faces at 60 degrees would fail at
        3.4 times the strength across the grain, whatever the ratio is. Away from cracks, this factor therefore makes
        faces at all angles fail at the same tension along the grain. Beside a crack Hankinson's formula holds, because
        a crack along the grain zigzags over the faces of cells.

    Example:
        >>> grain = np.array([1.0, 0.0, 0.0])
        >>> normals = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
        >>> uncracked_grain_factor(normals, grain, 20.0).round(1).tolist()
        [1.0, 5.9, 1.0]
    """
    length = np.linalg.norm(normals, axis=1) * np.linalg.norm(grain, axis=-1)
    along = np.minimum(np.abs((normals * grain).sum(axis=1)) / length, 1.0)
    burden = along * np.sqrt(along**2 + SHEAR_SHARE * (1.0 - along**2))
    return np.maximum(1.0, ratio * burden / grain_factor(normals, grain, ratio))


def grain_directions(points: np.ndarray, grain: np.ndarray, grains: Sequence[GrainDirection]) -> np.ndarray:
    """Return the grain direction at points.

    Args:
        points: (N, 3) m.
        grain: (3,) direction where ``grains`` is empty.
        grains: Directions at points.

    Returns:
        (N, 3) unit vectors. Their sign has no meaning.

    Notes:
        Own: the principal axis of all given directions, weighted by the inverse squares of their distances (Shepard
        1968), because a mean would depend on their signs.

    Example:
        >>> at_start = GrainDirection(np.zeros(3), np.array([1.0, 0.0, 0.0]))
        >>> at_end = GrainDirection(np.array([2.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
        >>> points = np.array([[0.5, 0.0, 0.0], [1.5, 0.0, 0.0]])
        >>> np.abs(grain_directions(points, np.zeros(3), [at_start, at_end])).round(3).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if not grains:
        return np.tile(grain / np.linalg.norm(grain), (len(points), 1))
    places = np.array([item.point for item in grains])
    directions = np.array([item.direction for item in grains])
    squares = ((points[:, None] - places) ** 2).sum(axis=2)
    weights = 1.0 / np.maximum(squares, LEAST_SQUARE * squares.max(initial=0.0))
    axes = np.einsum("nk,ki,kj->nij", weights / weights.sum(axis=1, keepdims=True), directions, directions)
    return np.linalg.eigh(axes)[1][:, :, 2]
