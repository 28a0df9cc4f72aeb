"""Nearest point on a surface, and transfer of attributes from there to another surface."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..data.arrays import distinct
from ..data.surface import Surface
from ..numerics.components import components
from ..numerics.threads import in_parts
from . import shells
from .box_tree import DEEPEST, LEAF, squared_distance, triangle_tree
from .surface_attributes import WHOLE, barycentric_weights, dot, from_to

# Share by which a corner is moved towards the centroid of its face before the search, so that a corner on a crease
# finds the side of its own face. From 0.0002 to 0.5, about 570 of 142,000 corners of a remeshed box find another side;
# at 0, 1,138 do.
INWARDS = 0.02
# Margin of the bound on a distance, as a share of the largest coordinate, and of its square, m2. They exceed the
# rounding of float64, so that the face that gives the bound is found again, also at distance 0. The rounding of a
# distance is proportional to the coordinates and not to the distance.
ROUNDED_UP, SMALLEST = 1e-14, 1e-300
# Difference of texture coordinates below which they are equal: rounding of Blender's float32 values.
SAME_UV = 1e-5

Point = tuple[float, float, float]


def nearest(surface: Surface, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the nearest point on a surface.

    Args:
        surface: Surface with at least one face.
        points: (N, 3) m.

    Returns:
        (N,) faces, (N, 3) barycentric coordinates of the nearest points, and (N,) distances, m.

    Notes:
        Ericson 2004, Real-Time Collision Detection, section 5.1.5, for a triangle; branch and bound in a tree of boxes
        (compare Roussopoulos, Kelley and Vincent 1995, Nearest Neighbor Queries).

    Example:
        >>> triangle = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> faces, coordinates, distances = nearest(triangle, np.array([[0.25, 0.25, 3.0], [2.0, 0.0, 0.0]]))
        >>> faces.tolist(), coordinates.tolist(), distances.tolist()
        ([0, 0], [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]], [3.0, 1.0])
    """
    return Nearest(surface).to(points)


class Nearest:
    """A surface in a tree of boxes, for nearest points of many sets of points."""

    def __init__(self, surface: Surface):
        self._corners = np.ascontiguousarray(surface.corners)
        self._tree = triangle_tree(self._corners)

    def to(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the nearest points of points (N, 3); see ``nearest``."""
        points = np.ascontiguousarray(points, float)
        rows, weights = np.zeros(len(points), np.int64), np.zeros((len(points), 3))
        squares = np.empty(len(points))

        def search(start: int, end: int) -> None:
            part = [column[start:end] for column in (points, squares, rows, weights)]
            _nearest_faces(self._corners, *self._tree, *part)

        in_parts(search, len(points))
        return rows, weights, np.sqrt(squares)


def with_attributes_from(source: Surface, points: np.ndarray, faces: np.ndarray, face_source: np.ndarray) -> Surface:
    """Return a surface with the attributes of another one.

    A face with a source takes the attributes from it. A face without one (a cap, a remeshed face) takes them from the
    nearest points on one UV island, and keeps ``face_source`` -1.

    Args:
        source: Surface with attributes.
        points: (P, 3) m, points of the result.
        faces: (F, 3) faces of the result.
        face_source: (F,) face of ``source`` that contains each face; -1 for none.

    Returns:
        The surface.

    Notes:
        Own: a face stays on one UV island, because values interpolated across a seam would cross the whole texture.

    Example:
        The x coordinate is an attribute of the corners.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> source = Surface(corners, [[0, 1, 2]], corner_attributes={"value/x": corners[None, :, :1]})
        >>> half = with_attributes_from(source, 0.5 * corners, np.array([[0, 1, 2]]), np.array([0]))
        >>> half.corner_attributes["value/x"].round(9).tolist()
        [[[0.0], [0.5], [0.0]]]
    """
    face_rows, rows, weights = _places(source, points[faces], face_source)
    face_attributes = {name: values[face_rows] for name, values in source.face_attributes.items()}
    corner_attributes = {}
    for name, values in source.corner_attributes.items():
        if name.startswith(WHOLE):
            result = np.take_along_axis(values[rows], weights.argmax(axis=2)[..., None, None], axis=2)[:, :, 0]
        else:
            result = np.einsum("fij,fijk->fik", weights, values[rows])
        if name == "normal":
            result /= np.maximum(np.linalg.norm(result, axis=-1, keepdims=True), 1e-300)
        corner_attributes[name] = result
    original = np.where(face_source >= 0, source.face_source[face_source], -1)
    return Surface(points, faces, original, face_attributes, corner_attributes)


def _places(source: Surface, corners: np.ndarray, face_source: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the source face of each face (F,) and corner (F, 3), and barycentric coordinates there (F, 3, 3)."""
    face_rows = np.array(face_source, np.int64)
    made = np.flatnonzero(face_rows < 0)
    centers = corners[made].mean(axis=1)
    if len(made):
        face_rows[made] = nearest(source, centers)[0]
    rows = np.repeat(face_rows[:, None], 3, axis=1)
    weights = _within(source, rows, corners)
    if len(made):
        inner = corners[made] + INWARDS * (centers[:, None] - corners[made])
        near, place, _ = nearest(source, inner.reshape(-1, 3))
        near = near.reshape(-1, 3)
        island = _islands(source)
        same = island[near] == island[face_rows[made]][:, None]
        rows[made] = np.where(same, near, rows[made])
        weights[made] = np.where(same[..., None], place.reshape(-1, 3, 3), weights[made])
    return face_rows, rows, weights


def _within(source: Surface, rows: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return barycentric coordinates (F, 3, 3) of corners on the faces ``rows`` (F, 3), none negative."""
    weights = barycentric_weights(source.corners[rows.ravel()], corners.reshape(-1, 1, 3))
    return weights.reshape(*rows.shape, 3)


def _islands(source: Surface) -> np.ndarray:
    """Return the UV island (F,) of each face: faces connected by edges across which all UV layers are continuous."""
    table = shells.edges(source.faces)
    order = np.argsort(table.of_corner.ravel(), kind="stable")
    first = np.concatenate([[0], np.cumsum(table.face_count)[:-1]])[table.face_count == 2]
    one, other = order[first], order[first + 1]
    smooth = np.ones(len(one), bool)
    following = np.arange(source.faces.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    turned = source.faces.ravel()[one] != source.faces.ravel()[other]
    other_start, other_end = np.where(turned, following[other], other), np.where(turned, other, following[other])
    for name, values in source.corner_attributes.items():
        if name.startswith("uv/"):
            flat = values.reshape(len(source.faces) * 3, -1)
            smooth &= np.abs(flat[one] - flat[other_start]).max(axis=1) < SAME_UV
            smooth &= np.abs(flat[following[one]] - flat[other_end]).max(axis=1) < SAME_UV
    return components(np.stack([one[smooth], other[smooth]], axis=1) // 3, len(source.faces))


def distance(source: Surface, result: Surface) -> float:
    """Return the largest distance of a surface from another one.

    Args:
        source: Surface with at least one face.
        result: Surface whose corners and face centroids are measured.

    Returns:
        m.

    Notes:
        The one-sided Hausdorff distance (1914) at samples; compare Cignoni, Rocchini and Scopigno 1998, Metro.

    Example:
        >>> triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> distance(Surface(triangle, [[0, 1, 2]]), Surface(triangle + [0.0, 0.0, 0.5], [[0, 1, 2]]))
        0.5
    """
    samples = np.concatenate([result.points[distinct(result.faces)], result.corners.mean(axis=1)])
    return float(nearest(source, samples)[2].max(initial=0.0))


@njit(cache=True, nogil=True)
def _nearest_faces(
    corners: np.ndarray,
    order: np.ndarray,
    nodes: np.ndarray,
    points: np.ndarray,
    squares: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
) -> None:
    leaves, waiting, gaps = len(nodes) // 2, np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    for index in range(len(points)):
        p = (points[index, 0], points[index, 1], points[index, 2])
        # Consecutive points are often near each other: the face of the previous point gives a bound.
        best = _bound(corners, rows[index - 1], p) if index else np.inf
        waiting[0], gaps[0], count = 1, squared_distance(nodes, 1, p[0], p[1], p[2]), 1
        while count:
            count -= 1
            node = waiting[count]
            if gaps[count] >= best:
                continue
            if node < leaves:
                one, other = 2 * node, 2 * node + 1
                gap = squared_distance(nodes, one, p[0], p[1], p[2])
                other_gap = squared_distance(nodes, other, p[0], p[1], p[2])
                # The nearer child is searched first.
                if gap < other_gap:
                    one, other, gap, other_gap = other, one, other_gap, gap
                waiting[count], waiting[count + 1], gaps[count], gaps[count + 1] = one, other, gap, other_gap
                count += 2
                continue
            for position in range((node - leaves) * LEAF, min((node - leaves + 1) * LEAF, len(order))):
                square, u, v, w = _square_to(corners, order[position], p)
                if square < best:
                    best, rows[index] = square, order[position]
                    weights[index, 0], weights[index, 1], weights[index, 2] = u, v, w
        squares[index] = best


@njit(cache=True, nogil=True)
def _bound(corners: np.ndarray, row: int, p: Point) -> float:
    """Return a bound on the squared distance of a point from a triangle, m2, above its rounding error."""
    size = max(abs(p[0]), abs(p[1]), abs(p[2]))
    for corner in range(3):
        for axis in range(3):
            size = max(size, abs(corners[row, corner, axis]))
    return (np.sqrt(_square_to(corners, row, p)[0]) + ROUNDED_UP * size) ** 2 + SMALLEST


@njit(cache=True, nogil=True)
def _square_to(corners: np.ndarray, row: int, p: Point) -> tuple[float, float, float, float]:
    """Return the squared distance of a point from a triangle, and barycentric coordinates of the nearest point."""
    a = (corners[row, 0, 0], corners[row, 0, 1], corners[row, 0, 2])
    b = (corners[row, 1, 0], corners[row, 1, 1], corners[row, 1, 2])
    c = (corners[row, 2, 0], corners[row, 2, 1], corners[row, 2, 2])
    u, v, w = _nearest_in_triangle(a, b, c, p)
    square = 0.0
    for k in range(3):
        offset = u * a[k] + v * b[k] + w * c[k] - p[k]
        square += offset * offset
    return square, u, v, w


@njit(cache=True, nogil=True)
def _nearest_in_triangle(a: Point, b: Point, c: Point, p: Point) -> Point:
    """Return barycentric coordinates of the nearest point (Ericson 2004, Real-Time Collision Detection, 5.1.5)."""
    ab, ac, ap = from_to(a, b), from_to(a, c), from_to(a, p)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    bp = from_to(b, p)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    # The strict comparisons exclude edges without length.
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
        v = d1 / (d1 - d3)
        return 1.0 - v, v, 0.0
    cp = from_to(c, p)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
        w = d2 / (d2 - d6)
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6 and (d4 - d3) + (d5 - d6) > 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    if total == 0.0:
        return 1.0, 0.0, 0.0
    return va / total, vb / total, vc / total
