"""Sums of the forces of deformable bodies on obstacles: enough to move the obstacle, and to find where it is loaded.

A sum is a row of numbers, so that kernels can add to it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Columns of a sum: force, its moment about the origin of the world, size of the pushes, their size times their place,
# and their size times the square of its distance from the origin. Of impulses, each is multiplied by s.
FORCE, MOMENT, SIZE, PLACE, SQUARE = slice(0, 3), slice(3, 6), 6, slice(7, 10), 10
COLUMNS = 11
# Smallest size treated as nonzero in a division; no physical meaning.
TINY = 1e-300


def no_pushes(count: int) -> np.ndarray:
    """Return empty sums (K, COLUMNS) for a number of obstacles."""
    return np.zeros((count, COLUMNS))


def sum_of(points: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """Sum forces on an obstacle.

    Args:
        points: (N, 3) m, where they act.
        forces: (N, 3) N, or impulses in N s.

    Returns:
        (COLUMNS,) their sum.

    Example:
        Two forces of 1 N along z, 2 m apart.

        >>> found = sum_of(np.array([[1.0, 0, 0], [3.0, 0, 0]]), np.array([[0, 0, 1.0], [0, 0, 1.0]]))
        >>> found[FORCE].tolist(), moment_about(found, np.array([1.0, 0, 0])).tolist()
        ([0.0, 0.0, 2.0], [0.0, -2.0, 0.0])
    """
    total, sizes = np.zeros(COLUMNS), np.linalg.norm(forces, axis=1)
    total[FORCE], total[MOMENT] = forces.sum(axis=0), np.cross(points, forces).sum(axis=0)
    total[SIZE], total[PLACE], total[SQUARE] = sizes.sum(), sizes @ points, sizes @ (points**2).sum(axis=1)
    return total


def moment_about(total: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the moment (3,) N m of a sum (COLUMNS,) about a point (3,) m."""
    return np.asarray(total[MOMENT] - np.cross(point, total[FORCE]))


def patch_of(total: np.ndarray) -> tuple[np.ndarray, float]:
    """Compute where pushes act.

    Args:
        total: (COLUMNS,) a sum that is not empty.

    Returns:
        Their centre (3,) m, and the radius, m, of the disc over which they spread.

    Notes:
        Own: the mean square distance from the centre of a disc is half the square of its radius.

    Example:
        >>> center, radius = patch_of(sum_of(np.array([[1.0, 0, 0], [3.0, 0, 0]]), np.ones((2, 3))))
        >>> center.round(9).tolist(), round(radius, 6)
        ([2.0, 0.0, 0.0], 1.414214)
    """
    center = total[PLACE] / max(total[SIZE], TINY)
    spread = total[SQUARE] / max(total[SIZE], TINY) - center @ center
    return center, float(np.sqrt(2.0 * max(spread, 0.0)))


@njit(cache=True, error_model="numpy")
def add_push(total: np.ndarray, point: np.ndarray, force: np.ndarray) -> None:
    """Add a force (3,) N that acts at a point (3,) m to a sum (COLUMNS,); see ``sum_of``."""
    x, y, z = point[0], point[1], point[2]
    size = np.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    total[0] += force[0]
    total[1] += force[1]
    total[2] += force[2]
    total[3] += y * force[2] - z * force[1]
    total[4] += z * force[0] - x * force[2]
    total[5] += x * force[1] - y * force[0]
    total[6] += size
    total[7] += size * x
    total[8] += size * y
    total[9] += size * z
    total[10] += size * (x * x + y * y + z * z)
