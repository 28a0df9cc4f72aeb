"""Sparse symmetric matrices of 6 x 6 blocks, one row of blocks for each cell: products and Gauss-Seidel sweeps."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numba import njit
from scipy.sparse import bsr_array

# Number of threads that share the work. A chain is the part of one thread: consecutive rows of a matrix, or fronts of a
# factor. The number is fixed, so that rounding does not depend on the processor.
CHAINS = 2

# Threads that all solvers of the process share, as with BLAS. They hold no data of a solver.
_POOL = ThreadPoolExecutor(CHAINS - 1)

# Six numbers: a row of a vector, or the result of a product with a block.
Six = tuple[float, float, float, float, float, float]
T = TypeVar("T")


def side_by_side(call: Callable[[int], T], *, at_once: bool = True) -> list[T]:
    """Return the results of a call for each chain, each computed on a thread of its own.

    The calls run at the same time only while they are in compiled code with ``nogil``.

    Args:
        call: Takes the number of a chain, 0 to ``CHAINS`` - 1.
        at_once: False to compute one after the other on this thread, where waking a thread takes longer than the work.

    Returns:
        The results, in the order of the chains.
    """
    if not at_once:
        return [call(chain) for chain in range(CHAINS)]
    others = [_POOL.submit(call, chain) for chain in range(1, CHAINS)]
    return [call(0), *(other.result() for other in others)]


def product(matrix: bsr_array, vector: np.ndarray, result: np.ndarray | None = None) -> np.ndarray:
    """Return a matrix of 6 x 6 blocks times a vector.

    Args:
        matrix: (6C, 6C) with 6 x 6 blocks.
        vector: (C, 6).
        result: (C, 6) array for the result. Default: a new one.

    Returns:
        (C, 6), ``result`` where it is given.

    Notes:
        Saad 2003, Iterative Methods for Sparse Linear Systems, section 3.5, for block rows. On two threads it replaces
        SciPy's product, which uses one.

    Example:
        >>> twice = bsr_array((np.array([2.0 * np.eye(6)]), [0], [0, 1]), shape=(6, 6))
        >>> product(twice, np.ones((1, 6))).tolist()
        [[2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]
    """
    result = np.empty_like(vector) if result is None else result

    def rows(chain: int) -> None:
        first, end = chain * len(vector) // CHAINS, (chain + 1) * len(vector) // CHAINS
        _product(first, end, matrix.indptr, matrix.indices, matrix.data, vector, result)

    side_by_side(rows)
    return result


@njit(cache=True, nogil=True, fastmath=True)
def _product(
    first: int,
    end: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    vector: np.ndarray,
    result: np.ndarray,
) -> None:
    for row in range(first, end):
        a = b = c = d = e = f = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            u, v, w, x, y, z = _times(data, entry, vector, indices[entry])
            a, b, c, d, e, f = a + u, b + v, c + w, d + x, e + y, f + z
        _set(result, row, a, b, c, d, e, f)


class LowerHalf(NamedTuple):
    """Blocks left of the diagonal of a symmetric matrix, ordered for sweeps over chains of rows at the same time.

    Attributes:
        ends: (K + 1,) first row of each chain, and the end of the last one.
        indptr: (C + 1,) first block of each row, for blocks within a chain. Blocks from the last value on are
            between chains.
        rows: (B,) row of each block.
        columns: (B,) column of each block.
        entries: (B,) number of each block in the matrix.
        diagonal: (C,) number of the diagonal block of each row.
    """

    ends: np.ndarray
    indptr: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    entries: np.ndarray
    diagonal: np.ndarray


def lower_half(indptr: np.ndarray, indices: np.ndarray, entries: np.ndarray, ends: np.ndarray) -> LowerHalf:
    """Return the lower half of the pattern of a matrix.

    Args:
        indptr: (C + 1,) first block of each row.
        indices: (B,) column of each block.
        entries: (B,) number of each block in the matrix.
        ends: (K + 1,) first row of each chain, and the end of the last one.

    Returns:
        The blocks within the chains, followed by those between them.

    Notes:
        Own: block Jacobi over the chains, Gauss-Seidel within each, so that every thread sweeps its own rows.

    Example:
        Three rows, each linked to the next; the third is a chain of its own.

        >>> starts, columns = np.array([0, 2, 5, 7]), np.array([0, 1, 0, 1, 2, 1, 2])
        >>> half = lower_half(starts, columns, np.arange(7), np.array([0, 2, 3]))
        >>> half.rows.tolist(), half.columns.tolist(), half.indptr.tolist()
        ([1, 2], [0, 1], [0, 0, 1, 1])
    """
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    chain = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    between, lower = chain[rows] != chain[indices], np.flatnonzero(indices < rows)
    lower = lower[np.argsort(between[lower], kind="stable")]
    within = rows[lower][~between[lower]]
    starts = np.concatenate([[0], np.cumsum(np.bincount(within, minlength=len(chain)))])
    diagonal = entries[indices == rows]
    return LowerHalf(ends, starts, rows[lower], indices[lower].astype(np.int32), entries[lower], diagonal)


@njit(cache=True, nogil=True, fastmath=True)
def sweep(
    first: int,
    end: int,
    indptr: np.ndarray,
    columns: np.ndarray,
    blocks: np.ndarray,
    inverses: np.ndarray,
    right: np.ndarray,
    result: np.ndarray,
    left: np.ndarray,
) -> None:
    """Solve (D + L) x = b for a chain of rows: one Gauss-Seidel sweep from x = 0.

    Args:
        first: First row.
        end: End of the rows.
        indptr: (C + 1,) first block of each row below the diagonal.
        columns: (B,) column of each block.
        blocks: (B, 6, 6) blocks of L.
        inverses: (C, 6, 6) inverses of the blocks of D.
        right: (C, 6) right side b.
        result: (C, 6) becomes x.
        left: (C, 6) becomes the residual -L^T x. It is computed in the same pass, while the blocks are in the cache.

    Notes:
        Saad 2003, Iterative Methods for Sparse Linear Systems, section 4.1.

    Example:
        The diagonal is 2, the block below it -1.

        >>> one, x, left = np.eye(6, dtype=np.float32), *np.zeros((2, 2, 6), np.float32)
        >>> halves = np.array([0.5 * one, 0.5 * one])
        >>> sweep(0, 2, np.array([0, 0, 1]), np.array([0]), -one[None], halves, np.ones((2, 6)), x, left)
        >>> x[:, 0].tolist(), left[:, 0].tolist()
        ([0.5, 0.75], [0.75, 0.0])
    """
    for row in range(first, end):
        u, v, w, x, y, z = _vector(right, row)
        _set(result, row, u, v, w, x, y, z)
        # The result array rounds the values to single precision.
        a, b, c, d, e, f = _vector(result, row)
        for entry in range(indptr[row], indptr[row + 1]):
            u, v, w, x, y, z = _times(blocks, entry, result, columns[entry])
            a, b, c, d, e, f = a - u, b - v, c - w, d - x, e - y, f - z
        _set(result, row, a, b, c, d, e, f)
        a, b, c, d, e, f = _times(inverses, row, result, row)
        _set(result, row, a, b, c, d, e, f)
        _set(left, row, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for entry in range(indptr[row], indptr[row + 1]):
            _subtract_transposed(blocks, entry, a, b, c, d, e, f, left, columns[entry])


@njit(cache=True, nogil=True, fastmath=True)
def sweep_back(
    first: int,
    end: int,
    indptr: np.ndarray,
    columns: np.ndarray,
    blocks: np.ndarray,
    inverses: np.ndarray,
    between: np.ndarray,
    left: np.ndarray,
    result: np.ndarray,
) -> None:
    """Solve (D + L^T) x = b - L y for a chain of rows: one backward Gauss-Seidel sweep from y.

    Args:
        first: First row.
        end: End of the rows.
        indptr: (C + 1,) first block of each row below the diagonal.
        columns: (B,) column of each block.
        blocks: (B, 6, 6) blocks of L.
        inverses: (C, 6, 6) inverses of the blocks of D.
        between: (C, 6) start vector y.
        left: (C, 6) right side b; overwritten.
        result: (C, 6) becomes x.

    Notes:
        Saad 2003, Iterative Methods for Sparse Linear Systems, section 4.1.

    Example:
        The diagonal is 2, the block below it -1; y = 0.

        >>> one, left, x, y = np.eye(6, dtype=np.float32), np.ones((2, 6)), *np.zeros((2, 2, 6), np.float32)
        >>> halves = np.array([0.5 * one, 0.5 * one])
        >>> sweep_back(0, 2, np.array([0, 0, 1]), np.array([0]), -one[None], halves, y, left, x)
        >>> x[:, 0].tolist()
        [0.75, 0.5]
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
            _subtract_transposed(blocks, entry, a, b, c, d, e, f, left, columns[entry])


@njit(cache=True, nogil=True, fastmath=True)
def subtract_products(
    rows: np.ndarray, columns: np.ndarray, blocks: np.ndarray, vector: np.ndarray, result: np.ndarray
) -> None:
    """Subtract (L + L^T) times a vector from a result.

    Args:
        rows: (B,) row of each block of L.
        columns: (B,) column of each block.
        blocks: (B, 6, 6) blocks of L.
        vector: (C, 6).
        result: (C, 6); changed in place.

    Example:
        >>> one, two, result = np.eye(6), np.repeat([[1.0], [2.0]], 6, axis=1), np.zeros((2, 6))
        >>> subtract_products(np.array([1]), np.array([0]), -one[None], two, result)
        >>> result[:, 0].tolist()
        [2.0, 1.0]
    """
    for entry in range(len(rows)):
        row, column = rows[entry], columns[entry]
        u, v, w, x, y, z = _times(blocks, entry, vector, column)
        a, b, c, d, e, f = _vector(result, row)
        _set(result, row, a - u, b - v, c - w, d - x, e - y, f - z)
        a, b, c, d, e, f = _vector(vector, row)
        _subtract_transposed(blocks, entry, a, b, c, d, e, f, result, column)


@njit(cache=True, nogil=True)
def inverted(blocks: np.ndarray) -> np.ndarray:
    """Return the inverses of positive definite blocks.

    Args:
        blocks: (N, 6, 6).

    Returns:
        (N, 6, 6) float32, computed in double precision.

    Notes:
        Gauss-Jordan elimination without pivoting (Higham 2002, Accuracy and Stability of Numerical Algorithms, 14.4).

    Example:
        >>> inverted(np.array([4.0 * np.eye(6)]))[0].diagonal().tolist()
        [0.25, 0.25, 0.25, 0.25, 0.25, 0.25]
    """
    result, matrix = np.empty(blocks.shape, np.float32), np.empty((6, 6))
    for number in range(len(blocks)):
        matrix[:] = blocks[number]
        # Gauss-Jordan elimination in place; positive definite matrices need no pivoting.
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


# Six numbers instead of slices of arrays: with slices, these kernels take three times as long.
@njit(cache=True, fastmath=True, inline="always")
def _vector(v: np.ndarray, k: int) -> Six:
    return v[k, 0], v[k, 1], v[k, 2], v[k, 3], v[k, 4], v[k, 5]


@njit(cache=True, fastmath=True, inline="always")
def _set(v: np.ndarray, k: int, a: float, b: float, c: float, d: float, e: float, f: float) -> None:
    v[k, 0], v[k, 1], v[k, 2], v[k, 3], v[k, 4], v[k, 5] = a, b, c, d, e, f


@njit(cache=True, fastmath=True)
def _times(m: np.ndarray, n: int, v: np.ndarray, k: int) -> Six:
    """Return block ``n`` of ``m`` times row ``k`` of ``v``."""
    a, b, c, d, e, f = v[k, 0], v[k, 1], v[k, 2], v[k, 3], v[k, 4], v[k, 5]
    return (
        m[n, 0, 0] * a + m[n, 0, 1] * b + m[n, 0, 2] * c + m[n, 0, 3] * d + m[n, 0, 4] * e + m[n, 0, 5] * f,
        m[n, 1, 0] * a + m[n, 1, 1] * b + m[n, 1, 2] * c + m[n, 1, 3] * d + m[n, 1, 4] * e + m[n, 1, 5] * f,
        m[n, 2, 0] * a + m[n, 2, 1] * b + m[n, 2, 2] * c + m[n, 2, 3] * d + m[n, 2, 4] * e + m[n, 2, 5] * f,
        m[n, 3, 0] * a + m[n, 3, 1] * b + m[n, 3, 2] * c + m[n, 3, 3] * d + m[n, 3, 4] * e + m[n, 3, 5] * f,
        m[n, 4, 0] * a + m[n, 4, 1] * b + m[n, 4, 2] * c + m[n, 4, 3] * d + m[n, 4, 4] * e + m[n, 4, 5] * f,
        m[n, 5, 0] * a + m[n, 5, 1] * b + m[n, 5, 2] * c + m[n, 5, 3] * d + m[n, 5, 4] * e + m[n, 5, 5] * f,
    )


# The vector is six numbers, because the compiler would have to assume that an array overlaps the result: a sweep then
# takes 1.5 times as long.
@njit(cache=True, fastmath=True, inline="always")
def _subtract_transposed(
    m: np.ndarray,
    n: int,
    a: float,
    b: float,
    c: float,
    d: float,
    e: float,
    f: float,
    result: np.ndarray,
    row: int,
) -> None:
    """Subtract the transpose of block ``n`` of ``m`` times a vector from a row of the result."""
    for i in range(6):
        result[row, i] -= (
            m[n, 0, i] * a + m[n, 1, i] * b + m[n, 2, i] * c + m[n, 3, i] * d + m[n, 4, i] * e + m[n, 5, i] * f
        )
