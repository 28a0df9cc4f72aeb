"""Contact between elements of fragments and of bodies (O'Brien and Hodgins 1999, section 3.3).

The penalty forces of the paper are applied as impulses over the time between two checks. Their stiffness depends on
that time, so that they need no smaller step. An impulse acts at one point of both elements through their shape
functions. It keeps momentum and angular momentum. Damping and friction only remove energy.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numba import njit, prange

from ....data.solid import CELL_FACES, appears_once
from ..kernels.blocks import PARTS, threads_for
from ..kernels.symmetric import OPTIONS
from .boxes import Hierarchy
from .overlap import overlap_of, planes_of, separates, weights_of

# Speed that a push gives, in overlap depths per time between two pushes. Insensitive from 0.1 to 0.4: fragments of an
# impact change no more than by rounding (docs/decisions/constants.md).
STIFFNESS = 0.2
# Share of the approach speed that a push removes. Insensitive from 0.15 to 0.6: fragments of an impact change no more
# than by rounding (docs/decisions/constants.md).
DAMPING = 0.3
# Margin of boxes over the size of an element. A search is repeated when a node has moved by half of the margin.
# Insensitive from 0.05 to 0.2: fragments of an impact change no more than by rounding (docs/decisions/constants.md).
SKIN = 0.1
# Depth over element size up to which an overlap is ignored. Insensitive from half to twice: fragments of an impact
# change no more than by rounding (docs/decisions/constants.md).
TOUCH = 1e-6
# Fields of ``Contacts`` that vary, besides the tree: their names without the underscore.
VARYING = ("rows", "exposed", "pairs", "between", "reference", "nodes")


class Contacts:
    """Search for overlapping elements, and the pushes between them.

    Args:
        friction: Coefficient of friction.
        by_nodes: Push nodes out of elements. Otherwise push elements out of the volume in which they overlap.
    """

    def __init__(self, friction: float, by_nodes: bool = False):
        self._friction, self._by_nodes = friction, by_nodes
        self._rows = np.empty(0, np.int64)

    def begin(
        self,
        position: np.ndarray,
        elements: np.ndarray,
        rows: np.ndarray,
        only: np.ndarray | None = None,
        body: np.ndarray | None = None,
        glued: np.ndarray | None = None,
        within: np.ndarray | None = None,
    ) -> None:
        """Select the elements that may touch: those at the surface. Elements that share a node never touch.

        ``push`` follows later changes of these elements. It ignores elements that cracks add until the next call.

        Args:
            position: (N, 3) m.
            elements: (E, 4), all.
            rows: (A,) elements with mass.
            only: (E,) bool, elements that may touch; ``None`` for all.
            body: (E,) body of each element; if given, only elements of different bodies touch.
            glued: (E,) bool, elements at glue that holds; two of them do not touch.
            within: (E,) object of each element; if given, only elements of the same object touch.
        """
        faces = elements[rows][:, CELL_FACES].reshape(-1, 3)
        exposed = appears_once(faces).reshape(-1, 4)
        outer = exposed.any(axis=1) if only is None else exposed.any(axis=1) & only[rows]
        self._body = None if body is None else body[rows[outer]]
        self._glued = None if glued is None else glued[rows[outer]]
        self._within = None if within is None else within[rows[outer]]
        self._rows, self._exposed = rows[outer], exposed[outer]
        if outer.any():
            corners = position[elements[self._rows]]
            low, high = corners.min(axis=1), corners.max(axis=1)
            self._skin = SKIN * float(np.median((high - low).max(axis=1)))
            self._hierarchy = Hierarchy(low, high)
            self._search(position, elements)

    def push(
        self, position: np.ndarray, velocity: np.ndarray, mass: np.ndarray, elements: np.ndarray, seconds: float
    ) -> int:
        """Push overlapping elements apart; return the number of overlapping pairs.

        Args:
            position: (N, 3) m.
            velocity: (N, 3) m/s, changed in place.
            mass: (N,) kg.
            elements: (E, 4), all.
            seconds: Time until the next push, s.
        """
        if not len(self._rows):
            return 0
        moved = position[: len(self._reference)] - self._reference
        moved = moved[self._nodes] - moved[self._nodes].mean(axis=0)
        if (moved**2).sum(axis=1).max() > 0.25 * self._skin**2:
            self._search(position, elements)
        numbers = seconds, self._friction, self._skin / SKIN, self._by_nodes
        state = position, velocity, mass, elements[self._rows], self._exposed
        with threads_for(len(self._pairs)):
            return _push_kernel(*state, self._pairs, self._between, *numbers)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all data on which the next pushes depend; see ``restore``."""
        if not len(self._rows):
            return {}
        values = {name: getattr(self, f"_{name}") for name in VARYING} | {"skin": np.array(self._skin)}
        optional = {"body": self._body, "glued": self._glued}
        values |= {name: value for name, value in optional.items() if value is not None}
        return values | self._hierarchy.snapshot()

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot`` of the same mesh; later pushes give the same bytes."""
        if not snapshot:
            return
        for name in VARYING:
            setattr(self, f"_{name}", snapshot[name])
        self._skin, self._body, self._glued = float(snapshot["skin"]), snapshot.get("body"), snapshot.get("glued")
        self._hierarchy, self._within = Hierarchy.restored(snapshot), None

    def _search(self, position: np.ndarray, elements: np.ndarray) -> None:
        """Find the pairs of elements whose boxes overlap."""
        own = elements[self._rows]
        corners = position[own]
        half = 0.5 * self._skin
        pairs = self._hierarchy.overlaps(corners.min(axis=1) - half, corners.max(axis=1) + half)
        if self._body is not None:
            pairs = pairs[self._body[pairs[:, 0]] != self._body[pairs[:, 1]]]
        if self._glued is not None:
            pairs = pairs[~self._glued[pairs].all(axis=1)]
        if self._within is not None:
            pairs = pairs[self._within[pairs[:, 0]] == self._within[pairs[:, 1]]]
        self._pairs = pairs[_share_no_node(own, pairs)]
        self._between = np.full(len(self._pairs), -1, np.int8)
        self._reference, self._nodes = position.copy(), np.unique(own)


@njit(cache=True, **OPTIONS)
def _share_no_node(elements: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return (P,) bool, whether each of ``pairs`` (P, 2) of ``elements`` (E, 4) shares no node."""
    result = np.ones(len(pairs), np.bool_)
    for row in range(len(pairs)):
        for k in range(4):
            node = elements[pairs[row, 0], k]
            for i in range(4):
                result[row] &= node != elements[pairs[row, 1], i]
    return result


@njit(cache=True, parallel=True, **OPTIONS)
def _regions_kernel(
    corners: np.ndarray,
    planes: np.ndarray,
    pairs: np.ndarray,
    between: np.ndarray,
    gap: float,
    by_node: bool,
    regions: np.ndarray,
) -> None:
    """Find the face that separates each pair, or else the region of overlap.

    Args:
        corners: (E, 4, 3) m.
        planes: (E, 4, 4) from ``overlap.planes_of``.
        pairs: (P, 2) rows of elements.
        between: (P,) separating face from ``_face_between``, updated.
        gap: Depth of an ignored overlap, m.
        by_node: Whether to leave out the regions.
        regions: (P, 7) output of ``overlap.overlap_of``.
    """
    for part in prange(PARTS):
        polygon, clipped = np.empty((16, 3)), np.empty((16, 3))
        for row in range(part * len(pairs) // PARTS, (part + 1) * len(pairs) // PARTS):
            first, second = pairs[row, 0], pairs[row, 1]
            own, other = corners[first], corners[second]
            between[row] = _face_between(between[row], planes[first], planes[second], own, other, gap)
            if between[row] < 0 and not by_node:
                overlap_of(own, planes[first], other, planes[second], regions[row], polygon, clipped)


@njit(cache=True, **OPTIONS)
def _push_kernel(
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    elements: np.ndarray,
    exposed: np.ndarray,
    pairs: np.ndarray,
    between: np.ndarray,
    seconds: float,
    friction: float,
    size: float,
    by_node: bool,
) -> int:
    """Compute ``Contacts.push``; ``between`` (P,) is the face that last separated each pair, updated."""
    corners, all_planes = np.empty((len(elements), 4, 3)), np.empty((len(elements), 4, 4))
    for row in range(len(elements)):
        for k in range(4):
            for axis in range(3):
                corners[row, k, axis] = position[elements[row, k], axis]
        planes_of(corners[row], all_planes[row])
    regions, depth, normal = np.empty((len(pairs), 7)), np.empty(1), np.empty(3)
    _regions_kernel(corners, all_planes, pairs, between, TOUCH * size, by_node, regions)
    weights, other_weights = np.empty(4), np.empty(4)
    touching = 0
    for row in range(len(pairs)):
        if between[row] >= 0:
            continue
        own, other = corners[pairs[row, 0]], corners[pairs[row, 1]]
        planes, other_planes = all_planes[pairs[row, 0]], all_planes[pairs[row, 1]]
        first, second = elements[pairs[row, 0]], elements[pairs[row, 1]]
        if by_node:
            nodes_inside = 0
            faces = exposed[pairs[row, 0]], exposed[pairs[row, 1]]
            for k in range(4):
                if _node_in(own[k], k, other, other_planes, faces[1], weights, other_weights, normal, depth):
                    _push(velocity, mass, first, second, weights, other_weights, normal, depth[0], seconds, friction)
                    nodes_inside += 1
                if _node_in(other[k], k, own, planes, faces[0], other_weights, weights, normal, depth):
                    _push(velocity, mass, second, first, other_weights, weights, normal, depth[0], seconds, friction)
                    nodes_inside += 1
            touching += nodes_inside > 0
            continue
        region = regions[row]
        area = np.sqrt(region[4] ** 2 + region[5] ** 2 + region[6] ** 2)
        # If one element is inside the other, no direction leads out.
        if region[0] <= 0.0 or area <= TOUCH * size * size:
            continue
        touching += 1
        for axis in range(3):
            normal[axis] = -region[4 + axis] / area
        weights_of(own, planes, region[1:4], weights)
        weights_of(other, other_planes, region[1:4], other_weights)
        _push(velocity, mass, first, second, weights, other_weights, normal, region[0] / area, seconds, friction)
    return touching


@njit(cache=True, **OPTIONS)
def _face_between(
    last: int, planes: np.ndarray, other_planes: np.ndarray, own: np.ndarray, other: np.ndarray, gap: float
) -> int:
    """Return a face that separates two elements, 0 to 7, preferably the ``last`` one; -1 for none."""
    if last >= 4 and separates(other_planes, last - 4, own, gap):
        return last
    if 0 <= last < 4 and separates(planes, last, other, gap):
        return last
    for face in range(4):
        if separates(planes, face, other, gap):
            return face
        if separates(other_planes, face, own, gap):
            return face + 4
    return -1


@njit(cache=True, **OPTIONS)
def _node_in(
    point: np.ndarray,
    k: int,
    corners: np.ndarray,
    planes: np.ndarray,
    exposed: np.ndarray,
    weights: np.ndarray,
    other_weights: np.ndarray,
    normal: np.ndarray,
    depth: np.ndarray,
) -> bool:
    """Return whether a node, corner ``k`` of its element, lies inside another element.

    If it does, write the barycentric weights (4,) in both elements, the depth (1,) m below the nearest exposed face,
    and its normal (3,).
    """
    weights[:] = 0.0
    weights_of(corners, planes, point, other_weights)
    if other_weights.min() <= 0.0:
        return False
    weights[k], depth[0] = 1.0, np.inf
    for face in range(4):
        if not exposed[face]:
            continue
        plane = planes[face]
        inside = plane[3] - plane[0] * point[0] - plane[1] * point[1] - plane[2] * point[2]
        if inside < depth[0]:
            depth[0] = inside
            normal[:] = plane[:3]
    return True


@njit(cache=True, **OPTIONS)
def _push(
    velocity: np.ndarray,
    mass: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    weights: np.ndarray,
    other_weights: np.ndarray,
    normal: np.ndarray,
    depth: float,
    seconds: float,
    friction: float,
) -> None:
    """Push the first element along ``normal`` and the second against it, with friction across the normal."""
    inverse, speed, sliding = 0.0, 0.0, np.zeros(3)
    for k in range(4):
        inverse += weights[k] ** 2 / mass[first[k]] + other_weights[k] ** 2 / mass[second[k]]
        for axis in range(3):
            sliding[axis] += weights[k] * velocity[first[k], axis] - other_weights[k] * velocity[second[k], axis]
    if inverse == 0.0:
        # Both elements are fixed.
        return
    for axis in range(3):
        speed += sliding[axis] * normal[axis]
    push = max(STIFFNESS * depth / seconds - DAMPING * speed, 0.0) / inverse
    slide = 0.0
    for axis in range(3):
        sliding[axis] -= speed * normal[axis]
        slide += sliding[axis] ** 2
    slide = np.sqrt(slide)
    # Friction stops at most half of the sliding, because other pairs may act on the same nodes.
    rub = min(friction * push, 0.5 * slide / inverse) / max(slide, 1e-300)
    for k in range(4):
        for axis in range(3):
            change = push * normal[axis] - rub * sliding[axis]
            velocity[first[k], axis] += weights[k] / mass[first[k]] * change
            velocity[second[k], axis] -= other_weights[k] / mass[second[k]] * change
