"""Things in space in an order in which near ones come together."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def along_a_curve(low, high, bits):
    """Places along Morton's curve through the cube around boxes; points are boxes of no size.

    Args:
        low: (N, 3) lower corners.
        high: (N, 3) upper corners.
        bits: Of each coordinate that count, 21 at the most.

    Returns:
        (N,) int64, of the boxes' middles.
    """
    first, last = np.full(3, np.inf), np.full(3, -np.inf)
    for row in range(len(low)):
        for axis in range(3):
            first[axis], last[axis] = min(first[axis], low[row, axis]), max(last[axis], high[row, axis])
    width = max(last[0] - first[0], last[1] - first[1], last[2] - first[2], 1e-300)
    result = np.zeros(len(low), np.int64)
    for row in range(len(low)):
        for axis in range(3):
            middle = 0.5 * (low[row, axis] + high[row, axis])
            step = np.int64((middle - first[axis]) / width * (2**bits - 1))
            for bit in range(bits):
                result[row] |= ((step >> bit) & 1) << (3 * bit + axis)
    return result
