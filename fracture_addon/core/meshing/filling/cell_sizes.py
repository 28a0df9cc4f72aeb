"""How the points of cells are spread through a body: evenly or at random, and finer in some places than in others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.placed_fields import PaintedField, Region
from ...data.settings.filling import FillingSettings
from ...fields.painting import factors_at

# Least and most that all places together make of the fineness: cells of a 64th of the volume.
FINENESS = (0.25, 4.0)


@dataclass(frozen=True)
class Spread:
    """Of the points between which cells lie; spacings go with one over the fineness.

    Attributes:
        regions: That are finer or coarser than what is around them.
        painted: Fineness painted on the surface, or ``None``.
        uniform: Points inside are independent of one another. Those on the surface never are: walls need them even.
        layers: Cells through walls that are thinner than cells are wide.
    """

    regions: tuple[Region, ...] = ()
    painted: PaintedField | None = None
    uniform: bool = False
    layers: int = 1

    @classmethod
    def of(cls, filling: FillingSettings) -> Spread:
        """Return the spread that the settings ask for."""
        uniform = filling.interior_points == "uniform"
        return cls(filling.fineness_regions, filling.painted_fineness, uniform, filling.wall_layers or 1)

    @property
    def least(self) -> float:
        """No place is coarser than that."""
        return max(FINENESS[0], float(np.prod([min(factor, 1.0) for factor in self._factors])))

    @property
    def most(self) -> float:
        """No place is finer than that."""
        return min(FINENESS[1], float(np.prod([max(factor, 1.0) for factor in self._factors])))

    def at(self, points: np.ndarray) -> np.ndarray:
        """(N,) how many times finer than where nothing is said, at (N, 3) points."""
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
