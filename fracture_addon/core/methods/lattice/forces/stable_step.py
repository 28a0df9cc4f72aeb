"""The largest time step at which explicit integration of a lattice is stable."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from ..lattice import Lattice

# Relative error of the largest eigenvalue. The Lanczos iteration approaches it from below.
TOLERANCE = 0.01
# Step over the stability limit. It covers the error of the eigenvalue, of which the step takes the square root. Smaller
# ones take more steps: glued bricks move 68, 63 and 63 mm at 0.78, 0.98 and 1.03; above 1 a lattice may be unstable.
MARGIN = 0.98
# Bisections in ``redistributed_masses``. They give the mass floor to 2^-50 of its upper bound.
BISECTIONS = 50


def largest_stable_step(lattice: Lattice, masses: np.ndarray, stiffness: np.ndarray, fixed: np.ndarray) -> float:
    """Compute the largest stable step without damping, 2 / omega, with a safety margin.

    Here omega, rad/s, is the angular frequency of the fastest vibration of the lattice at rest, found by the Lanczos
    method. In a cubic lattice of spacing h the step is about 1.1 to 1.3 times h / sqrt(1.2 E / rho).

    Args:
        lattice: Rest state.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        fixed: (N,) bool, nodes that do not move.

    Returns:
        Seconds; ``inf`` where nothing can vibrate.

    Notes:
        Lanczos 1950; the limit 2 / omega is that of central differences (Belytschko, Liu and Moran 2000, chapter 6).

    Example:
        >>> ends, bond = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]])
        >>> cells = bond, np.zeros(1), np.array([0, 1]), np.array([0, 2])
        >>> spring = Lattice(ends, np.ones(2), bond, np.ones(1), np.ones(1), *cells)
        >>> step = largest_stable_step(spring, np.full(2, 2.0), np.array([100.0]), np.zeros(2, bool))
        >>> round(step / MARGIN, 6)  # omega is sqrt(2 k / m) = 10 / s
        0.2
    """
    count = lattice.node_count
    first, second = lattice.bonds.T
    span = lattice.points[second] - lattice.points[first]
    direction = span / np.linalg.norm(span, axis=1)[:, None]
    scale = np.where(fixed, 0.0, 1.0 / np.sqrt(masses))

    def product(flat: np.ndarray) -> np.ndarray:
        moved = scale[:, None] * flat.reshape(-1, 3)
        pull = (stiffness * np.einsum("bi,bi->b", moved[second] - moved[first], direction))[:, None] * direction
        result = [np.bincount(second, column, count) - np.bincount(first, column, count) for column in pull.T]
        return (scale[:, None] * np.stack(result, axis=1)).ravel()

    operator = LinearOperator((3 * count, 3 * count), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(3 * count)
    if not np.any(stiffness > 0.0) or not np.any(scale):
        return np.inf
    square = eigsh(operator, 1, which="LA", v0=start, tol=TOLERANCE, return_eigenvectors=False)[0]
    return float(MARGIN * 2.0 / np.sqrt(square))


def redistributed_masses(lattice: Lattice, masses: np.ndarray, stiffness: np.ndarray, share: float) -> np.ndarray:
    """Move mass to the nodes that limit the time step: those that are light for the stiffness of their springs.

    The total mass stays the same.

    Args:
        lattice: Supplies the bonds.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        share: Largest share of the total mass that may move.

    Returns:
        (N,) kg.

    Notes:
        Own form of mass scaling, a means of explicit finite elements (Belytschko, Liu and Moran 2000, chapter 6).

    Example:
        >>> points, bonds = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1], [1, 2]])
        >>> cells = bonds, np.arange(2), np.array([0, 1, 2]), np.array([0, 3])
        >>> chain = Lattice(points, np.ones(3), bonds, np.ones(2), np.ones(2), *cells)
        >>> redistributed_masses(chain, np.array([1.0, 0.1, 1.0]), np.full(2, 100.0), 0.1).round(3).tolist()
        [0.909, 0.282, 0.909]
    """
    # A node's frequency has the bound omega^2 <= 2 sum k / m, so that equal m / sum k means equal steps.
    stiffness_sums = np.bincount(lattice.bonds.ravel(), np.repeat(stiffness, 2), lattice.node_count)
    low, high = 0.0, float((masses / np.maximum(stiffness_sums, 1e-300)).max())
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if np.maximum(masses, middle * stiffness_sums).sum() > (1.0 + share) * masses.sum():
            high = middle
        else:
            low = middle
    floored = np.maximum(masses, low * stiffness_sums)
    return floored * (masses.sum() / floored.sum())
