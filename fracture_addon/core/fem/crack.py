"""Opening a crack through a node along a plane (O'Brien and Hodgins 1999, section 4.3).

The elements around the node are cut along the plane by bisecting the edges of its link that cross it; then the node
is divided between the sides, and with it every node on the plane at which the two sides have come apart.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .mesh import NONE
from .topology import bisect_edge, corner_with, divide_node, join, ring_size, root_of, separate, star_of, thickness_of

# A node this near to the plane counts as on it: as a share of the elements' size, and as an angle seen from the
# cracking node (the paper: 5 mm and 0.1 radians).
SNAP_DISTANCE, SNAP_ANGLE = 0.15, 0.3
# No element becomes thinner than this share of its size by being bisected.
LEAST_THICKNESS = 0.1

# What became of a crack.
CLOSED, OPENED, NO_ROOM = 0, 1, 2


@njit(cache=True)
def open_crack(store, node, point, normal):
    """Crack a node along a plane.

    Args:
        store: Changed in place.
        node: Where the crack starts; taken to be on the plane.
        point: (3,) a point of the plane in world space.
        normal: (3,) its unit normal there.

    Returns:
        What became of it (``NO_ROOM``: enlarge the arrays and ask again), the nodes that the node became, and the
        nodes at the new crack's front.
    """
    alone = np.full(1, node, np.int32)
    nowhere = np.empty(0, np.int32)
    star = star_of(store, node)
    height = _heights(store, star, point, normal)
    side = _snapped_sides(store, star, node, height)
    ahead, is_tip = _direction_ahead(store, star, node)
    cut = _segments_to_cut(store, star, node, height, side, ahead, is_tip)
    if is_tip and not _comes_apart(_parts(star, height, side, cut)):
        # The part of the plane ahead does not meet the old crack: only the whole of it divides the node.
        is_tip = False
        cut[:] = True
    if not _comes_apart(_parts(star, height, side, cut)):
        return CLOSED, alone, nowhere
    if not _bisect_link(store, star, height, side, cut):
        return NO_ROOM, alone, nowhere

    halved = star_of(store, node)
    height, side = _carried_over(star, halved, height, side)
    if store.counts[0] + len(halved.elements) * (len(halved.link) + 1) > len(store.rest):
        return NO_ROOM, alone, nowhere
    cut = _segments_to_cut(store, halved, node, height, side, ahead, is_tip)
    for i in range(len(halved.elements)):
        if _side_of_element(halved, i, height, side) == 0:
            cut[i] = False
    part = _parts(halved, height, side, cut)
    if not _comes_apart(part):
        return CLOSED, alone, nowhere
    part = np.maximum(part[:, 0], part[:, 1]) // 2
    nodes = divide_node(store, halved, part)
    return OPENED, nodes, _open_link(store, halved, part)


@njit(cache=True)
def _heights(store, star, point, normal):
    """(L,) metres, how far the nodes of the link are above the plane, in world space."""
    height = np.empty(len(star.link))
    for row in range(len(star.link)):
        x = store.position[star.link[row]]
        height[row] = (x[0] - point[0]) * normal[0] + (x[1] - point[1]) * normal[1] + (x[2] - point[2]) * normal[2]
    return height


@njit(cache=True)
def _snapped_sides(store, star, node, height):
    """(L,) side of the plane that each node of the link is on: 1, -1, or 0 for one that is as good as on it."""
    size = 0.0
    for element in star.elements:
        size += store.size[element] / len(star.elements)
    side = np.zeros(len(star.link), np.int8)
    for row in range(len(star.link)):
        distance = _distance(store.position[star.link[row]], store.position[node])
        if abs(height[row]) > max(SNAP_DISTANCE * size, np.sin(SNAP_ANGLE) * distance):
            side[row] = 1 if height[row] > 0.0 else -1
    return side


@njit(cache=True)
def _distance(a, b):
    return np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@njit(cache=True)
def _side_of_element(star, i, height, side):
    """Side of the plane that an element is on: 1 or -1, or 0 when the plane crosses it.

    An element with its whole triangle on the plane is on the side where most of it is: the crack goes around it.
    """
    p, q, r = star.opposite[i]
    low, high = min(side[p], side[q], side[r]), max(side[p], side[q], side[r])
    if low == 0 and high == 0:
        return 1 if height[p] + height[q] + height[r] > 0.0 else -1
    return low + high if low * high == 0 else (low if low == high else 0)


@njit(cache=True)
def _direction_ahead(store, star, node):
    """(3,) in world space, away from the crack whose front the node is at, and whether there is one.

    At a front, two faces of the star are two sides of one face of the rest complex.
    """
    ahead = np.zeros(3)
    is_tip = False
    ends = np.empty((len(star.elements) * 3, 2), np.int32)
    count = 0
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            if star.owners[p, q, 0] != NONE and star.owners[p, q, 1] == NONE:
                first, second = store.rest_node[star.link[p]], store.rest_node[star.link[q]]
                low, high = min(first, second), max(first, second)
                for row in range(count):
                    if ends[row, 0] == low and ends[row, 1] == high:
                        is_tip = True
                        toward = _middle(store, star, p, q) - store.position[node]
                        ahead -= toward / max(np.sqrt((toward**2).sum()), 1e-300)
                ends[count, 0], ends[count, 1] = low, high
                count += 1
    return ahead, is_tip


@njit(cache=True)
def _middle(store, star, p, q):
    return 0.5 * (store.position[star.link[p]] + store.position[star.link[q]])


@njit(cache=True)
def _segments_to_cut(store, star, node, height, side, ahead, is_tip):
    """Where the plane is to divide the star: (K + L * L,) bool, elements that it crosses, then faces that lie on it.

    The plane meets the link in a curve, which the rim of the link (an old crack, the body's surface) may break into
    arcs. At a crack's front one arc is enough to divide the node, and the one that points back would be a second
    crack beside the old one ("back-cracking"): only arcs that point ahead are cut.
    """
    element_count, link_count = len(star.elements), len(star.link)
    cut = np.ones(element_count + link_count * link_count, np.bool_)
    if not is_tip:
        return cut
    arc = _arcs(star, height, side)
    progress = np.zeros(len(cut))
    for i in range(element_count):
        if _side_of_element(star, i, height, side) == 0:
            middle, length = _crossing_of_element(store, star, i, height, side)
            progress[arc[i]] += length * ((middle - store.position[node]) * ahead).sum()
    for p in range(link_count):
        for q in range(p + 1, link_count):
            if _is_cut_face(star, p, q, height, side):
                length = _distance(store.position[star.link[p]], store.position[star.link[q]])
                toward = _middle(store, star, p, q) - store.position[node]
                progress[arc[_face_row(star, p, q)]] += length * (toward * ahead).sum()
    for row in range(len(cut)):
        cut[row] = progress[arc[row]] > 0.0
    return cut


@njit(cache=True)
def _face_row(star, p, q):
    return len(star.elements) + p * len(star.link) + q


@njit(cache=True)
def _is_cut_face(star, p, q, height, side):
    """Whether a face of the star (an edge of the link) lies on the plane, between elements on different sides."""
    first, second = star.owners[p, q]
    if second == NONE or side[p] != 0 or side[q] != 0:
        return False
    return _side_of_element(star, first, height, side) != _side_of_element(star, second, height, side)


@njit(cache=True)
def _arcs(star, height, side):
    """(K + L * L,) which arc each segment of the plane's curve on the link belongs to; rows as in the caller."""
    link_count = len(star.link)
    leader = np.arange(len(star.elements) + link_count * link_count)
    on_rim = np.zeros(link_count, np.bool_)
    for p in range(link_count):
        for q in range(p + 1, link_count):
            first, second = star.owners[p, q]
            if first != NONE and second == NONE:
                on_rim[p] = on_rim[q] = True
            elif second != NONE and side[p] * side[q] < 0:
                join(leader, first, second)
    # The first segment found at each node that the curve goes through.
    segment = np.full(link_count, NONE, np.int64)
    for p in range(link_count):
        for q in range(p + 1, link_count):
            if _is_cut_face(star, p, q, height, side):
                _join_at(leader, segment, on_rim, p, _face_row(star, p, q))
                _join_at(leader, segment, on_rim, q, _face_row(star, p, q))
    for i in range(len(star.elements)):
        if _side_of_element(star, i, height, side) == 0:
            for p in star.opposite[i]:
                if side[p] == 0:
                    _join_at(leader, segment, on_rim, p, i)
    for row in range(len(leader)):
        leader[row] = root_of(leader, row)
    return leader


@njit(cache=True)
def _join_at(leader, segment, on_rim, row, new):
    if segment[row] == NONE:
        segment[row] = new
    elif not on_rim[row]:
        join(leader, segment[row], new)


@njit(cache=True)
def _crossing_of_element(store, star, i, height, side):
    """Middle and length of the segment in which the plane crosses an element's triangle of the link."""
    ends = np.zeros((2, 3))
    count = 0
    for j in range(3):
        p, q = star.opposite[i, j], star.opposite[i, (j + 1) % 3]
        if side[p] == 0:
            ends[count] = store.position[star.link[p]]
            count += 1
        elif side[p] * side[q] < 0:
            share = height[p] / (height[p] - height[q])
            ends[count] = (1.0 - share) * store.position[star.link[p]] + share * store.position[star.link[q]]
            count += 1
    return 0.5 * (ends[0] + ends[1]), _distance(ends[0], ends[1])


@njit(cache=True)
def _parts(star, height, side, cut):
    """(K, 2) which part of the star the halves of each element above and below the plane belong to.

    -1 where an element has nothing on that side. An element that the plane crosses is one half above and one below if
    it is to be cut, and holds them together if not.
    """
    element_count = len(star.elements)
    leader = np.arange(2 * element_count)
    for i in range(element_count):
        if not cut[i]:
            join(leader, 2 * i, 2 * i + 1)
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            first, second = star.owners[p, q]
            if second == NONE:
                continue
            if side[p] == 0 and side[q] == 0:
                below = _side_of_element(star, first, height, side) < 0
                other_below = _side_of_element(star, second, height, side) < 0
                if below == other_below or not cut[_face_row(star, p, q)]:
                    join(leader, 2 * first + below, 2 * second + other_below)
            else:
                if side[p] > 0 or side[q] > 0:
                    join(leader, 2 * first, 2 * second)
                if side[p] < 0 or side[q] < 0:
                    join(leader, 2 * first + 1, 2 * second + 1)
    part = np.full((element_count, 2), NONE, np.int64)
    for i in range(element_count):
        side_of_element = _side_of_element(star, i, height, side)
        if side_of_element >= 0:
            part[i, 0] = root_of(leader, 2 * i)
        if side_of_element <= 0:
            part[i, 1] = root_of(leader, 2 * i + 1)
    return part


@njit(cache=True)
def _comes_apart(part):
    """Whether there are two parts or more."""
    first = max(part[0, 0], part[0, 1])
    for i in range(len(part)):
        for below in range(2):
            if part[i, below] != NONE and part[i, below] != first:
                return True
    return False


@njit(cache=True)
def _bisect_link(store, star, height, side, cut):
    """Bisect the edges of the link that cross the plane, longest first, in the elements that are to be cut.

    Where that would make an element too thin, the plane goes through the nearer end instead: ``side`` is changed.

    Returns:
        False when the arrays are full; what is done then is sound.
    """
    edges = np.empty((3 * len(star.elements), 2), np.int32)
    length = np.empty(len(edges))
    count = 0
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            first, second = star.owners[p, q]
            if side[p] * side[q] < 0 and first != NONE and (cut[first] or (second != NONE and cut[second])):
                edges[count, 0], edges[count, 1] = p, q
                length[count] = _distance(store.rest[star.link[p]], store.rest[star.link[q]])
                count += 1
    for row in np.argsort(-length[:count], kind="mergesort"):
        p, q = edges[row]
        # The two sides of an old crack have one edge in the rest complex, which is bisected for both.
        if side[p] * side[q] == 0 or ring_size(store, star.link[p], star.link[q]) == 0:
            continue
        share = height[p] / (height[p] - height[q])
        if not _stays_thick(store, star.link[p], star.link[q], share):
            side[p if abs(height[p]) < abs(height[q]) else q] = 0
            continue
        first_new = store.counts[0]
        if bisect_edge(store, star.link[p], star.link[q], share) == NONE:
            return False
        for new in range(first_new, store.counts[0]):
            separate(store, new)
    return True


@njit(cache=True)
def _stays_thick(store, first, second, share):
    """Whether bisecting an edge leaves all elements around it thick enough, or as thin as they were.

    The altitudes of the two corners beside the edge do not change; the other four are looked at.
    """
    rest_first, rest_second = store.rest_node[first], store.rest_node[second]
    middle = (1.0 - share) * store.rest[first] + share * store.rest[second]
    corner = store.first_corner[rest_second]
    while corner != NONE:
        element = corner >> 2
        place = corner_with(store, element, rest_first)
        if place != NONE and not store.ghost[element]:
            k = 0
            while k == place or k == corner & 3:
                k += 1
            c = store.rest[store.elements[element, k]]
            d = store.rest[store.elements[element, 6 - place - (corner & 3) - k]]
            largest = max(
                _area(store.rest[first], c, d) / share,
                _area(middle, c, d) / min(share, 1.0 - share),
                _area(store.rest[second], c, d) / (1.0 - share),
            )
            thickness = 3.0 * store.volume[element] / largest
            if thickness < min(LEAST_THICKNESS * store.size[element], thickness_of(store, element)):
                return False
        corner = store.next_corner[element, corner & 3]
    return True


@njit(cache=True)
def _area(a, b, c):
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return 0.5 * np.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2)


@njit(cache=True)
def _carried_over(star, halved, height, side):
    """Heights and sides of the link after it was bisected; nodes that were not there before are on the plane."""
    new_height = np.zeros(len(halved.link))
    new_side = np.zeros(len(halved.link), np.int8)
    for row in range(len(halved.link)):
        for old in range(len(star.link)):
            if star.link[old] == halved.link[row]:
                new_height[row], new_side[row] = height[old], side[old]
                break
    return new_height, new_side


@njit(cache=True)
def _open_link(store, star, part):
    """Separate the nodes of the link that lie between parts; returns those that stay whole: the crack's front."""
    between = np.zeros(len(star.link), np.bool_)
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            first, second = star.owners[p, q]
            if second != NONE and part[first] != part[second]:
                between[p] = between[q] = True
    front = np.empty(len(star.link), np.int32)
    count = 0
    for row in range(len(star.link)):
        if between[row] and len(separate(store, star.link[row])) == 1:
            front[count] = star.link[row]
            count += 1
    return front[:count]
