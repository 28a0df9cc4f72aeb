"""What stays the same while a solid breaks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from ..job import Settings
from ..material import Material
from ..parts import Cells, Parts, cells_of
from ..solid import CELL_FACES, SolidModel, cell_volumes
from ..strength import bond_strengths, cell_densities, size_effect
from .crack_growth import face_neighbours
from .equilibrium import RESIDUAL, Equilibrium, balanced
from .full_bonds import FullBonds, build_full_bonds
from .point_bonds import PointBonds, build_point_bonds

# Bonds between brittle grains are eight times stronger under compression (Smith et al. 2001, section 3.1).
COMPRESSION_FACTOR = 8.0
# How much of the squared shear stress counts beside the squared tension.
SHEAR_SHARE = 0.25
# A chunky body's walls count as no thicker than this share of the edge of a cube with its volume.
THICKEST_WALL = 0.2


@dataclass(frozen=True)
class Model:
    """A network of bonds with their strengths.

    Attributes:
        cells: What the bonds join.
        pairs: (F, 2) cells of a bond.
        face_centers: (F, 3) m.
        normals: (F, 3) unit normals of the shared faces.
        areas: (F,) m2.
        strengths: (F,) Pa with full bonds, N with point bonds.
        neighbours: (F, F) faces that share an edge.
        cell_size: m.
        wall: m, how thick the body's walls are, from its volume and surface; at most a fifth of a cube's edge.
        size_effect: Strength of cells of this size beside a crack over the material's, 0 to 1.
        glue: How forces are found.
    """

    cells: Cells
    pairs: np.ndarray
    face_centers: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    strengths: np.ndarray
    neighbours: csr_array
    cell_size: float
    wall: float
    size_effect: float
    glue: FullGlue | PointGlue


class FullGlue:
    """Forces from full bonds; what a bond bears is a stress in pascals."""

    def __init__(self, bonds: FullBonds):
        self._bonds = bonds
        self._equilibrium = Equilibrium(bonds)
        self._alive = np.ones(len(bonds.areas), bool)

    def copy(self) -> FullGlue:
        """One that can be broken while this stays whole."""
        result = FullGlue.__new__(FullGlue)
        result._bonds, result._alive = self._bonds, self._alive.copy()
        result._equilibrium = self._equilibrium.copy()
        return result

    def solve(self, parts: Parts, forces: np.ndarray, residual: float = RESIDUAL) -> None:
        """Find what every bond bears under (C, 3) forces on the cells, newtons."""
        self._equilibrium.solve(balanced(self._bonds, parts, forces), residual)

    def scale(self, factor: float) -> None:
        """All forces are ``factor`` times what they were: between two breaks they only scale."""
        self._equilibrium.displacement *= factor

    def remove(self, rows: np.ndarray) -> None:
        """Break bonds."""
        self._alive[rows] = False
        self._equilibrium.remove(rows)

    def burden(self) -> np.ndarray:
        """(F,) stress to hold against the tensile strength, Pa: tension with shear, or an eighth of the pressure."""
        normal, shear = self._bonds.tractions(self._equilibrium.displacement)
        tension = np.where(normal > 0.0, np.sqrt(normal**2 + SHEAR_SHARE * shear**2), -normal / COMPRESSION_FACTOR)
        return np.where(self._alive, tension.max(axis=1), 0.0)


class PointGlue:
    """Forces from the paper's distance constraints; what a bond bears is a force in newtons."""

    def __init__(self, bonds: PointBonds):
        self._bonds = bonds
        self._alive = np.ones(len(bonds.pairs), bool)
        self._multipliers = np.zeros(len(bonds.pairs))

    def copy(self) -> PointGlue:
        """One that can be broken while this stays whole."""
        result = PointGlue(self._bonds)
        result._alive, result._multipliers = self._alive.copy(), self._multipliers.copy()
        return result

    def solve(self, parts: Parts, forces: np.ndarray) -> None:
        """Find what every constraint bears under (C, 3) forces on the cells, newtons."""
        self._multipliers = self._bonds.solve(self._bonds.right_side(forces), self._alive, self._multipliers)

    def scale(self, factor: float) -> None:
        """All forces are ``factor`` times what they were."""
        self._multipliers *= factor

    def remove(self, rows: np.ndarray) -> None:
        """Break constraints."""
        self._alive[rows] = False
        self._multipliers[rows] = 0.0

    def burden(self) -> np.ndarray:
        """(F,) force to hold against the strength, N: tension (a negative multiplier), or an eighth of compression."""
        return np.maximum(-self._multipliers, self._multipliers / COMPRESSION_FACTOR)


def build(solid: SolidModel, material: Material, settings: Settings) -> Model:
    """The network of a solid.

    Args:
        solid: Its cells become masses, its shared faces bonds.
        material: Stiffness and strength.
        settings: ``bonds``, and what varies the strength.
    """
    density = cell_densities(solid, settings)
    cells = cells_of(solid, material)
    cells = Cells(cells.centers, density * cells.masses, density[:, None, None] * cells.inertias)
    corners = solid.points[solid.faces]
    vectors = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(vectors, axis=1)
    volumes = cell_volumes(solid.points, solid.cells)
    cell_size = float(np.cbrt(6.0 * np.sqrt(2.0) * volumes.mean()))
    strengths = bond_strengths(solid, material, settings)
    if settings.bonds == "point":
        # The paper's heuristics: strength goes with the shared area and the volume of the two cells.
        strengths = strengths * areas * np.cbrt(volumes[solid.face_cells].mean(axis=1) / volumes.mean())
    glue = (
        PointGlue(build_point_bonds(solid, cells))
        if settings.bonds == "point"
        else FullGlue(replace(build_full_bonds(solid, material), cells=cells))
    )
    return Model(
        cells,
        solid.face_cells,
        corners.mean(axis=1),
        vectors / areas[:, None],
        areas,
        strengths,
        face_neighbours(solid.faces, len(solid.points)),
        cell_size,
        _wall_thickness(solid, areas, float(volumes.sum())),
        size_effect(material, cell_size),
        glue,
    )


def _wall_thickness(solid: SolidModel, shared_areas: np.ndarray, volume: float) -> float:
    """Twice the volume over the outer surface, which is a plate's thickness."""
    corners = solid.points[solid.cells[:, CELL_FACES]]
    edges = corners[:, :, 1:] - corners[:, :, :1]
    all_areas = 0.5 * np.linalg.norm(np.cross(edges[:, :, 0], edges[:, :, 1]), axis=-1)
    outside = float(all_areas.sum() - 2.0 * shared_areas.sum())
    return min(2.0 * volume / outside, THICKEST_WALL * math.cbrt(volume))
