"""What makes walls worth a close look: their triangles divided, rounded and roughened, once for both sides.

Walls are one database of points that the regions on both sides share, so that whatever moves here moves for both, and
fragments go on fitting one another. Within a wall points move along its normal, and the less the nearer they are to
where three walls meet: a height over a sheet cannot fold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from .crack_faces import WallEdges, Walls, regions_at
from .relief import Relief

# A wall between fragments is divided once less when the smaller has fewer cells than the first, twice when than the
# second.
SMALL, TINY = 16.0, 3.0
# An edge shorter than this share of a cell is not divided by the first level, one half as long not by the second.
DETAIL_EDGE = 0.25
# Room is looked for in strides, over the reach.
STRIDES = (0.5, 0.25, 0.15, 0.1)

Inside = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Room:
    """Where the points of walls may go: along a direction that is the walls' normal, so far up and so far down.

    Whatever heights the points of a wall take within their room, no two walls meet: the room is that of prisms which
    lie side by side. Where three regions meet there is none.

    Attributes:
        normals: (P, 3), about unit length; zero where a point stays.
        up, down: (P,) metres, 0 and up.
    """

    normals: np.ndarray
    up: np.ndarray
    down: np.ndarray

    @classmethod
    def of(cls, walls: Walls, reach: float, moved: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Room:
        """The room in walls whose points can be moved from a place to another as far as ``moved`` says."""
        sheets = (region_counts(walls) == 2) & ~walls.on_hull
        normals = np.where(sheets[:, None], _point_normals(walls), 0.0)
        rooms = []
        for way in (1.0, -1.0):
            points = walls.points
            # Who stands in the way of the first stride need not be in that of a shorter one.
            for stride in STRIDES:
                points = moved(points, points + way * stride * reach * normals)
            rooms.append(np.linalg.norm(points - walls.points, axis=1))
        return cls(normals, *rooms)

    def halved(self, ends: np.ndarray) -> Room:
        """With the middles of edges (N, 2) behind the points."""
        return Room(*(np.concatenate([item, item[ends].mean(axis=1)]) for item in (self.normals, self.up, self.down)))


def subdivided(
    walls: Walls, room: Room, relief: Relief, cell_counts: np.ndarray, inside: Inside, size: float
) -> tuple[Walls, Room, np.ndarray]:
    """Halve edges of the crack faces again and again; their middles get random heights (Fournier et al. 1982).

    Args:
        walls: Divided and roughened already.
        room: Of their points.
        relief: Its depth, fractal amplitude and budget.
        cell_counts: (R,) size of each region: small ones get less.
        inside: Whether points (N, 3) are in the body that is to be cut.
        size: Of a cell, metres.

    Returns:
        The divided walls, their room, and (P,) the heights, metres.
    """
    is_near, heights = inside(walls.points), np.zeros(len(walls.points))
    for level in range(relief.depth):
        edges = WallEdges.of(walls)
        smaller = cell_counts[walls.labels].min(axis=1)
        levels = relief.depth - (smaller < SMALL) - (smaller < TINY)
        wanted = np.zeros(len(edges.ends), bool)
        wanted[edges.of_face[levels > level]] = True
        lengths = edges.lengths(walls)
        halved = wanted & is_near[edges.ends].any(axis=1) & (lengths > DETAIL_EDGE * size / 2.0**level)
        if len(walls.faces) + halved[edges.of_face].sum() > relief.budget:
            break
        ends = edges.ends[halved]
        random = np.random.default_rng([relief.seed, level]).normal(size=len(ends)).clip(-2.0, 2.0)
        rise = relief.fractal * relief.recipe.fractal * random * lengths[halved]
        heights = np.concatenate([heights, heights[ends].mean(axis=1) + rise])
        walls, room = edges.split(walls, halved), room.halved(ends)
        is_near = np.concatenate([is_near, inside(walls.points[len(is_near) :])])
    return walls, room, heights


def smallness(walls: Walls, cell_counts: np.ndarray) -> np.ndarray:
    """(P,) 1 at points of large regions; the width of the smallest at a point over that of a large one, else.

    Args:
        walls: Whose points are asked for.
        cell_counts: (R,) size of each region.
    """
    smallest = np.full(len(walls.points), SMALL)
    np.minimum.at(smallest, walls.faces, cell_counts[walls.labels].min(axis=1)[:, None])
    return np.cbrt(smallest / SMALL)


def raised(walls: Walls, room: Room, heights: np.ndarray) -> Walls:
    """Walls whose points stand out by heights (P,), or as far as there is room: the nearer its end, the slower."""
    limit = np.maximum(np.where(heights > 0.0, room.up, room.down), 1e-30)
    heights = heights / np.hypot(1.0, heights / limit)
    return replace(walls, points=walls.points + heights[:, None] * room.normals)


def averaging(walls: Walls) -> Callable[[np.ndarray], np.ndarray]:
    """One round of smoothing: points (P, 3) half the way to the mean of their neighbours.

    A point between two regions moves with all of the wall around it, one between three along their common line; where
    more meet it stays.
    """
    edges, counts = WallEdges.of(walls), region_counts(walls)
    edge_counts, (one, other) = edges.region_counts(walls), edges.ends.T
    ends = edges.ends[((edge_counts == counts[one]) | (edge_counts == counts[other])) & (edge_counts <= 3)]
    starts, neighbours = _neighbours_kernel(ends, len(walls.points))
    moving = np.flatnonzero(((counts == 2) | (counts == 3)) & (np.diff(starts) > 1) & ~walls.on_hull)

    def averaged(points: np.ndarray) -> np.ndarray:
        result = points.copy()
        _averaging_kernel(points, moving, starts, neighbours, result)
        return result

    return averaged


@njit(cache=True, nogil=True)
def _neighbours_kernel(ends, count):
    """Where the neighbours of each of so many points start, and these, by edges (E, 2) that are sorted."""
    starts = np.zeros(count + 1, np.int64)
    for point in ends.ravel():
        starts[point + 1] += 1
    starts = np.cumsum(starts)
    following, result = starts[:-1].copy(), np.empty(ends.size, np.int64)
    for end in range(2):
        # The lower neighbours of all points first: so each has them in their order.
        for row in range(len(ends)):
            point = ends[row, 1 - end]
            result[following[point]] = ends[row, end]
            following[point] += 1
    return starts, result


@njit(cache=True, nogil=True)
def _averaging_kernel(points, moving, starts, neighbours, result):
    for point in moving:
        first, last = starts[point], starts[point + 1]
        share = 1.0 / (last - first)
        for axis in range(3):
            mean = 0.0
            for place in range(first, last):
                mean += share * points[neighbours[place], axis]
            result[point, axis] += 0.5 * (mean - points[point, axis])


def region_counts(walls: Walls) -> np.ndarray:
    """(P,) how many regions meet in each point; what is outside of them all counts as one."""
    return regions_at(walls.faces, walls.labels, len(walls.points))[0]


def _face_normals(walls: Walls) -> np.ndarray:
    """(W, 3) normals, twice as long as the area, from the region of the lower label to that of the higher."""
    a, b, c = np.moveaxis(walls.points[walls.faces], 1, 0)
    return np.cross(b - a, c - a) * np.where(walls.labels[:, :1] < walls.labels[:, 1:], 1.0, -1.0)


def _point_normals(walls: Walls) -> np.ndarray:
    return _unit_sums(np.repeat(_face_normals(walls), 3, axis=0), walls.faces.ravel(), len(walls.points))


def _unit_sums(vectors: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    sums = np.stack([np.bincount(rows, vectors[:, axis], count) for axis in range(3)], axis=1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0.0)
