"""Bounding box hierarchy. A search for overlaps starts where the last one ended (O'Brien and Hodgins 1999)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numba import njit

from ....numerics.morton import morton_codes
from ..kernels.symmetric import OPTIONS

# A search starts at the root again when its front has grown by this factor since the last start there. It changes the
# time only: an impact and a fall have the same bytes with 1 and 4 (docs/decisions/constants.md).
STALE = 2.0
# Bits per coordinate along the space-filling curve that orders the boxes. It changes the order of sums only, like
# rounding.
BITS = 16


class Hierarchy:
    """Binary tree of boxes: node ``k`` has the children ``2 k + 1`` and ``2 k + 2``; leaves are at the end.

    The tree is built once from the first positions. Later only the sizes of its boxes are updated. A search ends at
    pairs of nodes that do not overlap, and at pairs of leaves. The next search starts at these pairs.
    """

    def __init__(self, low: np.ndarray, high: np.ndarray):
        """Build the tree of B boxes with lower corners ``low`` and upper corners ``high``, (B, 3)."""
        self._levels = max(int(np.ceil(np.log2(max(len(low), 1)))), 0)
        self._order = _leaves(0.5 * (low + high), self._levels)
        self._front = np.zeros((1, 2), np.int32)
        self._fresh = 1

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the tree and the front of the last search; see ``restored``."""
        return {"order": self._order, "front": self._front, "fresh": np.array(self._fresh)}

    @classmethod
    def restored(cls, snapshot: Mapping[str, np.ndarray]) -> Hierarchy:
        """Return the tree of a ``snapshot``: later searches give the same pairs in the same order."""
        result = cls(np.empty((0, 3)), np.empty((0, 3)))
        result._order, result._front, result._fresh = snapshot["order"], snapshot["front"], int(snapshot["fresh"])
        result._levels = len(result._order).bit_length() - 1
        return result

    def overlaps(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Find the pairs of different boxes that overlap.

        Args:
            low: (B, 3) lower corners, in the order of the first boxes.
            high: (B, 3) upper corners.

        Returns:
            (P, 2) int32 rows of boxes, in a fixed order.
        """
        first = 2**self._levels - 1
        lows, highs = np.full((2 * first + 1, 3), np.inf), np.full((2 * first + 1, 3), -np.inf)
        used = self._order >= 0
        lows[first:][used], highs[first:][used] = low[self._order[used]], high[self._order[used]]
        _fit(lows, highs, first)
        begun = len(self._front) > STALE * self._fresh
        front, pairs = _search(lows, highs, first, np.zeros((1, 2), np.int32) if begun else self._front)
        if begun or self._fresh == 1:
            self._fresh = len(front)
        self._front = front
        return self._order[pairs - first].reshape(-1, 2)


def _leaves(centers: np.ndarray, levels: int) -> np.ndarray:
    """Return (2**levels,) the box of each leaf, -1 for none; near boxes are in near leaves."""
    result = np.full(2**levels, -1, np.int32)
    result[: len(centers)] = np.argsort(morton_codes(centers, centers, BITS), kind="stable")
    return result


@njit(cache=True, **OPTIONS)
def _fit(lows: np.ndarray, highs: np.ndarray, first: int) -> None:
    """Compute the boxes of inner nodes from those of their children; ``first`` is the first leaf."""
    for node in range(first - 1, -1, -1):
        for axis in range(3):
            lows[node, axis] = min(lows[2 * node + 1, axis], lows[2 * node + 2, axis])
            highs[node, axis] = max(highs[2 * node + 1, axis], highs[2 * node + 2, axis])


@njit(cache=True, **OPTIONS)
def _search(lows: np.ndarray, highs: np.ndarray, first: int, front: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Search from a front of node pairs; return the new front (K, 2) and the overlapping pairs of leaves (P, 2)."""
    stack = np.empty((len(front) + 64, 2), np.int32)
    count = 0
    for row in range(len(front) - 1, -1, -1):
        stack[count, 0], stack[count, 1] = front[row, 0], front[row, 1]
        count += 1
    ended, pairs = np.empty((1024, 2), np.int32), np.empty((1024, 2), np.int32)
    ended_count = pair_count = 0
    while count > 0:
        count -= 1
        a, b = stack[count, 0], stack[count, 1]
        apart = _is_apart(lows, highs, a, b)
        if apart or (a >= first and b >= first):
            if ended_count == len(ended):
                ended = np.concatenate((ended, ended))
            ended[ended_count, 0], ended[ended_count, 1] = a, b
            ended_count += 1
            if not apart and a != b:
                if pair_count == len(pairs):
                    pairs = np.concatenate((pairs, pairs))
                pairs[pair_count, 0], pairs[pair_count, 1] = a, b
                pair_count += 1
            continue
        if count + 4 > len(stack):
            stack = np.concatenate((stack, stack))
        count = _descend(stack, count, a, b, first)
    return ended[:ended_count].copy(), pairs[:pair_count].copy()


@njit(cache=True, **OPTIONS)
def _is_apart(lows: np.ndarray, highs: np.ndarray, a: int, b: int) -> bool:
    """Return whether two boxes do not overlap."""
    apart = False
    for axis in range(3):
        apart |= lows[a, axis] > highs[b, axis] or lows[b, axis] > highs[a, axis]
    return apart


@njit(cache=True, **OPTIONS)
def _descend(stack: np.ndarray, count: int, a: int, b: int, first: int) -> int:
    """Push the pairs with the children of the larger node, or the three pairs below a node and itself.

    Returns:
        The new size of the stack.
    """
    if a == b:
        for i, j in ((2, 2), (1, 2), (1, 1)):
            stack[count, 0], stack[count, 1] = 2 * a + i, 2 * a + j
            count += 1
        return count
    first_is_larger = b >= first or (a < first and a < b)
    for i in (2, 1):
        stack[count, 0] = 2 * a + i if first_is_larger else a
        stack[count, 1] = b if first_is_larger else 2 * b + i
        count += 1
    return count
