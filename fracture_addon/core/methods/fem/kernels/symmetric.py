"""Eigenvalues of symmetric 3x3 matrices in closed form, for kernels. A matrix is given as xx yy zz yz xz xy.

The functions select values without branches, so that loops over matrices compile to vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

# Compiler options: no check for division by zero. Fused multiply-add is off: the compiler's choice of what to fuse
# depends on what it has inlined, so that results would depend on the order of compilation. Without fused multiply-add,
# the impact, drop and deformable recordings of tests/recordings.py took 0.8 to 1.0 of the time with it.
OPTIONS: dict[str, Any] = {"error_model": "numpy"}
THIRD = 1.0 / 3.0
# Smallest square treated as nonzero.
TINY = 1e-300


@njit(cache=True, forceinline=True, **OPTIONS)
def _eigenvector(
    xx: float, yy: float, zz: float, yz: float, xz: float, xy: float, value: float
) -> tuple[float, float, float, float]:
    """Return an eigenvector of an isolated eigenvalue and its squared length.

    The eigenvector is the longest cross product of two rows of A - value.
    """
    xx, yy, zz = xx - value, yy - value, zz - value
    # Rows are (xx, xy, xz), (xy, yy, yz), (xz, yz, zz).
    ax, ay, az = xy * yz - xz * yy, xz * xy - xx * yz, xx * yy - xy * xy
    bx, by, bz = xy * zz - xz * yz, xz * xz - xx * zz, xx * yz - xy * xz
    cx, cy, cz = yy * zz - yz * yz, yz * xz - xy * zz, xy * yz - yy * xz
    a, b, c = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
    second = b > a
    a, ax, ay, az = b if second else a, bx if second else ax, by if second else ay, bz if second else az
    third = c > a
    a, ax, ay, az = c if third else a, cx if third else ax, cy if third else ay, cz if third else az
    found = a > TINY
    return ax if found else 1.0, ay, az, a if found else 1.0


@njit(cache=True, forceinline=True, **OPTIONS)
def _twice_cosine_of_third(cosine: float) -> float:
    """Return 2 cos(angle / 3) of an angle from 0 to 90 degrees, twice the root x of 4 x^3 - 3 x = cosine.

    The slope there is 6 to 9. A polynomial with an error of 2e-8 and one Newton step are therefore exact to rounding.
    """
    upper = -0.014289564826 + cosine * (0.0076643017543 + cosine * (0.0005426077123 * cosine - 0.0029228305011))
    lower = 0.86602541639 + cosine * (0.16666504306 + cosine * (0.024392383832 * cosine - 0.048077350345))
    x = lower + cosine * cosine * (cosine * cosine * upper)
    x -= ((4.0 * x * x - 3.0) * x - cosine) / (12.0 * x * x - 3.0)
    return 2.0 * x


@njit(cache=True, forceinline=True, **OPTIONS)
def _isolated(
    xx: float, yy: float, zz: float, yz: float, xz: float, xy: float
) -> tuple[float, float, float, float, float]:
    """Return the eigenvalue farthest from the other two, its eigenvector and the squared length of the eigenvector.

    The roots are q + 2 p cos(angle + k 120 degrees). The root with the cosine nearest to +-1 is exact to rounding, even
    if the other two are equal.
    """
    mean = (xx + yy + zz) * THIRD
    a, b, c = xx - mean, yy - mean, zz - mean
    spread = np.sqrt((0.5 * (a * a + b * b + c * c) + yz * yz + xz * xz + xy * xy) * THIRD)
    determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    cube = 2.0 * spread * spread * spread
    half = determinant / (cube if cube > 0.0 else 1.0)
    size = abs(half)
    reach = spread * _twice_cosine_of_third(size if size < 1.0 else 1.0)
    value = mean + (reach if half >= 0.0 else -reach)
    x, y, z, square = _eigenvector(xx, yy, zz, yz, xz, xy, value)
    return value, x, y, z, square


@njit(cache=True, forceinline=True, **OPTIONS)
def _larger_across(
    xx: float, yy: float, zz: float, yz: float, xz: float, xy: float, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """Return the larger eigenvalue perpendicular to the eigenvector (x, y, z), and its eigenvector."""
    by_y = abs(x) > abs(y)
    scale = 1.0 / np.sqrt((x * x if by_y else y * y) + z * z)
    ux, uy, uz = -z * scale if by_y else 0.0, 0.0 if by_y else z * scale, (x if by_y else -y) * scale
    wx, wy, wz = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
    aux, auy, auz = xx * ux + xy * uy + xz * uz, xy * ux + yy * uy + yz * uz, xz * ux + yz * uy + zz * uz
    awx, awy, awz = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
    uu, uw, ww = ux * aux + uy * auy + uz * auz, wx * aux + wy * auy + wz * auz, wx * awx + wy * awy + wz * awz
    middle, half = 0.5 * (uu + ww), 0.5 * (uu - ww)
    radius = np.sqrt(half * half + uw * uw)
    # The direction of the larger one is (half + radius, uw), or (uw, radius - half) where the first form cancels.
    cosine, sine = half + radius if half >= 0.0 else uw, uw if half >= 0.0 else radius - half
    square = cosine * cosine + sine * sine
    scale = 1.0 / np.sqrt(square if square > 0.0 else 1.0)
    cosine, sine = cosine * scale if square > 0.0 else 1.0, sine * scale
    return (
        middle + radius,
        cosine * ux + sine * wx,
        cosine * uy + sine * wy,
        cosine * uz + sine * wz,
    )


@njit(cache=True, forceinline=True, **OPTIONS)
def _largest(xx: float, yy: float, zz: float, yz: float, xz: float, xy: float) -> tuple[float, float, float, float]:
    """Return the largest eigenvalue and its unit eigenvector."""
    value, x, y, z, square = _isolated(xx, yy, zz, yz, xz, xy)
    scale = 1.0 / np.sqrt(square)
    x, y, z = scale * x, scale * y, scale * z
    larger, lx, ly, lz = _larger_across(xx, yy, zz, yz, xz, xy, x, y, z)
    other = larger > value
    return larger if other else value, lx if other else x, ly if other else y, lz if other else z


@njit(cache=True, forceinline=True, **OPTIONS)
def _positive_part(
    xx: float, yy: float, zz: float, yz: float, xz: float, xy: float
) -> tuple[float, float, float, float, float, float]:
    """Return the sum over positive eigenvalues v of v n n^T (eq. 29).

    Perpendicular to the isolated eigenvector the matrix is middle + D, with the eigenvalues middle +- radius. Its
    positive part is the matrix itself if both are positive, and zero if both are negative. Otherwise it is
    above (D + radius) / (2 radius) with above = middle + radius. No other eigenvector is needed.
    """
    value, x, y, z, square = _isolated(xx, yy, zz, yz, xz, xy)
    scale = 1.0 / square
    sx, sy, sz = scale * x, scale * y, scale * z
    nxx, nyy, nzz, nyz, nxz, nxy = sx * x, sy * y, sz * z, sy * z, sx * z, sx * y
    middle = 0.5 * (xx + yy + zz - value)
    along = value - middle
    dxx, dyy, dzz = xx - middle - along * nxx, yy - middle - along * nyy, zz - middle - along * nzz
    dyz, dxz, dxy = yz - along * nyz, xz - along * nxz, xy - along * nxy
    radius = np.sqrt(0.5 * (dxx * dxx + dyy * dyy + dzz * dzz) + dyz * dyz + dxz * dxz + dxy * dxy)
    above = middle + radius if middle + radius > 0.0 else 0.0
    both = middle >= radius
    share = 1.0 if both else above / (2.0 * radius if radius > 0.0 else 1.0)
    across = middle if both else 0.5 * above
    rest = (value if value > 0.0 else 0.0) - across
    return (
        share * dxx + rest * nxx + across,
        share * dyy + rest * nyy + across,
        share * dzz + rest * nzz + across,
        share * dyz + rest * nyz,
        share * dxz + rest * nxz,
        share * dxy + rest * nxy,
    )
