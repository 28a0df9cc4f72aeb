"""Symbolic analysis of a sparse Cholesky factorisation (Davis 2006, chapter 4; Liu 1992 for the multifrontal method).

It plans in which order cells are eliminated, and in which dense fronts. Its unit is a cell with six degrees of freedom,
so that the graphs have 36 times fewer entries than the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import bsr_array, csr_array

from .block_matrix import CHAINS
from .elimination_tree import columns, fronts, parents, permuted, postorder

# Candidates for the largest share of the work in one branch of the tree. The one with the shortest time is chosen. They
# affect speed, and the order in which fronts are summed.
LARGEST_SHARES = (0.06, 0.12, 0.25, 0.5)
# Share of the work up to which a branch is always factorised as a whole, without storing its update matrices. For a
# bowl of 100,000 cells, this reduces the memory to two thirds.
AT_ONCE = 2e-4
# Floating-point operations of a front from which on all threads together are faster than one. It affects speed, and the
# shapes of the products of these fronts.
WORTH_ALL_THREADS = 5e7
# Rows of an update matrix that are stored together; a multiple of 6, so that strips contain whole cells. It only
# affects speed.
STRIP = 96


class Elimination(NamedTuple):
    """Plan of an elimination: N fronts in their order, first those of each branch, then those that branches share.

    A front owns consecutive positions of the order. Its dense matrix contains these positions, followed by the
    positions of its update matrix. The plan is a named tuple because compiled functions accept one as an argument.

    Attributes:
        order: (C,) cell at each position.
        starts: (N + 1,) first position that a front owns.
        row_starts: (N + 1,) first entry of a front in ``rows`` and ``places``.
        rows: Positions of the update matrix of each front, ascending: rows of L in its columns.
        places: Index of each of ``rows`` in the parent front, in cells.
        parents: (N,) parent front, to which the update matrix is added; -1 for a root.
        child_starts: (N + 1,) first entry of a front in ``children``.
        children: Child fronts.
        entry_starts: (N + 1,) first entry of a front in the next three arrays.
        entries: Number of a block in the matrix.
        entry_rows: Row of the block in its front, in cells.
        entry_columns: Column of the block in its front, in cells.
        panel_starts: (N + 1,) start of the rows of L^T that a front owns, in stored values.
        update_starts: (N + 1,) start of the update matrix, in stored values; the last one is the total. The upper
            triangle is stored in strips of ``STRIP`` rows. All rows of a strip start at its first diagonal entry.
        kept: (N,) whether the update matrix is stored for later. In small branches, only that of the top front is.
        branch_starts: (B + 1,) first front of each chain of branches; the shared fronts start at the last value.
        work: (N,) floating-point operations of each front.
        wide: (N,) whether all threads can share the front.
    """

    order: np.ndarray
    starts: np.ndarray
    row_starts: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    parents: np.ndarray
    child_starts: np.ndarray
    children: np.ndarray
    entry_starts: np.ndarray
    entries: np.ndarray
    entry_rows: np.ndarray
    entry_columns: np.ndarray
    panel_starts: np.ndarray
    update_starts: np.ndarray
    kept: np.ndarray
    branch_starts: np.ndarray
    work: np.ndarray
    wide: np.ndarray


def analyse(matrix: bsr_array, order: np.ndarray) -> Elimination:
    """Plan the elimination of a symmetric matrix.

    Args:
        matrix: (6C, 6C) with 6 x 6 blocks in both triangles. Only its pattern is read.
        order: (C,) cells in the order of elimination. The plan moves the cells of a branch together.

    Returns:
        The plan.

    Notes:
        Davis 2006, Direct Methods for Sparse Linear Systems, chapter 4; Liu 1992 for the fronts. The
        distribution to threads is own: whole branches, because they need no exchange.

    Example:
        One cell is one front of six unknowns: 6^3 / 3 operations.

        >>> plan = analyse(bsr_array((np.ones((1, 6, 6)), [0], [0, 1]), shape=(6, 6)), np.arange(1))
        >>> plan.starts.tolist(), plan.work.tolist()
        ([0, 1], [72.0])
    """
    count = len(matrix.indptr) - 1
    graph = csr_array((np.ones(len(matrix.indices)), matrix.indices, matrix.indptr), shape=(count, count))
    parent = parents(*permuted(graph, order))
    order = order[postorder(parent)]
    indptr, indices = permuted(graph, order)
    parent = parents(indptr, indices)
    column_starts, column_rows = columns(indptr, indices, parent)
    starts = fronts(parent, np.diff(column_starts))
    front_parent, branch = _branches(starts, parent, np.diff(column_starts))
    # Branch after branch, then the shared fronts.
    rank = np.lexsort((np.arange(len(branch)), branch))
    widths = np.diff(starts)
    positions = np.concatenate([np.arange(starts[front], starts[front + 1]) for front in rank])
    place = np.empty(len(order), np.int64)
    place[positions] = np.arange(len(order))
    new_front = np.empty(len(rank), np.int64)
    new_front[rank] = np.arange(len(rank))
    # The rows of a front's update matrix are the rows of L in its last column.
    last = starts[1:][rank] - 1
    heights = column_starts[last + 1] - column_starts[last]
    row_starts = np.concatenate([[0], np.cumsum(heights)])
    entries = np.repeat(column_starts[last] - row_starts[:-1], heights) + np.arange(row_starts[-1])
    rows = place[column_rows[entries]]
    rows = rows[np.lexsort((rows, np.repeat(np.arange(len(rank)), heights)))]
    return _with_layout(
        graph,
        order[positions],
        np.concatenate([[0], np.cumsum(widths[rank])]),
        row_starts,
        rows,
        np.where(front_parent[rank] < 0, -1, new_front[front_parent[rank]]),
        np.concatenate([[0], np.cumsum(np.bincount(branch, minlength=CHAINS + 1))])[:-1],
    )


def _with_layout(
    graph: csr_array,
    order: np.ndarray,
    starts: np.ndarray,
    row_starts: np.ndarray,
    rows: np.ndarray,
    parent: np.ndarray,
    branch_starts: np.ndarray,
) -> Elimination:
    """Return the plan, with the layout of its fronts in memory."""
    count = len(parent)
    child_order = np.argsort(parent, kind="stable")[np.count_nonzero(parent < 0) :]
    child_starts = np.concatenate([[0], np.cumsum(np.bincount(parent[parent >= 0], minlength=count))])
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    cell_rows = position[np.repeat(np.arange(len(order)), np.diff(graph.indptr))]
    cell_columns = position[graph.indices]
    upper = np.flatnonzero(cell_rows <= cell_columns)
    front_of = np.repeat(np.arange(count), np.diff(starts))
    upper = upper[np.argsort(front_of[cell_rows[upper]], kind="stable")]
    entry_front = front_of[cell_rows[upper]]
    entry_starts = np.concatenate([[0], np.cumsum(np.bincount(entry_front, minlength=count))])
    places, entry_columns = _places(starts, row_starts, rows, parent, entry_starts, cell_columns[upper], len(order))
    widths, heights = 6 * np.diff(starts), 6 * np.diff(row_starts)
    totals = widths + heights
    work = widths**3 / 3.0 + widths**2.0 * heights + widths * heights**2.0
    return Elimination(
        order,
        starts,
        row_starts,
        rows,
        places,
        parent,
        child_starts,
        child_order,
        entry_starts,
        upper,
        cell_rows[upper] - starts[entry_front],
        entry_columns,
        np.concatenate([[0], np.cumsum(totals * widths)]),
        *_update_starts(np.array([stored_size(height) for height in heights]), work, parent, branch_starts),
        branch_starts,
        work,
        work >= WORTH_ALL_THREADS,
    )


def _update_starts(
    sizes: np.ndarray, work: np.ndarray, parent: np.ndarray, branch_starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``update_starts`` and ``kept`` of a plan."""
    above = work.copy()
    for front in np.flatnonzero(parent >= 0):
        above[parent[front]] += above[front]
    kept = (parent < 0) | (parent >= branch_starts[-1]) | (above[parent] > AT_ONCE * work.sum())
    starts = np.zeros(len(parent) + 1, np.int64)
    starts[:-1][kept] = np.cumsum(sizes[kept]) - sizes[kept]
    end = sizes[kept].sum()
    # The small branches of a chain are eliminated one after another, and use the same memory.
    for chain in range(CHAINS):
        used, most = 0, 0
        for front in range(*branch_starts[chain : chain + 2]):
            if kept[front]:
                used = 0
                continue
            starts[front] = end + used
            used += sizes[front]
            most = max(most, used)
        end += most
    starts[-1] = end
    return starts, kept


@njit(cache=True)
def stored_size(height: int) -> int:
    """Return the number of stored values of an update matrix with ``height`` rows."""
    whole = height // STRIP
    rest = height - whole * STRIP
    return STRIP * (whole * height - whole * (whole - 1) // 2 * STRIP) + rest * rest


def _branches(starts: np.ndarray, parent: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the parent (N,) of each front (-1 for a root) and its chain (N,), ``CHAINS`` for shared fronts."""
    count = len(starts) - 1
    front_of = np.repeat(np.arange(count), np.diff(starts))
    above = parent[starts[1:] - 1]
    front_parent = np.where(above < 0, -1, front_of[above])
    widths, heights = np.diff(starts).astype(float), counts[starts[1:] - 1].astype(float)
    work = widths**3 / 3.0 + widths**2 * heights + widths * heights**2
    own = work.copy()
    for front in range(count):
        if front_parent[front] >= 0:
            work[front_parent[front]] += work[front]
    children: list[list[int]] = [[] for _ in range(count + 1)]
    for front in range(count):
        children[front_parent[front]].append(front)
    choices = [_distributed(share * own.sum(), work, children) for share in LARGEST_SHARES]
    ends = [max(loads) + own.sum() - sum(loads) for _, loads in choices]
    chain_of_root, _ = choices[int(np.argmin(ends))]
    branch = np.full(count, CHAINS)
    for front in range(count - 1, -1, -1):
        if front in chain_of_root:
            branch[front] = chain_of_root[front]
        elif front_parent[front] >= 0:
            branch[front] = branch[front_parent[front]]
    return front_parent, branch


def _distributed(limit: float, work: np.ndarray, children: list[list[int]]) -> tuple[dict[int, int], list[float]]:
    """Distribute subtrees of at most ``limit`` operations to chains. Return the chain of each root, and the loads."""
    roots, waiting = [], list(children[-1])
    while waiting:
        front = waiting.pop()
        if work[front] > limit and children[front]:
            waiting.extend(children[front])
        else:
            roots.append(front)
    chain_of_root: dict[int, int] = {}
    loads = [0.0] * CHAINS
    for root in sorted(roots, key=lambda front: (-work[front], front)):
        chain = loads.index(min(loads))
        chain_of_root[root] = chain
        loads[chain] += work[root]
    return chain_of_root, loads


@njit(cache=True)
def _places(
    starts: np.ndarray,
    row_starts: np.ndarray,
    rows: np.ndarray,
    parent: np.ndarray,
    entry_starts: np.ndarray,
    entry_positions: np.ndarray,
    cell_count: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``places`` and ``entry_columns`` of a plan."""
    local = np.empty(cell_count, np.int64)
    places, entry_columns = np.zeros(len(rows), np.int64), np.empty(len(entry_positions), np.int64)
    for front in range(len(parent)):
        _number(local, starts, row_starts, rows, front)
        for entry in range(entry_starts[front], entry_starts[front + 1]):
            entry_columns[entry] = local[entry_positions[entry]]
    for front in range(len(parent)):
        if parent[front] >= 0:
            _number(local, starts, row_starts, rows, parent[front])
            for row in range(row_starts[front], row_starts[front + 1]):
                places[row] = local[rows[row]]
    return places, entry_columns


@njit(cache=True)
def _number(local: np.ndarray, starts: np.ndarray, row_starts: np.ndarray, rows: np.ndarray, front: int) -> None:
    """Number the cells of a front in ``local``."""
    width = starts[front + 1] - starts[front]
    for own in range(width):
        local[starts[front] + own] = own
    for row in range(row_starts[front], row_starts[front + 1]):
        local[rows[row]] = width + row - row_starts[front]
