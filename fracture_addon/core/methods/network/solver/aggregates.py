"""Aggregates: groups of neighbouring cells that move as one rigid body, for the coarse level of the solver.

Cells are aggregated by repeated pairwise matching (Notay 2010), along the strongest bonds first. The coarse level has
about a tenth of the unknowns. Where bonds break, aggregates are split into their connected components, so that the
coarse level can represent every relative motion of fragments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import bsr_array, csr_array

from ....numerics.sparse.block_matrix import CHAINS, side_by_side
from ....numerics.sparse.dissection import nested_dissection

# Rounds of pairwise matching; an aggregate has at most 2^ROUNDS cells. Measured at 100,720 cells:
# aggregates of 32 take 705 iterations and aggregates of 16 take 571, but 32 take a seventh less processor time and less
# memory (docs/decisions/two_levels.md).
ROUNDS = 5


class Aggregates(NamedTuple):
    """Cells sorted by aggregate in an elimination order, and the pattern of the matrix in that order.

    Attributes:
        order: (C,) cell of each row.
        labels: (C,) aggregate of each row, ascending.
        indptr, indices: First block of each row, and the column of each block.
        entries: Index of each block in the matrix.
    """

    order: np.ndarray
    labels: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    entries: np.ndarray


def aggregate(stiffness: bsr_array, centers: np.ndarray) -> Aggregates:
    """Group cells into aggregates of at most 2^``ROUNDS`` cells.

    Args:
        stiffness: (6C, 6C) with full 6 x 6 blocks, both triangles.
        centers: (C, 3) centroids of the cells, in any unit of length.

    Returns:
        Cells sorted by aggregate, and the pattern of the matrix in that order.

    Notes:
        Notay 2010: repeated pairwise matching. Own: bonds are weighted by stiffness over size, so that aggregates stay
        even.

    Example:
        Two cells with a bond form one aggregate.

        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> from ..bonds.full_bonds import build_full_bonds
        >>> from .equilibrium import Equilibrium
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> bonds = build_full_bonds(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN)
        >>> aggregate(Equilibrium(bonds).matrix, bonds.cells.centers).labels.tolist()
        [0, 0]
    """
    numbers = np.arange(len(stiffness.indices))
    graph = csr_array((numbers, stiffness.indices, stiffness.indptr))
    links = csr_array((-np.trace(stiffness.data[:, :3, :3], axis1=1, axis2=2), graph.indices, graph.indptr))
    labels = np.arange(len(centers))
    for _ in range(ROUNDS):
        order = np.argsort(np.diff(links.indptr), kind="stable")
        joined = _matched_pairs(links.indptr, links.indices, links.data, np.bincount(labels), order)
        labels = joined[labels]
        sums = csr_array((np.ones(len(joined)), joined, np.arange(len(joined) + 1)))
        links = (sums.T @ links @ sums).tocsr()
    size = np.bincount(labels)
    middles = np.stack([np.bincount(labels, column) for column in centers.T], axis=1) / size[:, None]
    rank = np.argsort(nested_dissection(links, middles))
    order = np.argsort(rank[labels], kind="stable")
    graph = graph[order][:, order].tocsr()
    graph.sort_indices()
    return Aggregates(order, rank[labels][order], graph.indptr, graph.indices, graph.data)


@njit(cache=True)
def _matched_pairs(
    indptr: np.ndarray, indices: np.ndarray, strength: np.ndarray, size: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Return the pair (N,) of each node: a node is matched with its strongest unmatched neighbour, or stays single."""
    pair = np.full(len(size), -1)
    count = 0
    for node in order:
        if pair[node] >= 0:
            continue
        most, best = 0.0, node
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            # Prefer small aggregates.
            strong = strength[entry] / size[other]
            if other != node and pair[other] < 0 and strong > most:
                most, best = strong, other
        pair[node] = pair[best] = count
        count += 1
    return pair


@njit(cache=True)
def split_aggregates(
    labels: np.ndarray, indptr: np.ndarray, indices: np.ndarray, entries: np.ndarray, data: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split aggregates into components that are connected by nonzero blocks of the matrix.

    Args:
        labels: (C,) aggregate of each row, ascending.
        indptr: First block of each row.
        indices: Column of each block.
        entries: Index of each block in the matrix.
        data: (B, 6, 6) blocks of the matrix.

    Returns:
        (C,) new aggregate of each row, (C,) rows sorted by aggregate, and (N + 1,) first entry of each aggregate there.
    """
    new, found = np.full(len(labels), -1), np.empty(len(labels), np.int64)
    starts = np.empty(len(labels) + 1, np.int64)
    count = done = end = 0
    for cell in range(len(labels)):
        if new[cell] >= 0:
            continue
        starts[count] = end
        new[cell], found[end] = count, cell
        end += 1
        while done < end:
            row = found[done]
            done += 1
            for entry in range(indptr[row], indptr[row + 1]):
                other = indices[entry]
                if new[other] < 0 and labels[other] == labels[row] and data[entries[entry], 0, 0] != 0.0:
                    new[other], found[end] = count, other
                    end += 1
        count += 1
    starts[count] = end
    return new, found, starts[: count + 1].copy()


class CoarseStiffness(NamedTuple):
    """Stiffness of N aggregates as rigid bodies.

    Attributes:
        labels: (C,) aggregate of each row of the matrix.
        sizes: (N,) cells of each aggregate.
        indptr: (N + 1,) first block of each aggregate.
        indices: (K,) column of each block.
        blocks: (K, 6, 6).
    """

    labels: np.ndarray
    sizes: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    blocks: np.ndarray


def coarse_stiffness(
    labels: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
    pattern: tuple[np.ndarray, np.ndarray, np.ndarray],
    data: np.ndarray,
    arms: np.ndarray,
    before: CoarseStiffness | None,
    changed: np.ndarray,
) -> CoarseStiffness:
    """Compute the coarse stiffness R^T K R with the rigid motions R of aggregates about their centres.

    A round of breaks changes few aggregates. The blocks of the others are copied; they have the same bytes.

    Args:
        labels: (C,) aggregate of each row.
        rows: (C,) rows sorted by aggregate.
        starts: (N + 1,) first entry of each aggregate in ``rows``.
        pattern: ``indptr``, ``indices`` and ``entries`` of the matrix; see ``Aggregates``.
        data: (B, 6, 6) blocks of the matrix.
        arms: (C, 3) vector from its aggregate's centre to each cell, in units of the cell size.
        before: Result for an earlier matrix; ``None`` computes all blocks.
        changed: (C,) bool, rows of the matrix that have changed since then.

    Returns:
        The stiffness of the aggregates.
    """
    count, sizes = len(starts) - 1, np.diff(starts)
    earlier, kept = np.empty(0, np.int64), np.zeros(count, bool)
    if before is not None:
        earlier, kept = _kept_aggregates(labels, rows, starts, before, changed)
    fresh = np.flatnonzero(~kept)
    counts = np.zeros(count, np.int64)
    if before is not None:
        counts[kept] = np.diff(before.indptr)[earlier[kept]]
    arguments = (labels, rows, starts, *pattern, data, arms)
    ends = np.arange(CHAINS + 1) * len(fresh) // CHAINS

    def counted(chain: int) -> None:
        _add_rows(fresh[ends[chain] : ends[chain + 1]], *arguments, counts, None, None)

    side_by_side(counted)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices, blocks = np.empty(indptr[-1], np.int64), np.empty((indptr[-1], 6, 6))

    def filled(chain: int) -> None:
        _add_rows(fresh[ends[chain] : ends[chain + 1]], *arguments, indptr, indices, blocks)

    side_by_side(filled)
    if before is not None:
        renumbered = np.empty(len(before.sizes), np.int64)
        renumbered[earlier] = np.arange(count)
        _copy_rows(np.flatnonzero(kept), earlier, renumbered, *before[2:], indptr, indices, blocks)
    return CoarseStiffness(labels, sizes, indptr, indices, blocks)


def _kept_aggregates(
    labels: np.ndarray, rows: np.ndarray, starts: np.ndarray, before: CoarseStiffness, changed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the earlier number (N,) of each aggregate, and whether its blocks are those of before (N,) bool."""
    earlier = before.labels[rows[starts[:-1]]]
    is_same = np.logical_and.reduceat(before.labels[rows] == earlier[labels[rows]], starts[:-1])
    is_same &= before.sizes[earlier] == np.diff(starts)
    lasts = np.zeros(len(before.sizes), bool)
    lasts[earlier[is_same]] = True
    # Blocks between an aggregate and one that was split or joined belong to other columns now.
    beside_same = np.logical_and.reduceat(lasts[before.indices], before.indptr[:-1])
    kept = is_same & beside_same[earlier]
    kept[labels[changed]] = False
    return earlier, kept


@njit(cache=True)
def _copy_rows(
    kept: np.ndarray,
    earlier: np.ndarray,
    renumbered: np.ndarray,
    indptr_before: np.ndarray,
    indices_before: np.ndarray,
    blocks_before: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    blocks: np.ndarray,
) -> None:
    """Copy the blocks of the aggregates ``kept``, with the new numbers of their columns."""
    for aggregate in kept:
        place = indptr[aggregate]
        for entry in range(indptr_before[earlier[aggregate]], indptr_before[earlier[aggregate] + 1]):
            indices[place], blocks[place] = renumbered[indices_before[entry]], blocks_before[entry]
            place += 1


@njit(cache=True, nogil=True)
def _add_rows(
    chosen: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    entries: np.ndarray,
    data: np.ndarray,
    arms: np.ndarray,
    places: np.ndarray,
    columns: np.ndarray | None,
    sums: np.ndarray | None,
) -> None:
    """Write columns and blocks of the aggregates ``chosen``, ascending; without ``sums``, write their count.

    ``places`` has the first block of each aggregate, or receives the count.
    """
    # Position of each column's block in the present row.
    place = np.full(len(starts) - 1, -1)
    block = np.empty((6, 6))
    begin = 0
    for aggregate in chosen:
        begin = places[aggregate] if sums is not None else begin
        total = begin
        for row in rows[starts[aggregate] : starts[aggregate + 1]]:
            for entry in range(indptr[row], indptr[row + 1]):
                number = entries[entry]
                if data[number, 0, 0] == 0.0:
                    continue
                column = labels[indices[entry]]
                if place[column] < begin:
                    place[column] = total
                    total += 1
                    if columns is not None:
                        columns[place[column]] = column
                    if sums is not None:
                        sums[place[column]] = 0.0
                if sums is not None:
                    _add_about_centers(data, number, arms, row, indices[entry], block, sums, place[column])
        if sums is None:
            places[aggregate] = total - begin
            begin = total


@njit(cache=True)
def _add_about_centers(
    data: np.ndarray,
    entry: int,
    arms: np.ndarray,
    row: int,
    column: int,
    block: np.ndarray,
    sums: np.ndarray,
    place: int,
) -> None:
    """Add the block of two cells to the block of their aggregates, transformed to the aggregates' centres."""
    x, y, z = arms[column, 0], arms[column, 1], arms[column, 2]
    for i in range(6):
        a, b, c = data[entry, i, 0], data[entry, i, 1], data[entry, i, 2]
        block[i, 0], block[i, 1], block[i, 2] = a, b, c
        block[i, 3] = data[entry, i, 3] + y * c - z * b
        block[i, 4] = data[entry, i, 4] + z * a - x * c
        block[i, 5] = data[entry, i, 5] + x * b - y * a
    x, y, z = arms[row, 0], arms[row, 1], arms[row, 2]
    for j in range(6):
        a, b, c = block[0, j], block[1, j], block[2, j]
        sums[place, 0, j] += a
        sums[place, 1, j] += b
        sums[place, 2, j] += c
        sums[place, 3, j] += block[3, j] + y * c - z * b
        sums[place, 4, j] += block[4, j] + z * a - x * c
        sums[place, 5, j] += block[5, j] + x * b - y * a


@njit(cache=True, nogil=True)
def gather(first: int, end: int, labels: np.ndarray, arms: np.ndarray, loads: np.ndarray, result: np.ndarray) -> None:
    """Add R^T ``loads`` (C, 6) of the cells ``first`` to ``end`` to ``result`` (N, 6) of the aggregates."""
    for cell in range(first, end):
        aggregate = labels[cell]
        x, y, z = arms[cell, 0], arms[cell, 1], arms[cell, 2]
        a, b, c = loads[cell, 0], loads[cell, 1], loads[cell, 2]
        result[aggregate, 0] += a
        result[aggregate, 1] += b
        result[aggregate, 2] += c
        result[aggregate, 3] += loads[cell, 3] + y * c - z * b
        result[aggregate, 4] += loads[cell, 4] + z * a - x * c
        result[aggregate, 5] += loads[cell, 5] + x * b - y * a


@njit(cache=True, nogil=True)
def scatter(
    first: int, end: int, labels: np.ndarray, arms: np.ndarray, motions: np.ndarray, result: np.ndarray
) -> None:
    """Write R ``motions`` (N, 6) of the aggregates to the rows ``first`` to ``end`` of ``result`` (C, 6)."""
    for cell in range(first, end):
        aggregate = labels[cell]
        x, y, z = arms[cell, 0], arms[cell, 1], arms[cell, 2]
        a, b, c = motions[aggregate, 3], motions[aggregate, 4], motions[aggregate, 5]
        result[cell, 0] = motions[aggregate, 0] + b * z - c * y
        result[cell, 1] = motions[aggregate, 1] + c * x - a * z
        result[cell, 2] = motions[aggregate, 2] + a * y - b * x
        result[cell, 3], result[cell, 4], result[cell, 5] = a, b, c
