"""Flat, parallel twins of ``elements``: what each element does to each of its corners.

Nodes gather from the list of their corners (``node_kernels``). Nothing is added up by two threads, so that the result
does not depend on how many there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .symmetric import FAST, _largest, _positive_part


@njit(cache=True, **FAST)
def _row(index):
    """An index that needs no check for counting from the end."""
    return np.uintp(index)


@njit(cache=True, **FAST)
def _element_stress(e, position, velocity, elements, basis, stiffness, damping, plastic_strain, law):
    """Stress (6) and deformation gradient (9) of one element."""
    a, b, c, d = _row(elements[e, 0]), _row(elements[e, 1]), _row(elements[e, 2]), _row(elements[e, 3])
    b00, b01, b02 = basis[e, 0, 0], basis[e, 0, 1], basis[e, 0, 2]
    b10, b11, b12 = basis[e, 1, 0], basis[e, 1, 1], basis[e, 1, 2]
    b20, b21, b22 = basis[e, 2, 0], basis[e, 2, 1], basis[e, 2, 2]
    p, q, r = position[b, 0] - position[a, 0], position[c, 0] - position[a, 0], position[d, 0] - position[a, 0]
    f00, f01, f02 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
    p, q, r = position[b, 1] - position[a, 1], position[c, 1] - position[a, 1], position[d, 1] - position[a, 1]
    f10, f11, f12 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
    p, q, r = position[b, 2] - position[a, 2], position[c, 2] - position[a, 2], position[d, 2] - position[a, 2]
    f20, f21, f22 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
    # Green strain without cancelling at small displacements would need F - 1; float64 leaves 1e-16, which is enough.
    exx = 0.5 * (f00 * f00 + f10 * f10 + f20 * f20 - 1.0) - plastic_strain[e, 0, 0]
    eyy = 0.5 * (f01 * f01 + f11 * f11 + f21 * f21 - 1.0) - plastic_strain[e, 1, 1]
    ezz = 0.5 * (f02 * f02 + f12 * f12 + f22 * f22 - 1.0) - plastic_strain[e, 2, 2]
    eyz = 0.5 * (f01 * f02 + f11 * f12 + f21 * f22) - plastic_strain[e, 1, 2]
    exz = 0.5 * (f00 * f02 + f10 * f12 + f20 * f22) - plastic_strain[e, 0, 2]
    exy = 0.5 * (f00 * f01 + f10 * f11 + f20 * f21) - plastic_strain[e, 0, 1]
    volumetric, double = stiffness * law[0] * (exx + eyy + ezz), 2.0 * stiffness * law[1]
    sxx, syy, szz = volumetric + double * exx, volumetric + double * eyy, volumetric + double * ezz
    syz, sxz, sxy = double * eyz, double * exz, double * exy
    if damping > 0.0:
        p, q, r = velocity[b, 0] - velocity[a, 0], velocity[c, 0] - velocity[a, 0], velocity[d, 0] - velocity[a, 0]
        r00, r01, r02 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
        p, q, r = velocity[b, 1] - velocity[a, 1], velocity[c, 1] - velocity[a, 1], velocity[d, 1] - velocity[a, 1]
        r10, r11, r12 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
        p, q, r = velocity[b, 2] - velocity[a, 2], velocity[c, 2] - velocity[a, 2], velocity[d, 2] - velocity[a, 2]
        r20, r21, r22 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
        vxx = f00 * r00 + f10 * r10 + f20 * r20
        vyy = f01 * r01 + f11 * r11 + f21 * r21
        vzz = f02 * r02 + f12 * r12 + f22 * r22
        volumetric, double = damping * law[2] * (vxx + vyy + vzz), 2.0 * damping * law[3]
        half = 0.5 * double
        sxx, syy, szz = (
            sxx + volumetric + double * vxx,
            syy + volumetric + double * vyy,
            szz + volumetric + double * vzz,
        )
        syz += half * (f01 * r02 + f11 * r12 + f21 * r22 + r01 * f02 + r11 * f12 + r21 * f22)
        sxz += half * (f00 * r02 + f10 * r12 + f20 * r22 + r00 * f02 + r10 * f12 + r20 * f22)
        sxy += half * (f00 * r01 + f10 * r11 + f20 * r21 + r00 * f01 + r10 * f11 + r20 * f21)
    return sxx, syy, szz, syz, sxz, sxy, f00, f01, f02, f10, f11, f12, f20, f21, f22


@njit(cache=True, **FAST)
def _write_corners(i, e, scale, basis, m00, m01, m02, m10, m11, m12, m20, m21, m22, out):
    """Write ``scale * M grad N`` of all four corners to row i of ``out`` (A, 4, 3)."""
    gx, gy, gz = scale * basis[e, 0, 0], scale * basis[e, 0, 1], scale * basis[e, 0, 2]
    hx, hy, hz = scale * basis[e, 1, 0], scale * basis[e, 1, 1], scale * basis[e, 1, 2]
    kx, ky, kz = scale * basis[e, 2, 0], scale * basis[e, 2, 1], scale * basis[e, 2, 2]
    bx, by, bz = m00 * gx + m01 * gy + m02 * gz, m10 * gx + m11 * gy + m12 * gz, m20 * gx + m21 * gy + m22 * gz
    cx, cy, cz = m00 * hx + m01 * hy + m02 * hz, m10 * hx + m11 * hy + m12 * hz, m20 * hx + m21 * hy + m22 * hz
    dx, dy, dz = m00 * kx + m01 * ky + m02 * kz, m10 * kx + m11 * ky + m12 * kz, m20 * kx + m21 * ky + m22 * kz
    out[i, 0, 0], out[i, 0, 1], out[i, 0, 2] = -bx - cx - dx, -by - cy - dy, -bz - cz - dz
    out[i, 1, 0], out[i, 1, 1], out[i, 1, 2] = bx, by, bz
    out[i, 2, 0], out[i, 2, 1], out[i, 2, 2] = cx, cy, cz
    out[i, 3, 0], out[i, 3, 1], out[i, 3, 2] = dx, dy, dz


@njit(cache=True, **FAST)
def _write_stress_forces(i, e, scale, basis, f, sxx, syy, szz, syz, sxz, sxy, out):
    """Write ``scale * F S grad N`` of all four corners; ``f`` is F row by row."""
    f00, f01, f02, f10, f11, f12, f20, f21, f22 = f
    _write_corners(
        i,
        e,
        scale,
        basis,
        f00 * sxx + f01 * sxy + f02 * sxz,
        f00 * sxy + f01 * syy + f02 * syz,
        f00 * sxz + f01 * syz + f02 * szz,
        f10 * sxx + f11 * sxy + f12 * sxz,
        f10 * sxy + f11 * syy + f12 * syz,
        f10 * sxz + f11 * syz + f12 * szz,
        f20 * sxx + f21 * sxy + f22 * sxz,
        f20 * sxy + f21 * syy + f22 * syz,
        f20 * sxz + f21 * syz + f22 * szz,
        out,
    )


@njit(cache=True, parallel=True, **FAST)
def _corner_forces_kernel(
    position, velocity, elements, rows, basis, volume, stiffness, damping, plastic_strain, law, forces
):
    """(A, 4, 3) forces on corners of the elements ``rows``; see ``elements.corner_forces``."""
    for i in prange(len(rows)):
        e = _row(rows[i])
        sxx, syy, szz, syz, sxz, sxy, f00, f01, f02, f10, f11, f12, f20, f21, f22 = _element_stress(
            e, position, velocity, elements, basis, stiffness[e], damping[e], plastic_strain, law
        )
        f = (f00, f01, f02, f10, f11, f12, f20, f21, f22)
        _write_stress_forces(i, e, -volume[e], basis, f, sxx, syy, szz, syz, sxz, sxy, forces)


@njit(cache=True, parallel=True, **FAST)
def _stress_sizes_kernel(position, velocity, elements, rows, basis, damping, plastic_strain, law, sizes):
    """(A,) Frobenius norms of the stress of unsoftened elements, Pa."""
    for i in prange(len(rows)):
        e = _row(rows[i])
        sxx, syy, szz, syz, sxz, sxy, _, _, _, _, _, _, _, _, _ = _element_stress(
            e, position, velocity, elements, basis, 1.0, damping[e], plastic_strain, law
        )
        sizes[i] = np.sqrt(sxx * sxx + syy * syy + szz * szz + 2.0 * (syz * syz + sxz * sxz + sxy * sxy))


@njit(cache=True, parallel=True, **FAST)
def _split_forces_kernel(
    position, velocity, elements, rows, wanted, basis, volume, damping, plastic_strain, law, tensile, compressive, areas
):
    """Forces (A, 4, 3) by the tensile and the compressive part of stress, and areas 1/2 vol F grad N.

    Only of the elements ``rows[wanted]``, and as if they were not softened: an element that has to be soft for the
    step's sake would else never tear.
    """
    for j in prange(len(wanted)):
        i = _row(wanted[j])
        e = _row(rows[i])
        sxx, syy, szz, syz, sxz, sxy, f00, f01, f02, f10, f11, f12, f20, f21, f22 = _element_stress(
            e, position, velocity, elements, basis, 1.0, damping[e], plastic_strain, law
        )
        f = (f00, f01, f02, f10, f11, f12, f20, f21, f22)
        pxx, pyy, pzz, pyz, pxz, pxy = _positive_part(sxx, syy, szz, syz, sxz, sxy)
        _write_stress_forces(i, e, -volume[e], basis, f, pxx, pyy, pzz, pyz, pxz, pxy, tensile)
        sxx, syy, szz, syz, sxz, sxy = sxx - pxx, syy - pyy, szz - pzz, syz - pyz, sxz - pxz, sxy - pxy
        _write_stress_forces(i, e, -volume[e], basis, f, sxx, syy, szz, syz, sxz, sxy, compressive)
        _write_corners(i, e, 0.5 * volume[e], basis, f00, f01, f02, f10, f11, f12, f20, f21, f22, areas)


@njit(cache=True, **FAST)
def _curvature_kernel(basis, rows, curvature):
    """(A,) largest eigenvalue of the sum over corners of grad N grad N^T, 1/m2: what limits an element's step."""
    for i in range(len(rows)):
        b = basis[rows[i]]
        xx = yy = zz = yz = xz = xy = 0.0
        tx = ty = tz = 0.0
        for k in range(3):
            x, y, z = b[k, 0], b[k, 1], b[k, 2]
            tx, ty, tz = tx - x, ty - y, tz - z
            xx, yy, zz, yz, xz, xy = xx + x * x, yy + y * y, zz + z * z, yz + y * z, xz + x * z, xy + x * y
        xx, yy, zz = xx + tx * tx, yy + ty * ty, zz + tz * tz
        yz, xz, xy = yz + ty * tz, xz + tx * tz, xy + tx * ty
        curvature[i], _, _, _ = _largest(xx, yy, zz, yz, xz, xy)
