"""Temperature and stress of a plate whose two sides touch a fluid, by the series of the textbooks."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

TERMS = 100


def plate_rise(biot: float, fourier: float, heights: np.ndarray) -> np.ndarray:
    """Return the rise of temperature at heights from -1 to 1 (Carslaw and Jaeger 1959, section 3.11).

    Args:
        biot: h L / k with half of the thickness L.
        fourier: a t / L^2.
        heights: Places over half of the thickness.

    Returns:
        Rise over the difference to the fluid.
    """
    left = np.zeros_like(heights)
    for row in range(TERMS):
        start = row * np.pi
        root = brentq(lambda x: x * np.sin(x) - biot * np.cos(x), start + 1e-9, start + 0.5 * np.pi - 1e-12)
        factor = 4.0 * np.sin(root) / (2.0 * root + np.sin(2.0 * root))
        left += factor * np.exp(-(root**2) * fourier) * np.cos(root * heights)
    return 1.0 - left


def largest_stress(biot: float) -> float:
    """Return the largest stress of the surface over E alpha dT / (1 - nu): mean rise minus that of the surface."""
    heights, found = np.linspace(0.0, 1.0, 401), 0.0
    for fourier in np.geomspace(1e-3, 1.0, 30):
        rise = plate_rise(biot, fourier, heights)
        mean = 0.5 * (rise[1:] + rise[:-1]).mean()
        found = max(found, float(rise[-1] - mean))
    return found
