"""Relief of crack faces: height, size and shape of the bumps of each kind of material."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.placed_fields import GrainDirection
from ..data.settings.settings import Settings
from ..fields import noise
from ..fields.strength import grain_directions
from ..numerics.random_streams import noise_seed


@dataclass(frozen=True)
class Recipe:
    """A kind of relief.

    Lengths are over the cell size. Heights are over the cell size and the artist's roughness.

    Attributes:
        warp: Amplitude of the smooth displacement of space, to which all else is added.
        wavelength: Wavelength of that displacement.
        rounds: Rounds of smoothing of the subdivided faces, which remove the facets of the cells.
        fractal: Factor of the artist's fractal amplitude.
        bumps: Height of bumps, as in sandstone.
        bump_size: Width of bumps.
        stones: Height of stones, as in concrete.
        stone_size: Width of stones.
        ripples: Height of waves around the impact point.
        ripple_length: Wavelength of these waves.
        splinters: Height of torn fibre ends.
        ridges: Height of fibres along a crack face.
        fibre_width: Width of fibres.
        reach: Largest displacement of points of crack faces.
        crease: Angle above which an edge of a crack face is sharp, degrees.
    """

    warp: float = 1.0
    wavelength: float = 1.5
    rounds: int = 1
    fractal: float = 1.0
    bumps: float = 0.0
    bump_size: float = 0.0
    stones: float = 0.0
    stone_size: float = 0.0
    ripples: float = 0.0
    ripple_length: float = 0.0
    splinters: float = 0.0
    ridges: float = 0.0
    fibre_width: float = 0.0
    reach: float = 0.2
    crease: float = 60.0


# Kinds of relief: tuned by eye on renders of broken jars (docs/gallery/close_up.md). No measured profile supports them.
RECIPES = {
    "smooth": Recipe(rounds=4, fractal=0.0),
    "conchoidal": Recipe(warp=0.8, wavelength=2.5, rounds=12, fractal=0.0, ripples=0.03, ripple_length=0.45),
    "granular": Recipe(rounds=3, bumps=0.4, bump_size=0.35, crease=45.0),
    "stony": Recipe(rounds=3, bumps=0.15, bump_size=0.2, stones=0.6, stone_size=0.7, crease=45.0),
    "splintered": Recipe(
        warp=0.5, rounds=3, fractal=0.5, splinters=2.0, ridges=0.4, fibre_width=0.25, reach=0.45, crease=25.0
    ),
}
# Length of bumps along the fibres over their width. Tuned by eye: from 1 to 48 the heights keep their root mean square
# within 6 %, and the steepest slope along the fibres falls from 0.35 to 0.01.
FIBRE_LENGTH = 12.0
# Steepness of the steps between bundles of torn fibres. Tuned by eye: half and twice the value change the root mean
# square of the heights by -42 and +46 %.
TEARING = 3.0
# Mean square of cellular noise, measured on 2 * 10^5 points. It is subtracted so that bumps have the mean height 0.
MEAN_SQUARE = 0.3
# Distance over cell size in which ripples decrease by the factor e. Tuned by eye: within 10 cells of the impact, half
# and twice the value change the root mean square of the ripples by -44 and +45 %.
RIPPLE_REACH = 8.0
# Amplitude and wavelength over cell size of the noise that deforms ripples, which would be exact circles. Tuned by eye:
# half and twice the values move the ripples and keep the root mean square of their height within 1 %.
RIPPLE_NOISE, RIPPLE_NOISE_LENGTH = 0.4, 3.0


@dataclass(frozen=True)
class Relief(ReadOnlyArrays):
    """The relief of one body's crack faces.

    Attributes:
        kind: A name in ``RECIPES``.
        amplitude: Roughness over the cell size; 0 leaves crack faces as smooth as the faces between cells.
        scale: Factor of the size of the bumps.
        depth: Number of fractal subdivisions of crack faces; each halves all edges.
        fractal: Displacement of the midpoint of a halved edge over the length of the edge.
        smoothing: Rounds of smoothing of crack faces.
        budget: Largest number of triangles of the crack faces.
        seed: Seed of all noise.
        grain: (3,) direction of the fibres where no grain is placed; any length.
        grains: Placed grain.
        origin: (3,) m, impact point; ``None`` without one.

    Notes:
        Smith et al. 2001, section 3.6: detail on crack faces, the same on both sides. The kinds are own, tuned by eye.

    Example:
        Sandstone has bumps along the normals; the smooth kind only has the displacement of space.

        >>> points, normals = np.array([[0.01, 0.02, 0.03]]), np.array([[0.0, 0.0, 1.0]])
        >>> [bool(Relief(kind, 0.3).heights(points, normals, 0.01).any()) for kind in ("granular", "smooth")]
        [True, False]
    """

    kind: str = "smooth"
    amplitude: float = 0.0
    scale: float = 1.0
    depth: int = 0
    fractal: float = 0.0
    smoothing: int = 5
    budget: int = 40_000
    seed: int = 0
    grain: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    origin: np.ndarray | None = None
    grains: tuple[GrainDirection, ...] = ()

    @classmethod
    def of(cls, settings: Settings, origin: np.ndarray | None = None) -> Relief:
        """Return the relief of the settings."""
        return cls(
            kind=settings.surface.relief,
            amplitude=settings.surface.roughness,
            scale=settings.surface.relief_size,
            depth=settings.surface.fractal_depth,
            fractal=settings.surface.fractal_amplitude,
            smoothing=settings.surface.wall_smoothing,
            budget=settings.surface.face_budget,
            seed=settings.seed,
            grain=settings.strength.grain,
            origin=origin,
            grains=settings.strength.grains,
        )

    @property
    def recipe(self) -> Recipe:
        """The recipe of this kind of relief."""
        return RECIPES[self.kind]

    @property
    def is_level(self) -> bool:
        """Whether the smooth displacement is the only one."""
        recipe = self.recipe
        rippled = recipe.ripples and self.origin is not None
        return not (self.depth or recipe.bumps or recipe.stones or recipe.splinters or rippled)

    def warped(self, points: np.ndarray, size: float) -> np.ndarray:
        """Displace points by the smooth displacement.

        Args:
            points: (P, 3) m.
            size: Size of a cell, m.

        Returns:
            (P, 3) m.
        """
        recipe = self.recipe
        seeds = [noise_seed(self.seed, "crack face warp", axis) for axis in range(3)]
        return noise.warp(points, seeds, recipe.warp * self.amplitude * size, recipe.wavelength * self.scale * size)

    def heights(self, points: np.ndarray, normals: np.ndarray, size: float) -> np.ndarray:
        """Return the heights of bumps, stones, ripples and fibres along the normals of a crack face.

        Args:
            points: (P, 3) m.
            normals: (P, 3), approximate unit vectors.
            size: Size of a cell, m.

        Returns:
            (P,) m.
        """
        recipe, result = self.recipe, np.zeros(len(points))
        amplitude = self.amplitude * size
        bumps = (
            (recipe.bumps, recipe.bump_size, "crack face bumps"),
            (recipe.stones, recipe.stone_size, "crack face stones"),
        )
        for height, width, stream in bumps:
            if height:
                # Cellular noise gives round bumps with creases between them.
                away = noise.cellular(points, noise_seed(self.seed, stream), width * self.scale * size)
                result += height * amplitude * (MEAN_SQUARE - away**2)
        if recipe.ripples and self.origin is not None:
            away = np.linalg.norm(points - self.origin, axis=1) / size
            # Real ripples are neither circles nor at equal distances.
            ripple_seed = noise_seed(self.seed, "crack face ripples")
            away = away + RIPPLE_NOISE * noise.turbulence(points, ripple_seed, RIPPLE_NOISE_LENGTH * size, 2)
            waves = np.sin(2.0 * np.pi * away / (recipe.ripple_length * self.scale))
            result += recipe.ripples * amplitude * waves * np.exp(-away / RIPPLE_REACH)
        if recipe.splinters:
            # Across the grain, the ends of torn fibres stand out; along the grain, fibres are long ridges.
            fibres = grain_directions(points, self.grain, self.grains)
            facing = np.abs(np.einsum("pi,pi->p", normals, fibres))
            across = points - np.einsum("pi,pi->p", points, fibres)[:, None] * fibres
            long = across + (points - across) / FIBRE_LENGTH
            wavelength = recipe.fibre_width * self.scale * size
            # The fibres of a bundle end at the same height.
            ends = np.tanh(TEARING * noise.turbulence(across, noise_seed(self.seed, "fibre ends"), wavelength, 2))
            ridges = noise.turbulence(long, noise_seed(self.seed, "fibre ridges"), wavelength, 2)
            result += amplitude * (recipe.splinters * facing * ends + recipe.ridges * (1.0 - facing) * ridges)
        return result
