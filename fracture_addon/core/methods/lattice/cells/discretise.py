"""Cells for a lattice in an artist's surface."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....data.arrays import frozen
from ....data.errors import SettingsError
from ....data.job import Settings
from ....data.solid import SolidModel
from ....data.surface import Surface
from ....meshing.filling.cell_sizes import Spread
from ....meshing.filling.tetrahedralize import tetrahedralize
from ..model import Lattice
from .cubes_solid import solid_of_lattice
from .fill import fill

KINDS = ("tetrahedra", "cubes")
TETRAHEDRA_A_CUBE = 5
# Cells through a wall unless the artist wants another number: with one it bends 2.2 times too stiffly, with two 1.3 to
# 1.5 times, with three as with two (measured on irregular cells; docs/equations.md).
WALL_LAYERS = 2


@dataclass(frozen=True)
class CubeSolid(SolidModel):
    """Cubes of a lattice, as tetrahedra.

    Attributes:
        lattice: Its nodes are the solid's first points.
        cube_of_cell: (C,) int32 the lattice's cell that each tetrahedron is a part of.
        fractions: (K,) of each cube that is inside the surface, and has mass.
    """

    lattice: Lattice
    cube_of_cell: np.ndarray
    fractions: np.ndarray

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "cube_of_cell", frozen(self.cube_of_cell, np.int32, -1))
        object.__setattr__(self, "fractions", frozen(self.fractions, np.float64, -1))


def discretise(surface: Surface, settings: Settings) -> SolidModel:
    """Fill a closed surface with about ``settings.cell_count`` tetrahedra: irregular ones, or those of cubes.

    Irregular cells are the default: cracks follow the planes of cubes, and look like stairs.

    Raises:
        InvalidMeshError: The surface cannot be filled.
        SettingsError: There is no such lattice.
    """
    if settings.lattice not in KINDS:
        raise SettingsError(f"there is no lattice of '{settings.lattice}'; use one of {', '.join(KINDS)}")
    if settings.lattice == "tetrahedra":
        spread = replace(Spread.of(settings), layers=settings.wall_layers or WALL_LAYERS)
        return tetrahedralize(surface, settings.cell_count, settings.seed, spread)
    lattice, grid = fill(surface, max(settings.cell_count // TETRAHEDRA_A_CUBE, 1))
    solid, cube_of_cell = solid_of_lattice(grid)
    parts = (solid.points, solid.cells, solid.padding_cells, solid.faces, solid.face_cells)
    return CubeSolid(*parts, lattice, cube_of_cell, grid.fractions)
