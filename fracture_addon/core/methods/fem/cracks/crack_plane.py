"""Intersection of a crack plane with the star of a node: sides of nodes and elements, and the curve on the link."""

from __future__ import annotations

import numpy as np
from numba import njit

from ....numerics.components import join, root_of
from ..state import NONE, Store
from .star import Star

# A node within this distance (in mean element sizes) or angle (radians, seen from the cracking node) counts as on the
# plane. O'Brien and Hodgins 1999, section 4.3, use 5 mm and 0.1 radians. Insensitive from half to twice each: fragments
# of an impact change no more than by rounding (docs/decisions/constants.md). At 0.1 radians there are
# as many fragments, of up to 1.5 times as many elements (docs/decisions/snapping.md).
SNAP_DISTANCE, SNAP_ANGLE = 0.15, 0.3
# The same angle, radians, for a neighbour on the front of the crack that the node continues. With a smaller angle the
# new part would miss the old crack and leave small fragments between them. Insensitive from 0.5 to 0.84: fragments of
# an impact change no more than by rounding (docs/decisions/constants.md).
FRONT_ANGLE = 0.7
# Side of a node on the plane; other sides are 1 and -1.
ON_PLANE = 2
# Smallest squared length treated as nonzero, m2.
TINY = 1e-300


@njit(cache=True)
def heights_of(store: Store, star: Star, node: int, point: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Compute the heights of the nodes around a node above a plane in world space.

    Args:
        store: Elements of the mesh.
        star: Elements around the node, with L nodes in its link.
        node: The centre of the star.
        point: (3,) m, on the plane.
        normal: (3,) unit normal.

    Returns:
        (L + 1,) m, of the nodes of the link, and last of the node itself.
    """
    height = np.empty(len(star.link) + 1)
    for row in range(len(height)):
        x = store.position[star.link[row] if row < len(star.link) else node]
        height[row] = (x[0] - point[0]) * normal[0] + (x[1] - point[1]) * normal[1] + (x[2] - point[2]) * normal[2]
    return height


@njit(cache=True)
def snapped_sides(
    store: Store, star: Star, node: int, height: np.ndarray, at_front: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Find the side of the plane of each node of the link; nodes near the plane count as on it.

    Args:
        store: Elements of the mesh.
        star: Elements around the node, with L nodes in its link.
        node: The centre of the star.
        height: (L + 1,) m, from ``heights_of``.
        at_front: (L,) bool, from ``front_of_old_crack``.
        known: (N,) int8, earlier decisions, see ``crack.open_crack``.

    Returns:
        (L,) int8: 1, -1, or 0 for a node on the plane.

    Notes:
        O'Brien and Hodgins 1999, section 4.3. Two deviations: distances are relative to the size of the elements, and
        the angle is wider at the front of an old crack.

    Example:
        Node 0 of one element cracks. Node 2 is 0.1 rad from the plane, so it counts as on it.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> from .star import star_of
        >>> corners = [[0, 0, 0], [1, 0, 0], [0.1, 1, 0], [-1, 0, 1]]
        >>> store = from_solid(from_cells(corners, [[0, 1, 2, 3]], []), 2400.0).store
        >>> star = star_of(store, 0)
        >>> height = heights_of(store, star, 0, np.zeros(3), np.array([1.0, 0.0, 0.0]))
        >>> side = snapped_sides(store, star, 0, height, np.zeros(3, bool), np.zeros(len(store.rest), np.int8))
        >>> dict(sorted(zip(star.link.tolist(), side.tolist())))
        {1: 1, 2: 0, 3: -1}
    """
    size = 0.0
    for element in star.elements:
        size += store.size[element] / len(star.elements)
    side = np.zeros(len(star.link), np.int8)
    for row in range(len(star.link)):
        decided = known[store.rest_node[star.link[row]]]
        if decided != 0:
            side[row] = decided if decided != ON_PLANE else 0
            continue
        reach = distance(store.position[star.link[row]], store.position[node])
        angle = FRONT_ANGLE if at_front[row] else SNAP_ANGLE
        if abs(height[row]) > max(SNAP_DISTANCE * size, np.sin(angle) * reach):
            side[row] = 1 if height[row] > 0.0 else -1
    return side


@njit(cache=True, forceinline=True)
def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the distance between two points (3,)."""
    return np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@njit(cache=True, forceinline=True)
def side_of_element(star: Star, i: int, height: np.ndarray, side: np.ndarray) -> int:
    """Return the side of the plane of element ``i`` of the star: 1 or -1, or 0 if the plane crosses it.

    An element whose three link nodes are all on the plane is on the side of its centre: the crack goes around it.
    """
    p, q, r = star.opposite[i, 0], star.opposite[i, 1], star.opposite[i, 2]
    low, high = min(side[p], side[q], side[r]), max(side[p], side[q], side[r])
    if low == 0 and high == 0:
        return 1 if height[p] + height[q] + height[r] + height[-1] > 0.0 else -1
    return low + high if low * high == 0 else (low if low == high else 0)


@njit(cache=True)
def front_of_old_crack(store: Store, star: Star, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the crack whose front contains a node.

    At a front, two faces of the star are the two faces of a crack: copies of one face of the rest complex. Nodes that
    they share are on the front too.

    Returns:
        (3,) a vector in world space away from the crack; (L,) bool, nodes of the link on the crack front, all False if
        the node is not on a front.
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
            if _is_one_edge(store, star, rim[i], rim[j]):
                for row in rim[i]:
                    at_front[row] |= row == rim[j, 0] or row == rim[j, 1]
                p, q = star.link[rim[i, 0]], star.link[rim[i, 1]]
                middle = _interpolated(store.position[p], store.position[q], 0.5)
                reach = distance(middle, store.position[node])
                for axis in range(3):
                    ahead[axis] -= (middle[axis] - store.position[node, axis]) / reach
    _remove_along_front(store, star, node, ahead, at_front)
    return ahead, at_front


@njit(cache=True)
def _remove_along_front(store: Store, star: Star, node: int, ahead: np.ndarray, at_front: np.ndarray) -> None:
    """Make ``ahead`` (3,) perpendicular to the line through the last two nodes of the front."""
    start, end = node, NONE
    for row in range(len(star.link)):
        if at_front[row]:
            start, end = end if end != NONE else node, star.link[row]
    if end == NONE:
        return
    along, length_squared = 0.0, TINY
    for axis in range(3):
        step = store.position[end, axis] - store.position[start, axis]
        along += ahead[axis] * step
        length_squared += step * step
    for axis in range(3):
        ahead[axis] -= along / length_squared * (store.position[end, axis] - store.position[start, axis])


@njit(cache=True, forceinline=True)
def _is_one_edge(store: Store, star: Star, first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether two edges (2,) of the link are copies of one edge of the rest complex."""
    a, b = store.rest_node[star.link[first[0]]], store.rest_node[star.link[first[1]]]
    c, d = store.rest_node[star.link[second[0]]], store.rest_node[star.link[second[1]]]
    return (a == c and b == d) or (a == d and b == c)


@njit(cache=True)
def segments_to_cut(
    store: Store, star: Star, node: int, height: np.ndarray, side: np.ndarray, ahead: np.ndarray, is_tip: bool
) -> np.ndarray:
    """Choose the elements and faces of the star that the plane divides.

    The plane meets the link in a curve. The rim of the link (an old crack or the body's surface) may divide the curve
    into arcs. At a crack front one arc is enough to divide the node. The arc that points back would be a second crack
    beside the old one ("back-cracking"), so only arcs that point ahead are cut.

    Args:
        store: Elements of the mesh.
        star: Elements (K) around the node, with L nodes in its link.
        node: The centre of the star.
        height: (L + 1,) m, from ``heights_of``.
        side: (L,) from ``snapped_sides``.
        ahead: (3,) away from the old crack.
        is_tip: Whether the node is on the front of an old crack; if not, the whole plane is cut.

    Returns:
        (K + L * L,) bool: elements that the plane crosses, then faces that lie on it, as ``face_row`` numbers them.
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
        length = distance(first, second)
        for axis in range(3):
            toward = 0.5 * (first[axis] + second[axis]) - store.position[node, axis]
            progress[arc[row]] += length * toward * ahead[axis]
    for row in range(len(curve)):
        cut[curve[row, 0]] = progress[arc[row]] > 0.0 or progress[arc[row]] == progress[arc].max()
    return cut


@njit(cache=True)
def _curve(star: Star, height: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Return the (S, 3) segments of the plane's curve on the link: the row in ``segments_to_cut``, and the two ends.

    An end is ``p * L + q`` for the crossing of a link edge, p < q, and ``p * L + p`` for a node of the link.
    """
    link_count = len(star.link)
    curve = np.empty((4 * len(star.elements), 3), np.int32)
    count = 0
    for i in range(len(star.elements)):
        if side_of_element(star, i, height, side) == 0:
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
                curve[count, 0] = face_row(star, p, q)
                curve[count, 1], curve[count, 2] = p * link_count + p, q * link_count + q
                count += 1
    return curve[:count]


@njit(cache=True, forceinline=True)
def _end_of_segment(store: Store, star: Star, height: np.ndarray, end: int) -> np.ndarray:
    """Return the position (3,) of the end of a segment of the curve, m."""
    p, q = end // len(star.link), end % len(star.link)
    share = 0.0 if p == q else height[p] / (height[p] - height[q])
    return _interpolated(store.position[star.link[p]], store.position[star.link[q]], share)


@njit(cache=True, forceinline=True)
def _interpolated(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """Return the point (3,) at ``share`` of the way from ``a`` to ``b``."""
    point = np.empty(3)
    for axis in range(3):
        point[axis] = (1.0 - share) * a[axis] + share * b[axis]
    return point


@njit(cache=True, forceinline=True)
def face_row(star: Star, p: int, q: int) -> int:
    """Return the row of a face of the star (an edge of the link) in ``segments_to_cut``."""
    return len(star.elements) + p * len(star.link) + q


@njit(cache=True, forceinline=True)
def _is_cut_face(star: Star, p: int, q: int, height: np.ndarray, side: np.ndarray) -> bool:
    """Return whether a face of the star lies on the plane, between elements on different sides."""
    first, second = star.owners[p, q, 0], star.owners[p, q, 1]
    if second == NONE or side[p] != 0 or side[q] != 0:
        return False
    return side_of_element(star, first, height, side) != side_of_element(star, second, height, side)


@njit(cache=True)
def _arcs(star: Star, curve: np.ndarray) -> np.ndarray:
    """Label the arc of each segment of the curve, (S,); arcs end at the rim of the link."""
    leader = np.arange(len(curve))
    for i in range(len(curve)):
        for j in range(i):
            for end in curve[i, 1:]:
                if (end == curve[j, 1] or end == curve[j, 2]) and not _is_on_rim(star, end):
                    join(leader, i, j)
    for i in range(len(curve)):
        leader[i] = root_of(leader, i)
    return leader


@njit(cache=True, forceinline=True)
def _is_on_rim(star: Star, end: int) -> bool:
    """Return whether the end of a segment lies on an edge of the link that belongs to only one element."""
    p, q = end // len(star.link), end % len(star.link)
    if p != q:
        return star.owners[p, q, 1] == NONE
    for other in range(len(star.link)):
        low, high = min(p, other), max(p, other)
        first, second = star.owners[low, high, 0], star.owners[low, high, 1]
        if first != NONE and second == NONE:
            return True
    return False
