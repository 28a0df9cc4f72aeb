"""Distribution of the points of cells in a body: even or random, and finer in some regions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.placed_fields import PaintedField, Region
from ...data.settings.filling import FillingSettings
from ...fields.painting import factors_at

# Range of the product of all factors of fineness. The total number of cells stays the same. Fine regions therefore take
# cells from the rest: of 3,000 cells of a cube, 2,202, 980 and 415 are outside of a fine ball with limits of 2, 4 and
# 8.
FINENESS = (0.25, 4.0)


@dataclass(frozen=True)
class Spread:
    """Distribution of the points between which cells are built. Their spacing is inverse to the fineness.

    Attributes:
        regions: Regions with another fineness.
        painted: Fineness painted on the surface, or ``None``.
        uniform: Whether points inside are independent of one another. Points on the surface keep their distance in any
            case, because thin walls need it.
        layers: Number of cells across walls that are thinner than cells are wide.
    """

    regions: tuple[Region, ...] = ()
    painted: PaintedField | None = None
    uniform: bool = False
    layers: int = 1

    @classmethod
    def of(cls, filling: FillingSettings) -> Spread:
        """Return the spread of the settings."""
        regions, painted = filling.fineness_regions, filling.painted_fineness
        return cls(regions, painted, filling.independent_points, filling.wall_layers or 1)

    @property
    def least(self) -> float:
        """Lower bound of the fineness."""
        return max(FINENESS[0], float(np.prod([min(factor, 1.0) for factor in self._factors])))

    @property
    def most(self) -> float:
        """Upper bound of the fineness."""
        return min(FINENESS[1], float(np.prod([max(factor, 1.0) for factor in self._factors])))

    def at(self, points: np.ndarray) -> np.ndarray:
        """Return the fineness (N,) at points (N, 3); 1 where nothing changes it."""
        fineness = np.ones(len(points))
        for region in self.regions:
            fineness *= region.fineness ** region.weight(points)
        if self.painted is not None:
            fineness *= factors_at(self.painted, points)
        return np.clip(fineness, self.least, self.most)

    @property
    def _factors(self) -> list[float]:
        painted = [] if self.painted is None else [self.painted.factor]
        return [*(region.fineness for region in self.regions), *painted]


EVEN = Spread()
