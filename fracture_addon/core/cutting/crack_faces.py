"""Walls between the regions of a solid: triangles on shared points, and their division."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ..numerics.distinct_simplices import distinct_simplices

# Walls near the body are divided this often at most, before their relief asks for more.
WALL_LEVELS = 2

OUTSIDE = -1


@dataclass(frozen=True)
class Walls:
    """Triangles between regions.

    Attributes:
        points: (P, 3), metres.
        rest: (P, 3), the same points in the complex as it was, before smoothing and relief: there the order of the
            faces around an edge is certain.
        faces: (W, 3), wound so that the normal leaves the first label's region.
        labels: (W, 2) the regions on both sides; the second is ``OUTSIDE`` on the hull of the complex.
        axis: (W,) coordinate along which the wall is projected for texture: that of the largest component of its
            normal before it was roughened, so that roughness tears no texture.
        tets: (W, 2) the tetrahedra on both sides, cells first and padding after; -1 outside.
    """

    points: np.ndarray
    rest: np.ndarray
    faces: np.ndarray
    labels: np.ndarray
    axis: np.ndarray
    tets: np.ndarray

    @property
    def on_hull(self) -> np.ndarray:
        """(P,) bool, points on the hull of the complex."""
        result = np.zeros(len(self.points), bool)
        result[self.faces[self.labels[:, 1] == OUTSIDE]] = True
        return result


def refine(walls: Walls, cells: np.ndarray, longest: float, budget: int) -> Walls:
    """Halve the long edges of the walls within the cells, as often as the budget of triangles allows.

    The second time has half the budget: what is left is for the relief's own divisions.

    Args:
        walls: Between the regions.
        cells: (C, 4) points of the cells within.
        longest: m, of an edge that is left alone.
        budget: Of triangles.
    """
    near = np.zeros(len(walls.points), bool)
    near[cells] = True
    for level in range(WALL_LEVELS):
        edges = WallEdges.of(walls)
        one, other = edges.ends.T
        halved = near[one] & near[other] & (edges.lengths(walls) > longest)
        if len(walls.faces) + halved[edges.of_face].sum() > budget >> level:
            break
        walls = edges.split(walls, halved)
        near = np.append(near, np.ones(np.count_nonzero(halved), bool))
    return walls


@dataclass(frozen=True)
class WallEdges:
    """Edges of walls: (E, 2) points at their ends, and (W, 3) the edges of each face from its first corner on."""

    ends: np.ndarray
    of_face: np.ndarray

    @classmethod
    def of(cls, walls: Walls) -> WallEdges:
        """All edges of the walls' faces, each once."""
        edges = walls.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        first, of_face = distinct_simplices(edges, len(walls.points))
        return cls(np.sort(edges[first], axis=1), of_face.reshape(-1, 3))

    def lengths(self, walls: Walls) -> np.ndarray:
        """(E,) metres."""
        one, other = self.ends.T
        return np.linalg.norm(walls.points[other] - walls.points[one], axis=1)

    def crowded(self, walls: Walls) -> np.ndarray:
        """(E,) edges in which a region has four faces or more.

        Their two sheets can only be told apart when there is a vertex on the edge that each can have for itself.
        """
        return regions_at(self.of_face, walls.labels, len(self.ends))[1] > 2

    def region_counts(self, walls: Walls) -> np.ndarray:
        """(E,) how many regions meet in each edge."""
        return regions_at(self.of_face, walls.labels, len(self.ends))[0]

    def split(self, walls: Walls, chosen: np.ndarray) -> Walls:
        """Halve the chosen edges, and with them the faces on all their sides."""
        if not chosen.any():
            return walls
        middle = np.where(chosen, len(walls.points) + np.cumsum(chosen) - 1, -1)
        one, other = self.ends[chosen].T
        points, rest = (np.concatenate([item, (item[one] + item[other]) / 2.0]) for item in (walls.points, walls.rest))
        faces, rows = _split_kernel(np.ascontiguousarray(walls.faces, np.int64), middle[self.of_face])
        return Walls(points, rest, faces, walls.labels[rows], walls.axis[rows], walls.tets[rows])


def regions_at(items: np.ndarray, labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """What meets in each edge, or in each point, of walls.

    Args:
        items: (W, 3) edges or points of each wall.
        labels: (W, 2) the regions on its sides.
        count: How many items there are.

    Returns:
        (N,) how many regions, what is outside of them all among them, and (N,) how many walls of one region at most.
    """
    return _regions_kernel(np.ascontiguousarray(items, np.int64), labels, count, int(labels.max(initial=0)))


@njit(cache=True, nogil=True)
def _regions_kernel(items, labels, count, last):
    starts = np.zeros(count + 1, np.int64)
    for item in items.ravel():
        starts[item + 1] += 1
    starts = np.cumsum(starts)
    walls, ends = np.empty(items.size, np.int64), starts[:-1].copy()
    for wall in range(len(items)):
        for item in items[wall]:
            walls[ends[item]] = wall
            ends[item] += 1
    regions, most = np.zeros(count, np.int64), np.zeros(count, np.int64)
    # The item that a region was last met at, and how often there; what is outside comes first.
    met, often = np.full(last + 2, -1), np.zeros(last + 2, np.int64)
    for item in range(count):
        for place in range(starts[item], starts[item + 1]):
            for label in labels[walls[place]]:
                if met[label + 1] != item:
                    met[label + 1], often[label + 1] = item, 0
                    regions[item] += 1
                often[label + 1] += 1
                if label != OUTSIDE:
                    most[item] = max(most[item], often[label + 1])
    return regions, most


def split_crowded_edges(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Halve the edges of one body's boundary in which it has four faces or more.

    Returns:
        (P, 3) points, (F, 3) faces, (F,) the face that each is a part of.
    """
    one_body = np.tile(np.array([0, OUTSIDE]), (len(faces), 1))
    walls = Walls(points, points, faces, one_body, np.arange(len(faces)), one_body)
    edges = WallEdges.of(walls)
    walls = edges.split(walls, edges.crowded(walls))
    return walls.points, walls.faces, walls.axis


# How a triangle with corners 0 1 2 and edge midpoints 3 (of 01), 4 (of 12), 5 (of 20) is divided, by the number of its
# edges that are split, once it is turned so that those come first (3; 3 and 4; all).
_DIVISIONS = (
    np.array([[0, 1, 2]]),
    np.array([[0, 3, 2], [3, 1, 2]]),
    np.array([[3, 1, 4], [0, 3, 4], [0, 4, 2]]),
    np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]),
)


@njit(cache=True, nogil=True)
def _split_kernel(faces, middles):
    """The divided triangles and the row that each came from, for (W, 3) midpoints of which -1 is none."""
    count = len(faces) + np.count_nonzero(middles >= 0)
    parts, rows, found = np.empty((count, 3), np.int64), np.empty(count, np.int64), 0
    corners = np.empty(6, np.int64)
    for row in range(len(faces)):
        split = np.count_nonzero(middles[row] >= 0)
        # One split edge turns to the front; of two, the first is the one that follows the whole edge.
        turn = 0
        while 0 < split < 3 and (middles[row, turn] < 0 or (split == 2 and middles[row, turn - 1] >= 0)):
            turn += 1
        for place in range(3):
            corners[place], corners[3 + place] = faces[row, (turn + place) % 3], middles[row, (turn + place) % 3]
        for part in _DIVISIONS[split]:
            for corner in range(3):
                parts[found, corner] = corners[part[corner]]
            rows[found] = row
            found += 1
    return parts, rows
