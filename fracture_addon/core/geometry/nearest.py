"""The nearest place on a surface, and attributes carried from there to a surface that was made anew."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..arrays import distinct
from ..connected import components
from ..surface import Surface
from . import shells
from .box_tree import DEEPEST, LEAF, box_tree, square_gap
from .surface_attributes import WHOLE, barycentric_weights, dot, from_to

# How far a corner is drawn towards the middle of its face before its nearest place is asked for, so that a corner on a
# crease finds the side that its face is on.
INWARDS = 0.02
# Above the square of a distance, so that what is as near is found, whatever rounding does, even at no distance.
ROUNDED_UP, SMALLEST = 1.0 + 1e-9, 1e-300


def nearest(surface: Surface, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nearest face to each point.

    Args:
        surface: With at least one face.
        points: (N, 3), metres.

    Returns:
        (N,) faces, (N, 3) barycentric coordinates of the nearest places, (N,) distances in metres.
    """
    return Nearest(surface).to(points)


class Nearest:
    """Answers ``nearest`` of one surface again and again."""

    def __init__(self, surface: Surface):
        self._corners = np.ascontiguousarray(surface.corners)
        self._tree = _tree_of(self._corners)

    def to(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As ``nearest``."""
        points = np.ascontiguousarray(points, float)
        rows, weights = np.zeros(len(points), np.int64), np.zeros((len(points), 3))
        squares = np.empty(len(points))
        _nearest_faces(self._corners, *self._tree, points, squares, rows, weights)
        return rows, weights, np.sqrt(squares)


def carried(source: Surface, points: np.ndarray, faces: np.ndarray, face_source: np.ndarray) -> Surface:
    """A surface with the attributes of ``source``.

    A face with a source takes them from it; one without (a cap, a remeshed face) from the nearest places, all of one
    UV island, and keeps ``face_source`` -1.

    Args:
        source: Whose attributes are wanted.
        points: (P, 3), metres.
        faces: (F, 3).
        face_source: (F,) rows of ``source.faces`` that the faces are parts of, -1 for none.
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


def _places(source: Surface, corners: np.ndarray, face_source: np.ndarray):
    """Where on the source each face (F,) and each of its corners (F, 3) is, and the corners' places (F, 3, 3) there."""
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
    """(F, 3, 3) coordinates of corners on the faces ``rows`` (F, 3), held within the faces."""
    weights = barycentric_weights(source.corners[rows.ravel()], corners.reshape(-1, 1, 3))
    return weights.reshape(*rows.shape, 3)


def _islands(source: Surface) -> np.ndarray:
    """(F,) label of faces that hang together over edges across which every UV layer runs on."""
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
            smooth &= np.abs(flat[one] - flat[other_start]).max(axis=1) < 1e-5
            smooth &= np.abs(flat[following[one]] - flat[other_end]).max(axis=1) < 1e-5
    return components(np.stack([one[smooth], other[smooth]], axis=1) // 3, len(source.faces))


def distance(source: Surface, result: Surface) -> float:
    """The farthest that a corner or the middle of a face of ``result`` lies from ``source``, metres."""
    samples = np.concatenate([result.points[distinct(result.faces)], result.corners.mean(axis=1)])
    return float(nearest(source, samples)[2].max(initial=0.0))


@njit(cache=True, nogil=True)
def _tree_of(corners):
    """The tree over the boxes of triangles (F, 3, 3)."""
    low, high = corners[:, 0].copy(), corners[:, 0].copy()
    for row in range(len(corners)):
        for axis in range(3):
            low[row, axis] = min(corners[row, 0, axis], corners[row, 1, axis], corners[row, 2, axis])
            high[row, axis] = max(corners[row, 0, axis], corners[row, 1, axis], corners[row, 2, axis])
    return box_tree(low, high)


@njit(cache=True, nogil=True)
def _nearest_faces(corners, order, nodes, points, squares, rows, weights):
    leaves, waiting, gaps = len(nodes) // 2, np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    for index in range(len(points)):
        p = (points[index, 0], points[index, 1], points[index, 2])
        # One point is often near the next: none is farther than the face that was nearest to the one before.
        best = ROUNDED_UP * _square_to(corners, rows[index - 1], p)[0] + SMALLEST if index else np.inf
        waiting[0], gaps[0], count = 1, square_gap(nodes, 1, p[0], p[1], p[2]), 1
        while count:
            count -= 1
            node = waiting[count]
            if gaps[count] >= best:
                continue
            if node < leaves:
                one, other = 2 * node, 2 * node + 1
                gap, other_gap = square_gap(nodes, one, p[0], p[1], p[2]), square_gap(nodes, other, p[0], p[1], p[2])
                # The nearer one is looked into first.
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
def _square_to(corners, row, p):
    """The squared distance of a place from a triangle, and barycentric coordinates of the nearest place there."""
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
def _nearest_in_triangle(a, b, c, p):
    """Barycentric coordinates of the nearest place (Ericson 2004, "Real-Time Collision Detection", section 5.1.5)."""
    ab, ac, ap = from_to(a, b), from_to(a, c), from_to(a, p)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    bp = from_to(b, p)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    # An edge without length, of a face without area, is left to its other edges.
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
    if va <= 0.0 and d4 >= d3 and d5 >= d6 and d4 - d3 > d6 - d5:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    if total == 0.0:
        return 1.0, 0.0, 0.0
    return va / total, vb / total, vc / total
