"""What stays the same while a solid breaks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ...data.choice import chosen
from ...data.job import Settings
from ...data.material import Material
from ...data.solid import CELL_FACES, SolidModel, cell_volumes, face_vectors
from ...fields.strength import bond_sizes, bond_strengths, cell_densities, size_effect
from ..rigid_parts import Cells, cells_of, find_parts
from .crack_growth import face_neighbours
from .full_glue import FullGlue
from .glue import Glue
from .point_glue import PointGlue

# Strength over what a bond bears without a load, at least: strength is that of surface flaws, the core has none.
PROVEN = 2.0
# A chunky body's walls count as no thicker than this share of the edge of a cube with its volume.
THICKEST_WALL = 0.2

# The kinds of bonds by ``Settings.bonds``.
GLUES: dict[str, type[Glue]] = {"full": FullGlue, "point": PointGlue}


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
    glue: Glue

    def make_ready(self) -> None:
        """Between two strikes, do what the next one would have to begin with."""
        self.glue.make_ready()


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
    kind = chosen(GLUES, settings.bonds, "kind of bonds")
    relative_volumes = volumes[solid.face_cells].mean(axis=1) / volumes.mean()
    strengths = kind.strengths(bond_strengths(solid, material, settings), areas, relative_volumes)
    wall = _wall_thickness(solid, areas, float(volumes.sum()))
    sizes = bond_sizes(solid)
    glue = kind.of(solid, material, cells, settings, wall)
    proven = strengths
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
