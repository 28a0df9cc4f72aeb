"""Regions of a mesh: elements that lie together, which add up what they do to their nodes by themselves.

A region has a *row* for each node that its elements have. What they add up lies in the region's own rows, small and
near, and is read and written by one thread; nodes then add up their rows, a few each, as most are in one region only.
There are as many regions whatever the number of threads, so that sums do not depend on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ....numerics.space_filling_curve import along_a_curve
from ..mesh import Mesh
from .blocks import LANES, PARTS
from .symmetric import FAST

# Of each coordinate along the curve that elements are put in order by; those of all and a row's fit into an int64.
BITS, ROW_BITS = 10, 32


class Regions(NamedTuple):
    """What is where, R rows of ``PARTS`` regions, for A elements in B blocks.

    Attributes:
        rows: (B * LANES, 4) int32, row of each corner of an element, counted from the first of its region.
        starts: (PARTS + 1,) first row of each region; regions have the blocks of ``part_of``.
        row_nodes: (R,) node of each row.
        nodes: (M,) those with mass: first those with rows, in the order of these.
        node_starts: (M + 1,) where the rows of each of ``nodes`` begin in ``node_rows``.
        node_rows: (R,) rows of nodes.
    """

    rows: np.ndarray
    starts: np.ndarray
    row_nodes: np.ndarray
    nodes: np.ndarray
    node_starts: np.ndarray
    node_rows: np.ndarray


def in_order(mesh: Mesh, rows: np.ndarray) -> np.ndarray:
    """(A,) the same ``rows`` of elements, those that lie together in rest one after another."""
    corners = mesh.rest[mesh.elements[rows, 0]]
    places = along_a_curve(corners, corners, BITS)
    return rows[np.sort((places << ROW_BITS) | np.arange(len(rows))) & (2**ROW_BITS - 1)]


@njit(cache=True, **FAST)
def part_of(count, part):
    """First and last of ``count`` things of one of ``PARTS`` parts."""
    return part * count // PARTS, (part + 1) * count // PARTS


@njit(cache=True, **FAST)
def regions_of(nodes, element_count, mass):
    """The regions of elements in their order.

    Args:
        nodes: (B * LANES, 4) of elements, and of what fills up the last block.
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


@njit(cache=True, **FAST)
def _rows_of_nodes(row_nodes, mass):
    """Nodes with rows, then others with mass; where their rows begin; and these."""
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
