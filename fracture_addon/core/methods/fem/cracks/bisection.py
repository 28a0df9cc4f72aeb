"""Bisect an edge and all elements around it, so that the rest complex stays conforming."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..state import NONE, Store
from .star import new_node, separate, shared_nodes

# Smallest altitude of a bisected element, over its size. Tuned: 0.2 changes the fragments of an impact no more than
# rounding does; 0.05 gives 13 instead of 19 (docs/decisions/constants.md).
MIN_THICKNESS = 0.1


@njit(cache=True)
def ring_of(store: Store, first: int, second: int) -> np.ndarray:
    """Find the elements around an edge in the rest complex, including ghosts and elements beyond a crack along it.

    Args:
        store: Elements of the mesh.
        first: Node at one end.
        second: Node at the other end.

    Returns:
        (R, 3) int32: the element, and which of its corners are the first and the second end, or copies of them.
    """
    rest_first = store.rest_node[first]
    count = 0
    corner = store.first_corner[store.rest_node[second]]
    while corner != NONE:
        count += corner_with(store, corner >> 2, rest_first) != NONE
        corner = store.next_corner[corner >> 2, corner & 3]
    ring = np.empty((count, 3), np.int32)
    count = 0
    corner = store.first_corner[store.rest_node[second]]
    while corner != NONE:
        place = corner_with(store, corner >> 2, rest_first)
        if place != NONE:
            ring[count, 0], ring[count, 1], ring[count, 2] = corner >> 2, place, corner & 3
            count += 1
        corner = store.next_corner[corner >> 2, corner & 3]
    return ring


@njit(cache=True, forceinline=True)
def corner_with(store: Store, element: int, rest_node: int) -> int:
    """Return which corner (0 to 3) of an element has a node of the rest complex; -1 for none."""
    for k in range(4):
        if store.rest_node[store.elements[element, k]] == rest_node:
            return k
    return NONE


@njit(cache=True)
def bisect_edge(store: Store, ring: np.ndarray, first: int, second: int, share: float) -> bool:
    """Create a node on an edge, and halve every element of its ring.

    Both faces of a crack along the edge get separate new nodes, and so does each part of the ring that shares no face
    with the others. Position and velocity are interpolated, and each half keeps its mass. With linear shape functions,
    mass, centre of mass and momentum do not change, and kinetic energy does not grow.

    Args:
        store: Changed in place.
        ring: (R, 3) from ``ring_of``.
        first: Node at one end, of an element with mass.
        second: Node of the same element at the other end.
        share: Position of the new node, 0 at ``first`` and 1 at ``second``.

    Returns:
        False, and no change, if the arrays are full.

    Notes:
        O'Brien and Hodgins 1999, section 4.3: elements are cut so that the mesh stays conforming. Rivara 1984 for
        bisection.

    Example:
        A node at a quarter of an edge divides the volume 1 : 3.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []), 2400.0)
        >>> bisect_edge(mesh.store, ring_of(mesh.store, 0, 1), 0, 1, 0.25)
        True
        >>> (6.0 * mesh.volume).round(9).tolist(), mesh.rest[4].tolist()
        ([0.25, 0.75], [0.25, 0.0, 0.0])
    """
    start = store.counts[0]
    if store.counts[1] + len(ring) > len(store.elements) or start + 2 * len(ring) > len(store.rest):
        return False
    is_connected = _is_connected(store, ring)
    middle = new_node(store, first, second, share)
    store.rest_node[middle] = middle
    for row in range(len(ring)):
        element = ring[row, 0]
        new = middle if store.ghost[element] else _midpoint(store, ring[row], middle, share)
        _halve(store, ring[row], new, share)
    _move_corners(store, store.rest_node[second])
    if not is_connected:
        for node in range(start, store.counts[0]):
            separate(store, node)
    return True


@njit(cache=True)
def _is_connected(store: Store, ring: np.ndarray) -> bool:
    """Return whether all elements with mass in a ring share the same edge and are connected by faces around it."""
    solid_count, face_count = 0, 0
    for i in range(len(ring)):
        if store.ghost[ring[i, 0]]:
            continue
        solid_count += 1
        for j in range(i):
            if store.ghost[ring[j, 0]]:
                continue
            face_count += shared_nodes(store, ring[i, 0], ring[j, 0]) == 3
    return solid_count - face_count <= 1


@njit(cache=True, forceinline=True)
def _push_corner(store: Store, element: int, place: int) -> None:
    """Insert corner ``place`` of an element at the head of the list of its rest node."""
    rest_node = store.rest_node[store.elements[element, place]]
    store.next_corner[element, place] = store.first_corner[rest_node]
    store.first_corner[rest_node] = 4 * element + place


@njit(cache=True)
def _move_corners(store: Store, rest_node: int) -> None:
    """Move the corners in the list of a rest node that now have another node to the list of that node."""
    corner = store.first_corner[rest_node]
    store.first_corner[rest_node] = NONE
    while corner != NONE:
        following = store.next_corner[corner >> 2, corner & 3]
        _push_corner(store, corner >> 2, corner & 3)
        corner = following


@njit(cache=True, forceinline=True)
def _midpoint(store: Store, in_ring: np.ndarray, middle: int, share: float) -> int:
    """Return the new node on the edge of one element of the ring: ``middle``, a later copy, or a new copy."""
    first, second = store.elements[in_ring[0], in_ring[1]], store.elements[in_ring[0], in_ring[2]]
    for node in range(middle, store.counts[0]):
        if store.origin[node, 0] == first and store.origin[node, 1] == second:
            return node
    node = new_node(store, first, second, share)
    store.rest_node[node] = middle
    return node


@njit(cache=True)
def _halve(store: Store, in_ring: np.ndarray, middle: int, share: float) -> None:
    """Halve one element at a node on its edge: its row keeps the first end, a new row gets the second.

    The corner that becomes the new node stays in the list of the second end.
    """
    element, place_of_first, place_of_second = in_ring[0], in_ring[1], in_ring[2]
    first, second = store.elements[element, place_of_first], store.elements[element, place_of_second]
    other = store.counts[1]
    store.counts[1] += 1
    store.parent[other] = store.parent[element]
    store.ghost[other] = store.ghost[element]
    store.density[other] = store.density[element]
    store.size[other] = store.size[element]
    store.own[other] = store.own[element]
    # The face between the halves is opposite the end that each half keeps.
    store.skin[other] = store.skin[element] & ~np.uint8(1 << place_of_second)
    store.skin[element] &= ~np.uint8(1 << place_of_first)
    for i in range(3):
        for j in range(3):
            store.plastic_strain[other, i, j] = store.plastic_strain[element, i, j]
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


@njit(cache=True, forceinline=True)
def _update_basis(store: Store, element: int) -> None:
    """Invert the matrix of the rest edges of an element."""
    rest, corners = store.rest, store.elements[element]
    a, b, c, d = corners[0], corners[1], corners[2], corners[3]
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
def stays_thick(store: Store, ring: np.ndarray, first: int, second: int, share: float) -> bool:
    """Return whether bisecting an edge leaves all elements around it thick enough, or no thinner than before.

    The two altitudes of the corners off the edge do not change; only the other four are computed. The arguments are
    those of ``bisect_edge``.
    """
    middle = np.empty(3)
    for axis in range(3):
        middle[axis] = (1.0 - share) * store.rest[first, axis] + share * store.rest[second, axis]
    for row in range(len(ring)):
        element, place_of_first, place_of_second = ring[row, 0], ring[row, 1], ring[row, 2]
        if store.ghost[element]:
            continue
        k = 0
        while k in (place_of_first, place_of_second):
            k += 1
        c = store.rest[store.elements[element, k]]
        d = store.rest[store.elements[element, 6 - place_of_first - place_of_second - k]]
        largest = max(
            _area(store.rest[first], c, d) / share,
            _area(middle, c, d) / min(share, 1.0 - share),
            _area(store.rest[second], c, d) / (1.0 - share),
        )
        thickness = 3.0 * store.volume[element] / largest
        if thickness < min(MIN_THICKNESS * store.size[element], thickness_of(store, element)):
            return False
    return True


@njit(cache=True, forceinline=True)
def _area(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Return the area of a triangle."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return 0.5 * np.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2)


@njit(cache=True, forceinline=True)
def thickness_of(store: Store, element: int) -> float:
    """Return the smallest altitude of an element in rest space.

    The rows of the basis are gradients of shape functions, whose length is 1 over an altitude.

    Args:
        store: Elements of the mesh.
        element: Row of the element.

    Returns:
        m.

    Example:
        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []), 2400.0)
        >>> round(thickness_of(mesh.store, 0) * 3**0.5, 9)
        1.0
    """
    steepest = 0.0
    basis = store.basis[element]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(3):
        x, y, z = x + basis[k, 0], y + basis[k, 1], z + basis[k, 2]
        steepest = max(steepest, basis[k, 0] ** 2 + basis[k, 1] ** 2 + basis[k, 2] ** 2)
    return 1.0 / np.sqrt(max(steepest, x * x + y * y + z * z))
