"""Forces in the bonds of a network, and the rules by which a kind of bonds breaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Self

import numpy as np

from ...data.impact import Schedule
from ...data.job import Settings
from ...data.material import Material
from ...data.solid import SolidModel
from ..rigid_parts import Cells, Parts

# Bonds between brittle grains are eight times stronger under compression (Smith et al. 2001, section 3.1).
COMPRESSION_FACTOR = 8.0


class Glue(ABC):
    """Forces in the bonds of a network, and the rules by which they break.

    Attributes:
        is_prestressed: Whether bonds bear something without a load.
        work: J, of the forces of the last ``solve``; 0 for rigid bonds, which store no energy.
    """

    is_prestressed = False
    work = 0.0

    @classmethod
    @abstractmethod
    def of(cls, solid: SolidModel, material: Material, cells: Cells, settings: Settings, wall: float) -> Self:
        """Build the glue of a solid whose walls are ``wall`` metres thick."""

    @abstractmethod
    def copy(self) -> Self:
        """Return one that can be broken while this stays whole."""

    @abstractmethod
    def make_ready(self) -> None:
        """Prepare the next solve of the whole body, in a thread."""

    @abstractmethod
    def solve(self, parts: Parts, forces: np.ndarray) -> None:
        """Compute what every bond bears under (C, 3) forces on the cells, N."""

    @abstractmethod
    def scale(self, factor: float) -> None:
        """Multiply the forces of the load: between two breaks they are proportional to it."""

    @abstractmethod
    def remove(self, rows: np.ndarray) -> None:
        """Break bonds."""

    @abstractmethod
    def burden(self, factor: float = 1.0) -> np.ndarray:
        """Return (F,) what to compare with the strengths, under ``factor`` times the present load."""

    @staticmethod
    @abstractmethod
    def strengths(stress: np.ndarray, areas: np.ndarray, volumes: np.ndarray) -> np.ndarray:
        """Return (F,) strengths in the unit of ``burden``.

        Args:
            stress: (F,) Pa, tensile strength.
            areas: (F,) m2, shared areas.
            volumes: (F,) mean volume of the two cells over that of all cells.
        """

    @staticmethod
    @abstractmethod
    def stress(burden: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Return (F,) stress, Pa, of a burden."""

    @staticmethod
    @abstractmethod
    def paper_floor(lowest: np.ndarray) -> np.ndarray | float:
        """Return the least share of its strength that a bond keeps under the paper's crack growth functions.

        Args:
            lowest: (F,) share under the full amount of the lobe.
        """

    @staticmethod
    @abstractmethod
    def load_steps(critical: float, peak: float, schedule: Schedule, count: int) -> Iterator[tuple[float, float]]:
        """Yield loads, N, from the critical load to the peak, each with the overload that may remain after its breaks.

        Args:
            critical: N, at most ``peak``.
            peak: N, load at the peak of ``schedule``.
            schedule: Load over time.
            count: Steps in time.
        """

    @staticmethod
    @abstractmethod
    def advances(most: int) -> int:
        """Return over how many faces a crack may advance under the same forces, where up to ``most`` make sense."""

    @staticmethod
    @abstractmethod
    def select(
        demand: np.ndarray,
        broken: np.ndarray,
        centers: np.ndarray,
        normals: np.ndarray,
        sizes: np.ndarray,
        reach: float,
    ) -> np.ndarray:
        """Return the overloaded bonds that break together; see ``selection.select_breaks``."""
