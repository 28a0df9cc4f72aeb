"""Candidates for points on a surface, with their spacing, in order of importance."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...data.surface import Surface, area, area_vectors
from ...geometry.rays import RayGrid
from ...numerics.threads import THREADS
from .blue_noise import BoundaryPoints, sample_surface
from .cell_sizes import EVEN, Spread

# Errors below are those of the volume of a jar with 2,000 cells, in the mean of two seeds.
#
# Number of blue-noise points on an area of spacing^2 (measured).
POINTS_PER_SQUARE = 1.4
# Candidates for each of these points. Error: 1.5, 0.6 and 0.5 % at 6, 12 and 24.
CANDIDATES_PER_POINT = 12
# Least number of points at which the local spacing is measured. Error: 0.6, 0.6 and 0.4 % at 200, 400 and 800.
FEWEST_PROBES = 400
# Largest spacing over the straight width of a wall along its middle. A wall may be thinner than the spacing, because a
# layer of flat cells resists bending. A stem may not be narrower, and a wall may not curve away within a cell. Error:
# 0.4, 0.6 and 0.6 % at 0.5, 0.8 and 1.2, with 2,020, 1,928 and 1,891 cells.
WIDTH_SHARE = 0.8
# Number of directions in which the width of a wall is measured. A corner may shorten one of them. Error: 0.4 to 0.6 %
# from 2 to 16.
WIDTH_DIRECTIONS = 4
# Smallest spacing over the wanted one; it limits the number of points on thin stems. A rod of 1 x 1 x 200 mm with 200
# wanted cells gets 2,805, 2,133 and 477 cells at 1/32, 1/16 and 1/8; its volume is wrong by 0.7, 0.8 and 17 %.
FINEST = 1.0 / 16.0
# Thickness over spacing below which points on a wall get an opposite point on its other side. Error: 0.9, 0.6 and 0.6 %
# at 0.8, 1.2 and 1.8.
THIN = 1.2
# Largest cosine of the normals of two sides of a wall: 120 degrees. Error: 0.4 to 0.6 % from -0.8 to -0.2.
OPPOSED = -0.5
# Number of neighbours that decide whether a candidate lies on an edge. Error: 0.5 to 0.7 % from 12 to 48.
NEIGHBOURS = 24
# Distance of a candidate from the mean of its neighbours, over the distance of the farthest, above which it lies on an
# edge, rim or crease; it is 0.42 at the edge of a plane sheet. Error: 0.6 % from 0.15 to 0.4.
ON_EDGE = 0.25
# Mean cosine of the normal of a candidate with those of its neighbours below which it lies on a narrow face between
# others. Error: 0.5 to 0.6 % from 0.1 to 0.6.
ON_NARROW_FACE = 0.3


def candidates(
    surface: Surface, grid: RayGrid, spacing: float, random: np.random.Generator, spread: Spread = EVEN
) -> BoundaryPoints:
    """Return random points on a surface: first those on rims and edges, which cells need to fill the rims.

    Args:
        surface: Closed surface with outward normals.
        grid: Grid of the surface.
        spacing: Spacing where the fineness is 1 and the wall is wide enough, m.
        random: Random generator.
        spread: Fineness of the points.

    Returns:
        The points in order of preference, several for each that ``spaced`` keeps.

    Notes:
        Own: points on edges come first, since dart throwing leaves them out by chance; on thin walls each point has an
        opposite one. Compare Smith et al. 2001, section 2.1.

    Example:
        All points are on the tetrahedron, whose edges are longer than the spacing.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> pool = candidates(surface, RayGrid.of(surface), 0.2, np.random.default_rng(1))
        >>> distance = np.minimum(pool.points.min(axis=1), np.abs(1.0 - pool.points.sum(axis=1)))
        >>> len(pool.points) > 100, bool(distance.max() < 1e-9), bool(pool.spacings.max() <= 0.2)
        (True, True, True)
    """
    areas = np.linalg.norm(area_vectors(surface), axis=1)
    face_normals = area_vectors(surface) / np.maximum(areas, 1e-300)[:, None]
    wanted = POINTS_PER_SQUARE / 2.0 * area(surface)
    probes, faces = sample_surface(surface, max(FEWEST_PROBES, round(wanted / spacing**2)), random)
    asked = spacing / spread.at(probes)
    room = local_spacing(grid, probes, face_normals[faces], asked)
    room[room >= asked] = np.inf
    tree = cKDTree(probes)
    # The median of five probes, because one beside an edge may measure a width near 0.
    room = np.median(room[tree.query(probes, k=5)[1]], axis=1)
    probed = np.minimum(room, spacing)
    density = _means(1.0 / probed**2, faces, len(areas))
    unseen = np.isnan(density)
    density[unseen] = 1.0 / probed[tree.query(surface.corners[unseen].mean(axis=1))[1]] ** 2
    # A large face may contain several finenesses. It is sampled with the finest, and then thinned point by point.
    demand = spread.most**2 * areas * density
    count = CANDIDATES_PER_POINT * max(8, round(POINTS_PER_SQUARE / 2.0 * demand.sum()))
    points, faces = sample_surface(surface, count, random, demand)
    if spread.most > spread.least:
        finest = 1.0 / (spread.most * np.sqrt(density[faces]))
        asked = np.minimum(room[tree.query(points)[1]], spacing / spread.at(points))
        kept = random.random(count) < (finest / asked) ** 2
        points, faces = points[kept], faces[kept]
    normals = face_normals[faces]
    order = _by_prominence(points, normals)
    points, normals = points[order], normals[order]
    spacings = np.minimum(room[tree.query(points)[1]], spacing / spread.at(points))
    thickness, opposite_faces = grid.leaves(points, -normals, THIN * spacings)
    opposite_normals = face_normals[opposite_faces]
    wall = (opposite_faces >= 0) & (np.einsum("ni,ni->n", normals, opposite_normals) < OPPOSED)
    return BoundaryPoints(
        points,
        normals,
        spacings,
        np.where(wall[:, None], points - np.where(wall, thickness, 0.0)[:, None] * normals, points),
        np.where(wall[:, None], opposite_normals, -normals),
        np.where(wall, thickness, np.inf),
    )


def local_spacing(grid: RayGrid, points: np.ndarray, normals: np.ndarray, spacing: np.ndarray) -> np.ndarray:
    """Return the largest spacing that fits into the wall below points of a surface.

    Args:
        grid: Grid of the surface.
        points: (N, 3) m, on the surface.
        normals: (N, 3) outward unit normals.
        spacing: (N,) m, upper bounds.

    Returns:
        (N,) m.

    Notes:
        Own: rays from the middle of the wall, along it, measure its width (compare Shapira, Shamir and Cohen-Or 2008,
        the shape diameter function). In a stem or a bend, they soon leave the wall.

    Example:
        Below the middle of a face of a cube of 1 m there is space for cells of 0.3 m.

        >>> from ...data.surface import Surface
        >>> corners = np.array(list(np.ndindex(2, 2, 2)), float)
        >>> quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
        >>> grid = RayGrid.of(Surface(corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])))
        >>> local_spacing(grid, np.array([[0.5, 0.4, 1.0]]), np.array([[0.0, 0.0, 1.0]]), np.array([0.3])).tolist()
        [0.3]
    """
    reach = spacing / WIDTH_SHARE
    thickness, _ = grid.leaves(points, -normals, reach)
    rows = np.flatnonzero(np.isfinite(thickness))
    middles = points[rows] - 0.5 * thickness[rows, None] * normals[rows]
    reach, most = reach[rows], spacing[rows]
    widths = []
    for way in _tangents(normals[rows]):
        widths.append(grid.leaves(middles, way, reach)[0] + grid.leaves(middles, -way, reach)[0])
    # The narrowest width may be cut by a corner. The second is at most 1 / cos 45 degrees times a stem's width.
    width = np.sqrt(0.5) * np.sort(widths, axis=0)[1]
    result = spacing.copy()
    result[rows] = np.clip(WIDTH_SHARE * np.maximum(width, thickness[rows]), FINEST * most, most)
    return result


def _tangents(normals: np.ndarray) -> np.ndarray:
    """Return unit vectors (K, N, 3) perpendicular to normals (N, 3), at equal angles over half a turn."""
    first = np.cross(normals, np.eye(3)[np.argmin(np.abs(normals), axis=1)])
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    second = np.cross(normals, first)
    angles = np.arange(WIDTH_DIRECTIONS)[:, None, None] * (np.pi / WIDTH_DIRECTIONS)
    return np.cos(angles) * first + np.sin(angles) * second


def _means(values: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Return the mean (count,) of the values of each group; NaN for an empty group."""
    with np.errstate(invalid="ignore"):
        return np.bincount(groups, values, count) / np.bincount(groups, minlength=count)


def _by_prominence(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return rows of points: those on edges first, the outermost of them before others; without those on narrow faces.

    The distance from the neighbours' mean is rounded, so that rounding errors do not change the order.
    """
    some = points[::2]
    distances, near = cKDTree(some).query(points, k=min(NEIGHBOURS, len(some)), workers=THREADS)
    reach = np.maximum(distances[:, -1], 1e-300)
    prominence = np.linalg.norm(points - some[near].mean(axis=1), axis=1) / reach
    on_narrow = np.abs(np.einsum("nki,ni->nk", normals[::2][near], normals)).mean(axis=1) < ON_NARROW_FACE
    rank = np.where(prominence > ON_EDGE, -np.round(prominence, 2), 0.0)
    order = np.argsort(rank, kind="stable")
    return order[~on_narrow[order]]
