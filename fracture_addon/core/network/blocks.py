"""Sparse symmetric matrices of 6 x 6 blocks, a row of blocks a cell: products and sweeps, on two threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

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


def product(matrix: bsr_array, vector: np.ndarray) -> np.ndarray:
    """(6C,) matrix times vector."""
    values = vector.reshape(-1, 6)
    result = np.empty_like(values)

    def rows(chain: int) -> None:
        first, end = chain * len(values) // CHAINS, (chain + 1) * len(values) // CHAINS
        _product(first, end, matrix.indptr, matrix.indices, matrix.data, values, result)

    side_by_side(rows)
    return result.ravel()


@njit(cache=True, nogil=True, fastmath=True)
def _product(first, end, indptr, indices, data, vector, result):
    for row in range(first, end):
        a = b = c = d = e = f = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            u, v, w, x, y, z = _times(data, entry, vector, indices[entry])
            a, b, c, d, e, f = a + u, b + v, c + w, d + x, e + y, f + z
        _set(result, row, a, b, c, d, e, f)


@njit(cache=True, nogil=True, fastmath=True)
def sweep(first, end, indptr, indices, data, inverses, right, result):
    """Gauss-Seidel from nothing over the rows ``first`` to ``end`` as if they were alone: (D + L) x = ``right``.

    Vectors are (C, 6), ``inverses`` (C, 6, 6) those of the diagonal blocks; only these rows of ``result`` are written.
    """
    for row in range(first, end):
        a, b, c, d, e, f = _vector(right, row)
        for entry in range(indptr[row], indptr[row + 1]):
            column = indices[entry]
            if first <= column < row:
                u, v, w, x, y, z = _times(data, entry, result, column)
                a, b, c, d, e, f = a - u, b - v, c - w, d - x, e - y, f - z
        _set(result, row, a, b, c, d, e, f)
        a, b, c, d, e, f = _times(inverses, row, result, row)
        _set(result, row, a, b, c, d, e, f)


@njit(cache=True, nogil=True, fastmath=True)
def left_by_sweep(first, end, indptr, indices, data, vector, result):
    """What is left of the right side after ``sweep``: less the products that it did not take off."""
    for row in range(first, end):
        a = b = c = d = e = f = 0 * vector[row, 0]
        for entry in range(indptr[row], indptr[row + 1]):
            column = indices[entry]
            if column < first or column > row:
                u, v, w, x, y, z = _times(data, entry, vector, column)
                a, b, c, d, e, f = a - u, b - v, c - w, d - x, e - y, f - z
        _set(result, row, a, b, c, d, e, f)


@njit(cache=True, nogil=True, fastmath=True)
def sweep_back(first, end, indptr, indices, data, inverses, right, start, result):
    """Gauss-Seidel from ``start`` over the rows from ``end`` down to ``first``, while all others stay as they are."""
    for row in range(end - 1, first - 1, -1):
        a, b, c, d, e, f = _vector(right, row)
        for entry in range(indptr[row], indptr[row + 1]):
            column = indices[entry]
            if row < column < end:
                u, v, w, x, y, z = _times(data, entry, result, column)
            else:
                u, v, w, x, y, z = _times(data, entry, start, column)
            a, b, c, d, e, f = a - u, b - v, c - w, d - x, e - y, f - z
        _set(result, row, a, b, c, d, e, f)
        a, b, c, d, e, f = _times(inverses, row, result, row)
        u, v, w, x, y, z = _vector(start, row)
        _set(result, row, a + u, b + v, c + w, d + x, e + y, f + z)


@njit(cache=True, nogil=True)
def inverted_diagonal(indptr, indices, data):
    """(C, 6, 6) the inverses of the diagonal blocks of a positive definite matrix, single precision."""
    result, matrix = np.empty((len(indptr) - 1, 6, 6), np.float32), np.empty((6, 6))
    for row in range(len(result)):
        for entry in range(indptr[row], indptr[row + 1]):
            if indices[entry] == row:
                matrix[:] = data[entry]
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
                result[row, i, j] = matrix[i, j]
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
