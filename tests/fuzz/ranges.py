"""Ranges of random settings: the limits in the table of settings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fracture_addon.core.data.settings.setting import Setting
from fracture_addon.core.data.settings.settings import all_rows


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``: the hard limits in the panel, or the soft limit if there is no hard one.

    Attributes:
        low, high: Limits, both included.
        least: Smallest value above 0 of a logarithmic range; 0 for a linear one.
        whole: Whether the range has integers only.
    """

    low: float
    high: float
    least: float = 0.0
    whole: bool = False

    def draw(self, random: np.random.Generator) -> float:
        """Return a number of the range; one in eight is one of its limits."""
        value = float(random.choice([self.low, self.high])) if random.random() < 0.125 else self._within(random)
        return round(value) if self.whole else value

    def _within(self, random: np.random.Generator) -> float:
        low = self.least or self.low
        return float(
            np.exp(random.uniform(np.log(low), np.log(self.high))) if self.least else random.uniform(low, self.high)
        )


@dataclass(frozen=True)
class Choice:
    """One of several values."""

    values: tuple

    def draw(self, random: np.random.Generator) -> object:
        """Return one of the values."""
        return self.values[random.integers(len(self.values))]


def _count(low: int, high: int) -> Range:
    return Range(low, high, whole=True)


# Highest values of settings that have no limit, or a higher one. A number of pieces above it is more than a draw has
# cells. A million triangles for each of nine breaks take 90 s to cut, on 600 cells as on 6,000.
HIGHEST = {"piece_count": 500, "face_budget": 200_000}
# Smallest values above 0 of settings with a logarithmic range that starts at 0.
SMALLEST = {
    "tempering": 1e5,
    "film_thickness": 1e-4,
    "bar_diameter": 1e-3,
    "separation_force": 0.1,
    "crack_speed": 0.1,
    "dust_volume": 1e-5,
    "wall_thickness": 1e-4,
}
# A range whose limits have at least this ratio is logarithmic.
WIDE = 1000.0


def range_of(name: str, row: Setting, whole: bool) -> Range:
    """Return the range of a setting: its limits, or those of the panel's slider where it has none."""
    low, high = row.low, min(row.high, HIGHEST.get(name, math.inf))
    if not math.isfinite(high) and row.soft_high is not None:
        high = row.soft_high
    wide = not whole and 0.0 < WIDE * low <= high
    return Range(low, high, low if wide else SMALLEST.get(name, 0.0), whole)


# Settings by name, without the number of cells and the seed, which ``draws`` chooses.
ROWS = {name: row for name, row in all_rows().items() if name not in ("cell_count", "seed")}
NUMBERS = {
    name: range_of(name, row, isinstance(default, int))
    for name, (row, default) in ROWS.items()
    if isinstance(default, int | float) and not isinstance(default, bool)
}
CHOICES = {
    "method": Choice(("network", "lattice", "fem")),
    **{
        name: Choice(tuple(choice.value for choice in row.choices) or (False, True))
        for name, (row, _) in ROWS.items()
        if name not in NUMBERS
    },
}
# Strength of a placed impact.
IMPACT_STRENGTH = Range(0.0, 50.0, 0.1)
# Factors of strength, density and fineness of a placed region.
FACTOR = Range(1e-3, 1e3, 1e-3)
# Prior stress of a placed region, Pa.
PRIOR_STRESS = Range(1e4, 1e8, 1e4)
SUBSTEPS = _count(1, 60)
