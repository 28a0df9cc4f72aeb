"""What a draw takes settings from: the limits of the panel, which ``tests/blender/test_fuzz_ranges.py`` compares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``: the panel's hard limits, or its soft one where there is no hard one.

    Attributes:
        low, high: Both included.
        least: Smallest value above 0 of a range that is drawn on a logarithmic scale; 0 for an even one.
        whole: Whole numbers only.
    """

    low: float
    high: float
    least: float = 0.0
    whole: bool = False

    def draw(self, random: np.random.Generator) -> float:
        """A number of the range; one in eight is one of its ends."""
        value = float(random.choice([self.low, self.high])) if random.random() < 0.125 else self._within(random)
        return round(value) if self.whole else value

    def _within(self, random: np.random.Generator) -> float:
        low = self.least or self.low
        return float(
            np.exp(random.uniform(np.log(low), np.log(self.high))) if self.least else random.uniform(low, self.high)
        )


def _count(low: int, high: int) -> Range:
    return Range(low, high, whole=True)


# Of ``Settings``, by name. The number of cells is drawn by the scene.
NUMBERS = {
    "violence": Range(0.0, 5.0),
    "piece_count": _count(0, 500),
    "softening": Range(1.0, 1e6, 1.0),
    "threshold": Range(0.01, 100.0, 0.01),
    "creep": Range(0.0, 50.0),
    "yield_share": Range(0.0, 1.0),
    "load_steps": _count(1, 100),
    "crack_growth": Range(0.0, 1.0),
    "crack_sharpness": Range(0.5, 32.0),
    "noise": Range(0.0, 1.0),
    "noise_size": Range(0.001, 10.0, 0.001),
    "noise_threshold": Range(0.0, 3.0),
    "area_exponent": Range(-2.0, 2.0),
    "volume_exponent": Range(-2.0, 2.0),
    "tempering": Range(0.0, 5e8, 1e5),
    "separation_force": Range(0.0, 1e5, 1e-1),
    "density_noise": Range(0.0, 1.0),
    "wall_layers": _count(0, 3),
    "impact_fineness": Range(1.0, 4.0),
    "impact_reach": Range(0.01, 1.0),
    "dust_volume": Range(0.0, 0.5, 1e-5),
    "break_depth": _count(1, 5),
    "roughness": Range(0.0, 1.0),
    "relief_size": Range(0.1, 10.0),
    "fractal_depth": _count(0, 5),
    "fractal_amplitude": Range(0.0, 0.5),
    "wall_smoothing": _count(0, 50),
    "chips": Range(0.0, 1.0),
    # Five times the default. A million triangles for each of nine breaks take 90 s to cut, on 600 cells as on 6,000.
    "face_budget": _count(1000, 200_000),
    "wall_thickness": Range(0.0, 0.1, 1e-4),
}
CHOICES = {
    "method": ("network", "lattice", "fem"),
    "dynamics": ("rigid", "deformable"),
    "bonds": ("full", "point"),
    "lattice": ("tetrahedra", "cubes"),
    "loading": ("ramp", "events"),
    "contact": ("volume", "node"),
    "crack_function": ("lobe", "none", "moderate", "moderate_as_printed", "dramatic"),
    "noise_kind": ("smooth", "layered", "turbulence", "thresholded"),
    "interior_points": ("blue_noise", "uniform"),
    "dust": ("merge", "drop", "debris"),
    "velocity_fit": ("momentum", "centroids"),
    "relief": ("smooth", "conchoidal", "granular", "stony", "splintered"),
    "islands": ("join", "separate"),
    "self_collision": (False, True),
    "repair": (False, True),
}
# Of an impact that the artist places.
IMPACT_STRENGTH = Range(0.0, 50.0, 0.1)
# Of a place in a body: strength, density and fineness there.
FACTOR = Range(1e-3, 1e3, 1e-3)
SUBSTEPS = _count(1, 60)
