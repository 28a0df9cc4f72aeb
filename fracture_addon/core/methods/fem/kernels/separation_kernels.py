"""Separation tensor of the nodes, and its largest eigenvalue; see ``cracks.separation``.

Elements add their tensile and compressive terms at nodes. Then each node gets the largest eigenvalue of its tensor.
Finally elements add their areas across the direction of this eigenvalue.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS, Blocks, _place
from .element_kernels import _edges, _own_rates, _own_values, _products, _rates, _stress
from .regions import Regions, part_of
from .symmetric import OPTIONS, _largest, _positive_part

# Sums of a node: six components of a tensor, then three each of tensile and compressive force.
SUMS = 12
# Smallest squared length of a force treated as nonzero, N2: a null vector has no direction (eq. 28).
TINY = 1e-300


@njit(cache=True, **OPTIONS)
def _split(stresses: np.ndarray, tensile: np.ndarray, compressive: np.ndarray) -> None:
    """Write the tensile and compressive parts of a block's stresses."""
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


@njit(cache=True, forceinline=True, **OPTIONS)
def _inverse_length(x: float, y: float, z: float) -> float:
    """Return one over the length of a vector; 0 for a null vector."""
    square = x * x + y * y + z * z
    return 1.0 / np.sqrt(square) if square > TINY else 0.0


@njit(cache=True, forceinline=True, **OPTIONS)
def _inverse_pair(x: float, y: float, z: float, u: float, v: float, w: float) -> tuple[float, float]:
    """Return one over the lengths of two vectors with one division; a large number for a null vector."""
    first, second = np.sqrt(x * x + y * y + z * z + TINY), np.sqrt(u * u + v * v + w * w + TINY)
    inverse = 1.0 / (first * second)
    return second * inverse, first * inverse


@njit(cache=True, forceinline=True, **OPTIONS)
def _square(
    x: float, y: float, z: float, u: float, v: float, w: float
) -> tuple[float, float, float, float, float, float]:
    """Return m(a) - m(b) of two vectors, with m(a) = a a^T / |a| (eq. 28), as xx yy zz yz xz xy."""
    s, t = _inverse_pair(x, y, z, u, v, w)
    sx, sy, sz, tu, tv, tw = s * x, s * y, s * z, t * u, t * v, t * w
    return sx * x - tu * u, sy * y - tv * v, sz * z - tw * w, sy * z - tv * w, sx * z - tu * w, sx * y - tu * v


@njit(cache=True, **OPTIONS)
def _terms(pulls: np.ndarray, presses: np.ndarray, terms: np.ndarray) -> None:
    """Write the terms of a block's four corners, ``SUMS`` components each.

    The loop over corners is the inner one. In the other order, a freshly compiled kernel and the same kernel from the
    cache differed in rounding.
    """
    for index in range(LANES):
        lane = np.uintp(index)
        for corner in range(4):
            if corner > 0:
                place = 3 * corner - 3
                x, y, z = pulls[_place(place, lane)], pulls[_place(place + 1, lane)], pulls[_place(place + 2, lane)]
                u, v = presses[_place(place, lane)], presses[_place(place + 1, lane)]
                w = presses[_place(place + 2, lane)]
            else:
                x = -pulls[_place(0, lane)] - pulls[_place(3, lane)] - pulls[_place(6, lane)]
                y = -pulls[_place(1, lane)] - pulls[_place(4, lane)] - pulls[_place(7, lane)]
                z = -pulls[_place(2, lane)] - pulls[_place(5, lane)] - pulls[_place(8, lane)]
                u = -presses[_place(0, lane)] - presses[_place(3, lane)] - presses[_place(6, lane)]
                v = -presses[_place(1, lane)] - presses[_place(4, lane)] - presses[_place(7, lane)]
                w = -presses[_place(2, lane)] - presses[_place(5, lane)] - presses[_place(8, lane)]
            xx, yy, zz, yz, xz, xy = _square(x, y, z, u, v, w)
            first = SUMS * corner
            terms[_place(first, lane)], terms[_place(first + 1, lane)], terms[_place(first + 2, lane)] = xx, yy, zz
            terms[_place(first + 3, lane)], terms[_place(first + 4, lane)], terms[_place(first + 5, lane)] = yz, xz, xy
            terms[_place(first + 6, lane)], terms[_place(first + 7, lane)], terms[_place(first + 8, lane)] = x, y, z
            terms[_place(first + 9, lane)], terms[_place(first + 10, lane)], terms[_place(first + 11, lane)] = u, v, w


@njit(cache=True, **OPTIONS)
def _add(terms: np.ndarray, rows: np.ndarray, start: np.uintp, sums: np.ndarray) -> None:
    """Add a block's terms to ``sums`` (R, SUMS) of their rows."""
    for index in range(LANES):
        lane = np.uintp(index)
        for corner in range(4):
            row = np.uintp(rows[start + lane, corner])
            for component in range(SUMS):
                sums[row, component] += terms[_place(SUMS * corner + component, lane)]


@njit(cache=True, parallel=True, **OPTIONS)
def _pulls_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    active_blocks: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    sums: np.ndarray,
    halves: np.ndarray,
) -> None:
    """Write the sums (R, SUMS) of rows, and 1/2 vol F grad N of the last three corners of elements (``halves``).

    Only the blocks ``active_blocks`` count. Rows of regions without an active block are not written.
    """
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        first, last = part_of(count, part)
        low, high = np.searchsorted(active_blocks, first), np.searchsorted(active_blocks, last)
        if low < high:
            edges, rates, gradients = np.empty(9 * LANES), np.empty(9 * LANES), np.empty(9 * LANES)
            stresses, tensile, compressive = np.empty(6 * LANES), np.empty(6 * LANES), np.empty(6 * LANES)
            pulls, presses = np.empty(9 * LANES), np.empty(9 * LANES)
            terms, half = np.empty(4 * SUMS * LANES), np.zeros(6 * LANES)
            half[: 3 * LANES] = -0.5
            here, moving = _own_values(position, regions, part), _own_rates(velocity, regions, part, law)
            mine = sums[regions.starts[part] : regions.starts[part + 1]]
            mine[:] = 0.0
            for row in range(low, high):
                block = active_blocks[row]
                start = np.uintp(block * LANES)
                _edges(here, regions.rows, start, edges)
                _rates(moving, regions.rows, start, rates)
                _stress(edges, rates, blocks, start, stiffness, damping, law, gradients, stresses)
                _split(stresses, tensile, compressive)
                _products(gradients, tensile, blocks, start, pulls)
                _products(gradients, compressive, blocks, start, presses)
                _terms(pulls, presses, terms)
                _add(terms, regions.rows, start, mine)
                _products(gradients, half, blocks, start, halves[9 * LANES * block : 9 * LANES * (block + 1)])


@njit(cache=True, parallel=True, **OPTIONS)
def _areas_kernel(
    blocks: Blocks,
    regions: Regions,
    active_blocks: np.ndarray,
    halves: np.ndarray,
    normal: np.ndarray,
    areas: np.ndarray,
) -> None:
    """Write the areas (R,) of rows across the ``normal`` (N, 3) of their nodes, from ``active_blocks``."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        first, last = part_of(count, part)
        low, high = np.searchsorted(active_blocks, first), np.searchsorted(active_blocks, last)
        if low < high:
            across = _own_values(normal, regions, part)
            mine = areas[regions.starts[part] : regions.starts[part + 1]]
            mine[:] = 0.0
            for row in range(low, high):
                block = active_blocks[row]
                _add_areas(
                    halves[9 * LANES * block : 9 * LANES * (block + 1)], across, regions.rows, block * LANES, mine
                )


@njit(cache=True, **OPTIONS)
def _add_areas(halves: np.ndarray, across: np.ndarray, rows: np.ndarray, start: int, areas: np.ndarray) -> None:
    """Add |n . 1/2 vol F grad N| of each corner of a block; the first gradient is minus the sum of the others."""
    for index in range(LANES):
        lane = np.uintp(index)
        x = y = z = 0.0
        for corner in range(1, 4):
            row = np.uintp(rows[np.uintp(start) + lane, corner])
            u, v = halves[_place(3 * corner - 3, lane)], halves[_place(3 * corner - 2, lane)]
            w = halves[_place(3 * corner - 1, lane)]
            areas[row] += abs(across[row, 0] * u + across[row, 1] * v + across[row, 2] * w)
            x, y, z = x + u, y + v, z + w
        row = np.uintp(rows[np.uintp(start) + lane, 0])
        areas[row] += abs(across[row, 0] * x + across[row, 1] * y + across[row, 2] * z)


@njit(cache=True, **OPTIONS)
def _tensor(sums: np.ndarray, rows: np.ndarray, tensors: np.ndarray, lane: np.uintp) -> None:
    """Write twice the separation tensor of a node from the sums of its ``rows`` (eq. 32)."""
    xx = yy = zz = yz = xz = xy = 0.0
    px = py = pz = cx = cy = cz = 0.0
    for row in rows:
        own = sums[np.uintp(row)]
        xx, yy, zz, yz, xz, xy = xx + own[0], yy + own[1], zz + own[2], yz + own[3], xz + own[4], xy + own[5]
        px, py, pz, cx, cy, cz = px + own[6], py + own[7], pz + own[8], cx + own[9], cy + own[10], cz + own[11]
    s, t = -_inverse_length(px, py, pz), _inverse_length(cx, cy, cz)
    tensors[_place(0, lane)] = xx + s * px * px + t * cx * cx
    tensors[_place(1, lane)] = yy + s * py * py + t * cy * cy
    tensors[_place(2, lane)] = zz + s * pz * pz + t * cz * cz
    tensors[_place(3, lane)] = yz + s * py * pz + t * cy * cz
    tensors[_place(4, lane)] = xz + s * px * pz + t * cx * cz
    tensors[_place(5, lane)] = xy + s * px * py + t * cx * cy


@njit(cache=True, **OPTIONS)
def _scale(tensors: np.ndarray, lane: np.uintp, metric: np.ndarray) -> None:
    """Multiply a tensor by a metric (3, 3) from both sides."""
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


@njit(cache=True, **OPTIONS)
def _directions(tensors: np.ndarray, found: np.ndarray) -> None:
    """Write half of the largest eigenvalues, and their directions: 4 components."""
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


@njit(cache=True, parallel=True, **OPTIONS)
def _separation_kernel(
    regions: Regions, indices: np.ndarray, sums: np.ndarray, metric: np.ndarray, value: np.ndarray, normal: np.ndarray
) -> None:
    """Write the largest eigenvalue (N,) and its direction (N, 3) of nodes; see ``separation.Separation``.

    Args:
        regions: Regions of the mesh.
        indices: (K,) among the nodes of ``regions``.
        sums: (R, SUMS) of rows.
        metric: (K, 3, 3) applied on both sides of the tensors, see ``separation.direction_metric``; may be empty.
        value: (N,) output, N.
        normal: (N, 3) output.
    """
    count = -(-len(indices) // LANES)
    for part in prange(PARTS):
        tensors, found = np.zeros(6 * LANES), np.empty(4 * LANES)
        low, high = part_of(count, part)
        for block in range(low, high):
            first = block * LANES
            filled = min(LANES, len(indices) - first)
            for index in range(filled):
                place = indices[first + index]
                rows = regions.node_rows[regions.node_starts[place] : regions.node_starts[place + 1]]
                _tensor(sums, rows, tensors, np.uintp(index))
                if len(metric) > 0:
                    _scale(tensors, np.uintp(index), metric[first + index])
            _directions(tensors, found)
            for index in range(filled):
                node, lane = regions.nodes[indices[first + index]], np.uintp(index)
                x, y, z = found[_place(1, lane)], found[_place(2, lane)], found[_place(3, lane)]
                if len(metric) > 0:
                    x, y, z = _along(metric[first + index], x, y, z)
                value[node] = found[_place(0, lane)]
                normal[node, 0], normal[node, 1], normal[node, 2] = x, y, z


@njit(cache=True, parallel=True, **OPTIONS)
def _area_kernel(regions: Regions, indices: np.ndarray, areas: np.ndarray, area: np.ndarray) -> None:
    """Write the area (N,) of nodes, m2: the sum of the ``areas`` (R,) of their rows."""
    for part in prange(PARTS):
        first, last = part_of(len(indices), part)
        for i in range(first, last):
            place = indices[i]
            total = 0.0
            for row in regions.node_rows[regions.node_starts[place] : regions.node_starts[place + 1]]:
                total += areas[row]
            area[regions.nodes[place]] = total


@njit(cache=True, **OPTIONS)
def _along(metric: np.ndarray, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the unit vector along a metric (3, 3) times a vector."""
    a, b, c = metric[0], metric[1], metric[2]
    x, y, z = (
        a[0] * x + a[1] * y + a[2] * z,
        b[0] * x + b[1] * y + b[2] * z,
        c[0] * x + c[1] * y + c[2] * z,
    )
    scale = _inverse_length(x, y, z)
    return scale * x, scale * y, scale * z
