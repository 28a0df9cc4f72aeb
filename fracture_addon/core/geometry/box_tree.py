"""A binary tree of boxes around triangles: what is near a place is found without a look at the rest.

The triangles are sorted along a Morton curve, so that those which follow one another are near; every few of them are a
leaf, and every two nodes have one above them (compare Lauterbach et al. 2009, "Fast BVH Construction on GPUs").
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..numerics.morton import morton_codes

# Triangles of a leaf; bits of a coordinate on the curve.
LEAF, BITS = 4, 20
# Nodes that wait to be looked into: one a level.
DEEPEST = 64


@njit(cache=True, nogil=True)
def box_tree(low, high):
    """The tree over boxes from ``low`` to ``high`` (N, 3), at least one.

    Returns:
        (N,) the boxes in the order of the leaves, and (2 M, 6) low and high corners of nodes: 1 is the root, 2 i and
        2 i + 1 are below i, and from M on they are leaves.
    """
    order = np.argsort(morton_codes(low, high, BITS), kind="mergesort")
    leaves = 1
    while leaves * LEAF < len(low):
        leaves *= 2
    nodes = np.empty((2 * leaves, 6))
    nodes[:, :3], nodes[:, 3:] = np.inf, -np.inf
    for position in range(len(order)):
        node = leaves + position // LEAF
        for axis in range(3):
            nodes[node, axis] = min(nodes[node, axis], low[order[position], axis])
            nodes[node, 3 + axis] = max(nodes[node, 3 + axis], high[order[position], axis])
    for node in range(leaves - 1, 0, -1):
        for axis in range(3):
            nodes[node, axis] = min(nodes[2 * node, axis], nodes[2 * node + 1, axis])
            nodes[node, 3 + axis] = max(nodes[2 * node, 3 + axis], nodes[2 * node + 1, 3 + axis])
    return order, nodes


@njit(cache=True, nogil=True)
def square_gap(nodes, node, x, y, z):
    """The squared distance of a point from a node's box; infinite for an empty one."""
    gap_x = max(nodes[node, 0] - x, x - nodes[node, 3], 0.0)
    gap_y = max(nodes[node, 1] - y, y - nodes[node, 4], 0.0)
    gap_z = max(nodes[node, 2] - z, z - nodes[node, 5], 0.0)
    return gap_x * gap_x + gap_y * gap_y + gap_z * gap_z


@njit(cache=True, nogil=True)
def meets(nodes, node, low, high, row):
    """Whether a node's box and the box ``row`` of ``low`` and ``high`` have something in common."""
    return (
        nodes[node, 0] <= high[row, 0]
        and nodes[node, 3] >= low[row, 0]
        and nodes[node, 1] <= high[row, 1]
        and nodes[node, 4] >= low[row, 1]
        and nodes[node, 2] <= high[row, 2]
        and nodes[node, 5] >= low[row, 2]
    )
