"""Which of the overloaded bonds break before forces are found again."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.spatial import cKDTree

# Within reach of a break, which relieves them, bonds must continue it to break in the same step: by their normals, and
# by their distance from its plane, over a cell's size or over how far away they are.
IN_PLANE_COSINE, IN_PLANE_OFFSET, IN_PLANE_SLOPE = 0.5, 0.6, 0.5
# Bonds that may break in one step, and overloaded ones that are looked at, the worst first.
MOST_BREAKS, MOST_CANDIDATES = 400, 4000


def select_breaks(
    demand: np.ndarray,
    broken: np.ndarray,
    centers: np.ndarray,
    normals: np.ndarray,
    sizes: np.ndarray,
    reach: float,
) -> np.ndarray:
    """Rows of bonds that break next, out of those with ``demand`` (load over strength, (F,)) above 1; ``sizes`` (F,) m.

    The worst one breaks and relieves what is within ``reach`` (metres) of it; so of those only the ones that continue
    its plane break with it, and elsewhere the next worst, and so on. Breaking all at once would crush everything near
    it to powder; breaking only the worst of all would let one crack relieve a whole body that in truth breaks in many
    places before any of them can. How much worse the worst is does not matter: where a piece hangs by its last bond,
    that bears a thousand times its strength, and cracks elsewhere need not wait for it. ``broken`` are those that
    broke since the forces were found: they relieve likewise.
    """
    over = np.flatnonzero(demand > 1.0)
    if not len(over):
        return over
    over = over[np.argsort(-demand[over], kind="stable")][:MOST_CANDIDATES]
    over = np.concatenate([broken, over])
    tree = cKDTree(centers[over])
    pairs = tree.query_pairs(reach, output_type="ndarray")
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    first, second = over[pairs[:, 0]], over[pairs[:, 1]]
    between = centers[second] - centers[first]
    offset = np.abs(np.einsum("ni,ni->n", between, normals[first]))
    allowed = np.maximum(IN_PLANE_OFFSET * sizes[first], IN_PLANE_SLOPE * np.linalg.norm(between, axis=1))
    cosine = np.abs(np.einsum("ni,ni->n", normals[first], normals[second]))
    relieved = (cosine < IN_PLANE_COSINE) | (offset > allowed)
    relieved &= pairs[:, 1] >= len(broken)
    return over[_unrelieved(len(over), pairs[relieved], len(broken) + MOST_BREAKS)[len(broken) :]]


@njit(cache=True)
def _unrelieved(count, pairs, most):
    """Rows in order that no accepted earlier row relieves; ``pairs`` (N, 2), earlier row first, are sorted."""
    relieved = np.zeros(count, np.bool_)
    accepted = np.empty(count, np.int64)
    accepted_count = 0
    entry = 0
    for row in range(count):
        if accepted_count == most:
            break
        if not relieved[row]:
            accepted[accepted_count] = row
            accepted_count += 1
        while entry < len(pairs) and pairs[entry, 0] == row:
            if not relieved[row]:
                relieved[pairs[entry, 1]] = True
            entry += 1
    return accepted[:accepted_count]
