"""Crack faces between the regions of a solid: triangles over common points, and their subdivision.

Both regions at a crack face use the same triangles, so that the fragments fit together exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ..data.arrays import ReadOnlyArrays
from ..numerics.distinct_simplices import distinct_simplices

# Largest number of subdivisions of crack faces near the body, before those for relief. At 1, 2 and 4 a tile has
# 448, 1,022 and 1,150 triangles, and more than 4 changes nothing: the edges are short enough.
LEVELS = 2

# Label of the space outside all regions.
OUTSIDE = -1


@dataclass(frozen=True)
class CrackFaces(ReadOnlyArrays):
    """Triangles between regions.

    Attributes:
        points: (P, 3) m.
        rest: (P, 3) m, the same points before smoothing and relief. The order of faces around an edge is computed from
            these, because relief may fold faces.
        faces: (W, 3) with normals out of the region of the first label.
        labels: (W, 2) regions on both sides; the second is ``OUTSIDE`` on the hull of the complex.
        axis: (W,) axis of the largest component of the normal before relief. Textures are projected along it, so that
            relief does not tear them.
        tets: (W, 2) tetrahedra on both sides, numbered with cells before padding; -1 outside.
    """

    points: np.ndarray
    rest: np.ndarray
    faces: np.ndarray
    labels: np.ndarray
    axis: np.ndarray
    tets: np.ndarray

    @property
    def on_hull(self) -> np.ndarray:
        """Points (P,) bool on the hull of the complex."""
        result = np.zeros(len(self.points), bool)
        result[self.faces[self.labels[:, 1] == OUTSIDE]] = True
        return result


def refine(cracks: CrackFaces, cells: np.ndarray, longest: float, budget: int) -> CrackFaces:
    """Halve the long edges of crack faces between cells, up to ``LEVELS`` times.

    Args:
        cracks: Crack faces between the regions.
        cells: (C, 4) points of the cells.
        longest: Longest edge that is not halved, m.
        budget: Largest number of triangles; half of it in the second round, to leave triangles for the relief.

    Returns:
        The refined crack faces, without gaps between their triangles.

    Notes:
        Rivara 1984, Mesh Refinement Processes Based on the Generalized Bisection of Simplices, without further
        bisections for the shape.

    Example:
        A square of 1 m.

        >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        >>> between = np.tile([0, 1], (2, 1))
        >>> cracks = CrackFaces(square, square, np.array([[0, 1, 2], [0, 2, 3]]), between, np.array([2, 2]), between)
        >>> finer = refine(cracks, np.array([[0, 1, 2, 3]]), 0.6, 1000)
        >>> bool(CrackFaceEdges.of(finer).lengths(finer).max() <= 0.6)
        True
    """
    near = np.zeros(len(cracks.points), bool)
    near[cells] = True
    for level in range(LEVELS):
        edges = CrackFaceEdges.of(cracks)
        one, other = edges.ends.T
        halved = near[one] & near[other] & (edges.lengths(cracks) > longest)
        if len(cracks.faces) + halved[edges.of_face].sum() > budget >> level:
            break
        cracks = edges.split(cracks, halved)
        near = np.append(near, np.ones(np.count_nonzero(halved), bool))
    return cracks


@dataclass(frozen=True)
class CrackFaceEdges(ReadOnlyArrays):
    """Edges of crack faces.

    Attributes:
        ends: (E, 2) points.
        of_face: (W, 3) edges of each face, from its first corner on.
    """

    ends: np.ndarray
    of_face: np.ndarray

    @classmethod
    def of(cls, cracks: CrackFaces) -> CrackFaceEdges:
        """Return all edges of crack faces."""
        edges = cracks.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        first, of_face = distinct_simplices(edges, len(cracks.points))
        return cls(np.sort(edges[first], axis=1), of_face.reshape(-1, 3))

    def lengths(self, cracks: CrackFaces) -> np.ndarray:
        """Return the lengths (E,), m."""
        one, other = self.ends.T
        return np.linalg.norm(cracks.points[other] - cracks.points[one], axis=1)

    def crowded(self, cracks: CrackFaces) -> np.ndarray:
        """Return the edges (E,) bool at which a region has four or more faces.

        The two sheets of the region there can only be separated with a point inside the edge.
        """
        return regions_at(self.of_face, cracks.labels, len(self.ends))[1] > 2

    def region_counts(self, cracks: CrackFaces) -> np.ndarray:
        """Return the number of regions (E,) at each edge."""
        return regions_at(self.of_face, cracks.labels, len(self.ends))[0]

    def split(self, cracks: CrackFaces, chosen: np.ndarray) -> CrackFaces:
        """Halve the chosen edges (E,) bool, and divide the faces around them."""
        if not chosen.any():
            return cracks
        middle = np.where(chosen, len(cracks.points) + np.cumsum(chosen) - 1, -1)
        one, other = self.ends[chosen].T
        points, rest = (
            np.concatenate([item, (item[one] + item[other]) / 2.0]) for item in (cracks.points, cracks.rest)
        )
        faces, rows = _split_kernel(np.ascontiguousarray(cracks.faces, np.int64), middle[self.of_face])
        return CrackFaces(points, rest, faces, cracks.labels[rows], cracks.axis[rows], cracks.tets[rows])


def regions_at(items: np.ndarray, labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Count the regions at each edge, or at each point, of crack faces.

    Args:
        items: (W, 3) edges or points of each crack face.
        labels: (W, 2) regions on both sides of each crack face.
        count: Number N of edges or points.

    Returns:
        (N,) number of regions, with ``OUTSIDE`` as one, and (N,) largest number of crack faces of one region.

    Notes:
        Own; compiled, because fragments have hundreds of thousands of crack faces.

    Example:
        Two triangles with the common points 0 and 2, between the regions 0, 1 and 2.

        >>> counts, most = regions_at(np.array([[0, 1, 2], [0, 2, 3]]), np.array([[0, 1], [0, 2]]), 4)
        >>> counts.tolist(), most.tolist()
        ([3, 2, 3, 2], [2, 1, 2, 1])
    """
    return _regions_kernel(np.ascontiguousarray(items, np.int64), labels, count, int(labels.max(initial=0)))


@njit(cache=True, nogil=True)
def _regions_kernel(items: np.ndarray, labels: np.ndarray, count: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    starts = np.zeros(count + 1, np.int64)
    for item in items.ravel():
        starts[item + 1] += 1
    starts = np.cumsum(starts)
    cracks, ends = np.empty(items.size, np.int64), starts[:-1].copy()
    for face in range(len(items)):
        for item in items[face]:
            cracks[ends[item]] = face
            ends[item] += 1
    regions, most = np.zeros(count, np.int64), np.zeros(count, np.int64)
    # Last item at which a region was found, and the number of its crack faces there; ``OUTSIDE`` is the first region.
    met, often = np.full(last + 2, -1), np.zeros(last + 2, np.int64)
    for item in range(count):
        for place in range(starts[item], starts[item + 1]):
            for label in labels[cracks[place]]:
                if met[label + 1] != item:
                    met[label + 1], often[label + 1] = item, 0
                    regions[item] += 1
                often[label + 1] += 1
                if label != OUTSIDE:
                    most[item] = max(most[item], often[label + 1])
    return regions, most


def split_crowded_edges(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Halve the edges of a closed surface at which four or more faces meet.

    Args:
        points: (P, 3) m.
        faces: (F, 3), closed.

    Returns:
        (P, 3) points, (F, 3) faces, and the original face (F,) that contains each.

    Notes:
        Own: with a point inside the edge, ``cut.separate_fans`` can separate the sheets there.

    Example:
        Two tetrahedra that share an edge: it gets a midpoint.

        >>> points = np.vstack([np.zeros(3), np.eye(3), [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [0, 4, 1], [0, 1, 5], [1, 4, 5], [0, 5, 4]])
        >>> split_crowded_edges(points, faces)[0][6:].tolist()
        [[0.5, 0.0, 0.0]]
    """
    one_body = np.tile(np.array([0, OUTSIDE]), (len(faces), 1))
    cracks = CrackFaces(points, points, faces, one_body, np.arange(len(faces)), one_body)
    edges = CrackFaceEdges.of(cracks)
    cracks = edges.split(cracks, edges.crowded(cracks))
    return cracks.points, cracks.faces, cracks.axis


# Parts of a triangle with corners 0, 1, 2 and edge midpoints 3 (of 01), 4 (of 12), 5 (of 20), by the number of halved
# edges. The triangle is rotated so that these come first (3; 3 and 4; all).
_DIVISIONS = (
    np.array([[0, 1, 2]]),
    np.array([[0, 3, 2], [3, 1, 2]]),
    np.array([[3, 1, 4], [0, 3, 4], [0, 4, 2]]),
    np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]),
)


@njit(cache=True, nogil=True)
def _split_kernel(faces: np.ndarray, middles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the parts of triangles (W, 3) and the triangle of each part, for midpoints (W, 3), -1 for none."""
    count = len(faces) + np.count_nonzero(middles >= 0)
    parts, rows, found = np.empty((count, 3), np.int64), np.empty(count, np.int64), 0
    corners = np.empty(6, np.int64)
    for row in range(len(faces)):
        split = np.count_nonzero(middles[row] >= 0)
        # One halved edge is rotated to the front; of two, the one that follows the edge that is not halved.
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
