"""Which of the overloaded bonds break before forces are found again."""

from __future__ import annotations

import numpy as np
from numba import njit

# Bonds break together whose overload is at least this share of the worst one's. Measured on porcelain dropped from 1 m,
# 3,000 cells: 0.03 gives a plate 93, a creamer 57, a jar 73 fragments; 0.3 gives 54, 25, 36; 0.7 gives 11, 6, 28.
TOGETHER = 0.7
# Within reach of a break, which relieves them, bonds must continue it to break in the same step: by their normals, and
# by their distance from its plane, over a cell's size or over how far away they are.
IN_PLANE_COSINE, IN_PLANE_OFFSET, IN_PLANE_SLOPE = 0.5, 0.6, 0.5
# Bonds that may break in one step, and overloaded ones that are looked at, the worst first.
MOST_BREAKS, MOST_CANDIDATES = 400, 4000
# Boxes of the grid in which near ones are looked for, along each axis.
MOST_BOXES = 16


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
    chosen = (np.take(values, rows, axis=0) for values in (centers, normals, sizes))
    accepted = _unrelieved(*chosen, reach, len(broken), MOST_BREAKS)
    return rows[accepted]


@njit(cache=True)
def _unrelieved(centers, normals, sizes, reach, known, most):
    """Rows after the first ``known``, ``most`` of them, that neither those nor an accepted earlier row relieves."""
    box, starts, rows = _boxes(centers, reach)
    relieved = np.zeros(len(centers), np.bool_)
    accepted = np.empty(most, np.int64)
    found = 0
    for row in range(len(centers)):
        if found == most:
            break
        if relieved[row]:
            continue
        if row >= known:
            accepted[found] = row
            found += 1
        # One that is not accepted need not be compared with the rest, nor with what is boxes away.
        a, b, c = box[row]
        for x in range(a - 1, a + 2):
            for y in range(b - 1, b + 2):
                for other in rows[starts[x, y, c - 1] : starts[x, y, c + 2]]:
                    if other > row and other >= known and not relieved[other]:
                        relieved[other] = _relieves(row, other, centers, normals, sizes, reach)
    return accepted[:found]


@njit(cache=True)
def _relieves(row, other, centers, normals, sizes, reach):
    """Whether a break relieves another bond: one within reach that does not continue its plane."""
    square, offset, cosine = 0.0, 0.0, 0.0
    for axis in range(3):
        between = centers[other, axis] - centers[row, axis]
        square += between * between
        offset += between * normals[row, axis]
        cosine += normals[other, axis] * normals[row, axis]
    if square > reach * reach:
        return False
    allowed = max(IN_PLANE_OFFSET * sizes[row], IN_PLANE_SLOPE * np.sqrt(square))
    return abs(cosine) < IN_PLANE_COSINE or abs(offset) > allowed


@njit(cache=True)
def _boxes(centers, edge):
    """The box of a grid that each centre is in, where the rows of each box start, and rows box by box.

    Boxes are at least as large as ``edge``, and there are empty ones around all of them.
    """
    box, counts = np.empty(centers.shape, np.int64), np.ones(3, np.int64)
    for axis in range(3):
        low, high = centers[:, axis].min(), centers[:, axis].max()
        counts[axis] = max(1, min(MOST_BOXES, int((high - low) / edge)))
        width = max((high - low) / counts[axis], edge)
        for row in range(len(centers)):
            box[row, axis] = 1 + min(int((centers[row, axis] - low) / width), counts[axis] - 1)
    starts = np.zeros((counts[0] + 2, counts[1] + 2, counts[2] + 3), np.int64)
    for a, b, c in box:
        starts[a, b, c + 1] += 1
    flat = starts.ravel()
    for index in range(1, len(flat)):
        flat[index] += flat[index - 1]
    rows, ends = np.empty(len(centers), np.int64), starts.copy()
    for row in range(len(centers)):
        a, b, c = box[row]
        rows[ends[a, b, c]] = row
        ends[a, b, c] += 1
    return box, starts, rows
