"""Fill an artist's surface with the cells of a lattice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....data.arrays import frozen
from ....data.errors import InvalidMeshError
from ....data.settings.settings import FillSettings
from ....data.solid import SolidModel
from ....data.surface import Surface
from ....meshing.filling.cell_sizes import Spread
from ....meshing.filling.tetrahedralize import tetrahedralize
from ..lattice import Lattice
from .cubes_solid import solid_of_lattice
from .fill import fill

TETRAHEDRA_PER_CUBE = 5
# Default number of cells through a wall. With one cell a wall is 2.2 times too stiff in bending, with two or three
# cells 1.3 to 1.5 times (measured on irregular cells; docs/measurements.md, "Cells through a wall").
WALL_LAYERS = 2


@dataclass(frozen=True)
class Diagonals:
    """Springs in a cube besides its edges, which alone would not resist shear.

    Attributes:
        kind: Kind of cell, in ``cells.CELL_KINDS``.
        resists_twisting: Whether a single layer of cubes resists its twisting.
    """

    kind: str
    resists_twisting: bool = True


# By ``FillingSettings.diagonals``.
DIAGONALS = {"face": Diagonals("face"), "body": Diagonals("body", False), "both": Diagonals("fitted")}


@dataclass(frozen=True)
class CubeSolid(SolidModel):
    """The cubes of a lattice, divided into tetrahedra.

    Attributes:
        lattice: The lattice of the cubes. Its nodes are the first points of the solid.
        cube_of_cell: (C,) int32, cube of each tetrahedron.
        fractions: (K,) share of each cube inside the surface. Only this share has mass.
    """

    lattice: Lattice
    cube_of_cell: np.ndarray
    fractions: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cube_of_cell", frozen(self.cube_of_cell, np.int32, -1))
        object.__setattr__(self, "fractions", frozen(self.fractions, np.float64, -1))


def discretise(surface: Surface, settings: FillSettings) -> SolidModel:
    """Fill a closed surface with about ``settings.filling.cell_count`` tetrahedra, irregular or from cubes.

    Irregular cells are the default. Cracks in cubes follow their planes and look like stairs.

    Raises:
        InvalidMeshError: The surface cannot be filled.
    """
    return FILLINGS[settings.filling.lattice](surface, settings)


def _irregular(surface: Surface, settings: FillSettings) -> SolidModel:
    spread = replace(Spread.of(settings.filling), layers=settings.filling.wall_layers or WALL_LAYERS)
    return tetrahedralize(surface, settings.filling.cell_count, settings.seed, spread)


def _cubes(surface: Surface, settings: FillSettings) -> SolidModel:
    diagonals = DIAGONALS[settings.filling.diagonals]
    lattice, grid = fill(surface, max(settings.filling.cell_count // TETRAHEDRA_PER_CUBE, 1), diagonals.kind)
    if not diagonals.resists_twisting and not np.ptp(grid.cubes, axis=0).all():
        raise InvalidMeshError(
            f"All {len(grid.cubes)} cubes lie in one layer, and body diagonals alone do not resist its twisting; "
            "raise Detail, or set Diagonals to Face or to Face and Body"
        )
    solid, cube_of_cell = solid_of_lattice(grid)
    parts = (solid.points, solid.cells, solid.padding_cells, solid.faces, solid.face_cells)
    return CubeSolid(*parts, lattice, cube_of_cell, grid.fractions)


# By ``FillingSettings.lattice``.
FILLINGS = {"tetrahedra": _irregular, "cubes": _cubes}
