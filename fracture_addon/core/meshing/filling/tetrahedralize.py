"""Tetrahedra inside a closed surface: random points, tetrahedra between them, and removal of flat ones.

It follows Smith et al. 2001, section 2.1. The points do not depend on the artist's vertices. Otherwise cracks, which
follow the faces of tetrahedra, would run along the artist's edge loops. Thin walls get pairs of opposite points. A
layer of prisms of three tetrahedra each therefore fills them, however thin they are.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, cKDTree

from ...data.errors import InvalidMeshError
from ...data.solid import SolidModel, cell_centers, cell_volumes, from_cells, oriented, outer_faces, shared_faces
from ...data.surface import Surface, area, volume
from ...geometry.inside import is_inside
from ...geometry.rays import RayGrid
from ...numerics.components import components
from ...numerics.random_streams import rng
from .blue_noise import BoundaryPoints, inside_surface, sample_surface, spaced, within_walls
from .boundary_candidates import candidates
from .cell_sizes import EVEN, Spread
from .fitting import fitted

# Errors below are those of the volume of a jar with 2,000 cells, in the mean of two seeds.
#
# Number of cells in a volume of spacing^3, and on an area of spacing^2 (both sides together) of walls one cell thick.
# Measured with blue noise.
CELLS_PER_CUBIC_SPACING, CELLS_PER_SQUARE_SPACING = 5.2, 3.5
# Accepted relative deviation of the number of cells, and largest number of corrections of the spacing. Of 2,000 wanted
# cells, a jar and a cube get 1,903 and 1,931 with 0.05 and 0.15, and 1,903 and 2,431 with 0.3.
COUNT_TOLERANCE, CORRECTIONS = 0.15, 3
# Range of the ratio of cells to wanted cells in one correction. It limits the number of points for a surface that
# cannot be filled. The jar and the cube get the same cells with (0.4, 2.5) and (0.1, 10).
CORRECTION_RANGE = (0.2, 5.0)
# Least distance of points inside, over the spacing. Error: 1.5, 0.6 and 0.3 % at 0.6, 0.85 and 1; a twentieth of the
# cells is flatter than 0.20, 0.15 and 0.13 of a regular tetrahedron.
INNER_SHARE = 0.85
# Distance of padding points from the surface, over the spacing. Error: 0.6 and 0.5 % at 0.9 and 1.8. Below
# ``CLEARANCE`` all are left out (0.7 %).
LIFT = 0.9
# Distance from other parts of the surface below which a padding point is left out, over the spacing. The same cells at
# 0.3; above ``LIFT`` all are left out (0.7 %).
CLEARANCE = 0.6
# Depth below the surface, over the spacing, at which the first cells must fill the body; otherwise points are added.
# Error: 0.3, 0.6 and 1.1 % at 0.1, 0.2 and 0.4.
DEPTH = 0.2
# The same depth over the wall's thickness; the smaller one counts. Error: 0.4, 0.6 and 0.6 % at 0.25, 0.5 and 0.8.
WALL_DEPTH = 0.5
# Distance of added points, over the spacing. Error: 0.4, 0.6 and 1.3 % at 0.3, 0.6 and 0.9.
ADDED_SHARE = 0.6
# Largest weight of a boundary point, over the squared spacing (``_triangulated``). Error: 0.5 to 0.6 % from 0.025 to
# 0.1.
WEIGHT = 0.05
# The same weight over the squared wall thickness. Error: 0.6 % from 0.1 to 0.4.
WALL_WEIGHT = 0.2
# Share of random points in a tetrahedron that must be inside. Error: 0.6, 0.6 and 2.5 % at 0.3, 0.5 and 0.7.
INSIDE_SHARE = 0.5
# Number of these points. Error: 0.5 to 0.6 % from 6 to 24.
PLACES = 12
# Random displacement of all points over the spacing. It avoids degenerate positions. Error: 0.6 % from 1e-8 to 1e-4.
JITTER = 1e-6
# Last component of a facet's unit normal below which the facet belongs to the lower hull: rounding of float64.
LOWER = -1e-12
# Distance of the outer box from the surface, over the diagonal and over the spacing. Error: 0.5 to 0.6 % at half and
# twice.
BOX_MARGIN, BOX_SPACINGS = 0.3, 2.0
# Largest number of cells: twice the maximum of the panel (``filling.MOST_CELLS``). It only refuses input.
MOST_CELLS = 1_000_000
# Number of points at which the mean fineness is measured. With 200, 1,000, 2,000 and 4,000, the spacing of a jar with a
# fine region is 9, 1.3, 0.0 and 1.6 % off that with 20,000. Corrections follow.
PROBES = 2000
# Volume below which a cell at the boundary is removed, over that of a regular tetrahedron with the same mean edge.
# Where the wall is thinner than that edge, the regular volume is multiplied by thickness over edge, because all cells
# of the wall are so flat. In plates of 1 m, 1 to 100 mm thick, 95 % of the cells are above 0.26. Error: 0.6 % from
# 0.005 to 0.08.
FLATNESS = 0.02
# Share of the volume below which cells without a common face with the others are removed. The same cells from 5e-4 to
# 0.05.
ISLAND_SHARE = 5e-3


def tetrahedralize(surface: Surface, cell_count: int, seed: int, spread: Spread = EVEN) -> SolidModel:
    """Fill a closed surface with tetrahedra, and surround it with padding tetrahedra.

    Args:
        surface: Closed surface with outward normals.
        cell_count: Wanted number of cells, met within 15 % if the shape allows it. Narrow and curved walls need a least
            number.
        seed: Seed of the points.
        spread: Fineness and distribution of the points. It does not change the number of cells.

    Returns:
        Cells and padding of positive volume. A tetrahedron is a cell if at least half of it is inside.

    Raises:
        InvalidMeshError: No cell is inside, or ``cell_count`` exceeds ``MOST_CELLS``.

    Notes:
        Smith et al. 2001, section 2.1. Points are blue noise on the surface and inside
        (docs/decisions/blue_noise_points.md). Tetrahedra are a regular triangulation of the points (weighted Delaunay;
        Edelsbrunner and Shah 1996), with weights against flat ones (Cheng et al. 2000, Sliver Exudation).

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> solid = tetrahedralize(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), 200, seed=1)
        >>> volumes = cell_volumes(solid.points, solid.cells)
        >>> 100 < solid.cell_count < 300, bool(volumes.min() > 0.0), 0.14 < float(volumes.sum()) < 0.18
        (True, True, True)
    """
    if cell_count > MOST_CELLS:
        raise InvalidMeshError(
            f"{cell_count:,} cells are too many; lower the detail to at most {MOST_CELLS:,} (Detail, --resolution)"
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
    """Return the spacings at which a body has a number of cells. The larger one applies.

    Args:
        surface: Closed surface.
        cell_count: Number of cells.
        spread: Fineness of the points, and layers of thin walls.

    Returns:
        Spacing of a thick body, m, and of a body of walls one layer of cells thick, m.

    Notes:
        Own: the densities of cells are measured, because there is no theory for blue noise with opposite points.

    Example:
        A thick body needs half the spacing for eight times the cells, a thin one for four times.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> (thick, _), (half, _) = spacings(surface, 100, EVEN), spacings(surface, 800, EVEN)
        >>> (_, thin), (_, half_thin) = spacings(surface, 100, EVEN), spacings(surface, 400, EVEN)
        >>> round(thick / half, 9), round(thin / half_thin, 9)
        (2.0, 2.0)
    """
    bulk = CELLS_PER_CUBIC_SPACING * max(volume(surface), 0.0)
    wall = CELLS_PER_SQUARE_SPACING * spread.layers * area(surface)
    if spread.most > spread.least:
        # The fineness of the surface approximates that of the inside. Corrections of the spacing follow.
        fineness = spread.at(sample_surface(surface, PROBES, np.random.default_rng(0))[0])
        bulk, wall = bulk * (fineness**3).mean(), wall * (fineness**2).mean()
    return float(np.cbrt(bulk / cell_count)), float(np.sqrt(wall / cell_count))


def _fill(
    surface: Surface, grid: RayGrid, spacing: float, seed: int, spread: Spread
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = rng(seed, "cells")
    pool = candidates(surface, grid, spacing, random, spread)
    boundary = spaced(pool)
    interior = inside_surface(surface, INNER_SHARE * spacing, boundary.points, random, spread)
    interior = within_walls(pool, interior, spread.layers)
    points, cells, inside = _cells(surface, boundary, interior, spacing, random, spread.layers)
    if not inside.any():
        return points, cells[inside], cells
    depth = np.minimum(DEPTH * pool.spacings, WALL_DEPTH * pool.thickness)
    below = pool.points - depth[:, None] * pool.normals
    left_out = np.flatnonzero(~is_inside(Surface(points, outer_faces(cells[inside])[0]), below))
    boundary = spaced(pool.take(left_out), boundary, ADDED_SHARE)
    points, cells, inside = _cells(surface, boundary, interior, spacing, random, spread.layers)
    spacings = spacing / spread.at(points)
    spacings[: len(boundary.points)] = boundary.spacings
    points = fitted(surface, grid, points, cells[inside], cells[~inside], spacings)
    inside &= is_inside(surface, cell_centers(points, cells))
    thickness = np.full(len(points), np.inf)
    thickness[: len(boundary.points)] = boundary.thickness / spread.layers
    inside = _without_flat_boundary(points, cells, inside, thickness)
    inside = _without_islands(points, cells, inside)
    return points, cells[inside], cells[~inside]


def _cells(
    surface: Surface,
    boundary: BoundaryPoints,
    interior: np.ndarray,
    spacing: float,
    random: np.random.Generator,
    layers: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points with padding (P, 3), tetrahedra (T, 4), and which of these are mostly inside, (T,) bool."""
    points = np.concatenate([boundary.points, interior, _padding_points(surface, boundary, spacing)])
    points += random.uniform(-JITTER, JITTER, points.shape) * spacing
    weights = np.zeros(len(points))
    widest = np.minimum(WEIGHT * boundary.spacings**2, WALL_WEIGHT * (boundary.thickness / layers) ** 2)
    weights[: len(widest)] = random.uniform(-1.0, 1.0, len(widest)) * widest
    cells = _triangulated(points, weights)
    # A tetrahedron with a padding point as a corner is always outside.
    rows = np.flatnonzero((cells < len(boundary.points) + len(interior)).all(axis=1))
    shares = random.dirichlet(np.ones(4), PLACES)
    places = np.einsum("sk,cki->csi", shares, points[cells[rows]])
    inside = np.zeros(len(cells), bool)
    inside[rows] = is_inside(surface, places.reshape(-1, 3)).reshape(-1, PLACES).mean(axis=1) >= INSIDE_SHARE
    return points, cells, inside


def _triangulated(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the regular triangulation (T, 4) of weighted points: the lower hull of the points lifted to a paraboloid.

    Pairs of opposite points on a wall form rectangles, whose corners are on a circle. Delaunay's triangulation would
    contain hundreds of flat tetrahedra there. Random weights choose one diagonal of each (compare Cheng et al. 2000,
    "Sliver exudation").
    """
    centered = points - points.mean(axis=0)
    lifted = np.column_stack([centered, (centered**2).sum(axis=1) - weights])
    hull = ConvexHull(lifted / np.abs(lifted).max(axis=0))
    lower = hull.equations[:, 3] < LOWER
    return oriented(points, hull.simplices[lower].astype(np.int32))


def _padding_points(surface: Surface, boundary: BoundaryPoints, spacing: float) -> np.ndarray:
    """Return points outside the surface and on a box around it, so that tetrahedra surround the surface everywhere."""
    lifted = boundary.points + LIFT * boundary.spacings[:, None] * boundary.normals
    lifted = lifted[cKDTree(boundary.points).query(lifted)[0] > CLEARANCE * boundary.spacings]
    lifted = lifted[~is_inside(surface, lifted)]
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    margin = BOX_MARGIN * np.linalg.norm(high - low) + BOX_SPACINGS * spacing
    ticks = np.linspace(0.0, 1.0, 4)
    grid = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    grid = grid[((grid == 0.0) | (grid == 1.0)).any(axis=1)]
    return np.concatenate([lifted, low - margin + grid * (high - low + 2.0 * margin)])


def _without_flat_boundary(
    points: np.ndarray, cells: np.ndarray, inside: np.ndarray, thickness: np.ndarray
) -> np.ndarray:
    """Remove flat cells at the boundary. Flat cells further inside stay, because they separate their neighbours.

    ``thickness`` (P,) is that of a layer of cells at each point, m.
    """
    result = inside.copy()
    for _ in range(2):
        rows = np.flatnonzero(result)
        corners = points[cells[rows]]
        edges = [np.linalg.norm(corners[:, i] - corners[:, j], axis=1) for i in range(4) for j in range(i)]
        edge = np.mean(edges, axis=0)
        regular = edge**2 * np.minimum(edge, thickness[cells[rows]].min(axis=1)) / (6.0 * np.sqrt(2.0))
        flat = cell_volumes(points, cells[rows]) < FLATNESS * regular
        _, pairs = shared_faces(points, cells[rows])
        neighbour_count = np.bincount(pairs.ravel(), minlength=len(rows))
        result[rows[flat & (neighbour_count < 4)]] = False
    return result


def _without_islands(points: np.ndarray, cells: np.ndarray, inside: np.ndarray) -> np.ndarray:
    rows = np.flatnonzero(inside)
    if not len(rows):
        return inside
    _, pairs = shared_faces(points, cells[rows])
    labels = components(pairs, len(rows))
    volumes = np.bincount(labels, cell_volumes(points, cells[rows]))
    result = inside.copy()
    result[rows[volumes[labels] < ISLAND_SHARE * volumes.sum()]] = False
    return result
