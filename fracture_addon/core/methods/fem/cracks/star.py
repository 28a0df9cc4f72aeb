"""Stars and links of nodes, and the division of a node between parts of its star.

The *star* of a node is the set of elements that use it. Its *link* is the triangles opposite to the node in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..state import NONE, Store

# Largest number of link nodes with a bit each: the bits of an int64, a power of two.
BITS = 64


class Star(NamedTuple):
    """The elements around a node, and the triangles of its link.

    Attributes:
        elements: (K,) elements with mass that use the node.
        place: (K,) which of their corners the node is.
        link: (L,) the other nodes.
        opposite: (K, 3) rows of ``link``, the corners of each element other than the node.
        owners: (L, L, 2) rows of the zero to two ``elements`` that have an edge of the link, whose lower row is the
            first index; -1 for none. An edge of the link is a face of the star, which lies between two owners.
    """

    elements: np.ndarray
    place: np.ndarray
    link: np.ndarray
    opposite: np.ndarray
    owners: np.ndarray


@njit(cache=True)
def star_of(store: Store, node: int) -> Star:
    """Return the star of a node that at least one element uses.

    Args:
        store: Elements of the mesh.
        node: The node.

    Returns:
        The elements, the triangles of the link, and the owners of its edges.

    Example:
        Two elements share the nodes 1, 2 and 3.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> mesh = from_solid(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), 2400.0)
        >>> star = star_of(mesh.store, 1)
        >>> star.elements.tolist(), sorted(star.link.tolist())
        ([0, 1], [0, 2, 3, 4])
    """
    elements, place = _elements_of(store, node)
    link = np.empty(3 * len(elements), np.int32)
    opposite = np.empty((len(elements), 3), np.int32)
    count = 0
    for i in range(len(elements)):
        for j in range(3):
            other = store.elements[elements[i], (place[i] + 1 + j) & 3]
            row = 0
            while row < count and link[row] != other:
                row += 1
            if row == count:
                link[count] = other
                count += 1
            opposite[i, j] = row
    owners = np.full((count, count, 2), NONE, np.int32)
    for i in range(len(elements)):
        for j in range(3):
            p, q = opposite[i, j], opposite[i, (j + 1) % 3]
            low, high = min(p, q), max(p, q)
            owners[low, high, 0 if owners[low, high, 0] == NONE else 1] = i
    return Star(elements, place, link[:count], opposite, owners)


@njit(cache=True, forceinline=True)
def _elements_of(store: Store, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the (K,) elements with mass that use a node, and (K,) which of their corners it is."""
    count = 0
    corner = store.first_corner[store.rest_node[node]]
    while corner != NONE:
        element = corner >> 2
        count += store.elements[element, corner & 3] == node and not store.ghost[element]
        corner = store.next_corner[element, corner & 3]
    elements, place = np.empty(count, np.int32), np.empty(count, np.int32)
    count = 0
    corner = store.first_corner[store.rest_node[node]]
    while corner != NONE:
        element = corner >> 2
        if store.elements[element, corner & 3] == node and not store.ghost[element]:
            elements[count] = element
            place[count] = corner & 3
            count += 1
        corner = store.next_corner[element, corner & 3]
    return elements, place


@njit(cache=True)
def new_node(store: Store, first: int, second: int, share: float) -> int:
    """Create a node at ``share`` of the way between two others, without mass and elements.

    Raises:
        MemoryError: The arrays are full.
    """
    node = store.counts[0]
    if node == len(store.rest):
        raise MemoryError("no room for another node")
    store.counts[0] += 1
    for i in range(3):
        store.rest[node, i] = store.rest[first, i] + share * (store.rest[second, i] - store.rest[first, i])
        start, end = store.position[first, i], store.position[second, i]
        store.position[node, i] = start + share * (end - start)
        start, end = store.velocity[first, i], store.velocity[second, i]
        store.velocity[node, i] = start + share * (end - start)
    for i in range(6):
        start, end = store.mean_stress[first, i], store.mean_stress[second, i]
        store.mean_stress[node, i] = start + share * (end - start)
    store.mass[node] = 0.0
    store.first_corner[node] = NONE
    store.origin[node, 0] = first
    store.origin[node, 1] = second
    return node


@njit(cache=True)
def divide_node(store: Store, elements: np.ndarray, place: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Give each part of a node's star a separate node with the same position and velocity.

    The part with the most mass keeps the node.

    Args:
        store: Changed in place.
        elements: (K,) elements of the star.
        place: (K,) which of their corners is the node.
        part: (K,) label of each element's part, below K.

    Returns:
        (P,) int32 nodes of the parts, the old one first.
    """
    node = store.elements[elements[0], place[0]]
    mass = np.zeros(len(part))
    for i in range(len(part)):
        mass[part[i]] += 0.25 * store.density[elements[i]] * store.volume[elements[i]]
    keeper = np.argmax(mass)
    node_of_part = np.full(len(part), NONE, np.int32)
    node_of_part[keeper] = node
    copies = np.empty(len(part), np.int32)
    copies[0] = node
    count = 1
    for i in range(len(part)):
        if node_of_part[part[i]] == NONE:
            copy = new_node(store, node, node, 0.0)
            store.rest_node[copy] = store.rest_node[node]
            store.mass[copy] = mass[part[i]]
            node_of_part[part[i]] = copy
            copies[count] = copy
            count += 1
        store.elements[elements[i], place[i]] = node_of_part[part[i]]
    if count > 1:
        store.mass[node] = mass[keeper]
    return copies[:count]


@njit(cache=True)
def separate(store: Store, node: int) -> np.ndarray:
    """Divide a node between the parts of its star that share no face.

    Args:
        store: Changed in place.
        node: The node.

    Returns:
        (P,) int32 nodes of the parts, the old one first.

    Notes:
        O'Brien and Hodgins 1999, section 4.3, and 2000 (CACM).

    Example:
        Two elements touch in node 0 only.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]]
        >>> mesh = from_solid(from_cells(corners, [[0, 1, 2, 3], [0, 4, 5, 6]], []), 2400.0)
        >>> separate(mesh.store, 0).tolist(), separate(mesh.store, 1).tolist()
        ([0, 7], [1])
    """
    elements, place = _elements_of(store, node)
    element_count = len(elements)
    link, marks, has_enough_bits = _marked_link(store, elements, place)
    part, waiting = np.full(element_count, NONE, np.int64), np.empty(element_count, np.int64)
    part_count = 0
    for first in range(element_count):
        if part[first] != NONE:
            continue
        part_count += 1
        part[first] = first
        waiting[0] = first
        count = 1
        while count > 0:
            count -= 1
            i = waiting[count]
            for j in range(first + 1, element_count):
                common = marks[i] & marks[j]
                is_neighbour = common & (common - 1) != 0 if has_enough_bits else _share_edge(link, i, j)
                if is_neighbour and part[j] == NONE:
                    part[j] = first
                    waiting[count] = j
                    count += 1
    if part_count == 1:
        return np.full(1, node, np.int32)
    return divide_node(store, elements, place, part)


@njit(cache=True)
def _marked_link(store: Store, elements: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Give each link node one bit, so that two triangles share an edge if they share two bits.

    Returns:
        (K, 3) nodes of the link's triangles; (K,) int64, their three bits; whether there are enough bits for all nodes.
    """
    link, marks = np.empty((len(elements), 3), np.int32), np.zeros(len(elements), np.int64)
    nodes = np.full(BITS, NONE, np.int32)
    count = 0
    for i in range(len(elements)):
        for k in range(3):
            other = store.elements[elements[i], (place[i] + 1 + k) & 3]
            link[i, k] = other
            bit = other & (BITS - 1)
            while count < BITS and nodes[bit] != other and nodes[bit] != NONE:
                bit = (bit + 1) & (BITS - 1)
            count += nodes[bit] != other
            nodes[bit] = other
            marks[i] |= 1 << bit
    return link, marks, count < BITS


@njit(cache=True, forceinline=True)
def _share_edge(triangles: np.ndarray, i: int, j: int) -> bool:
    """Return whether two of the triangles (K, 3) share two nodes."""
    count = 0
    for k in range(3):
        node = triangles[i, k]
        count += node == triangles[j, 0] or node == triangles[j, 1] or node == triangles[j, 2]
    return count > 1


@njit(cache=True, forceinline=True)
def shared_nodes(store: Store, first: int, second: int) -> int:
    """Return the number of nodes that two elements share: three for a face."""
    count = 0
    for i in range(4):
        for j in range(4):
            count += store.elements[first, i] == store.elements[second, j]
    return count
