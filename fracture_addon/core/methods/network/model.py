"""What stays the same while a solid breaks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from ...data.job import Settings
from ...data.material import Material
from ...data.solid import CELL_FACES, SolidModel, cell_volumes, face_vectors
from ...fields.strength import bond_sizes, bond_strengths, cell_densities, size_effect
from ...numerics.sparse.blocks import CHAINS, side_by_side
from ..rigid_parts import Cells, Parts, cells_of, find_parts
from .bonds.full_bonds import FullBonds, build_full_bonds, jump
from .bonds.point_bonds import PointBonds, build_point_bonds
from .crack_growth import face_neighbours
from .solver.equilibrium import RESIDUAL, Equilibrium, balanced
from .tempering import tempering

# Bonds between brittle grains are eight times stronger under compression (Smith et al. 2001, section 3.1).
COMPRESSION_FACTOR = 8.0
# How much of the squared shear stress counts beside the squared tension.
SHEAR_SHARE = 0.25
# Strength over what a bond bears without a load, at least: strength is that of surface flaws, the core has none.
PROVEN = 2.0
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
        strengths: (F,) Pa with full bonds, N with point bonds, while no crack is near.
        reached_strengths: (F,) of what a crack reaches, before it weakens that: what it had proven to bear is void.
        neighbours: (F, F) faces that share an edge.
        sizes: (F,) m, of the cells at each bond.
        cell_size: m, their mean.
        wall: m, how thick the body's walls are, from its volume and surface; at most a fifth of a cube's edge.
        size_effect: (F,) strength of cells of such sizes beside a crack over the material's, 0 to 1.
        glue: How forces are found.
    """

    cells: Cells
    pairs: np.ndarray
    face_centers: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    strengths: np.ndarray
    reached_strengths: np.ndarray
    neighbours: csr_array
    sizes: np.ndarray
    cell_size: float
    wall: float
    size_effect: np.ndarray
    glue: FullGlue | PointGlue

    def make_ready(self) -> None:
        """Between two strikes, do what the next one would have to begin with."""
        self.glue.make_ready()


class FullGlue:
    """Forces from full bonds; what a bond bears is a stress in pascals.

    Args:
        bonds: The glue.
        prestress: (F, 3) normal stress at the quadrature points that bonds would have if no cell moved, Pa, tension
            positive; ``None`` for none. It is the paper's kC (Smith et al. 2001, section 3.1): tractions are
            C^-1 (J d - e) with e the misfit of each bond, so -e's load J^T C^-1 e moves the cells until all balance.
    """

    def __init__(self, bonds: FullBonds, prestress: np.ndarray | None = None):
        self._bonds = bonds
        self._prestress = prestress
        self._equilibrium = Equilibrium(bonds)
        self._alive = np.ones(len(bonds.areas), bool)
        self._residual_displacement = np.zeros_like(self._equilibrium.displacement)
        self.work = 0.0

    def copy(self) -> FullGlue:
        """One that can be broken while this stays whole."""
        result = FullGlue.__new__(FullGlue)
        result._bonds, result._alive, result._prestress = self._bonds, self._alive.copy(), self._prestress
        result._equilibrium = self._equilibrium.copy()
        result._residual_displacement = self._residual_displacement.copy()
        result.work = self.work
        return result

    def make_ready(self) -> None:
        """See ``Equilibrium.make_ready``."""
        self._equilibrium.make_ready()

    @property
    def is_prestressed(self) -> bool:
        """Whether bonds bear something without a load."""
        return self._prestress is not None

    def solve(self, parts: Parts, forces: np.ndarray, residual: float = RESIDUAL) -> None:
        """Find what every bond bears under (C, 3) forces on the cells, newtons, and the ``work`` of these, joules."""
        if self.is_prestressed:
            # The same stiffness under another load: what the prestress alone does, kept apart as it does not scale.
            loaded = self._equilibrium.displacement
            self._equilibrium.displacement = self._residual_displacement
            self._residual_displacement = self._equilibrium.solve(self._misfit_load(), residual)
            self._equilibrium.displacement = loaded
        load = balanced(self._bonds, parts, forces)
        self.work = float(self._equilibrium.solve(load, residual) @ load)

    def scale(self, factor: float) -> None:
        """All forces of the load are ``factor`` times what they were: between two breaks they only scale."""
        self._equilibrium.displacement *= factor

    def remove(self, rows: np.ndarray) -> None:
        """Break bonds."""
        self._alive[rows] = False
        self._equilibrium.remove(rows)

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """(F,) stress to hold against the tensile strength, Pa: tension with shear, or an eighth of the pressure.

        Under ``factor`` times the present load.
        """
        displacement = factor * self._equilibrium.displacement + self._residual_displacement
        bonds, result = self._bonds, np.empty(len(self._alive))
        prestress = self._prestress if self.is_prestressed else np.zeros((1, 3))
        stiffness = bonds.normal_stiffness, bonds.shear_stiffness
        arguments = displacement.reshape(-1, 6), bonds.pairs, bonds.arms, bonds.normals, *stiffness, prestress
        ends = np.arange(CHAINS + 1) * len(result) // CHAINS
        side_by_side(lambda chain: _burden_kernel(*ends[chain : chain + 2], *arguments, self._alive, result))
        return result

    def burden_readable(self, factor: float = 1.0) -> np.ndarray:
        """The same in NumPy."""
        displacement = factor * self._equilibrium.displacement + self._residual_displacement
        normal, shear = self._bonds.tractions(displacement)
        if self.is_prestressed:
            normal = normal + self._prestress
        tension = np.where(normal > 0.0, np.sqrt(normal**2 + SHEAR_SHARE * shear**2), -normal / COMPRESSION_FACTOR)
        return np.where(self._alive, tension.max(axis=1), 0.0)

    def _misfit_load(self) -> np.ndarray:
        """J^T C^-1 e (6C,) of what still holds."""
        bonds = self._bonds
        pull = np.where(self._alive[:, None], self._prestress, 0.0) * (bonds.areas / 3.0)[:, None]
        each = -np.einsum("fq,fi,fqia->fa", pull, bonds.normals, bonds.jumps(), optimize=True).reshape(-1, 2, 6)
        load = np.zeros((bonds.cell_count, 6))
        for side in range(2):
            np.add.at(load, bonds.pairs[:, side], each[:, side])
        return load.ravel()


@njit(cache=True, nogil=True)
def _burden_kernel(first, end, freedoms, pairs, arms, normals, pull, slide, prestress, alive, result):
    """Write the burden of the bonds ``first`` to ``end``; ``prestress`` (F, 3), or one row of zeros for none."""
    for bond in range(first, end):
        most = 0.0
        if alive[bond]:
            for point in range(3):
                along, across = jump(freedoms, pairs, arms, normals, bond, point)
                normal = pull[bond] * along + prestress[bond % len(prestress), point]
                shear = slide[bond] * across
                burden = -normal / COMPRESSION_FACTOR
                if normal > 0.0:
                    burden = np.sqrt(normal * normal + SHEAR_SHARE * shear * shear)
                most = max(most, burden)
        result[bond] = most


class PointGlue:
    """Forces from the paper's distance constraints; what a bond bears is a force in newtons."""

    is_prestressed = False
    # Rigid constraints store no energy.
    work = 0.0

    def __init__(self, bonds: PointBonds):
        self._bonds = bonds
        self._alive = np.ones(len(bonds.pairs), bool)
        self._multipliers = np.zeros(len(bonds.pairs))

    def copy(self) -> PointGlue:
        """One that can be broken while this stays whole."""
        result = PointGlue(self._bonds)
        result._alive, result._multipliers = self._alive.copy(), self._multipliers.copy()
        return result

    def make_ready(self) -> None:
        """Nothing is made that a break would change."""

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

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """(F,) force to hold against the strength, N: tension (a negative multiplier), or an eighth of compression.

        Under ``factor`` times the present load.
        """
        multipliers = factor * self._multipliers
        return np.maximum(-multipliers, multipliers / COMPRESSION_FACTOR)


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
    vectors = face_vectors(solid)
    areas = np.linalg.norm(vectors, axis=1)
    volumes = cell_volumes(solid.points, solid.cells)
    cell_size = float(np.cbrt(6.0 * np.sqrt(2.0) * volumes.mean()))
    strengths = bond_strengths(solid, material, settings)
    if settings.bonds == "point":
        # The paper's heuristics: strength goes with the shared area and the volume of the two cells.
        strengths = strengths * areas * np.cbrt(volumes[solid.face_cells].mean(axis=1) / volumes.mean())
    wall = _wall_thickness(solid, areas, float(volumes.sum()))
    sizes = bond_sizes(solid)
    proven = strengths
    if settings.bonds == "point":
        glue = PointGlue(build_point_bonds(solid, cells))
    else:
        bonds = replace(build_full_bonds(solid, material), cells=cells)
        glue = FullGlue(bonds, tempering(solid, settings.tempering, wall) if settings.tempering > 0.0 else None)
        if glue.is_prestressed:
            glue.solve(find_parts(cells, solid.face_cells), np.zeros_like(cells.centers))
            proven = np.maximum(strengths, PROVEN * glue.burden())
    return Model(
        cells,
        solid.face_cells,
        solid.points[solid.faces].mean(axis=1),
        vectors / areas[:, None],
        areas,
        proven,
        strengths,
        face_neighbours(solid.faces, len(solid.points)),
        sizes,
        cell_size,
        wall,
        size_effect(material, sizes),
        glue,
    )


def _wall_thickness(solid: SolidModel, shared_areas: np.ndarray, volume: float) -> float:
    """Twice the volume over the outer surface, which is a plate's thickness."""
    corners = solid.points[solid.cells[:, CELL_FACES]]
    edges = corners[:, :, 1:] - corners[:, :, :1]
    all_areas = 0.5 * np.linalg.norm(np.cross(edges[:, :, 0], edges[:, :, 1]), axis=-1)
    outside = float(all_areas.sum() - 2.0 * shared_areas.sum())
    return min(2.0 * volume / outside, THICKEST_WALL * math.cbrt(volume))
