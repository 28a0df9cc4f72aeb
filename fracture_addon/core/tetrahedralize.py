"""A solid from a closed surface: points of its own, Delaunay tetrahedra, and the paper's clean-up (section 2.1).

The points are irregular and independent of the artist's vertices: cracks follow the faces of the tetrahedra, and
would run along the artist's edge loops otherwise.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay, cKDTree

from . import blue_noise
from .errors import InvalidMeshError
from .inside import is_inside
from .solid import SolidModel, cell_centers, cell_volumes, from_cells, oriented, shared_faces
from .surface import Surface, area, volume

# Cells of an even point set fill spacing^3 this often (measured on blue noise; walls one cell thick have fewer).
CELLS_PER_CUBIC_SPACING = 5.2
# How near the number of cells has to come to the wanted one, and how often the spacing is corrected for that.
COUNT_TOLERANCE, CORRECTIONS = 0.15, 3
# One correction goes no further than this ratio asks: of what cannot be filled, finer points would only be more.
CORRECTION_RANGE = (0.2, 5.0)
# A face's centre may lie outside the surface by this share of its cell's smallest dimension (the paper's quarter).
OUTSIDE_SHARE = 0.25
# Cells flatter than this (volume over that of a regular tetrahedron with the same mean edge) leave the boundary.
FLATNESS = 0.02
# Islands of cells that share no face with the rest and have less than this share of the volume are dropped.
ISLAND_SHARE = 1e-3


def tetrahedralize(surface: Surface, cell_count: int, seed: int) -> SolidModel:
    """Fill a closed surface with about ``cell_count`` tetrahedra, in a complex that reaches beyond the surface.

    Args:
        surface: Closed, wound outwards.
        cell_count: Wanted number of cells; met within 15 % where the shape allows it.
        seed: Of the points.

    Raises:
        InvalidMeshError: Nothing of the inside could be filled.
    """
    spacing = _first_spacing(surface, cell_count)
    for _ in range(CORRECTIONS):
        points, cells, padding = _fill(surface, spacing, seed)
        ratio = len(cells) / cell_count
        if abs(ratio - 1.0) < COUNT_TOLERANCE:
            break
        spacing *= np.clip(ratio, *CORRECTION_RANGE) ** _count_exponent(surface, spacing)
    if not len(cells):
        raise InvalidMeshError("nothing inside the surface could be filled; check that it is closed and has thickness")
    return from_cells(points, cells, padding)


def _first_spacing(surface: Surface, cell_count: int) -> float:
    """Spacing at which thick parts and walls one cell thick together give ``cell_count`` cells."""
    bulk = CELLS_PER_CUBIC_SPACING * max(volume(surface), 0.0)
    shell = 2.6 * area(surface)
    low, high = 1e-6 * surface.diagonal, surface.diagonal
    for _ in range(60):
        middle = np.sqrt(low * high)
        # A wall thinner than the spacing has cells in proportion to its area, a thick part to its volume.
        count = max(bulk / middle**3 if middle < volume(surface) / area(surface) * 2.0 else 0.0, shell / middle**2)
        low, high = (middle, high) if count > cell_count else (low, middle)
    return float(np.sqrt(low * high))


def _count_exponent(surface: Surface, spacing: float) -> float:
    thick = spacing < volume(surface) / area(surface) * 2.0
    return 1.0 / 3.0 if thick else 1.0 / 2.0


def _fill(surface: Surface, spacing: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng([seed, 1])
    boundary, normals = blue_noise.on_surface(surface, spacing, random)
    interior = blue_noise.inside_surface(surface, 0.85 * spacing, boundary, random)
    padding = _padding_points(surface, boundary, normals, spacing)
    points = np.concatenate([boundary, interior, padding])
    points += random.uniform(-1e-6, 1e-6, points.shape) * spacing
    cells = oriented(points, Delaunay(points).simplices.astype(np.int32))
    inside = is_inside(surface, cell_centers(points, cells))
    # A cell that has a padding point as a corner is outside, whatever its centroid says.
    inside &= (cells < len(boundary) + len(interior)).all(axis=1)
    inside = _without_outside_faces(surface, points, cells, inside, boundary)
    inside = _without_flat_boundary(points, cells, inside)
    inside = _without_islands(points, cells, inside)
    return points, cells[inside], cells[~inside]


def _padding_points(surface: Surface, boundary: np.ndarray, normals: np.ndarray, spacing: float) -> np.ndarray:
    """Points off the surface, and a box around all, so that the complex reaches beyond the surface everywhere."""
    lifted = boundary + 0.9 * spacing * normals
    far = cKDTree(boundary).query(lifted)[0] > 0.6 * spacing
    lifted = lifted[far]
    lifted = lifted[~is_inside(surface, lifted)]
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    margin = 0.3 * np.linalg.norm(high - low) + 2.0 * spacing
    ticks = np.linspace(0.0, 1.0, 4)
    grid = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    grid = grid[((grid == 0.0) | (grid == 1.0)).any(axis=1)]
    return np.concatenate([lifted, low - margin + grid * (high - low + 2.0 * margin)])


def _without_outside_faces(surface, points, cells, inside, boundary) -> np.ndarray:
    """The paper's second test: drop a cell with a face whose centre lies too far outside the surface."""
    rows = np.flatnonzero(inside)
    corners = points[cells[rows]]
    smallest = np.min(
        [np.linalg.norm(corners[:, i] - corners[:, j], axis=1) for i in range(4) for j in range(i)], axis=0
    )
    outside_cell = np.zeros(len(rows), bool)
    tree = cKDTree(_dense_points(surface, boundary))
    for corner in range(4):
        centers = (corners.sum(axis=1) - corners[:, corner]) / 3.0
        outside = np.flatnonzero(~is_inside(surface, centers))
        distances = tree.query(centers[outside])[0]
        outside_cell[outside] |= distances > OUTSIDE_SHARE * smallest[outside]
    result = inside.copy()
    result[rows[outside_cell]] = False
    return result


def _dense_points(surface: Surface, boundary: np.ndarray) -> np.ndarray:
    """Points so dense on the surface that the nearest one tells the distance to it well enough for a quarter cell."""
    samples, _ = blue_noise.sample_surface(surface, 30 * len(boundary), np.random.default_rng(0))
    return np.concatenate([samples, boundary, surface.points])


def _without_flat_boundary(points, cells, inside) -> np.ndarray:
    """Peel off cells without thickness that lie on the boundary; flat cells further in hold their neighbours apart."""
    result = inside.copy()
    for _ in range(2):
        rows = np.flatnonzero(result)
        corners = points[cells[rows]]
        edges = [np.linalg.norm(corners[:, i] - corners[:, j], axis=1) for i in range(4) for j in range(i)]
        regular = np.mean(edges, axis=0) ** 3 / (6.0 * np.sqrt(2.0))
        flat = cell_volumes(points, cells[rows]) < FLATNESS * regular
        _, pairs = shared_faces(points, cells[rows])
        neighbour_count = np.bincount(pairs.ravel(), minlength=len(rows))
        result[rows[flat & (neighbour_count < 4)]] = False
    return result


def _without_islands(points, cells, inside) -> np.ndarray:
    rows = np.flatnonzero(inside)
    if not len(rows):
        return inside
    _, pairs = shared_faces(points, cells[rows])
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(rows), len(rows)))
    _, labels = connected_components(graph, directed=False)
    volumes = np.bincount(labels, cell_volumes(points, cells[rows]))
    result = inside.copy()
    result[rows[volumes[labels] < ISLAND_SHARE * volumes.sum()]] = False
    return result
