"""Springs that together are an isotropic material, also in cells that are no cubes.

Central forces have a stiffness tensor sum k l^2 n n n n / V, which is isotropic only with both Lame constants equal
(Poisson's ratio 1/4 in a solid, 1/3 in a sheet). How near springs of given directions come to it is a question of
least squares with no spring below zero.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Contraction of n n n n with the isotropic tensor of Young's modulus 1, three times its Lame constants: of a bar, a
# sheet (plane stress) and a solid. And that tensor's squared norm.
CONTRACTION = {1: 1.0, 2: 1.125, 3: 1.2}
SQUARED_NORM = {1: 1.0, 2: 3.375, 3: 7.2}
SWEEPS = 300
# A fit ends when no share changes by more than this.
ENOUGH = 1e-7
# Weight of staying near the regular cell's shares: among fits that are as good, the one with the most even springs.
# Uneven ones give way between nodes.
EVENNESS = 0.003


def fitted_shares(spans: np.ndarray, start: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Non-negative least squares, cell by cell, from the springs of a regular cell to those of a deformed one.

    Each spring in turn takes the share that is best while the others stay (coordinate descent). Many fits are as good
    where there are more springs than the tensor has components; this one is near the regular cell's.

    Args:
        spans: (K, W, 3) m, from end to end of each spring; those of no length get no share.
        start: (W,) shares of the regular cell.
        dimension: 1 to 3.

    Returns:
        (K, W) spring constant times squared length over Young's modulus times volume, and (K,) the norm of what is left
        between the tensor and the isotropic one, over that of the isotropic one.
    """
    start = np.ascontiguousarray(start, float)
    shares, residuals = np.tile(start, (len(spans), 1)), np.empty(len(spans))
    target, squared_norm = CONTRACTION[dimension], SQUARED_NORM[dimension]
    _fit_kernel(np.ascontiguousarray(spans, float), target, squared_norm, start, shares, residuals)
    return shares, residuals


def _fit_readable(spans: np.ndarray, start: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """What ``_fit_kernel`` computes, to read."""
    target = CONTRACTION[dimension]
    shares, residuals = np.tile(np.asarray(start, float), (len(spans), 1)), np.empty(len(spans))
    for cell, span in enumerate(spans):
        length = np.linalg.norm(span, axis=1)
        direction = np.divide(span, length[:, None], out=np.zeros_like(span), where=length[:, None] > 0.0)
        gram = (direction @ direction.T) ** 4
        share = shares[cell]
        share[length == 0.0] = 0.0
        for _ in range(SWEEPS):
            change = 0.0
            for row in np.flatnonzero(length):
                missing = target - gram[row] @ share + EVENNESS * (start[row] - share[row])
                better = max(share[row] + missing / (1.0 + EVENNESS), 0.0)
                change, share[row] = max(change, abs(better - share[row])), better
            if change < ENOUGH:
                break
        left = share @ gram @ share - 2.0 * target * share.sum() + SQUARED_NORM[dimension]
        residuals[cell] = np.sqrt(max(left, 0.0) / SQUARED_NORM[dimension])
    return shares, residuals


@njit(cache=True)
def _fit_kernel(spans, target, squared_norm, start, shares, residuals):
    count = spans.shape[1]
    gram = np.empty((count, count))
    for cell in range(len(spans)):
        share = shares[cell]
        _gram_of(spans[cell], gram)
        for row in range(count):
            if gram[row, row] == 0.0:
                share[row] = 0.0
        for _ in range(SWEEPS):
            if _sweep(gram, target, start, share) < ENOUGH:
                break
        left = squared_norm
        for row in range(count):
            left -= 2.0 * target * share[row]
            for other in range(count):
                left += share[row] * gram[row, other] * share[other]
        residuals[cell] = np.sqrt(max(left, 0.0) / squared_norm)


@njit(cache=True)
def _gram_of(spans, gram):
    """Fourth powers of the cosines between springs: products of their n n n n."""
    for row in range(len(spans)):
        for other in range(len(spans)):
            product = first = second = 0.0
            for axis in range(3):
                product += spans[row, axis] * spans[other, axis]
                first += spans[row, axis] ** 2
                second += spans[other, axis] ** 2
            gram[row, other] = product**4 / (first * second) ** 2 if first * second > 0.0 else 0.0


@njit(cache=True)
def _sweep(gram, target, start, share):
    """Each share in turn to its best; the largest change."""
    change = 0.0
    for row in range(len(share)):
        if gram[row, row] == 0.0:
            continue
        missing = target + EVENNESS * (start[row] - share[row])
        for other in range(len(share)):
            missing -= gram[row, other] * share[other]
        better = max(share[row] + missing / (1.0 + EVENNESS), 0.0)
        change = max(change, abs(better - share[row]))
        share[row] = better
    return change
