"""Parallel loops over nodes: the leapfrog step, and the candidates for cracks."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS, Blocks, Sharing
from .element_kernels import _forces_kernel
from .regions import Regions, part_of
from .symmetric import OPTIONS
from .wall_kernels import _shared_forces_kernel


@njit(cache=True, **OPTIONS)
def corner_rows(elements: np.ndarray, rows: np.ndarray, node_count: int) -> tuple[np.ndarray, np.ndarray]:
    """List the corners around each node, in rising order.

    Args:
        elements: (E, 4).
        rows: (A,) active elements.
        node_count: N.

    Returns:
        (N + 1,) start of each node's corners; (4 A,) corners ``4 * i + k`` of element ``rows[i]``.
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


@njit(cache=True, **OPTIONS)
def _candidates_kernel(
    starts: np.ndarray, corners: np.ndarray, nodes: np.ndarray, sizes: np.ndarray, min_stress: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find the nodes with an element around them whose stress exceeds the node's ``min_stress``.

    Args:
        starts: (N + 1,) from ``corner_rows``.
        corners: (4 A,) from ``corner_rows``.
        nodes: (M,) nodes to test.
        sizes: (B * LANES,) norms of stress of elements, Pa.
        min_stress: (N,) Pa.

    Returns:
        Their indices among ``nodes``; the blocks of the elements around them.
    """
    indices, blocks = np.empty(len(nodes), np.int64), np.empty(len(sizes) // LANES, np.int64)
    is_active = np.zeros(len(blocks), np.bool_)
    candidate_count = block_count = 0
    for index in range(len(nodes)):
        node = nodes[index]
        largest = 0.0
        for row in range(starts[node], starts[node + 1]):
            largest = max(largest, sizes[corners[row] >> 2])
        if largest > min_stress[node]:
            indices[candidate_count] = index
            candidate_count += 1
            for row in range(starts[node], starts[node + 1]):
                is_active[(corners[row] >> 2) // LANES] = True
    for block in range(len(blocks)):
        if is_active[block]:
            blocks[block_count] = block
            block_count += 1
    return indices[:candidate_count], blocks[:block_count]


@njit(cache=True, parallel=True, **OPTIONS)
def _advance_kernel(
    regions: Regions,
    forces: np.ndarray,
    load: np.ndarray,
    amplitude: float,
    mass: np.ndarray,
    dt: float,
    max_speed: float,
    drift: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
) -> None:
    """Take a leapfrog step with the ``forces`` (R, 3) of rows, N, and ``amplitude`` times ``load`` (N, 3), N."""
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
            x, y, z = u - drift[0], v - drift[1], w - drift[2]
            squared = x * x + y * y + z * z
            if squared > max_speed * max_speed:
                scale = max_speed / np.sqrt(squared)
                u, v, w = drift[0] + scale * x, drift[1] + scale * y, drift[2] + scale * z
            velocity[node, 0], velocity[node, 1], velocity[node, 2] = u, v, w
            position[node, 0] += dt * u
            position[node, 1] += dt * v
            position[node, 2] += dt * w


@njit(cache=True, **OPTIONS)
def _leapfrog_kernel(
    blocks: Blocks,
    regions: Regions,
    shared: Sharing,
    stiffness: np.ndarray,
    damping: np.ndarray,
    law: np.ndarray,
    mass: np.ndarray,
    load: np.ndarray,
    amplitudes: np.ndarray,
    dt: float,
    max_speed: float,
    drift: np.ndarray,
    own: np.ndarray,
    means: np.ndarray,
    forces: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
) -> None:
    """Take one leapfrog step of ``dt`` (s) for each of ``amplitudes``."""
    for amplitude in amplitudes:
        if len(shared.own) > 0:
            _shared_forces_kernel(
                position, velocity, blocks, regions, shared, stiffness, damping, law, own, means, forces
            )
        else:
            _forces_kernel(position, velocity, blocks, regions, stiffness, damping, law, forces)
        _advance_kernel(regions, forces, load, amplitude, mass, dt, max_speed, drift, position, velocity)
