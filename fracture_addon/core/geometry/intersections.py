"""Which triangles of a surface run through or lie in one another: a sweep over boxes, then an exact enough test.

The pair test follows Moeller 1997, "A Fast Triangle-Triangle Intersection Test": each triangle cuts the line that the
two planes share in an interval, and the triangles meet where the intervals overlap. Triangles in one plane are clipped.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# All in shares of the bounding box's diagonal. Contacts shorter than TOUCH are no crossing; planes nearer to one
# another than COPLANAR (what single precision leaves of a flat quad) are one plane.
TOUCH, COPLANAR = 1e-9, 1e-7


def crossing_faces(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(F,) bool, faces that cross or cover another face other than along the corners that they share.

    Args:
        points: (P, 3), finite.
        faces: (F, 3) rows of ``points``; no face twice the same corner.
    """
    crossing = np.zeros(len(faces), np.bool_)
    if len(faces) < 2:
        return crossing
    low, high = points.min(axis=0), points.max(axis=0)
    corners = ((points - 0.5 * (low + high)) / np.linalg.norm(high - low))[faces]
    box_low, box_high = corners.min(axis=1) - TOUCH, corners.max(axis=1) + TOUCH
    # Sweep along the axis on which the boxes overlap least.
    axis = int(np.argmin((box_high - box_low).sum(axis=0) / np.maximum(np.ptp(corners, axis=(0, 1)), 1e-12)))
    order = np.argsort(box_low[:, axis], kind="stable")
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals = normals / np.maximum(lengths, 1e-300)[:, None]
    # A face without area lies on the edges of its neighbours, which are tested themselves.
    order = order[lengths[order] > TOUCH * TOUCH]
    boxes = np.concatenate([np.roll(box_low, -axis, axis=1), np.roll(box_high, -axis, axis=1)], axis=1)
    found = np.zeros(len(order), np.bool_)
    _sweep(corners[order], normals[order], np.asarray(faces, np.int64)[order], boxes[order], found)
    crossing[order] = found
    return crossing


@njit(cache=True)
def _sweep(corners, normals, faces, boxes, crossing):
    """Rows of ``boxes`` are low x, y, z and high x, y, z, ascending in low x."""
    for a in range(len(boxes)):
        low_y, low_z, high_x, high_y, high_z = boxes[a, 1], boxes[a, 2], boxes[a, 3], boxes[a, 4], boxes[a, 5]
        for b in range(a + 1, len(boxes)):
            if boxes[b, 0] > high_x:
                break
            if boxes[b, 1] > high_y or boxes[b, 4] < low_y or boxes[b, 2] > high_z or boxes[b, 5] < low_z:
                continue
            if crossing[a] and crossing[b]:
                continue
            if _cross(corners[a], corners[b], normals[a], normals[b], faces[a], faces[b]):
                crossing[a] = True
                crossing[b] = True


@njit(cache=True)
def _cross(a, b, normal_a, normal_b, corners_a, corners_b):
    height_a, shared = _heights(a, b[0], normal_b, corners_a, corners_b)
    height_b, _ = _heights(b, a[0], normal_a, corners_b, corners_a)
    if np.abs(height_a).max() < COPLANAR and np.abs(height_b).max() < COPLANAR:
        return _cover(a, b, normal_a)
    if shared > 1:
        return False
    # A height of zero counts as above, so that a loop of edges that lies exactly in a plane crosses it once.
    if _one_side(height_a) or _one_side(height_b):
        return False
    line = np.cross(normal_a, normal_b)
    length = np.sqrt(line @ line)
    if length < 1e-14:
        return False
    line /= length
    low_a, high_a = _interval(a, height_a, line)
    low_b, high_b = _interval(b, height_b, line)
    return min(high_a, high_b) - max(low_a, low_b) > TOUCH


@njit(cache=True)
def _heights(triangle, origin, normal, corners, other_corners):
    """Of the corners over the other's plane; exactly zero for the shared ones, whose number is the second result."""
    heights = np.empty(3)
    shared = 0
    for i in range(3):
        heights[i] = (triangle[i] - origin) @ normal
        for j in range(3):
            if corners[i] == other_corners[j]:
                heights[i] = 0.0
                shared += 1
    return heights, shared


@njit(cache=True)
def _one_side(heights):
    above = 0
    for i in range(3):
        if heights[i] >= -TOUCH:
            above += 1
    return above == 0 or above == 3


@njit(cache=True)
def _interval(triangle, heights, line):
    low, high = np.inf, -np.inf
    for i in range(3):
        j = (i + 1) % 3
        if (heights[i] >= -TOUCH) != (heights[j] >= -TOUCH):
            start = triangle[i] @ line
            end = triangle[j] @ line
            share = min(max(heights[i] / (heights[i] - heights[j]), 0.0), 1.0)
            value = start + share * (end - start)
            low, high = min(low, value), max(high, value)
    return low, high


@njit(cache=True)
def _cover(a, b, normal):
    """Whether two triangles of one plane overlap in more than a line: clip one by the edges of the other."""
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
