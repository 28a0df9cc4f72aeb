"""Forces and breaking rules of the paper's point bonds (Smith et al. 2001)."""

from __future__ import annotations

import numpy as np

from ...data.material import COMPRESSION_FACTOR, Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel, cell_centers, face_vectors
from ...fields.prior_stress import has_prior_stress, prior_stress
from ..rigid_components import Cells, RigidComponents
from .bonds.point_bonds import PointBonds, build_point_bonds
from .glue import Glue

# Smallest remaining strength of a bond with the paper's growth functions: the range of equation 4 of Smith et al. 2001.
PAPER_FLOOR = 1e-3


class PointGlue(Glue):
    """Forces of distance constraints between point masses. The burden of a bond is a force in N.

    Args:
        bonds: F constraints.
        prestress: Ignored: rigid constraints have none.
        burden_arms: Ignored.
        compression_factor: Compressive strength over tensile strength, of all bonds or (F,) of each.

    Notes:
        Smith et al. 2001, equation 1 and section 3.1: a bond bears eight times more compression than tension.

    Example:
        Two cells are pulled apart, then pressed together, with 1,000 N. Compression counts an eighth.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.solid import from_cells
        >>> from ..rigid_components import cells_of, find_components
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> cells = cells_of(solid, PORCELAIN)
        >>> glue, pull = PointGlue(build_point_bonds(solid, cells)), np.array([[-1000.0, 0, 0], [1000.0, 0, 0]])
        >>> glue.solve(find_components(cells, solid.face_cells), pull)
        >>> glue.burden(1.0).round(3).tolist(), glue.burden(-1.0).round(3).tolist()
        ([1000.0], [125.0])
    """

    def __init__(
        self,
        bonds: PointBonds,
        prestress: np.ndarray | None = None,
        misfit: np.ndarray | None = None,
        burden_arms: np.ndarray | None = None,
        compression_factor: np.ndarray | float = COMPRESSION_FACTOR,
    ):
        self._bonds, self._compression_factor = bonds, compression_factor
        self._alive = np.ones(len(bonds.pairs), bool)
        self._multipliers = np.zeros(len(bonds.pairs))
        self._misfit, self.is_prestressed = misfit, misfit is not None
        # Multipliers of the misfit alone. They do not scale with the load.
        self._residual = np.zeros(len(bonds.pairs))

    @staticmethod
    def bonds(solid: SolidModel, material: Material, settings: ModelSettings, cells: Cells) -> PointBonds:
        """Build the distance constraints."""
        return build_point_bonds(solid, cells)

    @staticmethod
    def prestress(solid: SolidModel, settings: ModelSettings, wall: float) -> None:
        """Return ``None``: rigid constraints are not tempered."""
        return None

    @staticmethod
    def misfit(solid: SolidModel, settings: ModelSettings, bonds: PointBonds) -> np.ndarray | None:
        """Return the paper's k C (F,), m/s2: J W J^T lambda = -J W Q - k C (Smith et al. 2001, section 3.1).

        C is the gap that a shrinking material opens: prior stress times distance of the cells. The paper calls k "some
        unit-normalizing factor": here bonds with prior stress transmit, in the root mean square, its force on their
        area. ``None`` without prior stress.
        """
        if not has_prior_stress(settings):
            return None
        stress = prior_stress(solid.points[solid.faces].mean(axis=1), settings)
        pull = stress * np.linalg.norm(face_vectors(solid), axis=1)
        first, second = cell_centers(solid.points, solid.cells)[bonds.pairs].transpose(1, 0, 2)
        gap = stress * np.linalg.norm(second - first, axis=1)
        found = bonds.solve(-gap, np.ones(len(gap), bool), np.zeros(len(gap)))[stress != 0.0]
        size = float(np.linalg.norm(found))
        return gap * (float(np.linalg.norm(pull)) / size) if size > 0.0 else None

    def copy(self) -> PointGlue:
        """Return a copy; breaking bonds of the copy leaves this one unchanged."""
        result = PointGlue(self._bonds, misfit=self._misfit, compression_factor=self._compression_factor)
        result._alive, result._multipliers = self._alive.copy(), self._multipliers.copy()
        result._residual = self._residual.copy()
        return result

    def solve(self, parts: RigidComponents, forces: np.ndarray) -> None:
        """Solve for the multiplier of each constraint, N, under (C, 3) forces on the cells, N."""
        if self._misfit is not None:
            self._residual = self._bonds.solve(-self._misfit, self._alive, self._residual)
        self._multipliers = self._bonds.solve(self._bonds.right_side(forces), self._alive, self._multipliers)

    def scale(self, factor: float) -> None:
        """Multiply the forces of the load by ``factor``."""
        self._multipliers *= factor

    def remove(self, rows: np.ndarray) -> None:
        """Break constraints."""
        self._alive[rows] = False
        self._multipliers[rows] = self._residual[rows] = 0.0

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """Return (F,) N, the equivalent tension of each bond under ``factor`` times the present load.

        It is the tension (a negative multiplier), or the compression over the compression factor.
        """
        multipliers = factor * self._multipliers + self._residual
        return np.maximum(-multipliers, multipliers / self._compression_factor)

    @staticmethod
    def strengths(stress: np.ndarray, areas: np.ndarray, volumes: np.ndarray) -> np.ndarray:
        """Return forces that grow with the shared area and the volume of the two cells, as in the paper."""
        return stress * areas * np.cbrt(volumes)

    @staticmethod
    def stress(burden: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Return the force over the area."""
        return burden / areas

    @staticmethod
    def paper_floor(lowest: np.ndarray) -> float:
        """Return ``PAPER_FLOOR``."""
        return PAPER_FLOOR

    @staticmethod
    def advances(most: int) -> int:
        """Return 1: the paper computes forces again after each round of breaks."""
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
        """Return all overloaded bonds, as in the paper."""
        return np.flatnonzero(demand > 1.0)
