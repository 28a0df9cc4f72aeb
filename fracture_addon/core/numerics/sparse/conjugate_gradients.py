"""Preconditioned conjugate gradients on vectors with six values for each cell, on two threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from .block_matrix import CHAINS, side_by_side

# Number of rows up to which one thread is faster than two, because waking a thread takes longer than the work. It only
# affects speed.
WORTH_A_THREAD = 20_000


def conjugate_gradients(
    product: Callable[[np.ndarray, np.ndarray], None],
    precondition: Callable[[np.ndarray], np.ndarray],
    solution: np.ndarray,
    remainder: np.ndarray,
    is_settled: Callable[[float, list[float]], bool],
    limit: int,
) -> int | None:
    """Solve a symmetric positive definite system by preconditioned conjugate gradients, in place.

    Args:
        product: Writes the matrix times its first argument (C, 6) into the second.
        precondition: Returns an approximate inverse of the matrix times its argument (C, 6).
        solution: (C, 6) start vector; becomes the solution.
        remainder: (C, 6) residual: right side minus matrix times ``solution``; becomes the last residual.
        is_settled: Whether to stop. Its arguments are the norm of the residual and, for each iteration so far, the
            decrease of the squared energy norm of the error.
        limit: Largest number of iterations.

    Returns:
        The number of iterations; ``None`` if the iteration did not stop within ``limit``.

    Notes:
        Hestenes and Stiefel 1952, Methods of Conjugate Gradients for Solving Linear Systems; section 6 for the energy
        norm. With a preconditioner: Saad 2003, algorithm 9.1.

    Example:
        >>> scale, solution = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), np.zeros((1, 6))
        >>> def product(vector, result):
        ...     np.multiply(scale, vector, out=result)
        >>> conjugate_gradients(product, np.copy, solution, np.ones((1, 6)), lambda norm, gains: norm < 1e-12, 10)
        6
        >>> np.allclose(scale * solution, 1.0)
        True
    """
    search, image = np.zeros_like(solution), np.empty_like(solution)
    gains: list[float] = []
    norm, before = _sum(_dot, remainder, remainder) ** 0.5, np.inf
    while not is_settled(norm, gains):
        if len(gains) == limit:
            return None
        correction = precondition(remainder)
        measure = _sum(_dot, remainder, correction)
        _sum(_next_direction, search, correction, measure / before)
        product(search, image)
        step = measure / _sum(_dot, search, image)
        norm = _sum(_advance, step, search, image, solution, remainder) ** 0.5
        gains.append(step * measure)
        before = measure
    return len(gains)


def _sum(kernel: Callable[..., float], *arguments: np.ndarray | float) -> float:
    """Return the sum of a kernel's results over all rows. Each chain computes the sum of its rows."""
    count = next(len(argument) for argument in arguments if isinstance(argument, np.ndarray))

    def share(chain: int) -> float:
        return kernel(chain * count // CHAINS, (chain + 1) * count // CHAINS, *arguments)

    return sum(side_by_side(share, at_once=count > WORTH_A_THREAD))


@njit(cache=True, nogil=True, fastmath=True)
def _dot(first: int, end: int, one: np.ndarray, other: np.ndarray) -> float:
    total = 0.0
    for row in range(first, end):
        for i in range(6):
            total += one[row, i] * other[row, i]
    return total


@njit(cache=True, nogil=True, fastmath=True)
def _next_direction(first: int, end: int, search: np.ndarray, correction: np.ndarray, share: float) -> float:
    """Set the next search direction: the correction plus ``share`` times the last direction. Return 0."""
    for row in range(first, end):
        for i in range(6):
            search[row, i] = correction[row, i] + share * search[row, i]
    return 0.0


@njit(cache=True, nogil=True, fastmath=True)
def _advance(
    first: int,
    end: int,
    step: float,
    search: np.ndarray,
    image: np.ndarray,
    solution: np.ndarray,
    remainder: np.ndarray,
) -> float:
    """Move along the search direction, and return the squared norm of the residual."""
    total = 0.0
    for row in range(first, end):
        for i in range(6):
            solution[row, i] += step * search[row, i]
            remainder[row, i] -= step * image[row, i]
            total += remainder[row, i] * remainder[row, i]
    return total
