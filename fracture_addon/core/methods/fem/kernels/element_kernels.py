"""Compiled versions of ``elements``: forces of blocks of elements on their corners.

Each region adds the forces of its elements to its rows (``regions``). Nodes then gather their rows (``node_kernels``).
No sum is shared by two threads, so that the result does not depend on their number. Loops over lanes have no branches
and call only inlined functions. They become vector instructions, and an element takes a third of the time.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS, Blocks, _place
from .regions import Regions, part_of
from .symmetric import OPTIONS, _largest


@njit(cache=True, **OPTIONS)
def _own_values(values: np.ndarray, regions: Regions, part: int) -> np.ndarray:
    """Return the rows of a region of nodal ``values`` (N, 3)."""
    first, last = regions.starts[part], regions.starts[part + 1]
    result = np.empty((last - first, 3))
    for row in range(last - first):
        node = np.uintp(regions.row_nodes[first + row])
        for axis in range(3):
            result[row, axis] = values[node, axis]
    return result


@njit(cache=True, **OPTIONS)
def _own_rates(velocity: np.ndarray, regions: Regions, part: int, law: np.ndarray) -> np.ndarray:
    """Return the rows of a region of velocities; an empty array without viscosity."""
    return _own_values(velocity, regions, part) if law[2] > 0.0 or law[3] > 0.0 else np.empty((0, 3))


@njit(cache=True, **OPTIONS)
def _edges(values: np.ndarray, rows: np.ndarray, start: np.uintp, edges: np.ndarray) -> None:
    """Write the differences of ``values`` (R, 3) along the three edges from the first corner: x y z of each edge."""
    for index in range(LANES):
        lane = np.uintp(index)
        row = start + lane
        a, b = np.uintp(rows[row, 0]), np.uintp(rows[row, 1])
        c, d = np.uintp(rows[row, 2]), np.uintp(rows[row, 3])
        for axis in range(3):
            first = values[a, axis]
            edges[_place(axis, lane)] = values[b, axis] - first
            edges[_place(3 + axis, lane)] = values[c, axis] - first
            edges[_place(6 + axis, lane)] = values[d, axis] - first


@njit(cache=True, **OPTIONS)
def _rates(velocity: np.ndarray, rows: np.ndarray, start: np.uintp, rates: np.ndarray) -> None:
    """Write the differences of velocities along the edges, or zero without viscosity."""
    if len(velocity) > 0:
        _edges(velocity, rows, start, rates)
    else:
        rates[:] = 0.0


@njit(cache=True, **OPTIONS)
def _gradient(edges: np.ndarray, basis: np.ndarray, base: np.uintp, lane: np.uintp) -> tuple[float, ...]:
    """Return the matrix of an element's edges times its basis, row by row."""
    b00, b01, b02 = basis[base + _place(0, lane)], basis[base + _place(1, lane)], basis[base + _place(2, lane)]
    b10, b11, b12 = basis[base + _place(3, lane)], basis[base + _place(4, lane)], basis[base + _place(5, lane)]
    b20, b21, b22 = basis[base + _place(6, lane)], basis[base + _place(7, lane)], basis[base + _place(8, lane)]
    p, q, r = edges[_place(0, lane)], edges[_place(3, lane)], edges[_place(6, lane)]
    f00, f01, f02 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
    p, q, r = edges[_place(1, lane)], edges[_place(4, lane)], edges[_place(7, lane)]
    f10, f11, f12 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
    p, q, r = edges[_place(2, lane)], edges[_place(5, lane)], edges[_place(8, lane)]
    f20, f21, f22 = p * b00 + q * b10 + r * b20, p * b01 + q * b11 + r * b21, p * b02 + q * b12 + r * b22
    return f00, f01, f02, f10, f11, f12, f20, f21, f22


@njit(cache=True, **OPTIONS)
def _stress(
    edges: np.ndarray,
    rates: np.ndarray,
    blocks: Blocks,
    start: np.uintp,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    gradients: np.ndarray,
    stresses: np.ndarray,
) -> None:
    """Write F (9) and second Piola-Kirchhoff stress (6, xx yy zz yz xz xy) of each element of a block."""
    dilation, rigidity, dilation_damping, rigidity_damping = law[0], law[1], law[2], law[3]
    base, plastic = np.uintp(9) * start, np.uintp(6) * start
    basis, strain = blocks.basis, blocks.plastic_strain
    for index in range(LANES):
        lane = np.uintp(index)
        f00, f01, f02, f10, f11, f12, f20, f21, f22 = _gradient(edges, basis, base, lane)
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = _gradient(rates, basis, base, lane)
        # Rounding of F^T F - 1 is about 1e-16, which is small enough; F - 1 would avoid the cancellation.
        exx = 0.5 * (f00 * f00 + f10 * f10 + f20 * f20 - 1.0) - strain[plastic + _place(0, lane)]
        eyy = 0.5 * (f01 * f01 + f11 * f11 + f21 * f21 - 1.0) - strain[plastic + _place(1, lane)]
        ezz = 0.5 * (f02 * f02 + f12 * f12 + f22 * f22 - 1.0) - strain[plastic + _place(2, lane)]
        eyz = 0.5 * (f01 * f02 + f11 * f12 + f21 * f22) - strain[plastic + _place(3, lane)]
        exz = 0.5 * (f00 * f02 + f10 * f12 + f20 * f22) - strain[plastic + _place(4, lane)]
        exy = 0.5 * (f00 * f01 + f10 * f11 + f20 * f21) - strain[plastic + _place(5, lane)]
        vxx, vyy = f00 * r00 + f10 * r10 + f20 * r20, f01 * r01 + f11 * r11 + f21 * r21
        vzz = f02 * r02 + f12 * r12 + f22 * r22
        vyz = 0.5 * (f01 * r02 + f11 * r12 + f21 * r22 + r01 * f02 + r11 * f12 + r21 * f22)
        vxz = 0.5 * (f00 * r02 + f10 * r12 + f20 * r22 + r00 * f02 + r10 * f12 + r20 * f22)
        vxy = 0.5 * (f00 * r01 + f10 * r11 + f20 * r21 + r00 * f01 + r10 * f11 + r20 * f21)
        share, viscous_share = stiffness[start + lane], damping[start + lane]
        elastic, viscous = 2.0 * share * rigidity, 2.0 * viscous_share * rigidity_damping
        volumetric = share * dilation * (exx + eyy + ezz) + viscous_share * dilation_damping * (vxx + vyy + vzz)
        stresses[_place(0, lane)] = volumetric + elastic * exx + viscous * vxx
        stresses[_place(1, lane)] = volumetric + elastic * eyy + viscous * vyy
        stresses[_place(2, lane)] = volumetric + elastic * ezz + viscous * vzz
        stresses[_place(3, lane)] = elastic * eyz + viscous * vyz
        stresses[_place(4, lane)] = elastic * exz + viscous * vxz
        stresses[_place(5, lane)] = elastic * exy + viscous * vxy
        gradients[_place(0, lane)], gradients[_place(1, lane)], gradients[_place(2, lane)] = f00, f01, f02
        gradients[_place(3, lane)], gradients[_place(4, lane)], gradients[_place(5, lane)] = f10, f11, f12
        gradients[_place(6, lane)], gradients[_place(7, lane)], gradients[_place(8, lane)] = f20, f21, f22
    if len(blocks.fibres) > 0:
        _add_fibres(rates, blocks, start, stiffness, damping, law, gradients, stresses)


@njit(cache=True, **OPTIONS)
def _add_fibres(
    rates: np.ndarray,
    blocks: Blocks,
    start: np.uintp,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    gradients: np.ndarray,
    stresses: np.ndarray,
) -> None:
    """Add the stress of the fibres of a block's elements, which resist strain along the grain."""
    base, plastic, first = np.uintp(9) * start, np.uintp(6) * start, np.uintp(3) * start
    basis, strain, fibres = blocks.basis, blocks.plastic_strain, blocks.fibres
    for index in range(LANES):
        lane = np.uintp(index)
        x, y, z = fibres[first + _place(0, lane)], fibres[first + _place(1, lane)], fibres[first + _place(2, lane)]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = _gradient(rates, basis, base, lane)
        # The fibre in world space, and its velocity per length.
        p = gradients[_place(0, lane)] * x + gradients[_place(1, lane)] * y + gradients[_place(2, lane)] * z
        q = gradients[_place(3, lane)] * x + gradients[_place(4, lane)] * y + gradients[_place(5, lane)] * z
        r = gradients[_place(6, lane)] * x + gradients[_place(7, lane)] * y + gradients[_place(8, lane)] * z
        u, v, w = r00 * x + r01 * y + r02 * z, r10 * x + r11 * y + r12 * z, r20 * x + r21 * y + r22 * z
        exx, eyy, ezz = (
            strain[plastic + _place(0, lane)],
            strain[plastic + _place(1, lane)],
            strain[plastic + _place(2, lane)],
        )
        eyz, exz, exy = (
            strain[plastic + _place(3, lane)],
            strain[plastic + _place(4, lane)],
            strain[plastic + _place(5, lane)],
        )
        flowed = x * x * exx + y * y * eyy + z * z * ezz + 2.0 * (y * z * eyz + x * z * exz + x * y * exy)
        stretch = 0.5 * (p * p + q * q + r * r - 1.0) - flowed
        size = stiffness[start + lane] * law[4] * stretch + damping[start + lane] * law[5] * (p * u + q * v + r * w)
        stresses[_place(0, lane)] += size * x * x
        stresses[_place(1, lane)] += size * y * y
        stresses[_place(2, lane)] += size * z * z
        stresses[_place(3, lane)] += size * y * z
        stresses[_place(4, lane)] += size * x * z
        stresses[_place(5, lane)] += size * x * y


@njit(cache=True, **OPTIONS)
def _products(
    gradients: np.ndarray, stresses: np.ndarray, blocks: Blocks, start: np.uintp, products: np.ndarray
) -> None:
    """Write -vol F S grad N of the last three corners of each element of a block: 9 components."""
    base = np.uintp(9) * start
    basis, volume = blocks.basis, blocks.volume
    for index in range(LANES):
        lane = np.uintp(index)
        scale = -volume[start + lane]
        xx, yy, zz = stresses[_place(0, lane)], stresses[_place(1, lane)], stresses[_place(2, lane)]
        yz, xz, xy = stresses[_place(3, lane)], stresses[_place(4, lane)], stresses[_place(5, lane)]
        b00, b01, b02 = basis[base + _place(0, lane)], basis[base + _place(1, lane)], basis[base + _place(2, lane)]
        b10, b11, b12 = basis[base + _place(3, lane)], basis[base + _place(4, lane)], basis[base + _place(5, lane)]
        b20, b21, b22 = basis[base + _place(6, lane)], basis[base + _place(7, lane)], basis[base + _place(8, lane)]
        x, y, z = (
            scale * gradients[_place(0, lane)],
            scale * gradients[_place(1, lane)],
            scale * gradients[_place(2, lane)],
        )
        p, q, r = x * xx + y * xy + z * xz, x * xy + y * yy + z * yz, x * xz + y * yz + z * zz
        products[_place(0, lane)] = p * b00 + q * b01 + r * b02
        products[_place(3, lane)] = p * b10 + q * b11 + r * b12
        products[_place(6, lane)] = p * b20 + q * b21 + r * b22
        x, y, z = (
            scale * gradients[_place(3, lane)],
            scale * gradients[_place(4, lane)],
            scale * gradients[_place(5, lane)],
        )
        p, q, r = x * xx + y * xy + z * xz, x * xy + y * yy + z * yz, x * xz + y * yz + z * zz
        products[_place(1, lane)] = p * b00 + q * b01 + r * b02
        products[_place(4, lane)] = p * b10 + q * b11 + r * b12
        products[_place(7, lane)] = p * b20 + q * b21 + r * b22
        x, y, z = (
            scale * gradients[_place(6, lane)],
            scale * gradients[_place(7, lane)],
            scale * gradients[_place(8, lane)],
        )
        p, q, r = x * xx + y * xy + z * xz, x * xy + y * yy + z * yz, x * xz + y * yz + z * zz
        products[_place(2, lane)] = p * b00 + q * b01 + r * b02
        products[_place(5, lane)] = p * b10 + q * b11 + r * b12
        products[_place(8, lane)] = p * b20 + q * b21 + r * b22


@njit(cache=True, **OPTIONS)
def _add_forces(products: np.ndarray, rows: np.ndarray, start: np.uintp, forces: np.ndarray) -> None:
    """Add the products to rows of ``forces`` (R, 3); the first corner gets minus the sum of the others."""
    for index in range(LANES):
        lane = np.uintp(index)
        row = start + lane
        first, second = np.uintp(rows[row, 0]), np.uintp(rows[row, 1])
        third, fourth = np.uintp(rows[row, 2]), np.uintp(rows[row, 3])
        for axis in range(3):
            b, c = products[_place(axis, lane)], products[_place(3 + axis, lane)]
            d = products[_place(6 + axis, lane)]
            forces[first, axis] -= b + c + d
            forces[second, axis] += b
            forces[third, axis] += c
            forces[fourth, axis] += d


@njit(cache=True, parallel=True, **OPTIONS)
def _forces_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    forces: np.ndarray,
) -> None:
    """Write the forces (R, 3) on the rows of regions, N; see ``elements.corner_forces``."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        edges, rates, products = np.empty(9 * LANES), np.empty(9 * LANES), np.empty(9 * LANES)
        gradients, stresses = np.empty(9 * LANES), np.empty(6 * LANES)
        here, moving = _own_values(position, regions, part), _own_rates(velocity, regions, part, law)
        mine = forces[regions.starts[part] : regions.starts[part + 1]]
        mine[:] = 0.0
        first, last = part_of(count, part)
        for block in range(first, last):
            start = np.uintp(block * LANES)
            _edges(here, regions.rows, start, edges)
            _rates(moving, regions.rows, start, rates)
            _stress(edges, rates, blocks, start, stiffness, damping, law, gradients, stresses)
            _products(gradients, stresses, blocks, start, products)
            _add_forces(products, regions.rows, start, mine)


@njit(cache=True, parallel=True, **OPTIONS)
def _stress_sizes_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Write the (B * LANES,) Frobenius norms of stress, Pa."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        edges, rates = np.empty(9 * LANES), np.empty(9 * LANES)
        gradients, stresses = np.empty(9 * LANES), np.empty(6 * LANES)
        here, moving = _own_values(position, regions, part), _own_rates(velocity, regions, part, law)
        first, last = part_of(count, part)
        for block in range(first, last):
            start = np.uintp(block * LANES)
            _edges(here, regions.rows, start, edges)
            _rates(moving, regions.rows, start, rates)
            _stress(edges, rates, blocks, start, stiffness, damping, law, gradients, stresses)
            _sizes(stresses, start, sizes)


@njit(cache=True, **OPTIONS)
def _sizes(stresses: np.ndarray, start: np.uintp, sizes: np.ndarray) -> None:
    """Write the Frobenius norms of a block's stresses."""
    for index in range(LANES):
        lane = np.uintp(index)
        xx, yy, zz = stresses[_place(0, lane)], stresses[_place(1, lane)], stresses[_place(2, lane)]
        yz, xz, xy = stresses[_place(3, lane)], stresses[_place(4, lane)], stresses[_place(5, lane)]
        sizes[start + lane] = np.sqrt(xx * xx + yy * yy + zz * zz + 2.0 * (yz * yz + xz * xz + xy * xy))


@njit(cache=True, **OPTIONS)
def _curvature_kernel(basis: np.ndarray, rows: np.ndarray, curvature: np.ndarray) -> None:
    """Write the (A,) largest eigenvalues of the sum over corners of grad N grad N^T, 1/m2, which limit the step."""
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
