"""Detail of crack faces: subdivision, smoothing, and displacement along normals.

Both regions at a crack face share its points, so that fragments still fit together after a displacement. Points move
along the normal of the crack face, so that it does not fold. They move less near the lines where three crack faces
meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from ..data.arrays import ReadOnlyArrays, sum_by, unit
from ..numerics.random_streams import rng
from .crack_faces import CrackFaceEdges, CrackFaces, regions_at
from .relief import Relief

# Number of cells of the smaller fragment below which a crack face is subdivided once less, and twice less. They trade
# triangles for detail. Half SMALL gives up to 12 % more triangles, and twice SMALL up to 44 % fewer; half TINY gives up
# to 3.5 % more, and twice TINY up to 3 % fewer. The area of fragments changes by at most 1.2 %, their number stays (six
# small breaks).
SMALL, TINY = 16.0, 3.0
# Length of an edge over the cell size below which the first level does not halve it. Each further level has half the
# limit of the level before. From 0.125 to 0.5 three small breaks keep their numbers of pieces.
DETAIL_EDGE = 0.25
# Steps of the search for free space, as shares of the reach. Faces of three breaks find 0.49 to 0.51 of it so, 0.31
# with one step of 1, 0.29 with one of 0.5, 0.47 without the last step, and 0.53 to 0.56 with six to ten steps, which
# take twice the time.
STRIDES = (0.5, 0.25, 0.15, 0.1)
# Largest random height over its standard deviation; larger ones would be spikes. It limits 4.6 % of the heights. The
# area of fragments changes by at most 0.3 % at 1, and by 0.02 % at 3 and without a limit (six small breaks).
LARGEST_RISE = 2.0

Inside = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Room(ReadOnlyArrays):
    """Range in which each point of crack faces may move along the normal of its crack face.

    The ranges of neighbouring points form prisms that do not overlap. Crack faces therefore do not meet, whatever
    heights the points have within their ranges. Points where three regions meet do not move.

    Attributes:
        normals: (P, 3) approximate unit normals; zero where a point does not move.
        up: (P,) m, largest displacement along the normal.
        down: (P,) m, largest displacement against it.
    """

    normals: np.ndarray
    up: np.ndarray
    down: np.ndarray

    @classmethod
    def of(cls, cracks: CrackFaces, reach: float, moved: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Room:
        """Measure the ranges.

        Args:
            cracks: The crack faces.
            reach: Largest displacement, m.
            moved: Returns the positions that points can reach from positions (P, 3) towards targets (P, 3).
        """
        sheets = (region_counts(cracks) == 2) & ~cracks.on_hull
        normals = np.where(sheets[:, None], _point_normals(cracks), 0.0)
        rooms = []
        for way in (1.0, -1.0):
            points = cracks.points
            # An obstacle to the first step may leave space for a shorter one.
            for stride in STRIDES:
                points = moved(points, points + way * stride * reach * normals)
            rooms.append(np.linalg.norm(points - cracks.points, axis=1))
        return cls(normals, *rooms)

    def halved(self, ends: np.ndarray) -> Room:
        """Append the means at the midpoints of edges (N, 2)."""
        return Room(*(np.concatenate([item, item[ends].mean(axis=1)]) for item in (self.normals, self.up, self.down)))


def subdivided(
    cracks: CrackFaces, room: Room, relief: Relief, cell_counts: np.ndarray, inside: Inside, size: float
) -> tuple[CrackFaces, Room, np.ndarray]:
    """Halve edges of crack faces repeatedly, with random heights of their midpoints.

    Args:
        cracks: Crack faces that are subdivided and roughened already.
        room: Ranges of their points.
        relief: Depth, fractal amplitude and budget.
        cell_counts: (R,) number of cells of each region. Small regions get fewer levels.
        inside: Returns whether points (N, 3) are inside the body to cut.
        size: Size of a cell, m.

    Returns:
        The subdivided crack faces, their ranges, and the heights (P,), m.

    Notes:
        Fournier, Fussell and Carpenter 1982, Computer Rendering of Stochastic Models.

    Example:
        One level divides each of two triangles into four. Their corners keep their heights.

        >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        >>> between = np.tile([0, 1], (2, 1))
        >>> cracks = CrackFaces(square, square, np.array([[0, 1, 2], [0, 2, 3]]), between, np.array([2, 2]), between)
        >>> room, relief = Room(np.zeros((4, 3)), np.ones(4), np.ones(4)), Relief(depth=1, fractal=0.1)
        >>> inside = lambda points: np.ones(len(points), bool)
        >>> finer, _, heights = subdivided(cracks, room, relief, np.full(2, 99.0), inside, 0.1)
        >>> len(finer.faces), heights[:4].tolist()
        (8, [0.0, 0.0, 0.0, 0.0])
    """
    is_near, heights = inside(cracks.points), np.zeros(len(cracks.points))
    for level in range(relief.depth):
        edges = CrackFaceEdges.of(cracks)
        smaller = cell_counts[cracks.labels].min(axis=1)
        levels = relief.depth - (smaller < SMALL) - (smaller < TINY)
        wanted = np.zeros(len(edges.ends), bool)
        wanted[edges.of_face[levels > level]] = True
        lengths = edges.lengths(cracks)
        halved = wanted & is_near[edges.ends].any(axis=1) & (lengths > DETAIL_EDGE * size / 2.0**level)
        if len(cracks.faces) + halved[edges.of_face].sum() > relief.budget:
            break
        ends = edges.ends[halved]
        deviates = rng(relief.seed, "crack face subdivision", level).normal(size=len(ends))
        random = deviates.clip(-LARGEST_RISE, LARGEST_RISE)
        rise = relief.fractal * relief.recipe.fractal * random * lengths[halved]
        heights = np.concatenate([heights, heights[ends].mean(axis=1) + rise])
        cracks, room = edges.split(cracks, halved), room.halved(ends)
        is_near = np.concatenate([is_near, inside(cracks.points[len(is_near) :])])
    return cracks, room, heights


def smallness(cracks: CrackFaces, cell_counts: np.ndarray) -> np.ndarray:
    """Return the factor of heights at points (P,): the width of the smallest region there over that of ``SMALL`` cells.

    Args:
        cracks: The crack faces.
        cell_counts: (R,) number of cells of each region.

    Returns:
        (P,) 1 or less.
    """
    smallest = np.full(len(cracks.points), SMALL)
    np.minimum.at(smallest, cracks.faces, cell_counts[cracks.labels].min(axis=1)[:, None])
    return np.cbrt(smallest / SMALL)


def raised(cracks: CrackFaces, room: Room, heights: np.ndarray) -> CrackFaces:
    """Displace the points of crack faces, with a smooth limit at the end of their range.

    Args:
        cracks: The crack faces.
        room: Ranges of their points.
        heights: (P,) m, displacements along the normals.

    Returns:
        The crack faces; a height h in a range r becomes h / sqrt(1 + (h / r)^2).
    """
    limit = np.maximum(np.where(heights > 0.0, room.up, room.down), 1e-30)
    heights = heights / np.hypot(1.0, heights / limit)
    return replace(cracks, points=cracks.points + heights[:, None] * room.normals)


def averaging(cracks: CrackFaces) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function for one round of smoothing of the points of crack faces.

    Neighbours of a point between two regions are all points around it; of a point between three regions, those on their
    common line. A point where more regions meet does not move.

    Args:
        cracks: The crack faces.

    Returns:
        A function that moves points (P, 3) halfway to the mean of their neighbours.

    Notes:
        The refinement of splines (Lane and Riesenfeld 1980) without new points.

    Example:
        The tip of a tent between two regions comes down by half.

        >>> points = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1]])
        >>> faces, between = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]), np.tile([0, 1], (4, 1))
        >>> averaging(CrackFaces(points, points, faces, between, np.zeros(4, int), between))(points)[4].tolist()
        [0.0, 0.0, 0.5]
    """
    edges, counts = CrackFaceEdges.of(cracks), region_counts(cracks)
    edge_counts, (one, other) = edges.region_counts(cracks), edges.ends.T
    ends = edges.ends[((edge_counts == counts[one]) | (edge_counts == counts[other])) & (edge_counts <= 3)]
    starts, neighbours = _neighbours_kernel(ends, len(cracks.points))
    moving = np.flatnonzero(((counts == 2) | (counts == 3)) & (np.diff(starts) > 1) & ~cracks.on_hull)

    def averaged(points: np.ndarray) -> np.ndarray:
        result = points.copy()
        _averaging_kernel(points, moving, starts, neighbours, result)
        return result

    return averaged


@njit(cache=True, nogil=True)
def _neighbours_kernel(ends: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the neighbours of each point start (P + 1,), and all neighbours (2 E,), from sorted edges (E, 2)."""
    starts = np.zeros(count + 1, np.int64)
    for point in ends.ravel():
        starts[point + 1] += 1
    starts = np.cumsum(starts)
    following, result = starts[:-1].copy(), np.empty(ends.size, np.int64)
    for end in range(2):
        # The lower neighbours of all points come first, so that the neighbours of each point are sorted.
        for row in range(len(ends)):
            point = ends[row, 1 - end]
            result[following[point]] = ends[row, end]
            following[point] += 1
    return starts, result


@njit(cache=True, nogil=True)
def _averaging_kernel(
    points: np.ndarray, moving: np.ndarray, starts: np.ndarray, neighbours: np.ndarray, result: np.ndarray
) -> None:
    for point in moving:
        first, last = starts[point], starts[point + 1]
        share = 1.0 / (last - first)
        for axis in range(3):
            mean = 0.0
            for place in range(first, last):
                mean += share * points[neighbours[place], axis]
            result[point, axis] += 0.5 * (mean - points[point, axis])


def region_counts(cracks: CrackFaces) -> np.ndarray:
    """Return the number of regions (P,) at each point; the outside counts as one."""
    return regions_at(cracks.faces, cracks.labels, len(cracks.points))[0]


def _face_normals(cracks: CrackFaces) -> np.ndarray:
    """Return normals (W, 3) with twice the area as length, from the region of the lower label to that of the higher."""
    a, b, c = np.moveaxis(cracks.points[cracks.faces], 1, 0)
    return np.cross(b - a, c - a) * np.where(cracks.labels[:, :1] < cracks.labels[:, 1:], 1.0, -1.0)


def _point_normals(cracks: CrackFaces) -> np.ndarray:
    return unit(sum_by(cracks.faces.ravel(), np.repeat(_face_normals(cracks), 3, axis=0), len(cracks.points)))
