"""Overlap of two tetrahedra, and barycentric weights of a point (O'Brien and Hodgins 1999, section 3.3)."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..kernels.symmetric import OPTIONS

# Corners of the face opposite each corner of a tetrahedron, with outward winding.
_A, _B, _C = np.array([1, 0, 0, 0]), np.array([2, 3, 1, 2]), np.array([3, 2, 3, 1])

# Distance over element size up to which two faces are coplanar. It exceeds rounding: 2e-16 of coordinates that are up
# to 1e5 elements. From 5e-10 to 2e-9 all recordings keep their bytes.
COPLANAR = 1e-9


@njit(cache=True, **OPTIONS)
def planes_of(corners: np.ndarray, planes: np.ndarray) -> None:
    """Write the outward unit normals and offsets (4, 4) of a tetrahedron's faces from its ``corners`` (4, 3)."""
    for k in range(4):
        a, b, c = corners[_A[k]], corners[_B[k]], corners[_C[k]]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        scale = 1.0 / max(np.sqrt(x * x + y * y + z * z), 1e-300)
        planes[k, 0], planes[k, 1], planes[k, 2] = scale * x, scale * y, scale * z
        planes[k, 3] = scale * (x * a[0] + y * a[1] + z * a[2])


@njit(cache=True, forceinline=True, **OPTIONS)
def separates(planes: np.ndarray, k: int, corners: np.ndarray, gap: float) -> bool:
    """Return whether all ``corners`` (4, 3) are outside of face ``k``, or at most ``gap`` (m) inside."""
    for i in range(4):
        x = corners[i]
        if planes[k, 0] * x[0] + planes[k, 1] * x[1] + planes[k, 2] * x[2] - planes[k, 3] < -gap:
            return False
    return True


@njit(cache=True, **OPTIONS)
def overlap_of(
    corners: np.ndarray,
    planes: np.ndarray,
    other_corners: np.ndarray,
    other_planes: np.ndarray,
    result: np.ndarray,
    polygon: np.ndarray,
    clipped: np.ndarray,
) -> None:
    """Compute volume and centre of the intersection of two tetrahedra, and the area of the first one's faces in it.

    The faces of each tetrahedron are clipped by the planes of the other. Together they bound the intersection.

    Args:
        corners: (4, 3) m, of the first.
        planes: (4, 4) of the first, from ``planes_of``.
        other_corners: (4, 3) m, of the second.
        other_planes: (4, 4) of the second.
        result: (7,) output: volume m3, centre m, and sum over faces of the first of area times outward normal, m2.
        polygon: (16, 3) work array.
        clipped: (16, 3) work array.

    Notes:
        O'Brien and Hodgins 1999, section 3.3; Sutherland and Hodgman 1974 for the clipping.

    Example:
        A tetrahedron lies in one of twice its size.

        >>> small = np.array([[0.1, 0.1, 0.1], [1.1, 0.1, 0.1], [0.1, 1.1, 0.1], [0.1, 0.1, 1.1]])
        >>> large, result, work = 2.0 * small - 0.2, np.empty(7), np.empty((2, 16, 3))
        >>> planes = np.empty((2, 4, 4))
        >>> planes_of(small, planes[0]), planes_of(large, planes[1])
        (None, None)
        >>> overlap_of(small, planes[0], large, planes[1], result, *work)
        >>> (6.0 * result[0]).round(9).tolist(), result[1:4].round(9).tolist()
        (1.0, [0.35, 0.35, 0.35])
    """
    result[:] = 0.0
    origin, reach = np.zeros(3), 0.0
    for i in range(4):
        for axis in range(3):
            origin[axis] += 0.125 * (corners[i, axis] + other_corners[i, axis])
            reach = max(reach, abs(corners[i, axis] - corners[0, axis]))
    for second in range(2):
        face_corners, clip_planes = (other_corners, planes) if second else (corners, other_planes)
        # Two coplanar faces bound the intersection once: only the face of the first tetrahedron counts.
        min_depth = COPLANAR * reach if second else 0.0
        for k in range(4):
            for axis in range(3):
                polygon[0, axis] = face_corners[_A[k], axis] - origin[axis]
                polygon[1, axis] = face_corners[_B[k], axis] - origin[axis]
                polygon[2, axis] = face_corners[_C[k], axis] - origin[axis]
            count, source, target = 3, polygon, clipped
            for plane in range(4):
                count = _clip(source, count, clip_planes, plane, origin, min_depth, target)
                source, target = target, source
                if count == 0:
                    break
            _add(source, count, second, result)
    if result[0] > 0.0:
        for axis in range(3):
            result[1 + axis] = result[1 + axis] / result[0] + origin[axis]


@njit(cache=True, forceinline=True, **OPTIONS)
def _clip(
    polygon: np.ndarray,
    count: int,
    planes: np.ndarray,
    k: int,
    origin: np.ndarray,
    min_depth: float,
    clipped: np.ndarray,
) -> int:
    """Clip a polygon by plane ``k``; return the number of corners, 0 if none is deeper than ``min_depth`` (m)."""
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
    return 0 if kept < 3 or deepest > -min_depth else kept


@njit(cache=True, forceinline=True, **OPTIONS)
def _add(polygon: np.ndarray, count: int, second: int, result: np.ndarray) -> None:
    """Add a face of the intersection: tetrahedra from the origin to the triangles of a fan."""
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


@njit(cache=True, **OPTIONS)
def weights_of(corners: np.ndarray, planes: np.ndarray, point: np.ndarray, weights: np.ndarray) -> None:
    """Write the barycentric weights of a point in a tetrahedron: its heights over the altitudes.

    Args:
        corners: (4, 3) m.
        planes: (4, 4), from ``planes_of``.
        point: (3,) m.
        weights: (4,) output.

    Notes:
        Möbius 1827.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> planes, weights = np.empty((4, 4)), np.empty(4)
        >>> planes_of(corners, planes)
        >>> weights_of(corners, planes, np.array([0.1, 0.2, 0.3]), weights)
        >>> weights.round(9).tolist()
        [0.4, 0.1, 0.2, 0.3]
    """
    for k in range(4):
        x = corners[k]
        altitude = planes[k, 3] - planes[k, 0] * x[0] - planes[k, 1] * x[1] - planes[k, 2] * x[2]
        depth = planes[k, 3] - planes[k, 0] * point[0] - planes[k, 1] * point[1] - planes[k, 2] * point[2]
        weights[k] = depth / altitude if altitude > 0.0 else 0.25
