"""Pairs of nodes nearer than their reach: a uniform grid kept in a hash table (Norton et al. 1991).

Cubes of the grid are as large as the longest reach, so that a node's partners lie in its own cube and those around it.
Each entry of the table has a tag, the component of all its nodes, so that the inside of a piece is passed over.
"""

from __future__ import annotations

import numpy as np
from numba import njit

MIXED, EMPTY = -1, -2
# The own cube comes apart from these: one of every two opposite neighbours.
HALF = np.array(
    [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) > (0, 0, 0)], np.int64
)


def find_pairs(positions, radii, component, skin: float, within: bool) -> np.ndarray:
    """(P, 2) int32 nodes nearer to each other than the smaller of their radii plus ``skin``, in a fixed order.

    Args:
        positions: (N, 3) m.
        radii: (N,) m.
        component: (N,) int32.
        skin: m.
        within: Whether to list pairs of the same component too.
    """
    size = float(radii.max()) + skin
    cubes = np.floor((positions - positions.min(axis=0)) / size).astype(np.int64)
    table = 1 << max(int(len(positions) - 1).bit_length(), 4)
    starts, order, tags = _fill_table(cubes, component, table)
    room = 4 * len(positions)
    while True:
        pairs = np.empty((room, 2), np.int32)
        count = _pairs_kernel(positions, radii, component, skin, within, cubes, starts, order, tags, HALF, pairs)
        if count <= room:
            return pairs[:count].copy()
        room = count


def pairs_readable(positions, radii, component, skin: float, within: bool) -> np.ndarray:
    """The same by comparing every node with every other; in another order."""
    first, second = np.triu_indices(len(positions), 1)
    distance = np.linalg.norm(positions[first] - positions[second], axis=1)
    near = distance < np.minimum(radii[first], radii[second]) + skin
    near &= within | (component[first] != component[second])
    return np.stack([first[near], second[near]], axis=1).astype(np.int32)


@njit(cache=True)
def _entry(i, j, k, table):
    return ((i * 73856093) ^ (j * 19349663) ^ (k * 83492791)) & (table - 1)


@njit(cache=True)
def _fill_table(cubes, component, table):
    """Where each entry's nodes begin (T + 1,), nodes by entry (N,), and the tag of each entry (T,)."""
    starts = np.zeros(table + 1, np.int64)
    tags = np.full(table, EMPTY, np.int32)
    for node in range(len(cubes)):
        entry = _entry(cubes[node, 0], cubes[node, 1], cubes[node, 2], table)
        starts[entry + 1] += 1
        if tags[entry] == EMPTY:
            tags[entry] = component[node]
        elif tags[entry] != component[node]:
            tags[entry] = MIXED
    for entry in range(table):
        starts[entry + 1] += starts[entry]
    ends = starts[:-1].copy()
    order = np.empty(len(cubes), np.int32)
    for node in range(len(cubes)):
        entry = _entry(cubes[node, 0], cubes[node, 1], cubes[node, 2], table)
        order[ends[entry]] = node
        ends[entry] += 1
    return starts, order, tags


@njit(cache=True, error_model="numpy")
def _pairs_kernel(x, radii, component, skin, within, cubes, starts, order, tags, half, pairs):
    """Writes as many pairs as there is room for; returns how many there are."""
    count = 0
    table = len(tags)
    for a in range(len(x)):
        for neighbour in range(-1, len(half)):
            i, j, k = cubes[a, 0], cubes[a, 1], cubes[a, 2]
            if neighbour >= 0:
                i, j, k = i + half[neighbour, 0], j + half[neighbour, 1], k + half[neighbour, 2]
            entry = _entry(i, j, k, table)
            if tags[entry] == EMPTY or (tags[entry] == component[a] and not within):
                continue
            for place in range(starts[entry], starts[entry + 1]):
                b = order[place]
                if neighbour < 0 and b <= a:
                    continue
                if cubes[b, 0] != i or cubes[b, 1] != j or cubes[b, 2] != k:
                    continue
                if component[a] == component[b] and not within:
                    continue
                reach = min(radii[a], radii[b]) + skin
                d0, d1, d2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
                if d0 * d0 + d1 * d1 + d2 * d2 < reach * reach:
                    if count < len(pairs):
                        pairs[count, 0], pairs[count, 1] = a, b
                    count += 1
    return count
