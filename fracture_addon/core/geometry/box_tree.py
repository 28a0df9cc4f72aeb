"""Bounding volume hierarchy of triangles: a binary tree of boxes for searches near a point.

The triangles are sorted by Morton codes, so that consecutive triangles are near each other. ``LEAF`` consecutive
triangles are a leaf, and each pair of nodes has a parent (compare Lauterbach et al. 2009, "Fast BVH Construction on
GPUs").
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..numerics.morton import morton_codes

# Triangles in a leaf, and bits of each coordinate in a Morton code. They only affect speed.
LEAF, BITS = 4, 20
# Size of the stack of nodes: one for each level. An int64 can number 2^63 triangles.
DEEPEST = 64


@njit(cache=True, nogil=True)
def box_tree(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Build a bounding volume hierarchy.

    Args:
        low: (N, 3) lower corners of the boxes, m; at least one.
        high: (N, 3) upper corners, m.

    Returns:
        (N,) the boxes in the order of the leaves, and (2 M, 6) lower and upper corners of the nodes. Node 1 is the
        root, nodes 2 i and 2 i + 1 are the children of node i, and the nodes from M on are leaves.

    Notes:
        Compare Lauterbach et al. 2009, Fast BVH Construction on GPUs. Our tree is complete, so that it needs no
        pointers.

    Example:
        >>> low = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
        >>> order, nodes = box_tree(low, low + 1.0)
        >>> order.tolist(), nodes[1].tolist()
        ([0, 1], [0.0, 0.0, 0.0, 3.0, 1.0, 1.0])
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
def triangle_tree(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``box_tree`` of triangles (F, 3, 3)."""
    low, high = corners[:, 0].copy(), corners[:, 0].copy()
    for row in range(len(corners)):
        for axis in range(3):
            low[row, axis] = min(corners[row, 0, axis], corners[row, 1, axis], corners[row, 2, axis])
            high[row, axis] = max(corners[row, 0, axis], corners[row, 1, axis], corners[row, 2, axis])
    return box_tree(low, high)


@njit(cache=True, nogil=True)
def squared_distance(nodes: np.ndarray, node: int, x: float, y: float, z: float) -> float:
    """Return the squared distance of a point from a node's box.

    Args:
        nodes: (2 M, 6) m, as from ``box_tree``.
        node: Row of ``nodes``.
        x: m, coordinates of the point.
        y: m.
        z: m.

    Returns:
        m2; 0 inside, infinite for an empty box.

    Notes:
        Ericson 2004, Real-Time Collision Detection, section 5.1.3.

    Example:
        >>> float(squared_distance(np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]), 0, 4.0, 5.0, 0.5))
        25.0
    """
    gap_x = max(nodes[node, 0] - x, x - nodes[node, 3], 0.0)
    gap_y = max(nodes[node, 1] - y, y - nodes[node, 4], 0.0)
    gap_z = max(nodes[node, 2] - z, z - nodes[node, 5], 0.0)
    return gap_x * gap_x + gap_y * gap_y + gap_z * gap_z


@njit(cache=True, nogil=True)
def overlaps(nodes: np.ndarray, node: int, low: np.ndarray, high: np.ndarray, row: int) -> bool:
    """Return whether a node's box and box ``row`` of ``low`` and ``high`` intersect."""
    return (
        nodes[node, 0] <= high[row, 0]
        and nodes[node, 3] >= low[row, 0]
        and nodes[node, 1] <= high[row, 1]
        and nodes[node, 4] >= low[row, 1]
        and nodes[node, 2] <= high[row, 2]
        and nodes[node, 5] >= low[row, 2]
    )
