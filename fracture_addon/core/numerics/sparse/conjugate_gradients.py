"""Preconditioned conjugate gradients over rows of six, on two threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from .blocks import CHAINS, side_by_side

# Up to so many rows one thread is done before another one is awake.
WORTH_A_THREAD = 20_000


def conjugate_gradients(
    product: Callable[[np.ndarray, np.ndarray], None],
    precondition: Callable[[np.ndarray], np.ndarray],
    solution: np.ndarray,
    remainder: np.ndarray,
    is_settled: Callable[[float, list[float]], bool],
    limit: int,
) -> int | None:
    """Move a solution (C, 6) in place to where nothing remains.

    Args:
        product: Writes the matrix times its first argument (C, 6) into the second.
        precondition: What about answers a remainder.
        solution: To begin with.
        remainder: Right side less the matrix times that; it becomes what remains in the end.
        is_settled: Whether it is enough, from the remainder's norm, and from what each iteration so far took off the
            square of the error's energy norm.
        limit: Iterations at most.

    Returns:
        The iterations that it took; None when it did not settle.
    """
    search, image = np.zeros_like(solution), np.empty_like(solution)
    gains: list[float] = []
    norm, before = _sum(_dot, remainder, remainder) ** 0.5, np.inf
    while not is_settled(norm, gains):
        if len(gains) == limit:
            return None
        correction = precondition(remainder)
        measure = _sum(_dot, remainder, correction)
        _sum(_turn, search, correction, measure / before)
        product(search, image)
        step = measure / _sum(_dot, search, image)
        norm = _sum(_advance, step, search, image, solution, remainder) ** 0.5
        gains.append(step * measure)
        before = measure
    return len(gains)


def _sum(kernel, *arguments) -> float:
    """What a kernel gives over all rows; each chain goes over its share."""
    count = next(len(argument) for argument in arguments if isinstance(argument, np.ndarray))

    def share(chain: int) -> float:
        return kernel(chain * count // CHAINS, (chain + 1) * count // CHAINS, *arguments)

    return sum(side_by_side(share) if count > WORTH_A_THREAD else [share(chain) for chain in range(CHAINS)])


@njit(cache=True, nogil=True, fastmath=True)
def _dot(first, end, one, other):
    total = 0.0
    for row in range(first, end):
        for i in range(6):
            total += one[row, i] * other[row, i]
    return total


@njit(cache=True, nogil=True, fastmath=True)
def _turn(first, end, search, correction, share):
    """The next direction: the correction and a share of the last one."""
    for row in range(first, end):
        for i in range(6):
            search[row, i] = correction[row, i] + share * search[row, i]
    return 0.0


@njit(cache=True, nogil=True, fastmath=True)
def _advance(first, end, step, search, image, solution, remainder):
    """A step along the direction; the square of what remains."""
    total = 0.0
    for row in range(first, end):
        for i in range(6):
            solution[row, i] += step * search[row, i]
            remainder[row, i] -= step * image[row, i]
            total += remainder[row, i] * remainder[row, i]
    return total
