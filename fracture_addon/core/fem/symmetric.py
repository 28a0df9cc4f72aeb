"""Eigenvalues of symmetric 3x3 matrices in closed form, for kernels. A matrix is its six numbers xx yy zz yz xz xy."""

from __future__ import annotations

import numpy as np
from numba import njit

# No check for division by zero, and multiplications may be fused with additions; nothing is reordered.
FAST = {"error_model": "numpy", "fastmath": {"contract"}}


@njit(cache=True, **FAST)
def _eigenvector(xx, yy, zz, yz, xz, xy, value):
    """Unit eigenvector of an isolated eigenvalue: the longest cross product of two rows of A - value."""
    xx, yy, zz = xx - value, yy - value, zz - value
    # Rows are (xx, xy, xz), (xy, yy, yz), (xz, yz, zz).
    ax, ay, az = xy * yz - xz * yy, xz * xy - xx * yz, xx * yy - xy * xy
    bx, by, bz = xy * zz - xz * yz, xz * xz - xx * zz, xx * yz - xy * xz
    cx, cy, cz = yy * zz - yz * yz, yz * xz - xy * zz, xy * yz - yy * xz
    a, b, c = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
    if b > a:
        a, ax, ay, az = b, bx, by, bz
    if c > a:
        a, ax, ay, az = c, cx, cy, cz
    if a > 0.0:
        scale = 1.0 / np.sqrt(a)
        return ax * scale, ay * scale, az * scale
    return 1.0, 0.0, 0.0


@njit(cache=True, **FAST)
def _isolated(xx, yy, zz, yz, xz, xy):
    """The eigenvalue furthest from the other two and its unit eigenvector.

    Of the three roots q + 2 p cos(angle + k 120 degrees) the one with the cosine nearest to +-1 is exact to rounding,
    however close together the other two are.
    """
    mean = (xx + yy + zz) / 3.0
    a, b, c = xx - mean, yy - mean, zz - mean
    spread = np.sqrt((a * a + b * b + c * c + 2.0 * (yz * yz + xz * xz + xy * xy)) / 6.0)
    if spread <= 1e-15 * abs(mean):
        return mean, 1.0, 0.0, 0.0
    half = 0.5 * (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / (spread**3)
    half = min(max(half, -1.0), 1.0)
    if half >= 0.0:
        value = mean + 2.0 * spread * np.cos(np.arccos(half) / 3.0)
    else:
        value = mean - 2.0 * spread * np.cos(np.arccos(-half) / 3.0)
    x, y, z = _eigenvector(xx, yy, zz, yz, xz, xy, value)
    return value, x, y, z


@njit(cache=True, **FAST)
def _others(xx, yy, zz, yz, xz, xy, x, y, z):
    """Larger and smaller eigenvalue across the eigenvector (x, y, z), and the larger one's eigenvector."""
    if abs(x) > abs(y):
        scale = 1.0 / np.sqrt(x * x + z * z)
        ux, uy, uz = -z * scale, 0.0, x * scale
    else:
        scale = 1.0 / np.sqrt(y * y + z * z)
        ux, uy, uz = 0.0, z * scale, -y * scale
    wx, wy, wz = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
    aux, auy, auz = xx * ux + xy * uy + xz * uz, xy * ux + yy * uy + yz * uz, xz * ux + yz * uy + zz * uz
    awx, awy, awz = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
    uu, uw, ww = ux * aux + uy * auy + uz * auz, wx * aux + wy * auy + wz * auz, wx * awx + wy * awy + wz * awz
    middle, half = 0.5 * (uu + ww), 0.5 * (uu - ww)
    radius = np.sqrt(half * half + uw * uw)
    # The larger one's direction is (half + radius, uw) or, without cancelling, (uw, radius - half).
    if half >= 0.0:
        cosine, sine = half + radius, uw
    else:
        cosine, sine = uw, radius - half
    length = np.sqrt(cosine * cosine + sine * sine)
    if length > 0.0:
        cosine, sine = cosine / length, sine / length
    else:
        cosine, sine = 1.0, 0.0
    return (
        middle + radius,
        middle - radius,
        cosine * ux + sine * wx,
        cosine * uy + sine * wy,
        cosine * uz + sine * wz,
    )


@njit(cache=True, **FAST)
def _largest(xx, yy, zz, yz, xz, xy):
    """Largest eigenvalue and its unit eigenvector."""
    value, x, y, z = _isolated(xx, yy, zz, yz, xz, xy)
    larger, _, lx, ly, lz = _others(xx, yy, zz, yz, xz, xy, x, y, z)
    if larger > value:
        return larger, lx, ly, lz
    return value, x, y, z


@njit(cache=True, **FAST)
def _positive_part(xx, yy, zz, yz, xz, xy):
    """Sum over positive eigenvalues v of v n n^T (eq. 29)."""
    value, x, y, z = _isolated(xx, yy, zz, yz, xz, xy)
    larger, smaller, lx, ly, lz = _others(xx, yy, zz, yz, xz, xy, x, y, z)
    if value <= 0.0 and larger <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if value >= 0.0 and smaller >= 0.0:
        return xx, yy, zz, yz, xz, xy
    # A sum of the one or two positive members.
    one, two, three = max(value, 0.0), max(larger, 0.0), max(smaller, 0.0)
    sx, sy, sz = y * lz - z * ly, z * lx - x * lz, x * ly - y * lx
    return (
        one * x * x + two * lx * lx + three * sx * sx,
        one * y * y + two * ly * ly + three * sy * sy,
        one * z * z + two * lz * lz + three * sz * sz,
        one * y * z + two * ly * lz + three * sy * sz,
        one * x * z + two * lx * lz + three * sx * sz,
        one * x * y + two * lx * ly + three * sx * sy,
    )
