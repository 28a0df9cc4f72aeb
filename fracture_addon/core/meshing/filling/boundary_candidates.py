"""Where points on a surface may go, how near to each other, and which of them matter most."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...data.surface import Surface, area, area_vectors
from ...geometry.rays import RayGrid
from .blue_noise import BoundaryPoints, sample_surface
from .cell_sizes import EVEN, Spread

# Points of an even set on the area of a squared spacing, and candidates a point: enough that the set is nearly maximal.
POINTS_PER_SQUARE, CANDIDATES_PER_POINT = 1.4, 12
# Points that tell the local spacing, at least.
FEWEST_PROBES = 400
# Of the straight widths of a wall in its middle, the spacing is at most this share. A wall may be thinner than the
# spacing, for a layer of flat cells bears bending; it may not be narrower (a stem), nor curve away within a cell.
WIDTH_SHARE = 0.8
# Directions within a wall in which its width is taken; one of them may be cut short by a corner.
WIDTH_DIRECTIONS = 4
# Finest spacing over the wanted one.
FINEST = 1.0 / 16.0
# A wall has a point on its other side for each on this one when it is thinner than this many spacings.
THIN = 1.2
# The two sides of a wall look away from each other: cosine of their normals.
OPPOSED = -0.5
# Neighbours that tell what a candidate lies on.
NEIGHBOURS = 24
# A candidate this far from its neighbours' mean, over their reach, lies on an edge, a rim or a crease (at the edge of
# a sheet it would be 0.42); one whose normal is so oblique to its neighbours' is on a face much narrower than that.
ON_EDGE, ON_NARROW_FACE = 0.25, 0.3


def candidates(
    surface: Surface, grid: RayGrid, spacing: float, random: np.random.Generator, spread: Spread = EVEN
) -> BoundaryPoints:
    """Random points on a surface, those on rims and edges first: without these, their surroundings stay unfilled.

    Args:
        surface: Closed, wound outwards.
        grid: Of the surface.
        spacing: Metres where the spread says nothing, wherever the wall has room for it.
        random: Where they come from.
        spread: Where they are finer.
    """
    areas = np.linalg.norm(area_vectors(surface), axis=1)
    face_normals = area_vectors(surface) / np.maximum(areas, 1e-300)[:, None]
    wanted = POINTS_PER_SQUARE / 2.0 * area(surface)
    probes, faces = sample_surface(surface, max(FEWEST_PROBES, round(wanted / spacing**2)), random)
    asked = spacing / spread.at(probes)
    room = local_spacing(grid, probes, face_normals[faces], asked)
    room[room >= asked] = np.inf
    tree = cKDTree(probes)
    # The median of a few probes: one beside an edge may see hardly any wall at all.
    room = np.median(room[tree.query(probes, k=5)[1]], axis=1)
    probed = np.minimum(room, spacing)
    density = _means(1.0 / probed**2, faces, len(areas))
    unseen = np.isnan(density)
    density[unseen] = 1.0 / probed[tree.query(surface.corners[unseen].mean(axis=1))[1]] ** 2
    # Faces may be large: they are sampled as if they were of the finest throughout, and thinned out point by point.
    demand = spread.most**2 * areas * density
    count = CANDIDATES_PER_POINT * max(8, round(POINTS_PER_SQUARE / 2.0 * demand.sum()))
    points, faces = sample_surface(surface, count, random, demand)
    if spread.most > spread.least:
        finest = 1.0 / (spread.most * np.sqrt(density[faces]))
        wanted = np.minimum(room[tree.query(points)[1]], spacing / spread.at(points))
        kept = random.random(count) < (finest / wanted) ** 2
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
    """(N,) the spacing, metres, that the wall below points of a surface has room for, at most ``spacing`` (N,).

    From the middle of the wall rays go out within it. Where it is a stem, or curves, they soon come out on both sides.
    """
    reach = spacing / WIDTH_SHARE
    thickness, _ = grid.leaves(points, -normals, reach)
    rows = np.flatnonzero(np.isfinite(thickness))
    middles = points[rows] - 0.5 * thickness[rows, None] * normals[rows]
    reach, most = reach[rows], spacing[rows]
    widths = []
    for way in _tangents(normals[rows]):
        widths.append(grid.leaves(middles, way, reach)[0] + grid.leaves(middles, -way, reach)[0])
    # The narrowest may run across a corner; the second is at most 1 / cos 45 degrees longer than across a stem.
    width = np.sqrt(0.5) * np.sort(widths, axis=0)[1]
    result = spacing.copy()
    result[rows] = np.clip(WIDTH_SHARE * np.maximum(width, thickness[rows]), FINEST * most, most)
    return result


def _tangents(normals: np.ndarray) -> np.ndarray:
    """(K, N, 3) unit vectors across each of (N, 3) normals, evenly over half a turn."""
    first = np.cross(normals, np.eye(3)[np.argmin(np.abs(normals), axis=1)])
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    second = np.cross(normals, first)
    angles = np.arange(WIDTH_DIRECTIONS)[:, None, None] * (np.pi / WIDTH_DIRECTIONS)
    return np.cos(angles) * first + np.sin(angles) * second


def _means(values: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """(count,) mean of the values of each group, NaN for one without any."""
    with np.errstate(invalid="ignore"):
        return np.bincount(groups, values, count) / np.bincount(groups, minlength=count)


def _by_prominence(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Rows of points, those on edges before the others and the outermost first, without those on narrow faces.

    Prominence is rounded, so that rounding errors change no order.
    """
    some = points[::2]
    distances, near = cKDTree(some).query(points, k=min(NEIGHBOURS, len(some)))
    reach = np.maximum(distances[:, -1], 1e-300)
    prominence = np.linalg.norm(points - some[near].mean(axis=1), axis=1) / reach
    on_narrow = np.abs(np.einsum("nki,ni->nk", normals[::2][near], normals)).mean(axis=1) < ON_NARROW_FACE
    rank = np.where(prominence > ON_EDGE, -np.round(prominence, 2), 0.0)
    order = np.argsort(rank, kind="stable")
    return order[~on_narrow[order]]
