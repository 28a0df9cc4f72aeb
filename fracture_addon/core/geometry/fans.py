"""Which faces of a surface are beside one another: across an edge, around a point, and over all edges together.

Compiled: pieces have hundreds of thousands of faces, and arrays of them sorted again and again were what took longest.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..numerics.components import join, numbered


@njit(cache=True, nogil=True)
def mates(faces, point_count, part=None):
    """(3 F,) the side that lies on each side, where just two do; else -1.

    A side of a face is named as the corner that it starts from: 3 face + corner.

    Args:
        faces: (F, 3) int64.
        point_count: More than any number in ``faces``.
        part: (F,) int64, a number: what is of different parts does not count as lying on one another.
    """
    side_count = 3 * len(faces)
    bits = 4
    while 1 << bits < 2 * side_count:
        bits += 1
    # A table of edges with open addressing: where the place of one is taken, it has the next that is free.
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
def fans(mate):
    """(F, 3) a number for each corner: the same for those of one fan around a point, in the order of their first.

    Args:
        mate: (3 F,) the side that each side is joined to, which runs in the opposite direction; see ``mates``.
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
def smooth_normals(points, faces, group, least_cosine, least_facing, result):
    """Mean normals of the faces around each corner that no sharp edge parts, by area: ``corner_normals``.

    Args:
        points: (P, 3).
        faces: (F, 3) int64.
        group: (F,) int64, a number.
        least_cosine: Of the angle by which faces may turn at an edge that is not sharp.
        least_facing: Of the angle between a normal and its face's own, which it is if the angle is larger.
        result: (F, 3, 3) normals.
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
        # Two faces run along their edge in opposite directions: where the one starts, the other ends.
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
        # Around a spike the mean may turn away from a face.
        result[corner // 3, corner % 3] = mean if _dot(own[corner // 3], mean) >= least_facing else own[corner // 3]


@njit(cache=True, nogil=True)
def _next(side):
    return side - side % 3 + (side + 1) % 3


@njit(cache=True, nogil=True)
def _dot(first, second):
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


@njit(cache=True, nogil=True)
def _put_unit(vector, result):
    length = np.sqrt(_dot(vector, vector))
    if length > 0.0:
        for axis in range(3):
            result[axis] = vector[axis] / length
