"""Where two tetrahedra overlap, and how far a point is in one (O'Brien and Hodgins 1999, section 3.3)."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..kernels.symmetric import FAST

# Faces of a tetrahedron, wound outwards, by their opposite corners.
_A, _B, _C = np.array([1, 0, 0, 0]), np.array([2, 3, 1, 2]), np.array([3, 2, 3, 1])

# Faces are in one plane up to this share of an element's size.
COPLANAR = 1e-9


@njit(cache=True, **FAST)
def planes_of(corners, planes):
    """Write (4, 4) outward unit normals and offsets of a tetrahedron's faces, by its (4, 3) ``corners``."""
    for k in range(4):
        a, b, c = corners[_A[k]], corners[_B[k]], corners[_C[k]]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        scale = 1.0 / max(np.sqrt(x * x + y * y + z * z), 1e-300)
        planes[k, 0], planes[k, 1], planes[k, 2] = scale * x, scale * y, scale * z
        planes[k, 3] = scale * (x * a[0] + y * a[1] + z * a[2])


@njit(cache=True, forceinline=True, **FAST)
def separates(planes, k, corners, gap):
    """Whether all (4, 3) ``corners`` are outside of face ``k``, or no more than ``gap`` inside."""
    for i in range(4):
        x = corners[i]
        if planes[k, 0] * x[0] + planes[k, 1] * x[1] + planes[k, 2] * x[2] - planes[k, 3] < -gap:
            return False
    return True


@njit(cache=True, **FAST)
def overlap_of(corners, planes, other_corners, other_planes, result, polygon, clipped):
    """Volume that two tetrahedra have in common, its centre, and the area of the first one's faces in it.

    The faces of each are clipped by the planes of the other: together they are the surface of the region.

    Args:
        corners: (4, 3) m, of the first.
        planes: (4, 4) of the first, from ``planes_of``.
        other_corners: (4, 3) m, of the second.
        other_planes: (4, 4) of the second.
        result: (7,) volume m3, centre m, and sum over faces of the first of area times outward normal, m2.
        polygon: (16, 3) to work in.
        clipped: (16, 3) to work in.
    """
    result[:] = 0.0
    origin, reach = np.zeros(3), 0.0
    for i in range(4):
        for axis in range(3):
            origin[axis] += 0.125 * (corners[i, axis] + other_corners[i, axis])
            reach = max(reach, abs(corners[i, axis] - corners[0, axis]))
    for second in range(2):
        mine, theirs = (other_corners, planes) if second else (corners, other_planes)
        # A face that lies in a face of the other is a side of the region once, by the first's.
        least = COPLANAR * reach if second else 0.0
        for k in range(4):
            for axis in range(3):
                polygon[0, axis] = mine[_A[k], axis] - origin[axis]
                polygon[1, axis] = mine[_B[k], axis] - origin[axis]
                polygon[2, axis] = mine[_C[k], axis] - origin[axis]
            count, whole, left = 3, polygon, clipped
            for plane in range(4):
                count = _clip(whole, count, theirs, plane, origin, least, left)
                whole, left = left, whole
                if count == 0:
                    break
            _add(whole, count, second, result)
    if result[0] > 0.0:
        for axis in range(3):
            result[1 + axis] = result[1 + axis] / result[0] + origin[axis]


@njit(cache=True, forceinline=True, **FAST)
def _clip(polygon, count, planes, k, origin, least, clipped):
    """Write what of a polygon is inside of a plane, at least so deep; returns its number of corners."""
    a, b, c = planes[k, 0], planes[k, 1], planes[k, 2]
    offset = planes[k, 3] - a * origin[0] - b * origin[1] - c * origin[2]
    kept, deepest = 0, 0.0
    qx, qy, qz = polygon[0, 0], polygon[0, 1], polygon[0, 2]
    end = a * qx + b * qy + c * qz - offset
    for i in range(count):
        px, py, pz, start = qx, qy, qz, end
        following = i + 1 if i + 1 < count else 0
        qx, qy, qz = polygon[following, 0], polygon[following, 1], polygon[following, 2]
        end = a * qx + b * qy + c * qz - offset
        deepest = min(deepest, start)
        if start <= 0.0:
            clipped[kept, 0], clipped[kept, 1], clipped[kept, 2] = px, py, pz
            kept += 1
        if (start < 0.0 and end > 0.0) or (start > 0.0 and end < 0.0):
            share = start / (start - end)
            clipped[kept, 0], clipped[kept, 1] = px + share * (qx - px), py + share * (qy - py)
            clipped[kept, 2] = pz + share * (qz - pz)
            kept += 1
    return 0 if kept < 3 or deepest > -least else kept


@njit(cache=True, forceinline=True, **FAST)
def _add(polygon, count, second, result):
    """Add a side of the region: tetrahedra from the origin to the triangles of a fan."""
    a = polygon[0]
    for i in range(1, count - 1):
        b, c = polygon[i], polygon[i + 1]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        volume = (a[0] * x + a[1] * y + a[2] * z) / 6.0
        result[0] += volume
        for axis in range(3):
            result[1 + axis] += 0.25 * volume * (a[axis] + b[axis] + c[axis])
        if not second:
            result[4], result[5], result[6] = result[4] + 0.5 * x, result[5] + 0.5 * y, result[6] + 0.5 * z


@njit(cache=True, **FAST)
def weights_of(corners, planes, point, weights):
    """Write the (4,) barycentric weights of a point in a tetrahedron: heights over its faces, over its altitudes."""
    for k in range(4):
        x = corners[k]
        altitude = planes[k, 3] - planes[k, 0] * x[0] - planes[k, 1] * x[1] - planes[k, 2] * x[2]
        depth = planes[k, 3] - planes[k, 0] * point[0] - planes[k, 1] * point[1] - planes[k, 2] * point[2]
        weights[k] = depth / altitude if altitude > 0.0 else 0.25
