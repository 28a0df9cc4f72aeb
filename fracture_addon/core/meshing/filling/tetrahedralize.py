"""A solid from a closed surface: points of its own, tetrahedra between them, and a clean-up (the paper's section 2.1).

The points are irregular and independent of the artist's vertices: cracks follow the faces of the tetrahedra, and
would run along the artist's edge loops otherwise. Thin walls get points in pairs, one on each side, so that they are
filled by a layer of prisms of three tetrahedra each, however thin they are.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, cKDTree

from ...data.errors import InvalidMeshError
from ...data.solid import SolidModel, cell_centers, cell_volumes, from_cells, oriented, shared_faces
from ...data.surface import Surface, area, volume
from ...geometry.inside import is_inside
from ...geometry.rays import RayGrid
from ...numerics.components import components
from .blue_noise import BoundaryPoints, inside_surface, sample_surface, spaced, within_walls
from .boundary_candidates import candidates
from .cell_sizes import EVEN, Spread
from .fitting import boundary_of, fitted

# Cells of an even point set fill spacing^3 this often (measured on blue noise), and walls one cell thick have this many
# on spacing^2 of their area, both sides together.
CELLS_PER_CUBIC_SPACING, CELLS_PER_SQUARE_SPACING = 5.2, 3.5
# How near the number of cells has to come to the wanted one, and how often the spacing is corrected for that.
COUNT_TOLERANCE, CORRECTIONS = 0.15, 3
# One correction goes no further than this ratio asks: of what cannot be filled, finer points would only be more.
CORRECTION_RANGE = (0.2, 5.0)
# Points inside keep this share of the spacing, and padding points lie this many spacings off the surface, unless
# another part of the surface is nearer than the last share.
INNER_SHARE, LIFT, CLEARANCE = 0.85, 0.9, 0.6
# Where the first cells leave out places this deep (over the spacing, and over the wall's thickness), points are added,
# at this share of the spacing.
DEPTH, WALL_DEPTH, ADDED_SHARE = 0.2, 0.5, 0.6
# Weights of boundary points, over the squared spacing and the squared thickness of the wall: see ``_triangulated``.
WEIGHT, WALL_WEIGHT = 0.05, 0.2
# A tetrahedron is a cell when this share of these many places in it is inside.
INSIDE_SHARE, PLACES = 0.5, 12
# More cells than this need more memory and time than anybody has.
MOST_CELLS = 1_000_000
# Places that tell how fine cells are on the mean.
PROBES = 2000
# Cells flatter than this (volume over that of a regular tetrahedron with the same mean edge) leave the boundary.
FLATNESS = 0.02
# Islands of cells that share no face with the rest and have less than this share of the volume are dropped.
ISLAND_SHARE = 5e-3


def tetrahedralize(surface: Surface, cell_count: int, seed: int, spread: Spread = EVEN) -> SolidModel:
    """Fill a closed surface with about ``cell_count`` tetrahedra, in a complex that reaches beyond the surface.

    Args:
        surface: Closed, wound outwards.
        cell_count: Wanted number of cells; met within 15 % where the shape allows it. Narrow and curved walls need
            some, however few are wanted.
        seed: Of the points.
        spread: Where cells are finer, and how points lie inside; the number of cells stays.

    Raises:
        InvalidMeshError: Nothing of the inside could be filled, or no memory would hold so many cells.
    """
    if cell_count > MOST_CELLS:
        raise InvalidMeshError(
            f"{cell_count:,} cells are more than can be computed with; ask for at most {MOST_CELLS:,} "
            "(Detail, --resolution)"
        )
    thick, thin = spacings(surface, cell_count, spread)
    spacing = max(thick, thin)
    grid = RayGrid.of(surface)
    for _ in range(CORRECTIONS):
        points, cells, padding = _fill(surface, grid, spacing, seed, spread)
        ratio = len(cells) / cell_count
        if abs(ratio - 1.0) < COUNT_TOLERANCE:
            break
        spacing *= np.clip(ratio, *CORRECTION_RANGE) ** (1.0 / 3.0 if thick > thin else 1.0 / 2.0)
    if not len(cells):
        raise InvalidMeshError("nothing inside the surface could be filled; check that it is closed and has thickness")
    return from_cells(points, cells, padding)


def spacings(surface: Surface, cell_count: int, spread: Spread) -> tuple[float, float]:
    """Spacings at which thick parts, and walls one cell thick, would have ``cell_count`` cells; the larger counts."""
    bulk = CELLS_PER_CUBIC_SPACING * max(volume(surface), 0.0)
    wall = CELLS_PER_SQUARE_SPACING * spread.layers * area(surface)
    if spread.most > spread.least:
        # The surface stands for the inside too: this is where the search for the spacing begins.
        fineness = spread.at(sample_surface(surface, PROBES, np.random.default_rng(0))[0])
        bulk, wall = bulk * (fineness**3).mean(), wall * (fineness**2).mean()
    return float(np.cbrt(bulk / cell_count)), float(np.sqrt(wall / cell_count))


def _fill(
    surface: Surface, grid: RayGrid, spacing: float, seed: int, spread: Spread
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng([seed, 1])
    pool = candidates(surface, grid, spacing, random, spread)
    boundary = spaced(pool)
    interior = inside_surface(surface, INNER_SHARE * spacing, boundary.points, random, spread)
    interior = within_walls(pool, interior, spread.layers)
    points, cells, inside = _cells(surface, boundary, interior, spacing, random, spread.layers)
    if not inside.any():
        return points, cells[inside], cells
    depth = np.minimum(DEPTH * pool.spacings, WALL_DEPTH * pool.thickness)
    below = pool.points - depth[:, None] * pool.normals
    left_out = np.flatnonzero(~is_inside(boundary_of(points, cells[inside]), below))
    boundary = spaced(pool.take(left_out), boundary, ADDED_SHARE)
    points, cells, inside = _cells(surface, boundary, interior, spacing, random, spread.layers)
    spacings = spacing / spread.at(points)
    spacings[: len(boundary.points)] = boundary.spacings
    points = fitted(surface, grid, points, cells[inside], cells[~inside], spacings)
    inside &= is_inside(surface, cell_centers(points, cells))
    inside = _without_flat_boundary(points, cells, inside)
    inside = _without_islands(points, cells, inside)
    return points, cells[inside], cells[~inside]


def _cells(surface: Surface, boundary: BoundaryPoints, interior: np.ndarray, spacing: float, random, layers: int):
    """Points with padding around them, the tetrahedra between them, and which of these are mostly inside."""
    points = np.concatenate([boundary.points, interior, _padding_points(surface, boundary, spacing)])
    points += random.uniform(-1e-6, 1e-6, points.shape) * spacing
    weights = np.zeros(len(points))
    widest = np.minimum(WEIGHT * boundary.spacings**2, WALL_WEIGHT * (boundary.thickness / layers) ** 2)
    weights[: len(widest)] = random.uniform(-1.0, 1.0, len(widest)) * widest
    cells = _triangulated(points, weights)
    # A cell that has a padding point as a corner is outside, whatever else is said of it.
    rows = np.flatnonzero((cells < len(boundary.points) + len(interior)).all(axis=1))
    shares = random.dirichlet(np.ones(4), PLACES)
    places = np.einsum("sk,cki->csi", shares, points[cells[rows]])
    inside = np.zeros(len(cells), bool)
    inside[rows] = is_inside(surface, places.reshape(-1, 3)).reshape(-1, PLACES).mean(axis=1) >= INSIDE_SHARE
    return points, cells, inside


def _triangulated(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(T, 4) tetrahedra of the regular triangulation: the lower hull of the points lifted to a paraboloid.

    Opposite sides of a wall make rectangles of four points on a circle. Delaunay's triangulation would leave hundreds
    of tetrahedra without thickness there; weights decide for one diagonal of each (compare Cheng et al. 2000, "Sliver
    exudation").
    """
    centered = points - points.mean(axis=0)
    lifted = np.column_stack([centered, (centered**2).sum(axis=1) - weights])
    hull = ConvexHull(lifted / np.abs(lifted).max(axis=0))
    lower = hull.equations[:, 3] < -1e-12
    return oriented(points, hull.simplices[lower].astype(np.int32))


def _padding_points(surface: Surface, boundary: BoundaryPoints, spacing: float) -> np.ndarray:
    """Points off the surface, and a box around all, so that the complex reaches beyond the surface everywhere."""
    lifted = boundary.points + LIFT * boundary.spacings[:, None] * boundary.normals
    lifted = lifted[cKDTree(boundary.points).query(lifted)[0] > CLEARANCE * boundary.spacings]
    lifted = lifted[~is_inside(surface, lifted)]
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    margin = 0.3 * np.linalg.norm(high - low) + 2.0 * spacing
    ticks = np.linspace(0.0, 1.0, 4)
    grid = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    grid = grid[((grid == 0.0) | (grid == 1.0)).any(axis=1)]
    return np.concatenate([lifted, low - margin + grid * (high - low + 2.0 * margin)])


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
    labels = components(pairs, len(rows))
    volumes = np.bincount(labels, cell_volumes(points, cells[rows]))
    result = inside.copy()
    result[rows[volumes[labels] < ISLAND_SHARE * volumes.sum()]] = False
    return result
