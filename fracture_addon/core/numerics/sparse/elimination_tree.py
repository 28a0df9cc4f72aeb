"""Elimination tree of a sparse symmetric matrix, and columns and fronts of its factor (Davis 2006, chapter 4)."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.sparse import csr_array

# Two fronts are merged if the result stores at most this share of zeros, or if both own at most so many cells. Both
# only affect speed.
ZERO_SHARE, NARROW = 0.05, 2


def permuted(graph: csr_array, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pattern of a matrix in another order of rows and columns.

    Args:
        graph: (C, C) pattern.
        order: (C,) row at each position of the new order.

    Returns:
        (C + 1,) row starts, and the columns of each row, ascending.
    """
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    return _permuted(graph.indptr, graph.indices, order, position)


@njit(cache=True)
def _permuted(
    indptr: np.ndarray, indices: np.ndarray, order: np.ndarray, position: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    starts, columns = np.zeros(len(order) + 1, np.int64), np.empty(len(indices), np.int64)
    for row in range(len(order)):
        first, end = indptr[order[row]], indptr[order[row] + 1]
        starts[row + 1] = starts[row] + end - first
        new = columns[starts[row] : starts[row + 1]]
        for entry in range(len(new)):
            new[entry] = position[indices[first + entry]]
        new.sort()
    return starts, columns


@njit(cache=True)
def parents(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the parent of each position in the elimination tree.

    Args:
        indptr: (C + 1,) row starts of a symmetric pattern.
        indices: Columns of each row, ascending.

    Returns:
        (C,) -1 for a root.

    Notes:
        Davis 2006, Direct Methods for Sparse Linear Systems, section 4.1.

    Example:
        Three rows that are linked only to the fourth.

        >>> graph = csr_array(np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]]))
        >>> parents(*permuted(graph, np.arange(4))).tolist()
        [3, 3, 3, -1]
    """
    count = len(indptr) - 1
    parent, ancestor = np.full(count, -1), np.full(count, -1)
    for row in range(count):
        for entry in range(indptr[row], indptr[row + 1]):
            node = indices[entry]
            while node != -1 and node < row:
                above = ancestor[node]
                ancestor[node] = row
                if above == -1:
                    parent[node] = row
                node = above
    return parent


@njit(cache=True)
def postorder(parent: np.ndarray) -> np.ndarray:
    """Return the positions in postorder: children before parents, and each subtree contiguous.

    Args:
        parent: (C,) parent of each position; -1 for a root.

    Returns:
        (C,).

    Notes:
        Davis 2006, section 4.3.

    Example:
        >>> postorder(np.array([3, 2, 4, 4, -1])).tolist()
        [1, 2, 0, 3, 4]
    """
    count = len(parent)
    first, following = np.full(count, -1), np.full(count, -1)
    for node in range(count - 1, -1, -1):
        if parent[node] >= 0:
            following[node] = first[parent[node]]
            first[parent[node]] = node
    result, stack = np.empty(count, np.int64), np.empty(count, np.int64)
    found = 0
    for root in range(count):
        if parent[root] >= 0:
            continue
        stack[0], depth = root, 1
        while depth:
            node = stack[depth - 1]
            child = first[node]
            if child >= 0:
                first[node] = following[child]
                stack[depth] = child
                depth += 1
            else:
                result[found] = node
                found += 1
                depth -= 1
    return result


@njit(cache=True)
def columns(indptr: np.ndarray, indices: np.ndarray, parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows below the diagonal in each column of the factor.

    Args:
        indptr: (C + 1,) row starts of a symmetric pattern.
        indices: Columns of each row, ascending.
        parent: (C,) parent of each position in the elimination tree.

    Returns:
        (C + 1,) column starts, and the rows of each column, ascending.

    Notes:
        Davis 2006, section 4.2: the pattern of a row of the factor is a subtree.

    Example:
        Elimination of a row that is linked to two others links these.

        >>> graph = csr_array(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]]))
        >>> indptr, indices = permuted(graph, np.arange(3))
        >>> [item.tolist() for item in columns(indptr, indices, parents(indptr, indices))]
        [[0, 2, 3, 3], [1, 2, 2]]
    """
    count = len(parent)
    starts = np.zeros(count + 1, np.int64)
    rows = np.empty(0, np.int64)
    for fill in range(2):
        found, mark = starts[:-1].copy(), np.full(count, -1)
        for row in range(count):
            mark[row] = row
            for entry in range(indptr[row], indptr[row + 1]):
                node = indices[entry]
                if node >= row:
                    continue
                while mark[node] != row:
                    mark[node] = row
                    if fill:
                        rows[found[node]] = row
                        found[node] += 1
                    else:
                        starts[node + 1] += 1
                    node = parent[node]
        if not fill:
            starts = np.cumsum(starts)
            rows = np.empty(starts[-1], np.int64)
    return starts, rows


@njit(cache=True)
def fronts(parent: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the fronts: columns with the same rows, merged with small neighbours.

    Args:
        parent: (C,) parent of each position in the elimination tree, in postorder.
        counts: (C,) number of rows below the diagonal in each column.

    Returns:
        (N + 1,) first position of each front, and C.

    Notes:
        Relaxed supernodes (Ashcraft and Grimes 1989, The Influence of Relaxed Supernode Partitions on the Multifrontal
        Method).

    Example:
        >>> fronts(np.array([1, 2, -1]), np.array([2, 1, 0])).tolist()
        [0, 3]
    """
    count = len(parent)
    first = np.empty(count, np.int64)
    zeros = np.zeros(count)
    found = 0
    for column in range(count):
        first[found], zeros[found] = column, 0.0
        # The column absorbs the previous front while that is its child and adds few zeros.
        while found:
            end = first[found]
            wide, width = end - first[found - 1], column + 1 - end
            if not 0 <= parent[end - 1] <= column:
                break
            wasted = wide * (width + counts[column] - counts[end - 1])
            total = zeros[found - 1] + zeros[found] + wasted
            stored = (wide + width) * (wide + width + counts[column])
            if wasted > 0 and max(wide, width) > NARROW and total > ZERO_SHARE * stored:
                break
            found -= 1
            zeros[found] = total
        found += 1
    return np.append(first[:found], count)
