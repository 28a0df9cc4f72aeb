"""Which of the overloaded bonds break before forces are found again."""

from __future__ import annotations

import numpy as np
from numba import njit

# Of the overloaded bonds only those loaded at least this much as the worst one break in the same step.
TOGETHER = 0.03
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
    """Which bonds break next, out of those that are loaded beyond their strength.

    The worst one breaks and relieves what is within ``reach`` of it; so of those only the ones that continue
    its plane break with it, and elsewhere the next worst, and so on. Breaking all at once would crush everything near
    it to powder; breaking only the worst of all would let one crack relieve a whole body that in truth breaks in many
    places before any of them can. What is loaded far less than the worst one waits, as forces will have changed by
    then: it need not wait for all, as where a piece hangs by its last bond that bears a hundred times its strength.

    Args:
        demand: (F,) load over strength.
        broken: Rows of bonds that broke since the forces were found: they relieve likewise.
        centers: (F, 3) m, of the shared faces.
        normals: (F, 3) unit, of them.
        sizes: (F,) m, of the cells at each.
        reach: m, of relief.

    Returns:
        (K,) rows, the worst first.
    """
    over = np.flatnonzero(demand > max(1.0, TOGETHER * demand.max(initial=0.0)))
    if not len(over):
        return over
    over = over[np.argsort(-demand[over], kind="stable")][:MOST_CANDIDATES]
    rows = np.concatenate([broken, over])
    accepted = _unrelieved(centers[rows], normals[rows], sizes[rows], reach, len(broken), MOST_BREAKS)
    return rows[accepted]


@njit(cache=True)
def _unrelieved(centers, normals, sizes, reach, known, most):
    """Rows after the first ``known``, ``most`` of them, that neither those nor an accepted earlier row relieves.

    One that is not accepted need not be compared with the rest: that is quicker than to find the pairs within reach.
    """
    count = len(centers)
    relieved = np.zeros(count, np.bool_)
    accepted = np.empty(most, np.int64)
    found = 0
    for row in range(count):
        if found == most:
            break
        if relieved[row]:
            continue
        if row >= known:
            accepted[found] = row
            found += 1
        for other in range(max(row + 1, known), count):
            if relieved[other]:
                continue
            square, offset, cosine = 0.0, 0.0, 0.0
            for axis in range(3):
                between = centers[other, axis] - centers[row, axis]
                square += between * between
                offset += between * normals[row, axis]
                cosine += normals[other, axis] * normals[row, axis]
            if square <= reach * reach:
                allowed = max(IN_PLANE_OFFSET * sizes[row], IN_PLANE_SLOPE * np.sqrt(square))
                relieved[other] = abs(cosine) < IN_PLANE_COSINE or abs(offset) > allowed
    return accepted[:found]
