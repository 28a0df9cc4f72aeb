"""Changing the mesh's topology: stars and links of nodes, bisecting an edge, dividing a node.

The *star* of a node is the elements that have it; its *link* the triangles opposite to it in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .mesh import NONE


class Star(NamedTuple):
    """The elements around a node, and the triangles of its link.

    Attributes:
        elements: (K,) elements that have the node; no ghosts.
        place: (K,) which of their corners it is.
        link: (L,) the other nodes.
        opposite: (K, 3) rows of ``link``, the corners of each element that are not the node.
        owners: (L, L, 2) the rows of ``elements`` that have an edge of the link, its lower row first: none, one or
            two; -1 fills up. An edge of the link is a face of the star; one with two owners lies between them.
    """

    elements: np.ndarray
    place: np.ndarray
    link: np.ndarray
    opposite: np.ndarray
    owners: np.ndarray


@njit(cache=True)
def star_of(store, node):
    """The star of a node that at least one element has."""
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
    owners = np.empty(2 * count * count, np.int32)
    for row in range(len(owners)):
        owners[row] = NONE
    owners = owners.reshape(count, count, 2)
    for i in range(len(elements)):
        for j in range(3):
            p, q = opposite[i, j], opposite[i, (j + 1) % 3]
            low, high = min(p, q), max(p, q)
            owners[low, high, 0 if owners[low, high, 0] == NONE else 1] = i
    return Star(elements, place, link[:count], opposite, owners)


@njit(cache=True)
def _elements_of(store, node):
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
def root_of(leader, row):
    """The representative of a row's set; shortens the way there."""
    while leader[row] != row:
        leader[row] = leader[leader[row]]
        row = leader[row]
    return row


@njit(cache=True)
def join(leader, first, second):
    """Make one set of two; the lower row leads."""
    first, second = root_of(leader, first), root_of(leader, second)
    if first < second:
        leader[second] = first
    else:
        leader[first] = second


@njit(cache=True)
def ring_of(store, first, second):
    """The elements around an edge in the rest complex, ghosts and those beyond a crack along the edge included.

    Returns:
        (R, 3) each element and which of its corners are the first and the second end, or copies of them.
    """
    rest_first = store.rest_node[first]
    ring = np.empty((16, 3), np.int32)
    count = 0
    corner = store.first_corner[store.rest_node[second]]
    while corner != NONE:
        place = corner_with(store, corner >> 2, rest_first)
        if place != NONE:
            if count == len(ring):
                ring = np.concatenate((ring, np.empty_like(ring)))
            ring[count, 0], ring[count, 1], ring[count, 2] = corner >> 2, place, corner & 3
            count += 1
        corner = store.next_corner[corner >> 2, corner & 3]
    return ring[:count]


@njit(cache=True)
def corner_with(store, element, rest_node):
    """Which corner of an element has a node of the rest complex; -1 for none."""
    for k in range(4):
        if store.rest_node[store.elements[element, k]] == rest_node:
            return k
    return NONE


@njit(cache=True)
def bisect_edge(store, ring, first, second, share):
    """Put a node on an edge and halve every element of its ring.

    Each side of a crack along the edge gets a midpoint of its own, and so does each part of the ring that shares no
    face with the others. Position and velocity are interpolated and each element's mass stays its own: with linear
    shape functions mass, centre of mass and momentum do not change, and kinetic energy does not grow.

    Args:
        store: Changed in place.
        ring: Of the edge.
        first: Node at one end, of an element with mass.
        second: Node of the same element at the other end.
        share: Where the new node is, 0 at ``first`` and 1 at ``second``.

    Returns:
        False and no change when the arrays are full.
    """
    start = store.counts[0]
    if store.counts[1] + len(ring) > len(store.elements) or start + 2 * len(ring) > len(store.rest):
        return False
    hangs_together = _hangs_together(store, ring)
    middle = _new_node(store, first, second, share)
    store.rest_node[middle] = middle
    for row in range(len(ring)):
        element = ring[row, 0]
        own = middle if store.ghost[element] else _midpoint(store, ring[row], middle, share)
        _halve(store, ring[row], own, share)
    _move_corners(store, store.rest_node[second])
    if not hangs_together:
        for node in range(start, store.counts[0]):
            separate(store, node)
    return True


@njit(cache=True)
def _hangs_together(store, ring):
    """Whether all elements of a ring with mass have the same edge and hang together by faces around it."""
    solid_count, face_count = 0, 0
    for i in range(len(ring)):
        if store.ghost[ring[i, 0]]:
            continue
        solid_count += 1
        for j in range(i):
            if store.ghost[ring[j, 0]]:
                continue
            shared = 0
            for k in range(4):
                for other in range(4):
                    shared += store.elements[ring[i, 0], k] == store.elements[ring[j, 0], other]
            face_count += shared == 3
    return solid_count - face_count <= 1


@njit(cache=True)
def _push_corner(store, element, place):
    """Put a corner in front of the list of its rest node."""
    rest_node = store.rest_node[store.elements[element, place]]
    store.next_corner[element, place] = store.first_corner[rest_node]
    store.first_corner[rest_node] = 4 * element + place


@njit(cache=True)
def _move_corners(store, rest_node):
    """Move the corners in a node's list that have another node now to that node's list."""
    corner = store.first_corner[rest_node]
    store.first_corner[rest_node] = NONE
    while corner != NONE:
        following = store.next_corner[corner >> 2, corner & 3]
        _push_corner(store, corner >> 2, corner & 3)
        corner = following


@njit(cache=True)
def _midpoint(store, in_ring, middle, share):
    """The node on an element's own edge: ``middle``, one made after it, or a new copy."""
    first, second = store.elements[in_ring[0], in_ring[1]], store.elements[in_ring[0], in_ring[2]]
    for node in range(middle, store.counts[0]):
        if store.origin[node, 0] == first and store.origin[node, 1] == second:
            return node
    node = _new_node(store, first, second, share)
    store.rest_node[node] = middle
    return node


@njit(cache=True)
def _new_node(store, first, second, share):
    """A node between two others, without mass and elements."""
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
    store.mass[node] = 0.0
    store.first_corner[node] = NONE
    store.origin[node, 0] = first
    store.origin[node, 1] = second
    return node


@njit(cache=True)
def _halve(store, in_ring, middle, share):
    """Halve one element at a node on its edge; its row keeps the first end, a new row takes the second.

    The corner that becomes the new node is still in the list of the second end.
    """
    element, place_of_first, place_of_second = in_ring
    first, second = store.elements[element, place_of_first], store.elements[element, place_of_second]
    other = store.counts[1]
    store.counts[1] += 1
    store.parent[other] = store.parent[element]
    store.ghost[other] = store.ghost[element]
    store.density[other] = store.density[element]
    store.size[other] = store.size[element]
    store.plastic_strain[other] = store.plastic_strain[element]
    whole = store.volume[element]
    store.volume[element] = share * whole
    store.volume[other] = whole - share * whole
    quarter_density = 0.25 * store.density[element]
    store.mass[first] -= quarter_density * store.volume[other]
    store.mass[second] -= quarter_density * store.volume[element]
    store.mass[middle] += quarter_density * whole

    for k in range(4):
        store.elements[other, k] = store.elements[element, k]
    store.elements[other, place_of_first] = middle
    store.elements[element, place_of_second] = middle
    for k in range(4):
        _push_corner(store, other, k)
    _update_basis(store, element)
    _update_basis(store, other)


@njit(cache=True)
def _update_basis(store, element):
    """Invert the matrix of an element's rest edges."""
    rest, (a, b, c, d) = store.rest, store.elements[element]
    ux, uy, uz = rest[b, 0] - rest[a, 0], rest[b, 1] - rest[a, 1], rest[b, 2] - rest[a, 2]
    vx, vy, vz = rest[c, 0] - rest[a, 0], rest[c, 1] - rest[a, 1], rest[c, 2] - rest[a, 2]
    wx, wy, wz = rest[d, 0] - rest[a, 0], rest[d, 1] - rest[a, 1], rest[d, 2] - rest[a, 2]
    vwx, vwy, vwz = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    determinant = ux * vwx + uy * vwy + uz * vwz
    inverse = 1.0 / determinant if determinant > 0.0 else 0.0
    basis = store.basis[element]
    basis[0, 0], basis[0, 1], basis[0, 2] = vwx * inverse, vwy * inverse, vwz * inverse
    basis[1, 0], basis[1, 1], basis[1, 2] = (
        (wy * uz - wz * uy) * inverse,
        (wz * ux - wx * uz) * inverse,
        (wx * uy - wy * ux) * inverse,
    )
    basis[2, 0], basis[2, 1], basis[2, 2] = (
        (uy * vz - uz * vy) * inverse,
        (uz * vx - ux * vz) * inverse,
        (ux * vy - uy * vx) * inverse,
    )


@njit(cache=True)
def thickness_of(store, element):
    """Metres, the smallest altitude of an element in rest: the rows of the basis are gradients, 1 over an altitude."""
    steepest = 0.0
    basis = store.basis[element]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(3):
        x, y, z = x + basis[k, 0], y + basis[k, 1], z + basis[k, 2]
        steepest = max(steepest, basis[k, 0] ** 2 + basis[k, 1] ** 2 + basis[k, 2] ** 2)
    return 1.0 / np.sqrt(max(steepest, x * x + y * y + z * z))


@njit(cache=True)
def divide_node(store, star, part):
    """Give each part of a node's star a node of its own, at the same place and speed.

    The part with the most mass keeps the node.

    Args:
        store: Changed in place.
        star: Of the node.
        part: (K,) which part each element is in, by any numbers below K.

    Returns:
        (P,) the nodes, the old one first; just that when there is one part.
    """
    node = store.elements[star.elements[0], star.place[0]]
    mass = np.zeros(len(part))
    for i in range(len(part)):
        element = star.elements[i]
        mass[part[i]] += 0.25 * store.density[element] * store.volume[element]
    keeper = np.argmax(mass)
    node_of_part = np.full(len(part), NONE, np.int32)
    node_of_part[keeper] = node
    copies = np.empty(len(part), np.int32)
    copies[0] = node
    count = 1
    for i in range(len(part)):
        if node_of_part[part[i]] == NONE:
            copy = _new_node(store, node, node, 0.0)
            store.rest_node[copy] = store.rest_node[node]
            store.mass[copy] = mass[part[i]]
            node_of_part[part[i]] = copy
            copies[count] = copy
            count += 1
        store.elements[star.elements[i], star.place[i]] = node_of_part[part[i]]
    if count > 1:
        store.mass[node] = mass[keeper]
    return copies[:count]


@njit(cache=True)
def separate(store, node):
    """Give a node's star as many nodes as it has parts that share no face: an edge or a point is no joint.

    This is the papers' boundary rule. Returns the nodes, as ``divide_node`` does.
    """
    star = star_of(store, node)
    leader = np.arange(len(star.elements))
    part_count = len(leader)
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            first, second = star.owners[p, q]
            if second != NONE and root_of(leader, first) != root_of(leader, second):
                join(leader, first, second)
                part_count -= 1
    if part_count == 1:
        return np.full(1, node, np.int32)
    for i in range(len(leader)):
        leader[i] = root_of(leader, i)
    return divide_node(store, star, leader)
