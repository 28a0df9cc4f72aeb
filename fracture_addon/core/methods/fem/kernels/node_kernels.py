"""Flat, parallel passes over nodes, which gather from rows of regions: the leapfrog step, and where to look."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS
from .element_kernels import _forces_kernel
from .regions import part_of
from .symmetric import FAST
from .wall_kernels import _shared_forces_kernel


@njit(cache=True, **FAST)
def corner_rows(elements, rows, node_count):
    """Corners around each node, in rising order.

    Args:
        elements: (E, 4).
        rows: (A,) elements that count.
        node_count: N.

    Returns:
        (N + 1,) starts; (4 A,) corners ``4 * i + k`` of element ``rows[i]``.
    """
    starts = np.zeros(node_count + 1, np.int64)
    for i in range(len(rows)):
        for k in range(4):
            starts[elements[rows[i], k] + 1] += 1
    for node in range(node_count):
        starts[node + 1] += starts[node]
    fill = starts[:-1].copy()
    corners = np.empty(4 * len(rows), np.int64)
    for i in range(len(rows)):
        for k in range(4):
            node = elements[rows[i], k]
            corners[fill[node]] = 4 * i + k
            fill[node] += 1
    return starts, corners


@njit(cache=True, **FAST)
def _candidates_kernel(starts, corners, nodes, sizes, least):
    """Places among ``nodes`` of those with an element around them whose stress is at least ``least`` (N,) of theirs.

    And the blocks of their elements.
    """
    places, blocks = np.empty(len(nodes), np.int64), np.empty(len(sizes) // LANES, np.int64)
    wanted = np.zeros(len(blocks), np.bool_)
    place_count = block_count = 0
    for place in range(len(nodes)):
        node = nodes[place]
        largest = 0.0
        for row in range(starts[node], starts[node + 1]):
            largest = max(largest, sizes[corners[row] >> 2])
        if largest > least[node]:
            places[place_count] = place
            place_count += 1
            for row in range(starts[node], starts[node + 1]):
                wanted[(corners[row] >> 2) // LANES] = True
    for block in range(len(blocks)):
        if wanted[block]:
            blocks[block_count] = block
            block_count += 1
    return places[:place_count], blocks[:block_count]


@njit(cache=True, parallel=True, **FAST)
def _advance_kernel(regions, forces, load, amplitude, mass, dt, max_speed, position, velocity):
    """A leapfrog step of each node under its rows' ``forces`` (R, 3) and ``amplitude`` times its ``load`` (N, 3)."""
    for part in prange(PARTS):
        first, last = part_of(len(regions.nodes), part)
        for i in range(first, last):
            node = np.uintp(regions.nodes[i])
            x, y, z = amplitude * load[node, 0], amplitude * load[node, 1], amplitude * load[node, 2]
            for place in range(regions.node_starts[i], regions.node_starts[i + 1]):
                row = np.uintp(regions.node_rows[place])
                x, y, z = x + forces[row, 0], y + forces[row, 1], z + forces[row, 2]
            scale = dt / mass[node]
            u, v, w = velocity[node, 0] + scale * x, velocity[node, 1] + scale * y, velocity[node, 2] + scale * z
            squared = u * u + v * v + w * w
            if squared > max_speed * max_speed:
                scale = max_speed / np.sqrt(squared)
                u, v, w = scale * u, scale * v, scale * w
            velocity[node, 0], velocity[node, 1], velocity[node, 2] = u, v, w
            position[node, 0] += dt * u
            position[node, 1] += dt * v
            position[node, 2] += dt * w


@njit(cache=True, **FAST)
def _leapfrog_kernel(
    blocks,
    regions,
    shared,
    stiffness,
    damping,
    law,
    mass,
    load,
    amplitudes,
    dt,
    max_speed,
    own,
    means,
    forces,
    position,
    velocity,
):
    """As many leapfrog steps as there are ``amplitudes``."""
    for amplitude in amplitudes:
        if len(shared.own) > 0:
            _shared_forces_kernel(
                position, velocity, blocks, regions, shared, stiffness, damping, law, own, means, forces
            )
        else:
            _forces_kernel(position, velocity, blocks, regions, stiffness, damping, law, forces)
        _advance_kernel(regions, forces, load, amplitude, mass, dt, max_speed, position, velocity)
