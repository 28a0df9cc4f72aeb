"""The constant part of a network: cells, bonds and strengths."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ...data.arrays import ReadOnlyArrays
from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import CELL_FACES, SolidModel, cell_edge, cell_volumes, face_vectors
from ...data.surface import wall_thickness
from ...fields.strength import (
    bond_sizes,
    bond_strengths,
    cell_densities,
    grain_directions,
    size_effect,
    uncracked_grain_factor,
)
from ..rigid_components import Cells, cells_of, find_components
from .bonds.full_bonds import FullBonds
from .bonds.point_bonds import PointBonds
from .crack_growth import face_neighbours, joint_neighbours
from .full_glue import FullGlue
from .glue import Glue
from .grain import burden_arms
from .point_glue import PointGlue
from .ties import reinforced

# Largest wall thickness, as a share of the edge of a cube with the body's volume. Sensitive: where a ball hits a
# block of 600 cells, 0.1, 0.2 and 0.4 give 164, 118 and 1 fragments (docs/decisions/constants.md).
THICKEST_WALL = 0.2

# Speed of cracks over that of Rayleigh waves, which they do not exceed; cracks in glass and ceramics reach 0.4 to 0.6
# (Fineberg and Marder 1999). With three seeds a ball breaks a block into the same 59 to 113 fragments at 0.25 to 0.5,
# into 45 to 180 at 0.7 and 45 to 193 at 1; other scenes change by at most one fragment.
CRACK_SPEED = 0.5

# The kinds of bonds by ``Settings.bonds``.
GLUES: dict[str, type[Glue]] = {"full": FullGlue, "point": PointGlue}


@dataclass(frozen=True)
class Model(ReadOnlyArrays):
    """A network of bonds with their strengths.

    Attributes:
        solid: What the network was built from.
        cells: Tetrahedra as rigid bodies; bonds connect them.
        pairs: (F, 2) cells of each bond.
        face_centers: (F, 3) m, centroids of the shared faces.
        normals: (F, 3) unit normals of the shared faces.
        areas: (F,) m2, of the shared faces.
        strengths: (F,) Pa with full bonds, N with point bonds, away from cracks; with grain, multiplied by
            ``uncracked_grain_factor``; with tempering, plus its compression and the bond's own prestress.
        reached_strengths: (F,) strengths of bonds beside a crack, before the crack weakens them.
        neighbours: (F, F) faces that share an edge.
        sizes: (F,) m, cell size at each bond.
        cell_size: m, edge of a regular tetrahedron with the mean volume.
        wall: m, wall thickness of the body, from its volume and surface.
        size_effect: (F,) strength beside a crack, for this cell size, over the material's strength; 0 to 1.
        crack_speed: m/s, of a running crack.
        wave_speed: m/s, of a longitudinal wave in a bar, sqrt(E / rho).
        density: kg/m3, of the material, without density fields.
        crack_energy: J/m2, energy of a crack per area, K_IC^2 / E.
        kind: Kind of the bonds.
        bonds: The bonds as their kind needs them.
        prestress: Stress of tempering in the bonds, as their kind needs it; ``None`` for none.
        misfit: Misfit of the bonds by prior stress, as their kind needs it; ``None`` for none.
        burden_arms: (F, 2, 3, 3) arms at which the burden of wood is computed; ``None`` for those of the bonds.
        compression_factor: Compressive strength over tensile strength, of all bonds or (F,) of each.
        tie_start: First bond that is a tie, after all others; ``None`` without reinforcement.
    """

    solid: SolidModel
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
    crack_speed: float
    wave_speed: float
    density: float
    crack_energy: float
    kind: type[Glue]
    bonds: FullBonds | PointBonds
    prestress: np.ndarray | None
    misfit: np.ndarray | None
    burden_arms: np.ndarray | None
    compression_factor: np.ndarray | float
    tie_start: int | None

    def unloaded(self) -> Glue:
        """Return a new solver for the forces in the bonds."""
        return self.kind(self.bonds, self.prestress, self.misfit, self.burden_arms, self.compression_factor)


def build(solid: SolidModel, material: Material, settings: ModelSettings) -> Model:
    """Build the network of a solid.

    Args:
        solid: Tetrahedra. Each becomes a rigid body; each face that two of them share becomes a bond.
        material: Density, stiffness and strength.
        settings: ``bonds``, ``tempering``, prior stress, and the settings that vary density and strength.

    Returns:
        Cells, F bonds and their strengths.

    Notes:
        Smith et al. 2001, section 2.1. Own: tempering adds its compression to the strength away from cracks, because
        cracks start from flaws in the surface.

    Example:
        The bond of two cells of porcelain. Waves in a bar have the speed sqrt(70 GPa / 2400 kg/m3).

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> model.pairs.tolist(), model.areas.tolist(), model.cells.masses.round(6).tolist(), round(model.wave_speed)
        ([[0, 1]], [0.5], [400.0, 400.0], 5401)
    """
    kind = GLUES[settings.network.bonds]
    volumes = cell_volumes(solid.points, solid.cells)
    wall = _wall(solid, float(volumes.sum()))
    plain, tie_start = solid, None
    if kind is FullGlue:
        solid = reinforced(plain, material, settings, wall)
    if solid is not plain:
        tie_start = plain.face_count
    density = cell_densities(solid, settings)
    cells = cells_of(solid, material)
    cells = Cells(cells.centers, density * cells.masses, density[:, None, None] * cells.inertias)
    vectors = face_vectors(solid)
    areas = np.linalg.norm(vectors, axis=1)
    cell_size = float(cell_edge(volumes.mean()))
    relative_volumes = volumes[solid.face_cells].mean(axis=1) / volumes.mean()
    strengths = kind.strengths(bond_strengths(solid, material, settings), areas, relative_volumes)
    sizes = bond_sizes(solid)
    bonds, prestress = kind.bonds(solid, material, settings, cells), kind.prestress(solid, settings, wall)
    misfit = kind.misfit(solid, settings, bonds)
    if tie_start is not None:
        for before_load in (item for item in (prestress, misfit) if item is not None):
            before_load[tie_start:] = 0.0
    centers = solid.points[solid.faces].mean(axis=1)
    neighbours = face_neighbours(solid.faces, len(solid.points))
    effects = size_effect(material, sizes)
    compression_factor: np.ndarray | float = material.crushing_strength / material.tensile_strength
    if solid.mixture is not None:
        neighbours = neighbours + joint_neighbours(solid.face_cells, solid.mixture.joints >= 0)
        effects, compression_factor = solid.mixture.size_effects, solid.mixture.compression_factors
    whole_strengths, arms = strengths, None
    if material.grain_strength_ratio > 1.0:
        directions = grain_directions(centers, settings.strength.grain, settings.strength.grains)
        whole_strengths = strengths * uncracked_grain_factor(vectors, directions, material.grain_strength_ratio)
        if isinstance(bonds, FullBonds):
            arms = burden_arms(bonds, directions)
    if prestress is not None:
        glue = kind(bonds, prestress)
        glue.solve(find_components(cells, solid.face_cells), np.zeros_like(cells.centers))
        # Cracks start from flaws in the surface, where the load has to overcome the compression.
        whole_strengths = whole_strengths + settings.strength.tempering + glue.residual_stress()
    if tie_start is not None:
        # Neither the grain nor the tempering of the body changes its ties.
        if arms is not None and isinstance(bonds, FullBonds):
            arms[tie_start:] = bonds.arms[tie_start:]
        whole_strengths = np.concatenate([whole_strengths[:tie_start], strengths[tie_start:]])
    return Model(
        solid=plain,
        cells=cells,
        pairs=solid.face_cells,
        face_centers=centers,
        normals=vectors / areas[:, None],
        areas=areas,
        strengths=whole_strengths,
        reached_strengths=strengths,
        neighbours=neighbours,
        sizes=sizes,
        cell_size=cell_size,
        wall=wall,
        size_effect=effects,
        crack_speed=CRACK_SPEED * material.rayleigh_speed,
        wave_speed=math.sqrt(material.young_modulus / material.density),
        density=material.density,
        crack_energy=material.toughness**2 / material.young_modulus,
        kind=kind,
        bonds=bonds,
        prestress=prestress,
        misfit=misfit,
        burden_arms=arms,
        compression_factor=compression_factor,
        tie_start=tie_start,
    )


def _wall(solid: SolidModel, volume: float) -> float:
    """Return the wall thickness of a solid, m, from its volume and outer surface."""
    corners = solid.points[solid.cells[:, CELL_FACES]]
    edges = corners[:, :, 1:] - corners[:, :, :1]
    all_areas = 0.5 * np.linalg.norm(np.cross(edges[:, :, 0], edges[:, :, 1]), axis=-1)
    outside = float(all_areas.sum() - 2.0 * np.linalg.norm(face_vectors(solid), axis=1).sum())
    return min(wall_thickness(volume, outside), THICKEST_WALL * math.cbrt(volume))
