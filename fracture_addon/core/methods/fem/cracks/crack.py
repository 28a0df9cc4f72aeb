"""Open a crack through a node along a plane (O'Brien and Hodgins 1999, section 4.3).

The elements around the node are cut along the plane by bisecting the edges of its link that cross the plane. Then the
node is divided between the two sides, and so is every node on the plane where the sides share no face.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ....numerics.components import join, root_of
from ..state import NONE, Store
from .bisection import bisect_edge, ring_of, stays_thick
from .crack_plane import (
    ON_PLANE,
    distance,
    face_row,
    front_of_old_crack,
    heights_of,
    segments_to_cut,
    side_of_element,
    snapped_sides,
)
from .star import Star, divide_node, separate, star_of

# Results of ``open_crack``: the plane does not divide the node; the crack is open; the arrays are full.
CLOSED, OPENED, NO_ROOM = 0, 1, 2


@njit(cache=True)
def open_crack(
    store: Store, node: int, point: np.ndarray, normal: np.ndarray, known: np.ndarray
) -> tuple[int, np.ndarray, np.ndarray]:
    """Crack a node along a plane.

    Args:
        store: Changed in place.
        node: Where the crack starts; it counts as on the plane.
        point: (3,) a point of the plane in world space, m.
        normal: (3,) its unit normal in world space.
        known: (N,) int8, side of the plane of each rest node, for all rows of the arrays: 1, -1, ``ON_PLANE``, or 0 if
            not decided yet. Changed in place. A plane through several nodes must keep these decisions. Otherwise it
            would leave small fragments between its parts.

    Returns:
        The result (after ``NO_ROOM``, enlarge the arrays and call again); (P,) int32 the node and its copies; (F,)
        int32 the nodes at the front of the new crack.

    Notes:
        O'Brien and Hodgins 1999, section 4.3.

    Example:
        The common face of two elements lies in the plane. Node 1 gets a copy.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> mesh = from_solid(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), 2400.0)
        >>> mesh.grow()  # room for new nodes and elements
        >>> plane = np.zeros(3), np.array([1.0, 0.0, 0.0]), np.zeros(len(mesh.store.rest), np.int8)
        >>> found, nodes, front = open_crack(mesh.store, 1, *plane)
        >>> found == OPENED, nodes.tolist(), len(front)
        (True, [1, 5], 0)
    """
    alone = np.full(1, node, np.int32)
    nowhere = np.empty(0, np.int32)
    star = star_of(store, node)
    height = heights_of(store, star, node, point, normal)
    ahead, at_front = front_of_old_crack(store, star, node)
    is_tip = bool(np.any(at_front))
    known[store.rest_node[node]] = ON_PLANE
    side = snapped_sides(store, star, node, height, at_front, known)
    cut = segments_to_cut(store, star, node, height, side, ahead, is_tip)
    if is_tip and not _comes_apart(_parts(star, height, side, cut)):
        # The part of the plane ahead does not meet the old crack. Only the whole plane divides the node.
        is_tip = False
        cut[:] = True
    if not _comes_apart(_parts(star, height, side, cut)):
        return CLOSED, alone, nowhere
    if not _bisect_link(store, star, height, side, cut):
        return NO_ROOM, alone, nowhere

    halved = star_of(store, node)
    height, side = _after_bisection(star, halved, height, side)
    for row in range(len(side)):
        known[store.rest_node[halved.link[row]]] = side[row] if side[row] != 0 else ON_PLANE
    if store.counts[0] + len(halved.elements) * (len(halved.link) + 1) > len(store.rest):
        return NO_ROOM, alone, nowhere
    cut = segments_to_cut(store, halved, node, height, side, ahead, is_tip)
    for i in range(len(halved.elements)):
        if side_of_element(halved, i, height, side) == 0:
            cut[i] = False
    part = _parts(halved, height, side, cut)
    if not _comes_apart(part):
        return CLOSED, alone, nowhere
    part_of_element = np.empty(len(part), np.int64)
    for i in range(len(part)):
        part_of_element[i] = max(part[i, 0], part[i, 1]) // 2
    nodes = divide_node(store, halved.elements, halved.place, part_of_element)
    return OPENED, nodes, _open_link(store, halved, part_of_element)


@njit(cache=True)
def _parts(star: Star, height: np.ndarray, side: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """Label the parts of the star that the plane separates.

    An element that the plane crosses has one half above the plane and one below. They are connected unless the element
    is to be cut.

    Returns:
        (K, 2) the part of each element's half above and below the plane; -1 if it has no volume on that side.
    """
    element_count = len(star.elements)
    leader = np.arange(2 * element_count)
    for i in range(element_count):
        if not cut[i]:
            join(leader, 2 * i, 2 * i + 1)
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            if star.owners[p, q, 1] != NONE:
                _join_across_face(leader, star, p, q, height, side, cut)
    part = np.full((element_count, 2), NONE, np.int64)
    for i in range(element_count):
        own_side = side_of_element(star, i, height, side)
        if own_side >= 0:
            part[i, 0] = root_of(leader, 2 * i)
        if own_side <= 0:
            part[i, 1] = root_of(leader, 2 * i + 1)
    return part


@njit(cache=True, forceinline=True)
def _join_across_face(
    leader: np.ndarray, star: Star, p: int, q: int, height: np.ndarray, side: np.ndarray, cut: np.ndarray
) -> None:
    """Join the halves of two elements that share a face, unless the plane lies between them."""
    first, second = star.owners[p, q, 0], star.owners[p, q, 1]
    if side[p] == 0 and side[q] == 0:
        below = side_of_element(star, first, height, side) < 0
        other_below = side_of_element(star, second, height, side) < 0
        if below == other_below or not cut[face_row(star, p, q)]:
            join(leader, 2 * first + below, 2 * second + other_below)
        return
    if side[p] > 0 or side[q] > 0:
        join(leader, 2 * first, 2 * second)
    if side[p] < 0 or side[q] < 0:
        join(leader, 2 * first + 1, 2 * second + 1)


@njit(cache=True, forceinline=True)
def _comes_apart(part: np.ndarray) -> bool:
    """Return whether ``part`` (K, 2) has two labels or more."""
    first = max(part[0, 0], part[0, 1])
    for i in range(len(part)):
        for below in range(2):
            if part[i, below] != NONE and part[i, below] != first:
                return True
    return False


@njit(cache=True)
def _bisect_link(store: Store, star: Star, height: np.ndarray, side: np.ndarray, cut: np.ndarray) -> bool:
    """Bisect the edges of the link that cross the plane in elements to cut, longest first.

    If that would make an element too thin, the plane goes through the nearer end instead: ``side`` is changed.

    Returns:
        False if the arrays are full; the mesh is valid then too.
    """
    edges = np.empty((3 * len(star.elements), 2), np.int32)
    length = np.empty(len(edges))
    count = 0
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            first, second = star.owners[p, q, 0], star.owners[p, q, 1]
            if side[p] * side[q] < 0 and first != NONE and (cut[first] or (second != NONE and cut[second])):
                edges[count, 0], edges[count, 1] = p, q
                length[count] = distance(store.rest[star.link[p]], store.rest[star.link[q]])
                count += 1
    for _ in range(count):
        row = np.argmax(length[:count])
        length[row] = 0.0
        p, q = edges[row, 0], edges[row, 1]
        if side[p] * side[q] == 0:
            continue
        ring = ring_of(store, star.link[p], star.link[q])
        if len(ring) == 0:
            # The two faces of an old crack share one edge of the rest complex. It was bisected for both.
            continue
        between = height[p] - height[q]
        share = height[p] / between if between != 0.0 else 0.0
        # Sides may be decided at an earlier node. In a strongly deformed element both ends may be above the plane.
        if not 0.0 < share < 1.0 or not stays_thick(store, ring, star.link[p], star.link[q], share):
            side[p if abs(height[p]) < abs(height[q]) else q] = 0
        elif not bisect_edge(store, ring, star.link[p], star.link[q], share):
            return False
    return True


@njit(cache=True)
def _after_bisection(star: Star, halved: Star, height: np.ndarray, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return heights and sides of the link of ``halved``, the star after bisection. New nodes are on the plane."""
    new_height = np.zeros(len(halved.link) + 1)
    new_height[-1] = height[-1]
    new_side = np.zeros(len(halved.link), np.int8)
    for row in range(len(halved.link)):
        for old in range(len(star.link)):
            if star.link[old] == halved.link[row]:
                new_height[row], new_side[row] = height[old], side[old]
                break
    return new_height, new_side


@njit(cache=True)
def _open_link(store: Store, star: Star, part: np.ndarray) -> np.ndarray:
    """Separate the nodes of the link between parts; return those that stay whole, the crack front."""
    between = np.zeros(len(star.link), np.bool_)
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            first, second = star.owners[p, q, 0], star.owners[p, q, 1]
            if second != NONE and part[first] != part[second]:
                between[p] = between[q] = True
    front = np.empty(len(star.link), np.int32)
    count = 0
    for row in range(len(star.link)):
        if between[row] and len(separate(store, star.link[row])) == 1:
            front[count] = star.link[row]
            count += 1
    return front[:count]
