"""Points in an order in which near ones come together."""

from __future__ import annotations

import numpy as np
from numba import njit

from .symmetric import FAST


@njit(cache=True, **FAST)
def along_a_curve(points, bits):
    """(P,) int64 place of each of ``points`` (P, 3) along Morton's curve, of so many ``bits`` of each coordinate."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for row in range(len(points)):
        for axis in range(3):
            low[axis], high[axis] = min(low[axis], points[row, axis]), max(high[axis], points[row, axis])
    extent = max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300)
    result = np.zeros(len(points), np.int64)
    for row in range(len(points)):
        for axis in range(3):
            step = np.int64((points[row, axis] - low[axis]) / extent * (2**bits - 1))
            for bit in range(bits):
                result[row] |= ((step >> bit) & 1) << (3 * bit + axis)
    return result
