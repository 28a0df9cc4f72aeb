"""Find near pairs of nodes with a uniform grid in a hash table (Norton et al. 1991).

The cubes of the grid are as large as the largest contact distance. The partners of a node therefore lie in its own
cube and the 26 around it. Each table entry has a tag, the component of all its nodes. The search uses it to skip the
interior of a fragment.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Tags of table entries with nodes of several components, and with none.
MIXED, EMPTY = -1, -2
# Offsets of 13 of the 26 neighbour cubes, one of each opposite pair.
HALF = np.array(
    [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) > (0, 0, 0)], np.int64
)

# Pairs per node for which memory is reserved at first. It grows when there are more.
FIRST_CAPACITY = 4
# Primes of the spatial hash (Teschner et al. 2003, "Optimized Spatial Hashing for Collision Detection of Deformable
# Objects").
HASH_X, HASH_Y, HASH_Z = 73856093, 19349663, 83492791


def find_pairs(
    positions: np.ndarray, radii: np.ndarray, component: np.ndarray, skin: float, within: bool
) -> np.ndarray:
    """Find all pairs of nodes nearer than the smaller of their radii plus ``skin``.

    Args:
        positions: (N, 3) m.
        radii: (N,) m.
        component: (N,) int32.
        skin: m.
        within: Whether to list pairs of the same component too.

    Returns:
        (P, 2) int32, in an order that depends on the arguments only.

    Notes:
        Norton et al. 1991, "Collision detection": a uniform grid in a hash table. Its hash: Teschner et al. 2003.

    Example:
        >>> positions = np.array([[0.0, 0, 0], [0.9, 0, 0], [3.0, 0, 0]])
        >>> find_pairs(positions, np.ones(3), np.arange(3, dtype=np.int32), 0.0, within=False).tolist()
        [[0, 1]]
    """
    size = float(radii.max()) + skin
    cubes = np.floor((positions - positions.min(axis=0)) / size).astype(np.int64)
    table = 1 << max(int(len(positions) - 1).bit_length(), 4)
    starts, order, tags = _fill_table(cubes, component, table)
    capacity = FIRST_CAPACITY * len(positions)
    while True:
        pairs = np.empty((capacity, 2), np.int32)
        count = _pairs_kernel(positions, radii, component, skin, within, cubes, starts, order, tags, HALF, pairs)
        if count <= capacity:
            return pairs[:count].copy()
        capacity = count


@njit(cache=True)
def _entry(i: int, j: int, k: int, table: int) -> int:
    """Hash a cube to its table entry."""
    return ((i * HASH_X) ^ (j * HASH_Y) ^ (k * HASH_Z)) & (table - 1)


@njit(cache=True)
def _fill_table(cubes: np.ndarray, component: np.ndarray, table: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Build the table: first node row of each entry (T + 1,), nodes by entry (N,), and tag of each entry (T,)."""
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
def _pairs_kernel(
    x: np.ndarray,
    radii: np.ndarray,
    component: np.ndarray,
    skin: float,
    within: bool,
    cubes: np.ndarray,
    starts: np.ndarray,
    order: np.ndarray,
    tags: np.ndarray,
    half: np.ndarray,
    pairs: np.ndarray,
) -> int:
    """Write as many pairs as fit in ``pairs``; return how many there are."""
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
            for item in range(starts[entry], starts[entry + 1]):
                b = order[item]
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
