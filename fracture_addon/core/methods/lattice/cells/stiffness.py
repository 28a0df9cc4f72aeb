"""Fit the springs of a cell to an isotropic material, also in deformed cells.

Central forces have the stiffness tensor sum k l^2 n n n n / V. It is isotropic only with equal Lame constants:
Poisson's ratio is 1/4 in a solid and 1/3 in a sheet. The fit to that tensor is non-negative least squares.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Contraction of n n n n with the isotropic tensor of Young's modulus 1, by dimension: a bar, a sheet (plane stress) and
# a solid. It is three times the Lame constant.
CONTRACTION = {1: 1.0, 2: 1.125, 3: 1.2}
# Squared norm of that tensor, by dimension.
SQUARED_NORM = {1: 1.0, 2: 3.375, 3: 7.2}
# Largest number of sweeps of a fit. With 150 and 600 at most one of 18 trials of cylinders ends differently.
SWEEPS = 300
# Largest change of a share in a sweep at which the fit ends. From 1e-9 to 1e-5, trials of cylinders keep their bytes.
TOLERANCE = 1e-7
# Weight of the distance from the regular cell's shares. Among equally good fits it selects the one with the most equal
# springs; with unequal springs, some nodes are too soft. At 0.0015 and 0.006 at most one of 18 trials of cylinders ends
# differently.
REGULARISATION = 0.003


def fitted_shares(spans: np.ndarray, start: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Fit the shares of springs, cell by cell, with non-negative least squares by coordinate descent.

    The fit starts from the shares of a regular cell. There are more springs than components of the tensor, so many fits
    are equally good; regularisation keeps this one near the regular cell.

    Args:
        spans: (K, W, 3) m, vector between the ends of each spring. Springs without length get no share.
        start: (W,) shares of the regular cell.
        dimension: 1 to 3.

    Returns:
        (K, W) spring constant times squared length, over Young's modulus times volume, and (K,) relative residuals: the
        norm of the difference from the isotropic tensor, over the norm of that tensor.

    Notes:
        Own; non-negative least squares of Lawson and Hanson 1974, by the coordinate descent of Franc, Hlavac and Navara
        2005.

    Example:
        The springs of a cube, scaled to a box: the edge, body and face diagonals fit an isotropic material.

        >>> from .cells import CELL_KINDS, CORNERS
        >>> kind = CELL_KINDS["fitted"]
        >>> spans = CORNERS[kind.pairs[0][:, 1]] - CORNERS[kind.pairs[0][:, 0]]
        >>> shares, residual = fitted_shares(spans[None] * [1.0, 1.0, 1.2], kind.shares, 3)
        >>> bool(residual[0] < 0.01), round(float(shares.sum()), 1)
        (True, 6.0)
    """
    start = np.ascontiguousarray(start, float)
    shares, residuals = np.tile(start, (len(spans), 1)), np.empty(len(spans))
    target, squared_norm = CONTRACTION[dimension], SQUARED_NORM[dimension]
    _fit_kernel(np.ascontiguousarray(spans, float), target, squared_norm, start, shares, residuals)
    return shares, residuals


@njit(cache=True)
def _fit_kernel(
    spans: np.ndarray, target: float, squared_norm: float, start: np.ndarray, shares: np.ndarray, residuals: np.ndarray
) -> None:
    """Fit all cells."""
    count = spans.shape[1]
    gram = np.empty((count, count))
    for cell in range(len(spans)):
        share = shares[cell]
        _gram_of(spans[cell], gram)
        for row in range(count):
            if gram[row, row] == 0.0:
                share[row] = 0.0
        for _ in range(SWEEPS):
            if _sweep(gram, target, start, share) < TOLERANCE:
                break
        left = squared_norm
        for row in range(count):
            left -= 2.0 * target * share[row]
            for other in range(count):
                left += share[row] * gram[row, other] * share[other]
        residuals[cell] = np.sqrt(max(left, 0.0) / squared_norm)


@njit(cache=True)
def _gram_of(spans: np.ndarray, gram: np.ndarray) -> None:
    """Compute the products n n n n : n n n n of all springs, the fourth powers of the cosines between them."""
    for row in range(len(spans)):
        for other in range(len(spans)):
            product = first = second = 0.0
            for axis in range(3):
                product += spans[row, axis] * spans[other, axis]
                first += spans[row, axis] ** 2
                second += spans[other, axis] ** 2
            gram[row, other] = product**4 / (first * second) ** 2 if first * second > 0.0 else 0.0


@njit(cache=True)
def _sweep(gram: np.ndarray, target: float, start: np.ndarray, share: np.ndarray) -> float:
    """Optimise each share in turn, and return the largest change."""
    change = 0.0
    for row in range(len(share)):
        if gram[row, row] == 0.0:
            continue
        missing = target + REGULARISATION * (start[row] - share[row])
        for other in range(len(share)):
            missing -= gram[row, other] * share[other]
        better = max(share[row] + missing / (1.0 + REGULARISATION), 0.0)
        change = max(change, abs(better - share[row]))
        share[row] = better
    return change
