"""Regions of a mesh: groups of nearby elements that add their forces in separate rows.

A region has one *row* for each node of its elements. One thread reads and writes the rows of a region, which fit in
its cache. Each node then adds its rows; most nodes are in one region only. The number of regions is fixed, so that
sums do not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ....numerics.morton import morton_codes
from ..state import Mesh
from .blocks import LANES, PARTS
from .symmetric import OPTIONS

# Bits per coordinate along the space-filling curve that orders the elements, and bits of an element's row. Three
# coordinates and the row fit into an int64.
BITS, ROW_BITS = 10, 32


class Regions(NamedTuple):
    """R rows of ``PARTS`` regions, for A elements in B blocks.

    Attributes:
        rows: (B * LANES, 4) int32, row of each corner of an element, relative to the first row of its region.
        starts: (PARTS + 1,) first row of each region; region ``part`` has the blocks of ``part_of``.
        row_nodes: (R,) node of each row.
        nodes: (M,) nodes with mass: first those with rows, in the order of the rows.
        node_starts: (M + 1,) start in ``node_rows`` of the rows of each of ``nodes``.
        node_rows: (R,) rows of each node.
    """

    rows: np.ndarray
    starts: np.ndarray
    row_nodes: np.ndarray
    nodes: np.ndarray
    node_starts: np.ndarray
    node_rows: np.ndarray


def in_order(mesh: Mesh, rows: np.ndarray) -> np.ndarray:
    """Sort the ``rows`` (A,) of elements along a space-filling curve in rest space."""
    corners = mesh.rest[mesh.elements[rows, 0]]
    keys = morton_codes(corners, corners, BITS)
    return rows[np.sort((keys << ROW_BITS) | np.arange(len(rows))) & (2**ROW_BITS - 1)]


@njit(cache=True, **OPTIONS)
def part_of(count: int, part: int) -> tuple[int, int]:
    """Return the first item and the end of one of ``PARTS`` parts of ``count`` items."""
    return part * count // PARTS, (part + 1) * count // PARTS


@njit(cache=True, **OPTIONS)
def regions_of(nodes: np.ndarray, element_count: int, mass: np.ndarray) -> Regions:
    """Build the regions of elements in their order.

    Args:
        nodes: (B * LANES, 4) nodes of elements, including the padding of the last block.
        element_count: A.
        mass: (N,) kg of all nodes.
    """
    seen = np.full(len(mass), -1)
    rows, starts = np.zeros(nodes.shape, np.int32), np.zeros(PARTS + 1, np.int64)
    row_nodes = np.empty(nodes.size, np.int64)
    count = 0
    for part in range(PARTS):
        starts[part] = count
        first, last = part_of(len(nodes) // LANES, part)
        for i in range(first * LANES, min(last * LANES, element_count)):
            for k in range(4):
                node = nodes[i, k]
                if seen[node] < starts[part]:
                    seen[node] = count
                    row_nodes[count] = node
                    count += 1
                rows[i, k] = seen[node] - starts[part]
    starts[PARTS] = count
    found, node_starts, node_rows = _rows_of_nodes(row_nodes[:count], mass)
    return Regions(rows, starts, row_nodes[:count], found, node_starts, node_rows)


@njit(cache=True, **OPTIONS)
def _rows_of_nodes(row_nodes: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``nodes``, ``node_starts`` and ``node_rows`` of ``Regions``."""
    place = np.full(len(mass), -1)
    nodes, node_starts = np.empty(len(mass), np.int64), np.zeros(len(mass) + 1, np.int64)
    count = 0
    for node in row_nodes:
        if place[node] < 0:
            place[node] = count
            nodes[count] = node
            count += 1
        node_starts[place[node] + 1] += 1
    for node in range(len(mass)):
        if place[node] < 0 and mass[node] > 0.0:
            nodes[count] = node
            count += 1
    node_starts = np.cumsum(node_starts[: count + 1])
    fill, node_rows = node_starts.copy(), np.empty(len(row_nodes), np.int64)
    for row in range(len(row_nodes)):
        i = place[row_nodes[row]]
        node_rows[fill[i]] = row
        fill[i] += 1
    return nodes[:count], node_starts, node_rows
