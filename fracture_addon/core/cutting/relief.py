"""What crack faces look like from nearby: which bumps of which size a kind of material breaks with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..data.job import Settings
from ..data.places import GrainDirection
from ..fields import noise
from ..fields.strength import grain_directions


@dataclass(frozen=True)
class Recipe:
    """A kind of relief; lengths are over a cell's size, amplitudes over the artist's roughness as well.

    Attributes:
        warp, wavelength: Of the warp of space, which everything else comes on top of.
        rounds: Of smoothing that the divided faces get, which takes the facets of the cells off.
        fractal: How much of the artist's fractal amplitude is wanted.
        grains, grain_size: Of the grains that stand out.
        stones, stone_size: Of larger ones among them.
        ripples, ripple_length: Of the waves around the place of the blow.
        splinters, ridges, fibre_width: How far fibres stand out where they end, where they lie, and how thick they are.
        reach: The farthest that points of crack faces stand out.
        crease: Degrees; edges of crack faces that turn by more are sharp.
    """

    warp: float = 1.0
    wavelength: float = 1.5
    rounds: int = 1
    fractal: float = 1.0
    grains: float = 0.0
    grain_size: float = 0.0
    stones: float = 0.0
    stone_size: float = 0.0
    ripples: float = 0.0
    ripple_length: float = 0.0
    splinters: float = 0.0
    ridges: float = 0.0
    fibre_width: float = 0.0
    reach: float = 0.2
    crease: float = 60.0


RECIPES = {
    "smooth": Recipe(rounds=4, fractal=0.0),
    "conchoidal": Recipe(warp=0.8, wavelength=2.5, rounds=12, fractal=0.0, ripples=0.03, ripple_length=0.45),
    "granular": Recipe(rounds=3, grains=0.4, grain_size=0.35, crease=45.0),
    "stony": Recipe(rounds=3, grains=0.15, grain_size=0.2, stones=0.6, stone_size=0.7, crease=45.0),
    "splintered": Recipe(
        warp=0.5, rounds=3, fractal=0.5, splinters=2.0, ridges=0.4, fibre_width=0.25, reach=0.45, crease=25.0
    ),
}
# Along the fibres bumps are so many times as long as across.
FIBRE_LENGTH = 12.0
# How steeply one bundle of torn fibres stands beside the next.
TEARING = 3.0
# Mean of the squares of cellular noise, measured over 2 * 10^5 points: bumps go as far up as down.
MEAN_SQUARE = 0.3
# Ripples fade over this many of a cell's size.
RIPPLE_REACH = 8.0


@dataclass(frozen=True)
class Relief:
    """The relief of one body's crack faces.

    Attributes:
        kind: A name in ``RECIPES``.
        amplitude: Over a cell's size, 0 for walls as the cells have them.
        scale: Size of the bumps over what the kind has of its own.
        depth: How often crack faces are divided beyond the walls' own division, by halving their edges.
        fractal: How far the middle of a halved edge moves, over the edge's length.
        smoothing: Rounds of smoothing of the cells' own walls.
        budget: Triangles of the walls, at most.
        seed: Of everything random.
        grain: (3,) along the fibres where no grain is placed, any length.
        grains: Placed grain.
        origin: (3,) where the blow fell, metres; ``None`` where nothing did.
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
        """Return the relief that the settings ask for."""
        return cls(
            settings.surface.relief,
            settings.surface.roughness,
            settings.surface.relief_size,
            settings.surface.fractal_depth,
            settings.surface.fractal_amplitude,
            settings.surface.wall_smoothing,
            settings.surface.face_budget,
            settings.seed,
            settings.strength.grain,
            origin,
            settings.strength.grains,
        )

    @property
    def recipe(self) -> Recipe:
        """Of its kind."""
        return RECIPES[self.kind]

    @property
    def is_level(self) -> bool:
        """Whether nothing stands out of the walls once they are warped."""
        recipe = self.recipe
        rippled = recipe.ripples and self.origin is not None
        return not (self.depth or recipe.grains or recipe.stones or recipe.splinters or rippled)

    def warped(self, points: np.ndarray, size: float) -> np.ndarray:
        """Points (P, 3) moved by the warp of space, for cells of a size in metres."""
        recipe = self.recipe
        return noise.warp(points, self.seed, recipe.warp * self.amplitude * size, recipe.wavelength * self.scale * size)

    def heights(self, points: np.ndarray, normals: np.ndarray, size: float) -> np.ndarray:
        """How far points of a crack face stand out along its normal, for its grains, stones, ripples or fibres.

        Args:
            points: (P, 3), metres.
            normals: (P, 3), about unit length.
            size: Of a cell, metres.

        Returns:
            (P,) metres.
        """
        recipe, result = self.recipe, np.zeros(len(points))
        amplitude = self.amplitude * size
        bumps = ((recipe.grains, recipe.grain_size, 1), (recipe.stones, recipe.stone_size, 5))
        for height, width, stream in bumps:
            if height:
                # Round on top, and creased where two of them meet.
                away = noise.cellular(points, self.seed + stream, width * self.scale * size)
                result += height * amplitude * (MEAN_SQUARE - away**2)
        if recipe.ripples and self.origin is not None:
            away = np.linalg.norm(points - self.origin, axis=1) / size
            # Fronts are neither round nor evenly spaced.
            away = away + 0.4 * noise.turbulence(points, self.seed + 2, 3.0 * size, 2)
            waves = np.sin(2.0 * np.pi * away / (recipe.ripple_length * self.scale))
            result += recipe.ripples * amplitude * waves * np.exp(-away / RIPPLE_REACH)
        if recipe.splinters:
            # Across the grain fibres end here and there; along it they are long ridges.
            fibres = grain_directions(points, self.grain, self.grains)
            facing = np.abs(np.einsum("pi,pi->p", normals, fibres))
            across = points - np.einsum("pi,pi->p", points, fibres)[:, None] * fibres
            long = across + (points - across) / FIBRE_LENGTH
            wavelength = recipe.fibre_width * self.scale * size
            # Bundles of them end together, one beside the other at another height.
            ends = np.tanh(TEARING * noise.turbulence(across, self.seed + 3, wavelength, 2))
            ridges = noise.turbulence(long, self.seed + 4, wavelength, 2)
            result += amplitude * (recipe.splinters * facing * ends + recipe.ridges * (1.0 - facing) * ridges)
        return result
