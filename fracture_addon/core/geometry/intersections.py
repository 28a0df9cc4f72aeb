"""Self-intersections of a surface: a tree of boxes finds pairs of triangles, and each pair is tested.

The test of a pair follows Moeller 1997, "A Fast Triangle-Triangle Intersection Test". Each triangle cuts the common
line of the two planes in an interval. The triangles cross if the intervals overlap. Triangles in one plane are clipped.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..numerics.threads import in_parts
from .box_tree import DEEPEST, LEAF, box_tree, overlaps

# Tolerances over the diagonal of the bounding box. A contact shorter than TOUCH is no crossing: rounding of float64
# coordinates is 1e-16. Two planes closer than COPLANAR are one plane: a flat quad in float32 (Blender's) bends by 6e-8.
TOUCH, COPLANAR = 1e-9, 1e-7
# Sine of the angle of two planes below which they have no common line: rounding of float64 products of unit normals.
PARALLEL = 1e-14


def crossing_faces(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Find the faces of a surface that cross or cover another face.

    Args:
        points: (P, 3) finite positions, m.
        faces: (F, 3) rows of ``points``; the corners of a face differ. Common corners and edges are no crossing.

    Returns:
        (F,) bool.

    Notes:
        Moeller 1997, A Fast Triangle-Triangle Intersection Test; for triangles in one plane, the area of the polygon
        clipped by Sutherland and Hodgman 1974, Reentrant Polygon Clipping.

    Example:
        >>> points = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [0.5, 0.5, 1], [3, 3, 0]], float)
        >>> crossing_faces(points, np.array([[0, 1, 2], [3, 4, 5]])).tolist()
        [True, True]
    """
    crossing = np.zeros(len(faces), np.bool_)
    if len(faces) < 2:
        return crossing
    low, high = points.min(axis=0), points.max(axis=0)
    corners = ((points - 0.5 * (low + high)) / np.linalg.norm(high - low))[faces]
    box_low, box_high = corners.min(axis=1) - TOUCH, corners.max(axis=1) + TOUCH
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals = normals / np.maximum(lengths, 1e-300)[:, None]
    # A face without area lies on edges of its neighbours, which are tested themselves.
    rows = np.flatnonzero(lengths > TOUCH * TOUCH)
    if len(rows):
        box_low, box_high, corners, normals = (
            np.ascontiguousarray(item[rows]) for item in (box_low, box_high, corners, normals)
        )
        surface = box_low, box_high, corners, normals, np.asarray(faces, np.int64)[rows]
        tree, found = box_tree(box_low, box_high), []

        def find(start: int, end: int) -> None:
            crossing_here = np.zeros(len(rows), np.bool_)
            _find_crossing(start, end, *tree, *surface, crossing_here)
            found.append(crossing_here)

        in_parts(find, len(rows))
        crossing[rows] = np.logical_or.reduce(found)
    return crossing


@njit(cache=True, nogil=True)
def _find_crossing(
    first: int,
    last: int,
    order: np.ndarray,
    nodes: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    corners: np.ndarray,
    normals: np.ndarray,
    faces: np.ndarray,
    crossing: np.ndarray,
) -> None:
    """Mark the faces that cross each other, for pairs whose earlier face is at a position ``first`` to ``last``."""
    leaves, waiting = len(nodes) // 2, np.empty(DEEPEST, np.int64)
    # Position in ``order`` after the last box of each node.
    end = np.empty(len(nodes), np.int64)
    for node in range(len(nodes) - 1, 0, -1):
        end[node] = (node - leaves + 1) * LEAF if node >= leaves else end[2 * node + 1]
    for position in range(first, last):
        a = order[position]
        waiting[0], count = 1, 1
        while count:
            count -= 1
            node = waiting[count]
            # Each pair is tested once, by the face that is earlier in the order.
            if end[node] <= position or not overlaps(nodes, node, low, high, a):
                continue
            if node < leaves:
                waiting[count], waiting[count + 1] = 2 * node, 2 * node + 1
                count += 2
                continue
            start = max((node - leaves) * LEAF, position + 1)
            for other in range(start, min(end[node], len(order))):
                b = order[other]
                if (crossing[a] and crossing[b]) or not _overlap(low, high, a, b):
                    continue
                if _cross(corners, normals, faces, a, b):
                    crossing[a] = True
                    crossing[b] = True


@njit(cache=True, nogil=True)
def _overlap(low: np.ndarray, high: np.ndarray, a: int, b: int) -> bool:
    return (
        low[a, 0] <= high[b, 0]
        and low[b, 0] <= high[a, 0]
        and low[a, 1] <= high[b, 1]
        and low[b, 1] <= high[a, 1]
        and low[a, 2] <= high[b, 2]
        and low[b, 2] <= high[a, 2]
    )


# Heights and vectors are tuples: creating small arrays would take longer than the computation.
@njit(cache=True, nogil=True)
def _cross(corners: np.ndarray, normals: np.ndarray, faces: np.ndarray, a: int, b: int) -> bool:
    shared = 0
    for i in range(3):
        for j in range(3):
            shared += faces[a, i] == faces[b, j]
    height_a = (
        _height(corners, normals, faces, a, 0, b),
        _height(corners, normals, faces, a, 1, b),
        _height(corners, normals, faces, a, 2, b),
    )
    height_b = (
        _height(corners, normals, faces, b, 0, a),
        _height(corners, normals, faces, b, 1, a),
        _height(corners, normals, faces, b, 2, a),
    )
    if _greatest(height_a) < COPLANAR and _greatest(height_b) < COPLANAR:
        return _cover(corners[a], corners[b], normals[a])
    if shared > 1:
        return False
    # A height of zero counts as above. A loop of edges that lies exactly in a plane then crosses it once.
    if _one_side(height_a) or _one_side(height_b):
        return False
    x = normals[a, 1] * normals[b, 2] - normals[a, 2] * normals[b, 1]
    y = normals[a, 2] * normals[b, 0] - normals[a, 0] * normals[b, 2]
    z = normals[a, 0] * normals[b, 1] - normals[a, 1] * normals[b, 0]
    length = np.sqrt(x * x + y * y + z * z)
    if length < PARALLEL:
        return False
    low_a, high_a = _interval(corners, a, height_a, x / length, y / length, z / length)
    low_b, high_b = _interval(corners, b, height_b, x / length, y / length, z / length)
    return min(high_a, high_b) - max(low_a, low_b) > TOUCH


@njit(cache=True, nogil=True)
def _height(corners: np.ndarray, normals: np.ndarray, faces: np.ndarray, row: int, corner: int, other: int) -> float:
    """Return the height of a corner above the plane of another face; exactly 0 for a common corner."""
    point = faces[row, corner]
    if point == faces[other, 0] or point == faces[other, 1] or point == faces[other, 2]:
        return 0.0
    return (
        (corners[row, corner, 0] - corners[other, 0, 0]) * normals[other, 0]
        + (corners[row, corner, 1] - corners[other, 0, 1]) * normals[other, 1]
        + (corners[row, corner, 2] - corners[other, 0, 2]) * normals[other, 2]
    )


@njit(cache=True, nogil=True)
def _greatest(heights: tuple[float, float, float]) -> float:
    return max(abs(heights[0]), abs(heights[1]), abs(heights[2]))


@njit(cache=True, nogil=True)
def _one_side(heights: tuple[float, float, float]) -> bool:
    above = (heights[0] >= -TOUCH) + (heights[1] >= -TOUCH) + (heights[2] >= -TOUCH)
    return above == 0 or above == 3


@njit(cache=True, nogil=True)
def _interval(
    corners: np.ndarray, row: int, heights: tuple[float, float, float], x: float, y: float, z: float
) -> tuple[float, float]:
    low, high = np.inf, -np.inf
    for i in range(3):
        j = (i + 1) % 3
        if (heights[i] >= -TOUCH) != (heights[j] >= -TOUCH):
            start = corners[row, i, 0] * x + corners[row, i, 1] * y + corners[row, i, 2] * z
            end = corners[row, j, 0] * x + corners[row, j, 1] * y + corners[row, j, 2] * z
            share = min(max(heights[i] / (heights[i] - heights[j]), 0.0), 1.0)
            value = start + share * (end - start)
            low, high = min(low, value), max(high, value)
    return low, high


@njit(cache=True, nogil=True)
def _cover(a: np.ndarray, b: np.ndarray, normal: np.ndarray) -> bool:
    """Return whether two coplanar triangles overlap in an area: clip one by the edges of the other."""
    drop = np.argmax(np.abs(normal))
    u, v = (drop + 1) % 3, (drop + 2) % 3
    polygon = np.empty((12, 2))
    clipped = np.empty((12, 2))
    for i in range(3):
        polygon[i, 0], polygon[i, 1] = a[i, u], a[i, v]
    turn = (b[1, u] - b[0, u]) * (b[2, v] - b[0, v]) - (b[1, v] - b[0, v]) * (b[2, u] - b[0, u])
    sign = 1.0 if turn > 0.0 else -1.0
    count = 3
    longest = 0.0
    for i in range(3):
        j = (i + 1) % 3
        edge_u, edge_v = b[j, u] - b[i, u], b[j, v] - b[i, v]
        longest = max(longest, edge_u * edge_u + edge_v * edge_v)
        kept = 0
        for k in range(count):
            p, q = polygon[k], polygon[(k + 1) % count]
            side_p = sign * (edge_u * (p[1] - b[i, v]) - edge_v * (p[0] - b[i, u]))
            side_q = sign * (edge_u * (q[1] - b[i, v]) - edge_v * (q[0] - b[i, u]))
            if side_p >= 0.0:
                clipped[kept] = p
                kept += 1
            if (side_p > 0.0 and side_q < 0.0) or (side_p < 0.0 and side_q > 0.0):
                clipped[kept] = p + side_p / (side_p - side_q) * (q - p)
                kept += 1
        count = kept
        polygon[:count] = clipped[:count]
        if count < 3:
            return False
    area = 0.0
    for k in range(1, count - 1):
        p, q, r = polygon[0], polygon[k], polygon[k + 1]
        area += (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    return abs(area) > 4.0 * COPLANAR * np.sqrt(longest)
