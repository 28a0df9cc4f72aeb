"""Stress along the grain of wood, from the tractions between irregular cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ...data.arrays import ReadOnlyArrays
from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel, cell_centers, cell_volumes
from ...fields.strength import grain_directions
from .bonds.full_bonds import NO_FIBRES, FullBonds, jump_vector

# Share of the stress along the grain that a bond does not count. Under tension exactly along the grain, the faces of
# irregular cells also have tractions across it, although the mean stress has none. Across the grain the strength is
# many times lower, so these tractions would break bonds too early. Measured: see docs/decisions/grain.md.
UNCOUNTED_SHARE = 0.07


@dataclass(frozen=True)
class Grain(ReadOnlyArrays):
    """The grain of a body.

    Attributes:
        directions: (C, 3) unit vectors along the grain in each cell.
        volumes: (C,) m3, of the cells.

    Notes:
        Own rule for irregular cells (docs/decisions/grain.md).

    Example:
        >>> from dataclasses import replace
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> solid = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], [])
        >>> settings, wood = Settings.of(grain=(0.0, 2.0, 0.0)), replace(PORCELAIN, grain_strength_ratio=10.0)
        >>> Grain.of(solid, wood, settings).directions.tolist(), Grain.of(solid, PORCELAIN, settings)
        ([[0.0, 1.0, 0.0]], None)
    """

    directions: np.ndarray
    volumes: np.ndarray

    @classmethod
    def of(cls, solid: SolidModel, material: Material, settings: ModelSettings) -> Grain | None:
        """Return the grain of a solid; ``None`` for a material without grain."""
        if material.grain_strength_ratio <= 1.0:
            return None
        centers = cell_centers(solid.points, solid.cells)
        directions = grain_directions(centers, settings.strength.grain, settings.strength.grains)
        return cls(directions, cell_volumes(solid.points, solid.cells))

    def uncounted(self, bonds: FullBonds, alive: np.ndarray, displacement: np.ndarray) -> np.ndarray:
        """Return the part (F,) of the burden of bonds that is not counted, Pa.

        It is ``UNCOUNTED_SHARE`` of the larger stress along the grain in the two cells of a bond. The stress of a cell
        is g^T (1/V sum of A t x^T) g over its faces, with the grain g, the traction t and the centroid x of a face.

        Args:
            bonds: Cells and bonds.
            alive: (F,) bool, bonds that hold.
            displacement: (6C,) of the cells.
        """
        stress = np.zeros(bonds.cell_count)
        fibres = bonds.fibres or NO_FIBRES
        stiffness = bonds.normal_stiffness, bonds.shear_stiffness, fibres.directions, fibres.stiffness
        geometry = bonds.pairs, bonds.arms, bonds.normals, bonds.cell_size * bonds.areas
        _stress_kernel(displacement.reshape(-1, 6), *geometry, *stiffness, alive, self.directions, stress)
        return UNCOUNTED_SHARE * np.abs(stress / self.volumes)[bonds.pairs].max(axis=1)


@njit(cache=True)
def _stress_kernel(
    freedoms: np.ndarray,
    pairs: np.ndarray,
    arms: np.ndarray,
    normals: np.ndarray,
    areas: np.ndarray,
    normal_stiffness: np.ndarray,
    shear_stiffness: np.ndarray,
    fibres: np.ndarray,
    fibre_stiffness: np.ndarray,
    alive: np.ndarray,
    grain: np.ndarray,
    stress: np.ndarray,
) -> None:
    """Add the stress along the grain times the volume of each cell; ``areas`` are times the unit of ``arms``.

    ``fibres`` are the directions of the fibres of each bond, or one row of zeros for none.
    """
    for bond in range(len(pairs)):
        if not alive[bond]:
            continue
        n0, n1, n2 = normals[bond, 0], normals[bond, 1], normals[bond, 2]
        across, more = shear_stiffness[bond], normal_stiffness[bond] - shear_stiffness[bond]
        for point in range(3):
            x, y, z = jump_vector(freedoms, pairs, arms, bond, point)
            f = fibres[bond % len(fibres)]
            fibre = fibre_stiffness[bond % len(fibre_stiffness)] * (x * f[0] + y * f[1] + z * f[2])
            along = more * (x * n0 + y * n1 + z * n2)
            x, y, z = across * x + along * n0, across * y + along * n1, across * z + along * n2
            x, y, z = x + fibre * f[0], y + fibre * f[1], z + fibre * f[2]
            for side in range(2):
                cell, arm = pairs[bond, side], arms[bond, side, point]
                g0, g1, g2 = grain[cell, 0], grain[cell, 1], grain[cell, 2]
                pull = (1.0 - 2.0 * side) * (x * g0 + y * g1 + z * g2)
                stress[cell] += pull * (arm[0] * g0 + arm[1] * g1 + arm[2] * g2) * areas[bond] / 3.0
