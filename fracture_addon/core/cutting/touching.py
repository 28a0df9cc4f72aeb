"""Areas on which fragments touch along their crack faces."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import sum_by

# Largest distance between the centroids of the two sides of a crack face, over the size of the body: float32 points
# differ by less, and neighbouring faces by more.
SAME_PLACE = 1e-5


def touching_areas(
    centers: np.ndarray, areas: np.ndarray, owners: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the fragments that touch.

    Args:
        centers: (F, 3) m, centroids of the crack faces of all fragments, in the unbroken body.
        areas: (F,) m2, their areas.
        owners: (F,) int, the fragment of each.

    Returns:
        Pairs (K, 2) of fragments, ascending, their common areas (K,) m2, and the centroids (K, 3) m of these areas.

    Notes:
        Own: each crack face is in two fragments, at the same place, so that a k-d tree of centroids finds both.

    Example:
        >>> centers = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 0, 0], [1.0, 0, 0], [5.0, 0, 0]])
        >>> pairs, common, middles = touching_areas(centers, np.array([2.0, 1, 2, 1, 7]), np.array([0, 0, 1, 1, 2]))
        >>> pairs.tolist(), common.tolist(), middles[:, 0].round(3).tolist()
        ([[0, 1]], [3.0], [0.333])
    """
    nothing = np.empty((0, 2), int), np.empty(0), np.empty((0, 3))
    if not len(centers):
        return nothing
    size = float(np.linalg.norm(np.ptp(centers, axis=0)))
    sides = cKDTree(centers).query_pairs(SAME_PLACE * size, output_type="ndarray")
    sides = sides[owners[sides[:, 0]] != owners[sides[:, 1]]]
    if not len(sides):
        return nothing
    found, row = np.unique(np.sort(owners[sides], axis=1), axis=0, return_inverse=True)
    weights = areas[sides[:, 0]]
    common = np.bincount(row.ravel(), weights)
    middles = sum_by(row.ravel(), weights[:, None] * centers[sides[:, 0]], len(found)) / common[:, None]
    return found, common, middles
