"""Sparse symmetric matrices of 6 x 6 blocks, a row of blocks a cell: products and sweeps, on two threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import bsr_array

# Chains of work that go on side by side; a fixed number, so that rounding is the same everywhere.
CHAINS = 2

_POOL = ThreadPoolExecutor(CHAINS - 1)


def side_by_side(call: Callable[[int], object]) -> list:
    """What a call gives for each chain; compiled code lets other threads run."""
    others = [_POOL.submit(call, chain) for chain in range(1, CHAINS)]
    return [call(0), *(other.result() for other in others)]


def product(matrix: bsr_array, vector: np.ndarray, result: np.ndarray | None = None) -> np.ndarray:
    """(C, 6) matrix times vector."""
    result = np.empty_like(vector) if result is None else result

    def rows(chain: int) -> None:
        first, end = chain * len(vector) // CHAINS, (chain + 1) * len(vector) // CHAINS
        _product(first, end, matrix.indptr, matrix.indices, matrix.data, vector, result)

    side_by_side(rows)
    return result


@njit(cache=True, nogil=True, fastmath=True)
def _product(first, end, indptr, indices, data, vector, result):
    for row in range(first, end):
        a = b = c = d = e = f = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            u, v, w, x, y, z = _times(data, entry, vector, indices[entry])
            a, b, c, d, e, f = a + u, b + v, c + w, d + x, e + y, f + z
        _set(result, row, a, b, c, d, e, f)


class LowerHalf(NamedTuple):
    """What lies left of the diagonal in a symmetric matrix of blocks, for chains of rows that are swept side by side.

    Attributes:
        ends: First row of each chain, and the end of the last.
        indptr: Where the blocks of each row start: those within its chain, and last where those between chains start.
        rows, columns, entries: Of each block; its number in the matrix.
        diagonal: The number of each row's block on the diagonal.
    """

    ends: np.ndarray
    indptr: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    entries: np.ndarray
    diagonal: np.ndarray


def lower_half(indptr: np.ndarray, indices: np.ndarray, entries: np.ndarray, ends: np.ndarray) -> LowerHalf:
    """The lower half of a pattern: where rows start, the blocks' columns, and their numbers in the matrix."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    chain = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    between, lower = chain[rows] != chain[indices], np.flatnonzero(indices < rows)
    lower = lower[np.argsort(between[lower], kind="stable")]
    within = rows[lower][~between[lower]]
    starts = np.concatenate([[0], np.cumsum(np.bincount(within, minlength=len(chain)))])
    diagonal = entries[indices == rows]
    return LowerHalf(ends, starts, rows[lower], indices[lower].astype(np.int32), entries[lower], diagonal)


@njit(cache=True, nogil=True, fastmath=True)
def sweep(first, end, indptr, columns, blocks, inverses, right, result, left):
    """Gauss-Seidel from nothing over the rows ``first`` to ``end`` as if they were alone: (D + L) x = ``right``.

    Vectors are (C, 6), ``inverses`` (C, 6, 6) those of the diagonal blocks; ``left`` becomes what is left of the right
    side: -L^T x. Either takes the blocks of a row while they are at hand.
    """
    for row in range(first, end):
        u, v, w, x, y, z = _vector(right, row)
        _set(result, row, u, v, w, x, y, z)
        # Now of single precision.
        a, b, c, d, e, f = _vector(result, row)
        for entry in range(indptr[row], indptr[row + 1]):
            u, v, w, x, y, z = _times(blocks, entry, result, columns[entry])
            a, b, c, d, e, f = a - u, b - v, c - w, d - x, e - y, f - z
        _set(result, row, a, b, c, d, e, f)
        a, b, c, d, e, f = _times(inverses, row, result, row)
        _set(result, row, a, b, c, d, e, f)
        _set(left, row, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for entry in range(indptr[row], indptr[row + 1]):
            _take_transposed(blocks, entry, a, b, c, d, e, f, left, columns[entry])


@njit(cache=True, nogil=True, fastmath=True)
def sweep_back(first, end, indptr, columns, blocks, inverses, between, left, result):
    """Gauss-Seidel over the rows from ``end`` down to ``first``: (D + L^T) x = ``left`` - L ``between``.

    That is a sweep from ``between`` on, where ``left`` is the right side. It is used up.
    """
    for row in range(end - 1, first - 1, -1):
        a, b, c, d, e, f = _vector(left, row)
        for entry in range(indptr[row], indptr[row + 1]):
            u, v, w, x, y, z = _times(blocks, entry, between, columns[entry])
            a, b, c, d, e, f = a - u, b - v, c - w, d - x, e - y, f - z
        _set(left, row, a, b, c, d, e, f)
        a, b, c, d, e, f = _times(inverses, row, left, row)
        _set(result, row, a, b, c, d, e, f)
        for entry in range(indptr[row], indptr[row + 1]):
            _take_transposed(blocks, entry, a, b, c, d, e, f, left, columns[entry])


@njit(cache=True, nogil=True, fastmath=True)
def take_products(rows, columns, blocks, vector, result):
    """Take off the products with blocks at ``rows`` and ``columns``, and with their transposes on the other side."""
    for entry in range(len(rows)):
        row, column = rows[entry], columns[entry]
        u, v, w, x, y, z = _times(blocks, entry, vector, column)
        a, b, c, d, e, f = _vector(result, row)
        _set(result, row, a - u, b - v, c - w, d - x, e - y, f - z)
        a, b, c, d, e, f = _vector(vector, row)
        _take_transposed(blocks, entry, a, b, c, d, e, f, result, column)


@njit(cache=True, nogil=True)
def inverted(blocks):
    """(N, 6, 6) inverses of positive definite blocks, single precision."""
    result, matrix = np.empty(blocks.shape, np.float32), np.empty((6, 6))
    for number in range(len(blocks)):
        matrix[:] = blocks[number]
        # Gauss-Jordan in place; positive definite ones need no pivoting.
        for k in range(6):
            pivot = 1.0 / matrix[k, k]
            matrix[k, k] = 1.0
            for j in range(6):
                matrix[k, j] *= pivot
            for i in range(6):
                share = matrix[i, k]
                if i != k:
                    matrix[i, k] = 0.0
                    for j in range(6):
                        matrix[i, j] -= share * matrix[k, j]
        for i in range(6):
            for j in range(6):
                result[number, i, j] = matrix[i, j]
    return result


# Numbers rather than slices of arrays: these kernels take three times as long with slices.
@njit(cache=True, fastmath=True, inline="always")
def _vector(v, k):
    return v[k, 0], v[k, 1], v[k, 2], v[k, 3], v[k, 4], v[k, 5]


@njit(cache=True, fastmath=True, inline="always")
def _set(v, k, a, b, c, d, e, f):
    v[k, 0], v[k, 1], v[k, 2], v[k, 3], v[k, 4], v[k, 5] = a, b, c, d, e, f


@njit(cache=True, fastmath=True)
def _times(m, n, v, k):
    """Block ``n`` of ``m`` times row ``k`` of ``v``."""
    a, b, c, d, e, f = v[k, 0], v[k, 1], v[k, 2], v[k, 3], v[k, 4], v[k, 5]
    return (
        m[n, 0, 0] * a + m[n, 0, 1] * b + m[n, 0, 2] * c + m[n, 0, 3] * d + m[n, 0, 4] * e + m[n, 0, 5] * f,
        m[n, 1, 0] * a + m[n, 1, 1] * b + m[n, 1, 2] * c + m[n, 1, 3] * d + m[n, 1, 4] * e + m[n, 1, 5] * f,
        m[n, 2, 0] * a + m[n, 2, 1] * b + m[n, 2, 2] * c + m[n, 2, 3] * d + m[n, 2, 4] * e + m[n, 2, 5] * f,
        m[n, 3, 0] * a + m[n, 3, 1] * b + m[n, 3, 2] * c + m[n, 3, 3] * d + m[n, 3, 4] * e + m[n, 3, 5] * f,
        m[n, 4, 0] * a + m[n, 4, 1] * b + m[n, 4, 2] * c + m[n, 4, 3] * d + m[n, 4, 4] * e + m[n, 4, 5] * f,
        m[n, 5, 0] * a + m[n, 5, 1] * b + m[n, 5, 2] * c + m[n, 5, 3] * d + m[n, 5, 4] * e + m[n, 5, 5] * f,
    )


# With the vector in an array, which might be that of the result, a sweep takes half as long again.
@njit(cache=True, fastmath=True, inline="always")
def _take_transposed(m, n, a, b, c, d, e, f, result, row):
    """Take the transpose of block ``n`` of ``m`` times a vector from a row of the result."""
    for i in range(6):
        result[row, i] -= (
            m[n, 0, i] * a + m[n, 1, i] * b + m[n, 2, i] * c + m[n, 3, i] * d + m[n, 4, i] * e + m[n, 5, i] * f
        )
