"""Connected components by union-find."""

from __future__ import annotations

import numpy as np
from numba import njit


def components(ties: np.ndarray, count: int, holds: np.ndarray | None = None) -> np.ndarray:
    """Return the connected component of each item.

    Args:
        ties: (T, K) items. The items of a row are connected.
        count: Number N of items.
        holds: (T,) bool, rows that count. Default: all.

    Returns:
        (N,) int32 numbers of the components, in the order of their first items.

    Notes:
        Union-find with path halving (Tarjan and van Leeuwen 1984). The lowest item of a component is its root, so that
        the result does not depend on the order of the rows.

    Example:
        >>> components(np.array([[0, 3], [1, 4]]), 5).tolist()
        [0, 1, 2, 0, 1]
        >>> components(np.array([[0, 3], [1, 4]]), 5, np.array([True, False])).tolist()
        [0, 1, 2, 0, 3]
    """
    holds = np.ones(len(ties), bool) if holds is None else holds
    return _components_kernel(np.ascontiguousarray(ties, np.int32), count, holds)


@njit(cache=True, nogil=True)
def _components_kernel(ties: np.ndarray, count: int, holds: np.ndarray) -> np.ndarray:
    leader = np.arange(count).astype(np.int32)
    for row in range(len(ties)):
        if holds[row]:
            for column in range(1, ties.shape[1]):
                join(leader, ties[row, column - 1], ties[row, column])
    return numbered(leader)[0]


@njit(cache=True, nogil=True, forceinline=True)
def root_of(leader: np.ndarray, item: int) -> int:
    """Return the root of an item's set, and halve the path to it."""
    while leader[item] != item:
        leader[item] = leader[leader[item]]
        item = leader[item]
    return item


@njit(cache=True, nogil=True, forceinline=True)
def join(leader: np.ndarray, one: int, other: int) -> None:
    """Unite the sets of two items. The lower root becomes the root of both.

    Args:
        leader: (N,) parent of each item; an item that is its own parent is a root.
        one: An item.
        other: Another item.

    Notes:
        See ``components`` (Tarjan and van Leeuwen 1984).

    Example:
        >>> leader = np.arange(4)
        >>> join(leader, 3, 1)
        >>> numbered(leader)[0].tolist()
        [0, 1, 2, 1]
    """
    one, other = root_of(leader, one), root_of(leader, other)
    if one < other:
        leader[other] = one
    else:
        leader[one] = other


@njit(cache=True, nogil=True)
def numbered(leader: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the number (N,) int32 of each item's set, in the order of their first items, and the number of sets."""
    count, result = 0, np.empty(len(leader), np.int32)
    for item in range(len(leader)):
        if leader[item] == item:
            result[item] = count
            count += 1
        else:
            # The parent of an item is lower than the item, so that its number is known.
            result[item] = result[leader[item]]
    return result, count
