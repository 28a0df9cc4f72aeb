"""Items that are tied together a few at a time, and the components that come of it (union-find)."""

from __future__ import annotations

import numpy as np
from numba import njit


def components(ties: np.ndarray, count: int, holds: np.ndarray | None = None) -> np.ndarray:
    """The connected component of each item, numbered in the order of their first items.

    Args:
        ties: (T, K) items; those of a row hang together.
        count: N, how many items there are.
        holds: (T,) bool, which of the rows count; all when ``None``.

    Returns:
        (N,) int32.
    """
    holds = np.ones(len(ties), bool) if holds is None else holds
    return _components_kernel(np.ascontiguousarray(ties, np.int32), count, holds)


@njit(cache=True, nogil=True)
def _components_kernel(ties, count, holds):
    leader = np.arange(count).astype(np.int32)
    for row in range(len(ties)):
        if holds[row]:
            for column in range(1, ties.shape[1]):
                join(leader, ties[row, column - 1], ties[row, column])
    return numbered(leader)[0]


@njit(cache=True, nogil=True, forceinline=True)
def root_of(leader, item):
    """The item that stands for an item's set; shortens the way there."""
    while leader[item] != item:
        leader[item] = leader[leader[item]]
        item = leader[item]
    return item


@njit(cache=True, nogil=True, forceinline=True)
def join(leader, one, other):
    """Make one set of two; the lower item leads, so that numbers follow from the items alone."""
    one, other = root_of(leader, one), root_of(leader, other)
    if one < other:
        leader[other] = one
    else:
        leader[one] = other


@njit(cache=True, nogil=True)
def numbered(leader):
    """(N,) int32 number of each item's set, in the order of their first items, and how many sets there are."""
    count, result = 0, np.empty(len(leader), np.int32)
    for item in range(len(leader)):
        if leader[item] == item:
            result[item] = count
            count += 1
        else:
            # What leads an item is lower, so its number is known.
            result[item] = result[leader[item]]
    return result, count
