"""Selection of the overloaded bonds that break in one round, before forces are computed again."""

from __future__ import annotations

import numpy as np
from numba import njit

# Smallest overload of a bond that breaks in a round, as a share of the largest overload. Measured: with 0.7 only cracks
# at the contact advance, and the largest fragment of a dropped bowl of 9,000 cells has 92 % of the bowl; with 0.05,
# 26 %.
OVERLOAD_SHARE = 0.05
# A bond within reach of a break continues its crack if it lies in the crack's plane (figures:
# docs/decisions/constants.md). Smallest cosine of the angle between the normals of such a bond and of the break. Tuned:
# where a ball hits a block, 0.35, 0.5 and 0.6 give 160, 118 and 39 fragments.
IN_PLANE_COSINE = 0.5
# Largest distance of the bond from the plane, in cell sizes, at any distance from the break. 0.42 to 0.72 stay within
# the scatter of seeds.
IN_PLANE_OFFSET = 0.6
# Largest distance of the bond from the plane over its distance from the break; the larger limit counts. Tuned: 0.35,
# 0.5 and 0.6 give 49, 118 and 89 fragments.
IN_PLANE_SLOPE = 0.5
# Most bonds that break in a round, and most overloaded bonds that are considered, the worst first. Insensitive: small
# scenes have the same bytes with half and with twice either value (docs/decisions/constants.md).
MOST_BREAKS, MOST_CANDIDATES = 400, 4000
# Most boxes of the search grid along each axis. It affects only the time.
MOST_BOXES = 16


def select_breaks(
    demand: np.ndarray,
    broken: np.ndarray,
    centers: np.ndarray,
    normals: np.ndarray,
    sizes: np.ndarray,
    reach: float,
) -> np.ndarray:
    """Select the overloaded bonds that break in this round.

    Bonds are taken by falling overload. Each break releases the stress within ``reach``. Of the bonds there, only those
    in the plane of the break may break in the same round. If all overloaded bonds broke at once, everything near an
    impact would become dust. If only the worst bond broke, one crack would unload a body that breaks in many places at
    the same time. Bonds with less than ``OVERLOAD_SHARE`` of the largest overload wait for the next solve.

    Args:
        demand: (F,) load over strength.
        broken: (B,) bonds that broke since the last solve. They release stress too.
        centers: (F, 3) m, centroids of the shared faces.
        normals: (F, 3) unit normals of the shared faces.
        sizes: (F,) m, cell size at each bond.
        reach: m, distance over which a break releases stress.

    Returns:
        (K,) bonds, by falling overload.

    Notes:
        Own rule (docs/decisions/rounds_of_breaks.md). Smith et al. 2001 break all overloaded bonds.

    Example:
        The second bond is behind the first one, and waits. The third is in its plane, and breaks with it.

        >>> centers = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.01], [0.05, 0.0, 0.0]])
        >>> normals, sizes = np.array([[0.0, 0.0, 1.0]] * 3), np.full(3, 0.01)
        >>> select_breaks(np.array([2.0, 1.9, 1.8]), np.empty(0, int), centers, normals, sizes, 0.1).tolist()
        [0, 2]
    """
    over = np.flatnonzero(demand > max(1.0, OVERLOAD_SHARE * demand.max(initial=0.0)))
    if not len(over):
        return over
    over = over[np.argsort(-demand[over], kind="stable")][:MOST_CANDIDATES]
    rows = np.concatenate([broken, over])
    accepted = _still_loaded(centers[rows], normals[rows], sizes[rows], reach, len(broken), MOST_BREAKS)
    return rows[accepted]


@njit(cache=True)
def _still_loaded(
    centers: np.ndarray, normals: np.ndarray, sizes: np.ndarray, reach: float, known: int, most: int
) -> np.ndarray:
    """Return at most ``most`` rows after the first ``known`` that no known and no accepted earlier row unloads."""
    box, starts, rows = _boxes(centers, reach)
    unloaded = np.zeros(len(centers), np.bool_)
    accepted = np.empty(most, np.int64)
    found = 0
    for row in range(len(centers)):
        if found == most:
            break
        if unloaded[row]:
            continue
        if row >= known:
            accepted[found] = row
            found += 1
        # Compare with the rows of adjacent boxes only. An unloaded row unloads no other.
        a, b, c = box[row]
        for x in range(a - 1, a + 2):
            for y in range(b - 1, b + 2):
                for other in rows[starts[x, y, c - 1] : starts[x, y, c + 2]]:
                    if other > row and other >= known and not unloaded[other]:
                        unloaded[other] = _unloads(row, other, centers, normals, sizes, reach)
    return accepted[:found]


@njit(cache=True)
def _unloads(row: int, other: int, centers: np.ndarray, normals: np.ndarray, sizes: np.ndarray, reach: float) -> bool:
    """Return whether a break unloads another bond: the bond is within reach and does not continue its plane."""
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
def _boxes(centers: np.ndarray, edge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort centres into the boxes of a grid.

    Boxes are at least ``edge`` (m) wide. A layer of empty boxes surrounds the grid.

    Returns:
        The box (N, 3) of each centre, the first entry of each box, and the rows (N,) box by box.
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
