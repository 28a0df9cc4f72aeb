"""Clumps of neighbouring cells that move as one rigid body: a network of a tenth as many unknowns.

Aggregation by matching pairs, again and again (Notay 2010), strongest bonds first. What hangs together only through
other clumps is not one: where bonds break clumps fall apart, so that whatever can move apart in the network, can do so
as clumps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import bsr_array, csr_array

from ....numerics.sparse.blocks import CHAINS, side_by_side
from ....numerics.sparse.dissection import nested_dissection

# Times that neighbours are put together by twos.
ROUNDS = 5


class Clumps(NamedTuple):
    """Cells, clump after clump, in an order that suits elimination; and a matrix's pattern in that order.

    Attributes:
        order: (C,) cell of each row.
        labels: (C,) clump of each row, never falling.
        indptr, indices: Where the blocks of each row start, and their columns.
        entries: Each block's number in the matrix.
    """

    order: np.ndarray
    labels: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    entries: np.ndarray


def clumped(stiffness: bsr_array, centers: np.ndarray) -> Clumps:
    """Clumps of at most 2^``ROUNDS`` cells.

    Args:
        stiffness: (6C, 6C) with full 6 x 6 blocks, both triangles.
        centers: (C, 3) where the cells are.
    """
    numbers = np.arange(len(stiffness.indices))
    graph = csr_array((numbers, stiffness.indices, stiffness.indptr))
    links = csr_array((-np.trace(stiffness.data[:, :3, :3], axis1=1, axis2=2), graph.indices, graph.indptr))
    labels = np.arange(len(centers))
    for _ in range(ROUNDS):
        order = np.argsort(np.diff(links.indptr), kind="stable")
        joined = _in_pairs(links.indptr, links.indices, links.data, np.bincount(labels), order)
        labels = joined[labels]
        sums = csr_array((np.ones(len(joined)), joined, np.arange(len(joined) + 1)))
        links = (sums.T @ links @ sums).tocsr()
    size = np.bincount(labels)
    middles = np.stack([np.bincount(labels, column) for column in centers.T], axis=1) / size[:, None]
    rank = np.argsort(nested_dissection(links, middles))
    order = np.argsort(rank[labels], kind="stable")
    graph = graph[order][:, order].tocsr()
    graph.sort_indices()
    return Clumps(order, rank[labels][order], graph.indptr, graph.indices, graph.data)


@njit(cache=True)
def _in_pairs(indptr, indices, strength, size, order):
    """(N,) number of the pair, or the single, that each node goes into: with the strongest neighbour that is left."""
    pair = np.full(len(size), -1)
    count = 0
    for node in order:
        if pair[node] >= 0:
            continue
        most, best = 0.0, node
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            # Small ones are joined rather than large ones.
            strong = strength[entry] / size[other]
            if other != node and pair[other] < 0 and strong > most:
                most, best = strong, other
        pair[node] = pair[best] = count
        count += 1
    return pair


@njit(cache=True)
def fallen_apart(labels, indptr, indices, entries, data):
    """What is left of clumps where some blocks of a matrix are zero, numbered alike.

    ``labels`` (C,) has the clump of each row, and never falls. Returns (C,) the clump of each row now; (C,) rows, clump
    after clump; and (N + 1,) where among these each clump starts.
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


def clump_stiffness(
    labels: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
    pattern: tuple[np.ndarray, np.ndarray, np.ndarray],
    data: np.ndarray,
    arms: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R^T K R with the rigid motions R of clumps about their middles: where rows start, their columns, and the blocks.

    Args:
        labels: (C,) clump of each row.
        rows: (C,) clump after clump.
        starts: (N + 1,) where among these each clump starts.
        pattern: Where the rows of blocks start, their columns, and their numbers in the matrix.
        data: (B, 6, 6) the matrix's blocks.
        arms: (C, 3) from its clump's middle to each cell, in the unit of length that makes rotations displacements.
    """
    count = len(starts) - 1
    arguments = (labels, rows, starts, *pattern, data, arms)
    chains = np.arange(CHAINS + 1) * count // CHAINS
    indptr = np.zeros(count + 1, np.int64)

    def counted(chain: int) -> None:
        _add_rows(chains[chain], chains[chain + 1], *arguments, indptr[1:], None, None)

    def filled(chain: int) -> None:
        _add_rows(chains[chain], chains[chain + 1], *arguments, indptr, indices, sums)

    side_by_side(counted)
    np.cumsum(indptr, out=indptr)
    indices, sums = np.empty(indptr[-1], np.int64), np.zeros((indptr[-1], 6, 6))
    side_by_side(filled)
    return indptr, indices, sums


@njit(cache=True, nogil=True)
def _add_rows(first, end, labels, rows, starts, indptr, indices, entries, data, arms, places, columns, sums):
    """Write the columns and blocks of the clumps ``first`` to ``end`` from ``places`` on; without sums, their count."""
    # Where in its row the block of each column is.
    place = np.full(len(starts) - 1, -1)
    block = np.empty((6, 6))
    begin = 0
    for clump in range(first, end):
        begin = places[clump] if sums is not None else begin
        total = begin
        for row in rows[starts[clump] : starts[clump + 1]]:
            for entry in range(indptr[row], indptr[row + 1]):
                number = entries[entry]
                if data[number, 0, 0] == 0.0:
                    continue
                column = labels[indices[entry]]
                if place[column] < begin:
                    place[column] = total
                    total += 1
                    if sums is not None:
                        columns[place[column]] = column
                if sums is not None:
                    _add_about_middles(data, number, arms, row, indices[entry], block, sums, place[column])
        if sums is None:
            places[clump] = total - begin
            begin = total


@njit(cache=True)
def _add_about_middles(data, entry, arms, row, column, block, sums, place):
    """Add a block between two cells as one between the middles of their clumps."""
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
def gather(first, end, labels, arms, loads, result):
    """R^T ``loads``, added to (N, 6) of the clumps out of the rows ``first`` to ``end`` of (C, 6) of the cells."""
    for cell in range(first, end):
        clump = labels[cell]
        x, y, z = arms[cell, 0], arms[cell, 1], arms[cell, 2]
        a, b, c = loads[cell, 0], loads[cell, 1], loads[cell, 2]
        result[clump, 0] += a
        result[clump, 1] += b
        result[clump, 2] += c
        result[clump, 3] += loads[cell, 3] + y * c - z * b
        result[clump, 4] += loads[cell, 4] + z * a - x * c
        result[clump, 5] += loads[cell, 5] + x * b - y * a


@njit(cache=True, nogil=True)
def scatter(first, end, labels, arms, motions, result):
    """R ``motions``: the rows ``first`` to ``end`` of (C, 6) of the cells out of (N, 6) of the clumps."""
    for cell in range(first, end):
        clump = labels[cell]
        x, y, z = arms[cell, 0], arms[cell, 1], arms[cell, 2]
        a, b, c = motions[clump, 3], motions[clump, 4], motions[clump, 5]
        result[cell, 0] = motions[clump, 0] + b * z - c * y
        result[cell, 1] = motions[clump, 1] + c * x - a * z
        result[cell, 2] = motions[clump, 2] + a * y - b * x
        result[cell, 3], result[cell, 4], result[cell, 5] = a, b, c
