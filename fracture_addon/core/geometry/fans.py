"""Neighbours of faces across edges, fans of faces around points, and smooth normals of the fans.

A side of a face is the edge that starts at one of its corners. Its number is 3 face + corner. The functions are
compiled because fragments have hundreds of thousands of faces.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..numerics.components import join, numbered


@njit(cache=True, nogil=True)
def mates(faces: np.ndarray, point_count: int, part: np.ndarray | None = None) -> np.ndarray:
    """Return the opposite side of each side: the other side with the same two points.

    Args:
        faces: (F, 3) int64.
        point_count: Number of points; more than every value in ``faces``.
        part: (F,) int64 part of each face. Sides of different parts are never opposite.

    Returns:
        (3 F,) sides; -1 if there is not exactly one other side.

    Notes:
        A hash table of edges with open addressing and Fibonacci hashing (Knuth 1998, The Art of Computer Programming,
        volume 3, section 6.4).

    Example:
        >>> mates(np.array([[0, 1, 2], [2, 1, 3]]), 4).tolist()
        [-1, 3, -1, 1, -1, -1]
    """
    side_count = 3 * len(faces)
    bits = 4
    while 1 << bits < 2 * side_count:
        bits += 1
    # Hash table of edges with open addressing: if a slot is taken, the next free one is used.
    keys, place = np.full(1 << bits, np.int64(-1)), np.empty(side_count, np.int64)
    count, first, second = np.zeros(1 << bits, np.int64), np.empty(1 << bits, np.int64), np.empty(1 << bits, np.int64)
    for side in range(side_count):
        start, end = faces[side // 3, side % 3], faces[side // 3, (side + 1) % 3]
        key = np.int64(min(start, end)) * np.int64(point_count) + np.int64(max(start, end))
        if part is not None:
            key += part[side // 3] * np.int64(point_count) * np.int64(point_count)
        # Fibonacci hashing (Knuth 1998, "The Art of Computer Programming", volume 3, section 6.4).
        slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - bits))
        while keys[slot] != -1 and keys[slot] != key:
            slot = (slot + 1) & ((1 << bits) - 1)
        keys[slot], place[side] = key, slot
        if count[slot] == 0:
            first[slot] = side
        else:
            second[slot] = side
        count[slot] += 1
    result = np.empty(side_count, np.int64)
    for side in range(side_count):
        slot = place[side]
        result[side] = first[slot] + second[slot] - side if count[slot] == 2 else -1
    return result


@njit(cache=True, nogil=True)
def fans(mate: np.ndarray) -> np.ndarray:
    """Return the fan of each corner: connected faces around a point have the same number.

    Args:
        mate: (3 F,) opposite side of each side, as from ``mates``; every side has one, which runs the other way.

    Returns:
        (F, 3) numbers, in the order of the first corners of the fans.

    Notes:
        Own: a walk around each point, from side to opposite side.

    Example:
        Two triangles back to back have one fan at each of their three points.

        >>> fans(mates(np.array([[0, 1, 2], [2, 1, 0]]), 3)).tolist()
        [[0, 1, 2], [2, 1, 0]]
    """
    number = 0
    result = np.full((len(mate) // 3, 3), np.int64(-1))
    for corner in range(len(mate)):
        if result[corner // 3, corner % 3] >= 0:
            continue
        around = corner
        while result[around // 3, around % 3] < 0:
            result[around // 3, around % 3] = number
            around = _next(mate[around])
        number += 1
    return result


@njit(cache=True, nogil=True)
def smooth_normals(
    points: np.ndarray,
    faces: np.ndarray,
    group: np.ndarray,
    least_cosine: float,
    least_facing: float,
    result: np.ndarray,
) -> None:
    """Compute the normals of ``surface_attributes.corner_normals``.

    Args:
        points: (P, 3) m.
        faces: (F, 3) int64.
        group: (F,) int64 group of each face. Edges between groups are sharp.
        least_cosine: Cosine of the angle of two faces below which their edge is sharp.
        least_facing: Cosine of the angle between a normal and its face below which the face's own normal is used.
        result: (F, 3, 3) becomes the normals.
    """
    vectors, own = np.empty((len(faces), 3)), np.zeros((len(faces), 3))
    for row in range(len(faces)):
        a, b, c = faces[row]
        for axis in range(3):
            one, other = (axis + 1) % 3, (axis + 2) % 3
            vectors[row, axis] = (points[b, one] - points[a, one]) * (points[c, other] - points[a, other])
            vectors[row, axis] -= (points[b, other] - points[a, other]) * (points[c, one] - points[a, one])
        _put_unit(vectors[row], own[row])
    mate = mates(faces, len(points))
    leader = np.arange(faces.size)
    for side in range(faces.size):
        other = mate[side]
        if other <= side or group[side // 3] != group[other // 3]:
            continue
        # Two faces run along their edge in opposite directions: one starts where the other ends.
        if _dot(own[side // 3], own[other // 3]) > least_cosine:
            join(leader, side, _next(other))
            join(leader, _next(side), other)
    fan, count = numbered(leader)
    sums, mean = np.zeros((count, 3)), np.zeros(3)
    for corner in range(faces.size):
        for axis in range(3):
            sums[fan[corner], axis] += vectors[corner // 3, axis]
    for corner in range(faces.size):
        mean[:] = 0.0
        _put_unit(sums[fan[corner]], mean)
        # Around a spike, the mean may point away from a face.
        result[corner // 3, corner % 3] = mean if _dot(own[corner // 3], mean) >= least_facing else own[corner // 3]


@njit(cache=True, nogil=True)
def _next(side: int) -> int:
    return side - side % 3 + (side + 1) % 3


@njit(cache=True, nogil=True)
def _dot(first: np.ndarray, second: np.ndarray) -> float:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


@njit(cache=True, nogil=True)
def _put_unit(vector: np.ndarray, result: np.ndarray) -> None:
    length = np.sqrt(_dot(vector, vector))
    if length > 0.0:
        for axis in range(3):
            result[axis] = vector[axis] / length
