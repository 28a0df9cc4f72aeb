"""Parallel twin of ``separation``: elements add what they pull at nodes, then nodes find their largest eigenvalue."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS, SUM_PARTS, _place
from .element_kernels import _corners, _edges, _products, _rates, _stress
from .symmetric import FAST, _largest, _positive_part

# What a node adds up: six components of a tensor, then three each of tensile and compressive force.
SUMS = 12
# Added to squares of lengths, N2: a null vector has no direction (eq. 28).
TINY = 1e-300


@njit(cache=True, **FAST)
def _split(stresses, tensile, compressive):
    """Write the parts of a block's stresses."""
    for index in range(LANES):
        lane = np.uintp(index)
        xx, yy, zz = stresses[_place(0, lane)], stresses[_place(1, lane)], stresses[_place(2, lane)]
        yz, xz, xy = stresses[_place(3, lane)], stresses[_place(4, lane)], stresses[_place(5, lane)]
        pxx, pyy, pzz, pyz, pxz, pxy = _positive_part(xx, yy, zz, yz, xz, xy)
        tensile[_place(0, lane)], compressive[_place(0, lane)] = pxx, xx - pxx
        tensile[_place(1, lane)], compressive[_place(1, lane)] = pyy, yy - pyy
        tensile[_place(2, lane)], compressive[_place(2, lane)] = pzz, zz - pzz
        tensile[_place(3, lane)], compressive[_place(3, lane)] = pyz, yz - pyz
        tensile[_place(4, lane)], compressive[_place(4, lane)] = pxz, xz - pxz
        tensile[_place(5, lane)], compressive[_place(5, lane)] = pxy, xy - pxy


@njit(cache=True, forceinline=True, **FAST)
def _inverse_length(x, y, z):
    square = x * x + y * y + z * z
    return 1.0 / np.sqrt(square) if square > TINY else 0.0


@njit(cache=True, forceinline=True, **FAST)
def _inverse_pair(x, y, z, u, v, w):
    """One over the lengths of two vectors by one division; of a null vector it is large, but multiplies nothing."""
    first, second = np.sqrt(x * x + y * y + z * z + TINY), np.sqrt(u * u + v * v + w * w + TINY)
    inverse = 1.0 / (first * second)
    return second * inverse, first * inverse


@njit(cache=True, **FAST)
def _inverse_lengths(pulls, presses, pull_scale, press_scale):
    """Write one over the lengths of the forces on all four corners: 4 components each."""
    for index in range(LANES):
        lane = np.uintp(index)
        bx, by, bz = pulls[_place(0, lane)], pulls[_place(1, lane)], pulls[_place(2, lane)]
        cx, cy, cz = pulls[_place(3, lane)], pulls[_place(4, lane)], pulls[_place(5, lane)]
        dx, dy, dz = pulls[_place(6, lane)], pulls[_place(7, lane)], pulls[_place(8, lane)]
        eu, ev, ew = presses[_place(0, lane)], presses[_place(1, lane)], presses[_place(2, lane)]
        fu, fv, fw = presses[_place(3, lane)], presses[_place(4, lane)], presses[_place(5, lane)]
        gu, gv, gw = presses[_place(6, lane)], presses[_place(7, lane)], presses[_place(8, lane)]
        pull_scale[_place(0, lane)], press_scale[_place(0, lane)] = _inverse_pair(
            bx + cx + dx, by + cy + dy, bz + cz + dz, eu + fu + gu, ev + fv + gv, ew + fw + gw
        )
        pull_scale[_place(1, lane)], press_scale[_place(1, lane)] = _inverse_pair(bx, by, bz, eu, ev, ew)
        pull_scale[_place(2, lane)], press_scale[_place(2, lane)] = _inverse_pair(cx, cy, cz, fu, fv, fw)
        pull_scale[_place(3, lane)], press_scale[_place(3, lane)] = _inverse_pair(dx, dy, dz, gu, gv, gw)


@njit(cache=True, **FAST)
def _add(pulls, pull_scale, presses, press_scale, nodes, start, sums):
    """Add a block's tensile and compressive forces to ``sums`` (N, SUMS) of their nodes."""
    for index in range(LANES):
        lane = np.uintp(index)
        for corner in range(4):
            if corner > 0:
                place = 3 * corner - 3
                x, y, z = pulls[_place(place, lane)], pulls[_place(place + 1, lane)], pulls[_place(place + 2, lane)]
                u, v, w = (
                    presses[_place(place, lane)],
                    presses[_place(place + 1, lane)],
                    presses[_place(place + 2, lane)],
                )
            else:
                x = -pulls[_place(0, lane)] - pulls[_place(3, lane)] - pulls[_place(6, lane)]
                y = -pulls[_place(1, lane)] - pulls[_place(4, lane)] - pulls[_place(7, lane)]
                z = -pulls[_place(2, lane)] - pulls[_place(5, lane)] - pulls[_place(8, lane)]
                u = -presses[_place(0, lane)] - presses[_place(3, lane)] - presses[_place(6, lane)]
                v = -presses[_place(1, lane)] - presses[_place(4, lane)] - presses[_place(7, lane)]
                w = -presses[_place(2, lane)] - presses[_place(5, lane)] - presses[_place(8, lane)]
            s, t = pull_scale[_place(corner, lane)], -press_scale[_place(corner, lane)]
            node = np.uintp(nodes[start + lane, corner])
            sums[node, 0] += s * x * x + t * u * u
            sums[node, 1] += s * y * y + t * v * v
            sums[node, 2] += s * z * z + t * w * w
            sums[node, 3] += s * y * z + t * v * w
            sums[node, 4] += s * x * z + t * u * w
            sums[node, 5] += s * x * y + t * u * v
            sums[node, 6] += x
            sums[node, 7] += y
            sums[node, 8] += z
            sums[node, 9] += u
            sums[node, 10] += v
            sums[node, 11] += w


@njit(cache=True, parallel=True, **FAST)
def _pulls_kernel(position, velocity, blocks, wanted, stiffness, damping, law, sums, areas):
    """Sums (SUM_PARTS, N, SUMS) of what the blocks ``wanted`` do to nodes; areas (B * LANES, 4, 3) 1/2 vol F grad N."""
    for part in prange(SUM_PARTS):
        edges, rates, gradients = np.empty(9 * LANES), np.empty(9 * LANES), np.empty(9 * LANES)
        stresses, tensile, compressive = np.empty(6 * LANES), np.empty(6 * LANES), np.empty(6 * LANES)
        pulls, presses, halves = np.empty(9 * LANES), np.empty(9 * LANES), np.empty(9 * LANES)
        pull_scale, press_scale, half = np.empty(4 * LANES), np.empty(4 * LANES), np.zeros(6 * LANES)
        half[: 3 * LANES] = -0.5
        mine = sums[part]
        mine[:] = 0.0
        for row in range(part * len(wanted) // SUM_PARTS, (part + 1) * len(wanted) // SUM_PARTS):
            start = np.uintp(wanted[row] * LANES)
            _edges(position, blocks.nodes, start, edges)
            _rates(velocity, blocks.nodes, start, law, rates)
            _stress(edges, rates, blocks, start, stiffness, damping, law, gradients, stresses)
            _split(stresses, tensile, compressive)
            _products(gradients, tensile, blocks, start, pulls)
            _products(gradients, compressive, blocks, start, presses)
            _inverse_lengths(pulls, presses, pull_scale, press_scale)
            _add(pulls, pull_scale, presses, press_scale, blocks.nodes, start, mine)
            _products(gradients, half, blocks, start, halves)
            _corners(halves, start, areas)


@njit(cache=True, **FAST)
def _tensor(sums, node, tensors, lane):
    """Write twice the separation tensor of a node (eq. 32)."""
    xx = yy = zz = yz = xz = xy = 0.0
    px = py = pz = cx = cy = cz = 0.0
    for part in range(SUM_PARTS):
        row = sums[part, node]
        xx, yy, zz, yz, xz, xy = xx + row[0], yy + row[1], zz + row[2], yz + row[3], xz + row[4], xy + row[5]
        px, py, pz, cx, cy, cz = px + row[6], py + row[7], pz + row[8], cx + row[9], cy + row[10], cz + row[11]
    s, t = -_inverse_length(px, py, pz), _inverse_length(cx, cy, cz)
    tensors[_place(0, lane)] = xx + s * px * px + t * cx * cx
    tensors[_place(1, lane)] = yy + s * py * py + t * cy * cy
    tensors[_place(2, lane)] = zz + s * pz * pz + t * cz * cz
    tensors[_place(3, lane)] = yz + s * py * pz + t * cy * cz
    tensors[_place(4, lane)] = xz + s * px * pz + t * cx * cz
    tensors[_place(5, lane)] = xy + s * px * py + t * cx * cy


@njit(cache=True, **FAST)
def _scale(tensors, lane, metric):
    """Multiply a tensor with a metric (3, 3) from both sides."""
    xx, yy, zz = tensors[_place(0, lane)], tensors[_place(1, lane)], tensors[_place(2, lane)]
    yz, xz, xy = tensors[_place(3, lane)], tensors[_place(4, lane)], tensors[_place(5, lane)]
    for component in range(6):
        a = metric[component if component < 3 else (1 if component == 3 else 0)]
        b = metric[component if component < 3 else (1 if component == 5 else 2)]
        tensors[_place(component, lane)] = (
            (a[0] * xx + a[1] * xy + a[2] * xz) * b[0]
            + (a[0] * xy + a[1] * yy + a[2] * yz) * b[1]
            + (a[0] * xz + a[1] * yz + a[2] * zz) * b[2]
        )


@njit(cache=True, **FAST)
def _directions(tensors, found):
    """Write the largest eigenvalues and their directions: 4 components."""
    for index in range(LANES):
        lane = np.uintp(index)
        largest, x, y, z = _largest(
            tensors[_place(0, lane)],
            tensors[_place(1, lane)],
            tensors[_place(2, lane)],
            tensors[_place(3, lane)],
            tensors[_place(4, lane)],
            tensors[_place(5, lane)],
        )
        found[_place(0, lane)] = 0.5 * largest if largest > 0.0 else 0.0
        found[_place(1, lane)], found[_place(2, lane)], found[_place(3, lane)] = x, y, z


@njit(cache=True, parallel=True, **FAST)
def _separation_kernel(starts, corners, nodes, sums, areas, metric, value, normal, area):
    """Largest eigenvalue, its direction and area of each of ``nodes``; see ``separation.separation``.

    ``metric`` (K, 3, 3) is applied on both sides of the tensors, see ``separation.direction_metric``; it may be empty.
    """
    count = -(-len(nodes) // LANES)
    for part in prange(PARTS):
        tensors, found = np.zeros(6 * LANES), np.empty(4 * LANES)
        for block in range(part * count // PARTS, (part + 1) * count // PARTS):
            first = block * LANES
            filled = min(LANES, len(nodes) - first)
            for index in range(filled):
                _tensor(sums, nodes[first + index], tensors, np.uintp(index))
                if len(metric) > 0:
                    _scale(tensors, np.uintp(index), metric[first + index])
            _directions(tensors, found)
            for index in range(filled):
                node, lane = nodes[first + index], np.uintp(index)
                x, y, z = found[_place(1, lane)], found[_place(2, lane)], found[_place(3, lane)]
                if len(metric) > 0:
                    x, y, z = _along(metric[first + index], x, y, z)
                total = 0.0
                for row in range(starts[node], starts[node + 1]):
                    corner = np.uintp(corners[row])
                    total += abs(x * areas[corner, 0] + y * areas[corner, 1] + z * areas[corner, 2])
                value[node], area[node] = found[_place(0, lane)], total
                normal[node, 0], normal[node, 1], normal[node, 2] = x, y, z


@njit(cache=True, **FAST)
def _along(metric, x, y, z):
    """Unit vector along a metric (3, 3) times a vector."""
    a, b, c = metric[0], metric[1], metric[2]
    x, y, z = (
        a[0] * x + a[1] * y + a[2] * z,
        b[0] * x + b[1] * y + b[2] * z,
        c[0] * x + c[1] * y + c[2] * z,
    )
    scale = _inverse_length(x, y, z)
    return scale * x, scale * y, scale * z
