"""Elements that keep each other out: pieces of one body, and other bodies (O'Brien and Hodgins 1999, section 3.3).

The paper's penalty forces, as pushes over the time between two looks: their stiffness is as large as that time bears,
and never more, so that they need no smaller step. A push acts at one point of both elements by their shape functions;
it keeps momentum and angular momentum, and damping and friction only take energy.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from ....data.errors import SettingsError
from ....data.solid import CELL_FACES, appears_once
from ..kernels.blocks import PARTS, threads_for
from ..kernels.symmetric import FAST
from .boxes import Hierarchy
from .overlap import overlap_of, planes_of, separates, weights_of

# How contact is found: by the volume in which elements overlap, or by nodes that are in one.
CRITERIA = ("volume", "node")
# Share of a depth that is pushed back within the time between two looks, squared rate of a penalty spring.
STIFFNESS = 0.2
# Share of the speed of approach that is taken within that time.
DAMPING = 0.3
# Boxes are larger than elements by this share of their size: a search serves until something has moved that far.
SKIN = 0.1
# Elements that overlap by less than this share of their size touch.
TOUCH = 1e-6


class Contacts:
    """Which elements may touch, and the pushes between those that do.

    Args:
        friction: Coulomb's coefficient.
        criterion: One of ``CRITERIA``.

    Raises:
        SettingsError: It is none of them.
    """

    def __init__(self, friction: float, criterion: str = "volume"):
        if criterion not in CRITERIA:
            raise SettingsError(f"there is no contact by '{criterion}'; use {' or '.join(CRITERIA)}")
        self._friction, self._by_node = friction, criterion == "node"
        self._rows = np.empty(0, np.int64)

    def begin(
        self,
        position: np.ndarray,
        elements: np.ndarray,
        rows: np.ndarray,
        only: np.ndarray | None = None,
        body: np.ndarray | None = None,
    ) -> None:
        """Take in what may touch: elements at surfaces, and none that share a node.

        Elements that cracks change later are taken as they come to be, those that are added not before the next time.

        Args:
            position: (N, 3) m.
            elements: (E, 4), all.
            rows: (A,) those with mass.
            only: (E,) bool, which of them may touch, where that is known.
            body: (E,) which body each is of, where only different ones are to touch.
        """
        faces = elements[rows][:, CELL_FACES].reshape(-1, 3)
        exposed = appears_once(faces).reshape(-1, 4)
        outer = exposed.any(axis=1) if only is None else exposed.any(axis=1) & only[rows]
        # Faces are by their opposite corners in kernels.
        opposite = np.array([np.setdiff1d(np.arange(4), face)[0] for face in CELL_FACES])
        self._body = None if body is None else body[rows[outer]]
        self._rows, self._exposed = rows[outer], exposed[outer][:, np.argsort(opposite)]
        if outer.any():
            corners = position[elements[self._rows]]
            low, high = corners.min(axis=1), corners.max(axis=1)
            self._skin = SKIN * float(np.median((high - low).max(axis=1)))
            self._hierarchy = Hierarchy(low, high)
            self._search(position, elements)

    def push(
        self, position: np.ndarray, velocity: np.ndarray, mass: np.ndarray, elements: np.ndarray, seconds: float
    ) -> int:
        """Change the velocities (N, 3) of nodes that touch, and return how many pairs of elements do.

        Args:
            position: (N, 3) m.
            velocity: (N, 3) m/s, changed in place.
            mass: (N,) kg.
            elements: (E, 4), all.
            seconds: Until the next push.
        """
        if not len(self._rows):
            return 0
        moved = position[: len(self._reference)] - self._reference
        moved = moved[self._nodes] - moved[self._nodes].mean(axis=0)
        if (moved**2).sum(axis=1).max() > 0.25 * self._skin**2:
            self._search(position, elements)
        numbers = seconds, self._friction, self._skin / SKIN, self._by_node
        state = position, velocity, mass, elements[self._rows], self._exposed
        with threads_for(len(self._pairs)):
            return _push_kernel(*state, self._pairs, self._between, *numbers)

    def _search(self, position: np.ndarray, elements: np.ndarray) -> None:
        mine = elements[self._rows]
        corners = position[mine]
        half = 0.5 * self._skin
        pairs = self._hierarchy.overlaps(corners.min(axis=1) - half, corners.max(axis=1) + half)
        if self._body is not None:
            pairs = pairs[self._body[pairs[:, 0]] != self._body[pairs[:, 1]]]
        self._pairs = pairs[_share_no_node(mine, pairs)]
        self._between = np.full(len(self._pairs), -1, np.int8)
        self._reference, self._nodes = position.copy(), np.unique(mine)


@njit(cache=True, **FAST)
def _share_no_node(elements, pairs):
    """(P,) whether ``pairs`` of ``elements`` (E, 4) have no node in common."""
    result = np.ones(len(pairs), np.bool_)
    for row in range(len(pairs)):
        for k in range(4):
            node = elements[pairs[row, 0], k]
            for i in range(4):
                result[row] &= node != elements[pairs[row, 1], i]
    return result


@njit(cache=True, parallel=True, **FAST)
def _regions_kernel(corners, planes, pairs, between, gap, by_node, regions):
    """Write what keeps each of the pairs apart, ``between`` (P,); if nothing does, ``regions`` (P, 7) they overlap in.

    Regions are by ``overlap.overlap_of``; they are not needed ``by_node``.
    """
    for part in prange(PARTS):
        polygon, clipped = np.empty((16, 3)), np.empty((16, 3))
        for row in range(part * len(pairs) // PARTS, (part + 1) * len(pairs) // PARTS):
            first, second = pairs[row, 0], pairs[row, 1]
            mine, theirs = corners[first], corners[second]
            between[row] = _face_between(between[row], planes[first], planes[second], mine, theirs, gap)
            if between[row] < 0 and not by_node:
                overlap_of(mine, planes[first], theirs, planes[second], regions[row], polygon, clipped)


@njit(cache=True, **FAST)
def _push_kernel(position, velocity, mass, elements, exposed, pairs, between, seconds, friction, size, by_node):
    """``Contacts.push``; ``between`` (P,) is the face, of both, that kept a pair apart the last time."""
    corners, all_planes = np.empty((len(elements), 4, 3)), np.empty((len(elements), 4, 4))
    for row in range(len(elements)):
        for k in range(4):
            for axis in range(3):
                corners[row, k, axis] = position[elements[row, k], axis]
        planes_of(corners[row], all_planes[row])
    regions, depth, normal = np.empty((len(pairs), 7)), np.empty(1), np.empty(3)
    _regions_kernel(corners, all_planes, pairs, between, TOUCH * size, by_node, regions)
    weights, their_weights = np.empty(4), np.empty(4)
    touching = 0
    for row in range(len(pairs)):
        if between[row] >= 0:
            continue
        mine, theirs = corners[pairs[row, 0]], corners[pairs[row, 1]]
        planes, their_planes = all_planes[pairs[row, 0]], all_planes[pairs[row, 1]]
        first, second = elements[pairs[row, 0]], elements[pairs[row, 1]]
        if by_node:
            hits = 0
            sides = exposed[pairs[row, 0]], exposed[pairs[row, 1]]
            for k in range(4):
                if _node_in(mine[k], k, theirs, their_planes, sides[1], weights, their_weights, normal, depth):
                    _push(velocity, mass, first, second, weights, their_weights, normal, depth[0], seconds, friction)
                    hits += 1
                if _node_in(theirs[k], k, mine, planes, sides[0], their_weights, weights, normal, depth):
                    _push(velocity, mass, second, first, their_weights, weights, normal, depth[0], seconds, friction)
                    hits += 1
            touching += hits > 0
            continue
        region = regions[row]
        area = np.sqrt(region[4] ** 2 + region[5] ** 2 + region[6] ** 2)
        # One that is wholly in the other has no side to leave by.
        if region[0] <= 0.0 or area <= TOUCH * size * size:
            continue
        touching += 1
        for axis in range(3):
            normal[axis] = -region[4 + axis] / area
        weights_of(mine, planes, region[1:4], weights)
        weights_of(theirs, their_planes, region[1:4], their_weights)
        _push(velocity, mass, first, second, weights, their_weights, normal, region[0] / area, seconds, friction)
    return touching


@njit(cache=True, **FAST)
def _face_between(last, planes, their_planes, mine, theirs, gap):
    """A face of two elements, 0 to 7, that keeps them apart, the ``last`` one if it still does; -1 for none."""
    if last >= 4 and separates(their_planes, last - 4, mine, gap):
        return last
    if 0 <= last < 4 and separates(planes, last, theirs, gap):
        return last
    for face in range(4):
        if separates(planes, face, theirs, gap):
            return face
        if separates(their_planes, face, mine, gap):
            return face + 4
    return -1


@njit(cache=True, **FAST)
def _node_in(point, k, corners, planes, exposed, weights, their_weights, normal, depth):
    """Whether a node, ``k``-th of its element, is in another; writes weights, the depth, the way out by a bare face."""
    weights[:] = 0.0
    weights_of(corners, planes, point, their_weights)
    if their_weights.min() <= 0.0:
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


@njit(cache=True, **FAST)
def _push(velocity, mass, first, second, weights, their_weights, normal, depth, seconds, friction):
    """Push the first element along ``normal`` and the second against it, with friction across."""
    inverse, speed, sliding = 0.0, 0.0, np.zeros(3)
    for k in range(4):
        inverse += weights[k] ** 2 / mass[first[k]] + their_weights[k] ** 2 / mass[second[k]]
        for axis in range(3):
            sliding[axis] += weights[k] * velocity[first[k], axis] - their_weights[k] * velocity[second[k], axis]
    if inverse == 0.0:
        # Both are fixed.
        return
    for axis in range(3):
        speed += sliding[axis] * normal[axis]
    push = max(STIFFNESS * depth / seconds - DAMPING * speed, 0.0) / inverse
    slide = 0.0
    for axis in range(3):
        sliding[axis] -= speed * normal[axis]
        slide += sliding[axis] ** 2
    slide = np.sqrt(slide)
    # No more than stops the sliding, of which others may take their part.
    rub = min(friction * push, 0.5 * slide / inverse) / max(slide, 1e-300)
    for k in range(4):
        for axis in range(3):
            change = push * normal[axis] - rub * sliding[axis]
            velocity[first[k], axis] += weights[k] / mass[first[k]] * change
            velocity[second[k], axis] -= their_weights[k] / mass[second[k]] * change
