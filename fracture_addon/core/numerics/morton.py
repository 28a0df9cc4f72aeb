"""Morton codes: positions along a space-filling curve. Neighbours on the curve are mostly near each other in space."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def morton_codes(low: np.ndarray, high: np.ndarray, bits: int) -> np.ndarray:
    """Return the Morton codes of the centres of boxes.

    Args:
        low: (N, 3) lower corners, m.
        high: (N, 3) upper corners, m. Pass the same array twice for points.
        bits: Bits of each coordinate, at most 21.

    Returns:
        (N,) int64 codes; bit 3 b + a is bit b of coordinate a in the smallest cube around all boxes.

    Notes:
        Morton 1966, A Computer Oriented Geodetic Data Base and a New Technique in File Sequencing.

    Example:
        >>> corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
        >>> morton_codes(corners, corners, 1).tolist()
        [0, 1, 7]
    """
    first, last = np.full(3, np.inf), np.full(3, -np.inf)
    for row in range(len(low)):
        for axis in range(3):
            first[axis], last[axis] = min(first[axis], low[row, axis]), max(last[axis], high[row, axis])
    # Above zero, so that a single point does not divide by zero.
    width = max(last[0] - first[0], last[1] - first[1], last[2] - first[2], 1e-300)
    result = np.zeros(len(low), np.int64)
    for row in range(len(low)):
        for axis in range(3):
            middle = 0.5 * (low[row, axis] + high[row, axis])
            step = np.int64((middle - first[axis]) / width * (2**bits - 1))
            for bit in range(bits):
                result[row] |= ((step >> bit) & 1) << (3 * bit + axis)
    return result
