"""Forces in the paper's point bonds, and its rules of breaking (Smith et al. 2001)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...data.impact import Schedule
from ...data.job import Settings
from ...data.material import Material
from ...data.solid import SolidModel
from ..rigid_parts import Cells, Parts
from .bonds.point_bonds import PointBonds, build_point_bonds
from .glue import COMPRESSION_FACTOR, Glue
from .load_steps import by_time

# A bond keeps this share of its first strength under the paper's growth functions, the range of its equation 4.
PAPER_FLOOR = 1e-3


class PointGlue(Glue):
    """Forces from the paper's distance constraints; what a bond bears is a force in newtons."""

    def __init__(self, bonds: PointBonds):
        self._bonds = bonds
        self._alive = np.ones(len(bonds.pairs), bool)
        self._multipliers = np.zeros(len(bonds.pairs))

    @classmethod
    def of(cls, solid: SolidModel, material: Material, cells: Cells, settings: Settings, wall: float) -> PointGlue:
        """Build the distance constraints of a solid."""
        return cls(build_point_bonds(solid, cells))

    def copy(self) -> PointGlue:
        """Return one that can be broken while this stays whole."""
        result = PointGlue(self._bonds)
        result._alive, result._multipliers = self._alive.copy(), self._multipliers.copy()
        return result

    def make_ready(self) -> None:
        """Do nothing: no solve of constraints needs preparation."""

    def solve(self, parts: Parts, forces: np.ndarray) -> None:
        """Compute what every constraint bears under (C, 3) forces on the cells, N."""
        self._multipliers = self._bonds.solve(self._bonds.right_side(forces), self._alive, self._multipliers)

    def scale(self, factor: float) -> None:
        """Multiply all forces."""
        self._multipliers *= factor

    def remove(self, rows: np.ndarray) -> None:
        """Break constraints."""
        self._alive[rows] = False
        self._multipliers[rows] = 0.0

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """(F,) force to hold against the strength, N: tension (a negative multiplier), or an eighth of compression.

        Under ``factor`` times the present load.
        """
        multipliers = factor * self._multipliers
        return np.maximum(-multipliers, multipliers / COMPRESSION_FACTOR)

    @staticmethod
    def strengths(stress: np.ndarray, areas: np.ndarray, volumes: np.ndarray) -> np.ndarray:
        """Return the paper's heuristics: strength goes with the shared area and the volume of the two cells."""
        return stress * areas * np.cbrt(volumes)

    @staticmethod
    def stress(burden: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Return force over area."""
        return burden / areas

    @staticmethod
    def paper_floor(lowest: np.ndarray) -> float:
        """Return the range of the paper's equation 4."""
        return PAPER_FLOOR

    @staticmethod
    def load_steps(critical: float, peak: float, schedule: Schedule, count: int) -> Iterator[tuple[float, float]]:
        """Yield even steps in time, as published: any overload may remain, so that each step breaks bonds once."""
        yield from ((load, np.inf) for load in by_time(critical, peak, schedule, count))

    @staticmethod
    def advances(most: int) -> int:
        """Return 1: the paper computes forces again after every break."""
        return 1

    @staticmethod
    def select(
        demand: np.ndarray,
        broken: np.ndarray,
        centers: np.ndarray,
        normals: np.ndarray,
        sizes: np.ndarray,
        reach: float,
    ) -> np.ndarray:
        """Return all overloaded bonds, as published."""
        return np.flatnonzero(demand > 1.0)
