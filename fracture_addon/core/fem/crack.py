"""Opening a crack through a node along a plane (O'Brien and Hodgins 1999, section 4.3).

The elements around the node are cut along the plane by bisecting the edges of its link that cross it; then the node
is divided between the sides, and with it every node on the plane at which the two sides have come apart.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .mesh import NONE
from .topology import bisect_edge, divide_node, join, ring_of, root_of, separate, star_of, thickness_of

# A node this near to the plane counts as on it: as a share of the elements' size, and as an angle seen from the
# cracking node (the paper: 5 mm and 0.1 radians).
SNAP_DISTANCE, SNAP_ANGLE = 0.15, 0.3
# The same angle for a neighbour along the front of the crack that the node is at the front of: past it, the new part
# would not join the old one, and leave crumbs between them.
FRONT_ANGLE = 0.7
# No element becomes thinner than this share of its size by being bisected.
LEAST_THICKNESS = 0.1

# A node's side of the plane, beside 1 and -1.
ON_PLANE = 2

# What became of a crack.
CLOSED, OPENED, NO_ROOM = 0, 1, 2


@njit(cache=True)
def open_crack(store, node, point, normal, known):
    """Crack a node along a plane.

    Args:
        store: Changed in place.
        node: Where the crack starts; taken to be on the plane.
        point: (3,) a point of the plane in world space.
        normal: (3,) its unit normal there.
        known: (N,) int8 for all rows of the arrays, changed in place: on which side of this plane a rest node is: 1,
            -1, ``ON_PLANE``, or 0 where that is not decided yet. A plane that goes through several nodes must find
            the others where it left them, or it would leave crumbs between its parts.

    Returns:
        What became of it (``NO_ROOM``: enlarge the arrays and ask again), the nodes that the node became, and the
        nodes at the new crack's front.
    """
    alone = np.full(1, node, np.int32)
    nowhere = np.empty(0, np.int32)
    star = star_of(store, node)
    height = _heights(store, star, node, point, normal)
    ahead, at_front = _front_of_old_crack(store, star, node)
    is_tip = bool(np.any(at_front))
    known[store.rest_node[node]] = ON_PLANE
    side = _snapped_sides(store, star, node, height, at_front, known)
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
    for row in range(len(side)):
        known[store.rest_node[halved.link[row]]] = side[row] if side[row] != 0 else ON_PLANE
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
def _heights(store, star, node, point, normal):
    """(L + 1,) metres, how far the nodes of the link, and the node itself, are above the plane in world space."""
    height = np.empty(len(star.link) + 1)
    for row in range(len(height)):
        x = store.position[star.link[row] if row < len(star.link) else node]
        height[row] = (x[0] - point[0]) * normal[0] + (x[1] - point[1]) * normal[1] + (x[2] - point[2]) * normal[2]
    return height


@njit(cache=True)
def _snapped_sides(store, star, node, height, at_front, known):
    """(L,) side of the plane that each node of the link is on: 1, -1, or 0 for one that is as good as on it."""
    size = 0.0
    for element in star.elements:
        size += store.size[element] / len(star.elements)
    side = np.zeros(len(star.link), np.int8)
    for row in range(len(star.link)):
        decided = known[store.rest_node[star.link[row]]]
        if decided != 0:
            side[row] = decided if decided != ON_PLANE else 0
            continue
        distance = _distance(store.position[star.link[row]], store.position[node])
        angle = FRONT_ANGLE if at_front[row] else SNAP_ANGLE
        if abs(height[row]) > max(SNAP_DISTANCE * size, np.sin(angle) * distance):
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
        return 1 if height[p] + height[q] + height[r] + height[-1] > 0.0 else -1
    return low + high if low * high == 0 else (low if low == high else 0)


@njit(cache=True)
def _front_of_old_crack(store, star, node):
    """Where the crack is whose front the node is at.

    At a front, two faces of the star are two sides of one face of the rest complex. Their nodes that the sides have
    in common are on the front, too.

    Returns:
        (3,) a vector in world space away from the crack, and (L,) bool, nodes of the link at its front: none if the
        node is not at a front.
    """
    ahead = np.zeros(3)
    at_front = np.zeros(len(star.link), np.bool_)
    rim = np.empty((3 * len(star.elements), 2), np.int32)
    count = 0
    for p in range(len(star.link)):
        for q in range(p + 1, len(star.link)):
            if star.owners[p, q, 0] != NONE and star.owners[p, q, 1] == NONE:
                rim[count, 0], rim[count, 1] = p, q
                count += 1
    for i in range(count):
        for j in range(i):
            if _is_one_edge(store, star.link[rim[i]], star.link[rim[j]]):
                for row in rim[i]:
                    at_front[row] |= row == rim[j, 0] or row == rim[j, 1]
                p, q = star.link[rim[i]]
                middle = 0.5 * (store.position[p] + store.position[q])
                ahead -= (middle - store.position[node]) / _distance(middle, store.position[node])
    return _across(store, star, node, ahead, at_front), at_front


@njit(cache=True)
def _across(store, star, node, ahead, at_front):
    """The part of a direction that is perpendicular to the front, which runs through its first and last node here."""
    rows = np.flatnonzero(at_front)
    if len(rows) == 0:
        return ahead
    start = store.position[node] if len(rows) == 1 else store.position[star.link[rows[0]]]
    along = store.position[star.link[rows[-1]]] - start
    return ahead - (ahead * along).sum() / max((along * along).sum(), 1e-300) * along


@njit(cache=True)
def _is_one_edge(store, first, second):
    """Whether two edges of the mesh are copies of one edge of the rest complex."""
    a, b = store.rest_node[first[0]], store.rest_node[first[1]]
    c, d = store.rest_node[second[0]], store.rest_node[second[1]]
    return (a == c and b == d) or (a == d and b == c)


@njit(cache=True)
def _segments_to_cut(store, star, node, height, side, ahead, is_tip):
    """Where the plane is to divide the star: (K + L * L,) bool, elements that it crosses, then faces that lie on it.

    The plane meets the link in a curve, which the rim of the link (an old crack, the body's surface) may break into
    arcs. At a crack's front one arc is enough to divide the node, and the one that points back would be a second
    crack beside the old one ("back-cracking"): only arcs that point ahead are cut.
    """
    cut = np.ones(len(star.elements) + len(star.link) ** 2, np.bool_)
    if not is_tip:
        return cut
    curve = _curve(star, height, side)
    arc = _arcs(star, curve)
    progress = np.zeros(len(curve))
    for row in range(len(curve)):
        first = _end_of_segment(store, star, height, curve[row, 1])
        second = _end_of_segment(store, star, height, curve[row, 2])
        toward = 0.5 * (first + second) - store.position[node]
        progress[arc[row]] += _distance(first, second) * (toward * ahead).sum()
    for row in range(len(curve)):
        cut[curve[row, 0]] = progress[arc[row]] > 0.0 or progress[arc[row]] == progress[arc].max()
    return cut


@njit(cache=True)
def _curve(star, height, side):
    """(S, 3) segments of the plane's curve on the link: the row of each in ``_segments_to_cut``, and its two ends.

    An end is ``p * L + q`` for the crossing of a link edge, p < q, and ``p * L + p`` for a node of the link.
    """
    link_count = len(star.link)
    curve = np.empty((4 * len(star.elements), 3), np.int32)
    count = 0
    for i in range(len(star.elements)):
        if _side_of_element(star, i, height, side) == 0:
            end = 1
            for j in range(3):
                p, q = star.opposite[i, j], star.opposite[i, (j + 1) % 3]
                if side[p] == 0:
                    curve[count, end] = p * link_count + p
                    end += 1
                elif side[p] * side[q] < 0:
                    curve[count, end] = min(p, q) * link_count + max(p, q)
                    end += 1
            curve[count, 0] = i
            count += 1
    for p in range(link_count):
        for q in range(p + 1, link_count):
            if _is_cut_face(star, p, q, height, side):
                curve[count, 0] = _face_row(star, p, q)
                curve[count, 1], curve[count, 2] = p * link_count + p, q * link_count + q
                count += 1
    return curve[:count]


@njit(cache=True)
def _end_of_segment(store, star, height, end):
    p, q = end // len(star.link), end % len(star.link)
    if p == q:
        return store.position[star.link[p]].copy()
    share = height[p] / (height[p] - height[q])
    return (1.0 - share) * store.position[star.link[p]] + share * store.position[star.link[q]]


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
def _arcs(star, curve):
    """(S,) which arc each segment of the curve belongs to; arcs end at the rim of the link."""
    leader = np.arange(len(curve))
    for i in range(len(curve)):
        for j in range(i):
            for end in curve[i, 1:]:
                if (end == curve[j, 1] or end == curve[j, 2]) and not _is_on_rim(star, end):
                    join(leader, i, j)
    for i in range(len(curve)):
        leader[i] = root_of(leader, i)
    return leader


@njit(cache=True)
def _is_on_rim(star, end):
    """Whether the end of a segment of the curve lies on an edge of the link that only one element has."""
    p, q = end // len(star.link), end % len(star.link)
    if p != q:
        return star.owners[p, q, 1] == NONE
    for other in range(len(star.link)):
        first, second = star.owners[min(p, other), max(p, other)]
        if first != NONE and second == NONE:
            return True
    return False


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
            if star.owners[p, q, 1] != NONE:
                _join_across_face(leader, star, p, q, height, side, cut)
    part = np.full((element_count, 2), NONE, np.int64)
    for i in range(element_count):
        side_of_element = _side_of_element(star, i, height, side)
        if side_of_element >= 0:
            part[i, 0] = root_of(leader, 2 * i)
        if side_of_element <= 0:
            part[i, 1] = root_of(leader, 2 * i + 1)
    return part


@njit(cache=True)
def _join_across_face(leader, star, p, q, height, side, cut):
    """Join the halves of two elements that meet in a face, as far as the plane does not lie between them."""
    first, second = star.owners[p, q]
    if side[p] == 0 and side[q] == 0:
        below = _side_of_element(star, first, height, side) < 0
        other_below = _side_of_element(star, second, height, side) < 0
        if below == other_below or not cut[_face_row(star, p, q)]:
            join(leader, 2 * first + below, 2 * second + other_below)
        return
    if side[p] > 0 or side[q] > 0:
        join(leader, 2 * first, 2 * second)
    if side[p] < 0 or side[q] < 0:
        join(leader, 2 * first + 1, 2 * second + 1)


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
        if side[p] * side[q] == 0:
            continue
        ring = ring_of(store, star.link[p], star.link[q])
        if len(ring) == 0:
            # The two sides of an old crack have one edge in the rest complex; it was bisected for both.
            continue
        share = height[p] / (height[p] - height[q])
        if not _stays_thick(store, ring, star.link[p], star.link[q], share):
            side[p if abs(height[p]) < abs(height[q]) else q] = 0
        elif not bisect_edge(store, ring, star.link[p], star.link[q], share):
            return False
    return True


@njit(cache=True)
def _stays_thick(store, ring, first, second, share):
    """Whether bisecting an edge leaves all elements around it thick enough, or as thin as they were.

    The altitudes of the two corners beside the edge do not change; the other four are looked at.
    """
    middle = (1.0 - share) * store.rest[first] + share * store.rest[second]
    for element, place_of_first, place_of_second in ring:
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
        if thickness < min(LEAST_THICKNESS * store.size[element], thickness_of(store, element)):
            return False
    return True


@njit(cache=True)
def _area(a, b, c):
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return 0.5 * np.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2)


@njit(cache=True)
def _carried_over(star, halved, height, side):
    """Heights and sides of the link after it was bisected; nodes that were not there before are on the plane."""
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
