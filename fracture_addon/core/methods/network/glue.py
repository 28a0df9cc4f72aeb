"""Forces in the bonds of a network, and the rules by which a kind of bonds breaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from ...data.errors import SettingsError
from ...data.material import COMPRESSION_FACTOR, Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel
from ..method import Solver
from ..rigid_components import Cells, RigidComponents

NO_STRAIN = "only a network with full bonds computes a thermal shock; set Bonds to Full"


class Glue(Solver, ABC):
    """Forces in the bonds of a network, and the rules by which they break.

    Attributes:
        is_prestressed: Whether bonds have stress without a load.
        work: J, work of the forces of the last ``solve``; 0 for rigid bonds, which store no energy.
    """

    is_prestressed = False
    work = 0.0

    @abstractmethod
    def __init__(
        self,
        bonds: Any,
        prestress: np.ndarray | None = None,
        misfit: np.ndarray | None = None,
        burden_arms: np.ndarray | None = None,
        compression_factor: np.ndarray | float = COMPRESSION_FACTOR,
    ):
        """Start without a load.

        Args:
            bonds: Result of the method ``bonds``.
            prestress: Result of the method ``prestress``.
            misfit: Result of the method ``misfit``.
            burden_arms: Result of ``grain.burden_arms`` for wood with full bonds; ``None`` otherwise.
            compression_factor: Compressive strength over tensile strength, of each bond (F,) or of all.
        """

    @staticmethod
    @abstractmethod
    def bonds(solid: SolidModel, material: Material, settings: ModelSettings, cells: Cells) -> Any:
        """Build the bonds of a solid between its cells."""

    @staticmethod
    @abstractmethod
    def prestress(solid: SolidModel, settings: ModelSettings, wall: float) -> np.ndarray | None:
        """Return the prestress of the bonds of a solid with the wall thickness ``wall``, m; ``None`` for none."""

    @staticmethod
    @abstractmethod
    def misfit(solid: SolidModel, settings: ModelSettings, bonds: Any) -> np.ndarray | None:
        """Return the misfit of ``bonds`` by prior stress (``fields/prior_stress.py``); ``None`` for none."""

    @abstractmethod
    def copy(self) -> Self:
        """Return a copy; breaking bonds of the copy leaves this one unchanged."""

    @abstractmethod
    def solve(self, parts: RigidComponents, forces: np.ndarray) -> None:
        """Compute the forces in the bonds.

        Args:
            parts: Connected components of the bonds that hold.
            forces: (C, 3) N, forces on the cells.

        Raises:
            SolverDivergedError: The residual was not reached.
        """

    def residual_stress(self) -> np.ndarray:
        """Return the mean normal stress (F,) of bonds without a load, Pa, after ``solve``.

        Kinds of bonds without prestress return a single zero, (1,).
        """
        return np.zeros(1)

    def strain(self, points: np.ndarray, strains: np.ndarray) -> None:
        """Add the free strain of the load, which ``scale`` scales too.

        Args:
            points: (K, 3) m.
            strains: (K,) strain there, expansion positive.

        Raises:
            SettingsError: The bonds are rigid: the default.
        """
        raise SettingsError(NO_STRAIN)

    @abstractmethod
    def scale(self, factor: float) -> None:
        """Multiply the forces of the load by ``factor``. Without a break they are linear in the load."""

    @abstractmethod
    def remove(self, rows: np.ndarray) -> None:
        """Break bonds."""

    @abstractmethod
    def burden(self, factor: float = 1.0) -> np.ndarray:
        """Return the burden (F,) of bonds under ``factor`` times the present load, in the unit of their strengths."""

    def tension(self, rows: np.ndarray) -> np.ndarray:
        """Return the mean pull (K, 3) of the second cell on the first, Pa, where the present load opens the bond.

        Rigid bonds store no energy and return 0.

        Args:
            rows: (K,) bonds that hold.
        """
        return np.zeros((len(rows), 3))

    @staticmethod
    @abstractmethod
    def strengths(stress: np.ndarray, areas: np.ndarray, volumes: np.ndarray) -> np.ndarray:
        """Return (F,) strengths in the unit of ``burden``.

        Args:
            stress: (F,) Pa, tensile strength.
            areas: (F,) m2, shared faces.
            volumes: (F,) mean volume of the two cells over that of all cells.
        """

    @staticmethod
    @abstractmethod
    def stress(burden: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Return the stress (F,), Pa, of a burden (F,)."""

    @staticmethod
    @abstractmethod
    def paper_floor(lowest: np.ndarray) -> np.ndarray | float:
        """Return the smallest share of its strength that a bond keeps with the paper's crack growth functions.

        Args:
            lowest: (F,) smallest share with the ``lobe``.
        """

    @staticmethod
    @abstractmethod
    def advances(most: int) -> int:
        """Return the number of faces, at most ``most``, by which a crack advances per solve."""

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
        """Return the overloaded bonds that break in one round; see ``selection.select_breaks``."""
