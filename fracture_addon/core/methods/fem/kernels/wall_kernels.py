"""Compiled version of ``walls.shared_stress``, and the forces of the shared stress."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS, Blocks, Sharing, _place
from .element_kernels import _add_forces, _edges, _gradient, _own_rates, _own_values, _products, _rates, _stress
from .regions import Regions, part_of
from .symmetric import OPTIONS


@njit(cache=True, **OPTIONS)
def _shared_forces_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    shared: Sharing,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    own: np.ndarray,
    means: np.ndarray,
    forces: np.ndarray,
) -> None:
    """Write the forces (R, 3) of elements that share stress; see ``element_kernels._forces_kernel``.

    Work arrays are ``own`` (B * 6 * LANES,), stresses of elements, and ``means`` (R, 6), stresses of rows.
    """
    _mean_stress_kernel(position, velocity, blocks, regions, shared, stiffness, damping, law, own, means)
    _stress_forces_kernel(position, blocks, regions, shared, own, means, forces)


@njit(cache=True, **OPTIONS)
def _mean_stress_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    shared: Sharing,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    own: np.ndarray,
    means: np.ndarray,
) -> None:
    """Write the own stresses of elements, and the mean stress at the node of each row, as ``walls.mean_stress``."""
    _own_kernel(position, velocity, blocks, regions, shared.given, stiffness, damping, law, own, means)
    _means_kernel(regions, shared, means)


@njit(cache=True, parallel=True, **OPTIONS)
def _own_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    given: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    own: np.ndarray,
    means: np.ndarray,
) -> None:
    """Write the stresses of elements, and their weighted sums at rows."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        edges, rates, gradients = np.empty(9 * LANES), np.empty(9 * LANES), np.empty(9 * LANES)
        here, moving = _own_values(position, regions, part), _own_rates(velocity, regions, part, law)
        mine = means[regions.starts[part] : regions.starts[part + 1]]
        mine[:] = 0.0
        first, last = part_of(count, part)
        for block in range(first, last):
            start = np.uintp(block * LANES)
            stresses = own[6 * LANES * block : 6 * LANES * (block + 1)]
            _edges(here, regions.rows, start, edges)
            _rates(moving, regions.rows, start, rates)
            _stress(edges, rates, blocks, start, stiffness, damping, law, gradients, stresses)
            _add_weighted(stresses, given, regions.rows, start, mine)


@njit(cache=True, **OPTIONS)
def _add_weighted(
    stresses: np.ndarray, given: np.ndarray, rows: np.ndarray, start: np.uintp, means: np.ndarray
) -> None:
    """Add the weighted stresses of a block's elements to the rows of their corners."""
    for index in range(LANES):
        lane = np.uintp(index)
        row = start + lane
        a, b = np.uintp(rows[row, 0]), np.uintp(rows[row, 1])
        c, d = np.uintp(rows[row, 2]), np.uintp(rows[row, 3])
        share = given[row]
        for component in range(6):
            value = share * stresses[_place(component, lane)]
            means[a, component] += value
            means[b, component] += value
            means[c, component] += value
            means[d, component] += value


@njit(cache=True, parallel=True, **OPTIONS)
def _means_kernel(regions: Regions, shared: Sharing, means: np.ndarray) -> None:
    """Turn the sums of rows into the mean stress of their nodes, the same in all rows of a node."""
    for part in prange(PARTS):
        first, last = part_of(len(regions.nodes), part)
        for i in range(first, last):
            xx = yy = zz = yz = xz = xy = 0.0
            start, end = regions.node_starts[i], regions.node_starts[i + 1]
            for place in range(start, end):
                row = np.uintp(regions.node_rows[place])
                xx, yy, zz = xx + means[row, 0], yy + means[row, 1], zz + means[row, 2]
                yz, xz, xy = yz + means[row, 3], xz + means[row, 4], xy + means[row, 5]
            node = np.uintp(regions.nodes[i])
            share, bias = shared.inverse[node], shared.bias[node]
            xx, yy, zz = share * xx - bias[0], share * yy - bias[1], share * zz - bias[2]
            yz, xz, xy = share * yz - bias[3], share * xz - bias[4], share * xy - bias[5]
            for place in range(start, end):
                row = np.uintp(regions.node_rows[place])
                means[row, 0], means[row, 1], means[row, 2] = xx, yy, zz
                means[row, 3], means[row, 4], means[row, 5] = yz, xz, xy


@njit(cache=True, parallel=True, **OPTIONS)
def _stress_forces_kernel(
    position: np.ndarray,
    blocks: Blocks,
    regions: Regions,
    shared: Sharing,
    own: np.ndarray,
    means: np.ndarray,
    forces: np.ndarray,
) -> None:
    """Write the forces (R, 3) of the stress after sharing on rows."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        edges, products = np.empty(9 * LANES), np.empty(9 * LANES)
        gradients, around, stresses = np.empty(9 * LANES), np.empty(6 * LANES), np.empty(6 * LANES)
        here = _own_values(position, regions, part)
        beginning, end = regions.starts[part], regions.starts[part + 1]
        mine, mean = forces[beginning:end], means[beginning:end]
        mine[:] = 0.0
        first, last = part_of(count, part)
        for block in range(first, last):
            start = np.uintp(block * LANES)
            _edges(here, regions.rows, start, edges)
            _gradients(edges, blocks.basis, start, gradients)
            _corner_sums(mean, regions.rows, start, around)
            _stress_after_sharing(shared, own[6 * LANES * block : 6 * LANES * (block + 1)], around, start, stresses)
            _products(gradients, stresses, blocks, start, products)
            _add_forces(products, regions.rows, start, mine)


@njit(cache=True, **OPTIONS)
def _gradients(edges: np.ndarray, basis: np.ndarray, start: np.uintp, gradients: np.ndarray) -> None:
    """Write the deformation gradients of a block."""
    base = np.uintp(9) * start
    for index in range(LANES):
        lane = np.uintp(index)
        f00, f01, f02, f10, f11, f12, f20, f21, f22 = _gradient(edges, basis, base, lane)
        gradients[_place(0, lane)], gradients[_place(1, lane)], gradients[_place(2, lane)] = f00, f01, f02
        gradients[_place(3, lane)], gradients[_place(4, lane)], gradients[_place(5, lane)] = f10, f11, f12
        gradients[_place(6, lane)], gradients[_place(7, lane)], gradients[_place(8, lane)] = f20, f21, f22


@njit(cache=True, **OPTIONS)
def _corner_sums(means: np.ndarray, rows: np.ndarray, start: np.uintp, around: np.ndarray) -> None:
    """Write the sums of the mean stresses at the corners of a block's elements."""
    for index in range(LANES):
        lane = np.uintp(index)
        row = start + lane
        a, b = np.uintp(rows[row, 0]), np.uintp(rows[row, 1])
        c, d = np.uintp(rows[row, 2]), np.uintp(rows[row, 3])
        for component in range(6):
            around[_place(component, lane)] = (
                means[a, component] + means[b, component] + means[c, component] + means[d, component]
            )


@njit(cache=True, **OPTIONS)
def _stress_after_sharing(
    shared: Sharing, own: np.ndarray, around: np.ndarray, start: np.uintp, stresses: np.ndarray
) -> None:
    """Write the stresses of a block after sharing: a share of their own, plus the weighted means of their corners."""
    for index in range(LANES):
        lane = np.uintp(index)
        left, taken = shared.own[start + lane], shared.taken[start + lane]
        for component in range(6):
            place = _place(component, lane)
            stresses[place] = left * own[place] + taken * around[place]
