"""Assembly and elimination of the dense fronts of a sparse Cholesky factor (Liu 1992).

One thread works on a front, or all threads do, each on some columns. Both compute the same products of the same shapes
and give the same bytes: kernels of OpenBLAS may sum the rows of a product in another order if it has another shape.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .blas import multiply
from .block_matrix import CHAINS, side_by_side
from .elimination import STRIP, Elimination, stored_size

# Rows that are eliminated at a time in a front, and columns right of them that are updated at a time. They only affect
# speed.
PANEL, TILE = 32, 256
# Panels of a wide front that one thread eliminates in their own columns before all threads update the columns right of
# them; a power of two. It only affects speed.
TOGETHER = 16
# Steps in which the rows of such a group of panels are eliminated.
STEPS = 3
# Floating-point operations of a step up to which one thread is faster than two, because waking a thread takes longer
# than the work. It only affects speed.
WORTH_A_THREAD = 4_000_000
# A pivot below this multiple of minus the lift shows that the matrix is not positive definite: rounding alone does not
# make a pivot so negative.
WRONG = 1e4


@njit(cache=True)
def eliminate(
    front: int,
    data: np.ndarray,
    lift: float,
    plan: Elimination,
    updates: np.ndarray,
    panels: np.ndarray,
    sgemm: int,
) -> bool:
    """Assemble a front, eliminate its own positions, and compute its update matrix.

    Args:
        front: Number of the front in the plan.
        data: (B, 6, 6) blocks of the matrix.
        lift: Increase of the diagonal.
        plan: Plan of the elimination.
        updates: Update matrices of all fronts, in the layout of the plan.
        panels: Rows of L^T of all fronts, in the layout of the plan.
        sgemm: ``blas.SGEMM``.

    Returns:
        ``False`` at a negative pivot.

    Notes:
        Liu 1992, The Multifrontal Method for Sparse Matrix Solution.

    Example:
        The factor of 4 I is 2 I.

        >>> from scipy.sparse import bsr_array
        >>> from .blas import SGEMM
        >>> from .elimination import analyse
        >>> matrix = bsr_array((np.array([4.0 * np.eye(6)]), [0], [0, 1]), shape=(6, 6))
        >>> plan, panels = analyse(matrix, np.arange(1)), np.zeros(36, np.float32)
        >>> eliminate(0, matrix.data, 0.0, plan, np.empty(0, np.float32), panels, SGEMM)
        True
        >>> panels.reshape(6, 6).diagonal().tolist()
        [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    """
    panel, update = _places(front, plan, updates, panels)
    _assemble(front, data, lift, plan, updates, panel, update)
    width, total = panel.shape
    inverses = np.empty((_panel_count(width), PANEL, PANEL), np.float32)
    if plan.wide[front]:
        for step in range(_step_count(width)):
            for chain in range(CHAINS):
                if not _step(step, chain, panel, inverses, lift, sgemm):
                    return False
    elif not _eliminate_rows(0, total, panel, inverses, 0, len(inverses), lift, sgemm):
        return False
    _subtract_from_update(0, total - width, panel, update, sgemm)
    return True


def eliminate_side_by_side(
    front: int,
    data: np.ndarray,
    lift: float,
    plan: Elimination,
    updates: np.ndarray,
    panels: np.ndarray,
    sgemm: int,
) -> bool:
    """Eliminate a wide front on all threads; see ``eliminate``."""
    panel, update = _places.py_func(front, plan, updates, panels)
    _assemble(front, data, lift, plan, updates, panel, update)
    width, total = panel.shape
    inverses = np.empty((_panel_count(width), PANEL, PANEL), np.float32)

    def run(step: int) -> bool:
        if step % STEPS == 0:  # a step of the first chain alone
            return _step(step, 0, panel, inverses, lift, sgemm)
        at_once = _operations(step, width, total) > WORTH_A_THREAD
        return all(side_by_side(lambda chain: _step(step, chain, panel, inverses, lift, sgemm), at_once=at_once))

    if not all(run(step) for step in range(_step_count(width))):
        return False
    ends = _falling_ends(total - width, total - width)
    side_by_side(lambda chain: _subtract_from_update(ends[chain], ends[chain + 1], panel, update, sgemm))
    return True


@njit(cache=True)
def _step_count(width: int) -> int:
    """Return the number of steps in which the rows of a wide front are eliminated."""
    whole = width // PANEL
    return STEPS * ((whole + TOGETHER - 1) // TOGETHER + _panel_count(width) - whole)


@njit(cache=True, nogil=True)
def _step(step: int, chain: int, panel: np.ndarray, inverses: np.ndarray, lift: float, sgemm: int) -> bool:
    """Do a chain's share of a step of the elimination of a wide front. Return ``False`` at a negative pivot.

    A group of panels takes three steps: the first chain eliminates its rows in its own columns; all chains eliminate
    them in the columns right of these; all chains subtract the products from the rows that follow.
    """
    width, total = panel.shape
    first, end, right = _group(step, width, total)
    if step % STEPS == 0:
        return chain > 0 or _eliminate_rows(first * PANEL, right, panel, inverses, first, end, lift, sgemm)
    if step % STEPS == 1:
        ends = _ends(total - right, right)
        return _eliminate_rows(ends[chain], ends[chain + 1], panel, inverses, first, end, lift, sgemm)
    if end < len(inverses):
        ends = _falling_ends(_following(end - 1, width), total - end * PANEL)
        _subtract_products(ends[chain], ends[chain + 1], 0, total, panel, end - 1, sgemm)
    return True


@njit(cache=True)
def _group(step: int, width: int, total: int) -> tuple[int, int, int]:
    """Return the first panel of a step's group, the end of its panels, and the first column right of them."""
    count, whole = _panel_count(width), width // PANEL
    # The last rows do not fill a panel. They are a group of their own, because later columns depend on them.
    first = min(step // STEPS * TOGETHER, whole)
    end = min(first + TOGETHER, whole) if first < whole else count
    return first, end, min(count * PANEL, total) if end == whole else min(end * PANEL, width)


@njit(cache=True)
def _operations(step: int, width: int, total: int) -> int:
    """Return the floating-point operations of a step that all threads share."""
    first, end, right = _group(step, width, total)
    rows = min(end * PANEL, width) - first * PANEL
    if step % STEPS == 1:
        return rows * rows * (total - right)
    return 2 * rows * _following(end - 1, width) * max(0, total - end * PANEL)


@njit(cache=True)
def _ends(count: int, first: int) -> np.ndarray:
    """Return the first column of each chain's share of ``count`` columns from ``first`` on, and the end of the last.

    Each share has whole panels, so that products have the same bits as on one thread.
    """
    ends = np.full(CHAINS + 1, first + count)
    for chain in range(CHAINS):
        ends[chain] = first + round(count * chain / CHAINS / PANEL) * PANEL
    return ends


@njit(cache=True)
def _falling_ends(count: int, longest: int) -> np.ndarray:
    """Return the ends of equal shares of ``count`` rows, in whole strips. Each row is one value shorter than before."""
    ends = np.full(CHAINS + 1, count)
    for chain in range(CHAINS):
        before = chain / CHAINS * count * (longest - 0.5 * count)
        ends[chain] = min(count, round((longest - np.sqrt(longest**2 - 2.0 * before)) / STRIP) * STRIP)
    return ends


@njit(cache=True)
def _places(front: int, plan: Elimination, updates: np.ndarray, panels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return views for the rows (W, N) of a front from the diagonal on, and for its update matrix."""
    width = 6 * (plan.starts[front + 1] - plan.starts[front])
    height = 6 * (plan.row_starts[front + 1] - plan.row_starts[front])
    start = plan.update_starts[front]
    panel = panels[plan.panel_starts[front] : plan.panel_starts[front + 1]]
    return panel.reshape(width, width + height), updates[start : start + stored_size(height)]


@njit(cache=True, nogil=True)
def _assemble(
    front: int,
    data: np.ndarray,
    lift: float,
    plan: Elimination,
    updates: np.ndarray,
    panel: np.ndarray,
    update: np.ndarray,
) -> None:
    """Add the matrix's entries in a front and the update matrices of its children."""
    panel[:] = 0.0
    for i in range(len(panel)):
        panel[i, i] = lift
    for entry in range(plan.entry_starts[front], plan.entry_starts[front + 1]):
        row, column, source = plan.entry_rows[entry], plan.entry_columns[entry], data[plan.entries[entry]]
        for i in range(6):
            for j in range(6):
                panel[6 * row + i, 6 * column + j] += source[i, j]
    update[:] = 0.0
    for index in range(plan.child_starts[front], plan.child_starts[front + 1]):
        _add_child(panel, front, plan.children[index], plan, updates)


@njit(cache=True)
def _add_child(panel: np.ndarray, front: int, child: int, plan: Elimination, updates: np.ndarray) -> None:
    """Add the update matrix of a child to the rows of its parent, and to the parent's update matrix."""
    width = 6 * (plan.starts[front + 1] - plan.starts[front])
    height = 6 * (plan.row_starts[front + 1] - plan.row_starts[front])
    places = 6 * plan.places[plan.row_starts[child] : plan.row_starts[child + 1]]
    ends = _runs(places)
    start = plan.update_starts[child]
    for a in range(len(places)):
        first = a - a % (STRIP // 6)
        for row in range(places[a], places[a] + 6):
            target, skipped = panel[min(row, width - 1)], 0
            if row >= width:
                before = (row - width) // STRIP * STRIP
                place = plan.update_starts[front] + stored_size(height) - stored_size(height - before)
                target, skipped = updates[place + (row - width - before) * (height - before) :], width + before
            source = updates[start + 6 * (a - first) :]
            b = a
            while b < len(places):
                count = 6 * (ends[b] - b)
                into, added = target[places[b] - skipped :][:count], source[6 * (b - a) :][:count]
                for j in range(len(added)):
                    into[j] += added[j]
                b = ends[b]
            start += 6 * (len(places) - first)


@njit(cache=True)
def _runs(places: np.ndarray) -> np.ndarray:
    """Return, for each row, the end of the run of consecutive places that contains it."""
    ends = np.empty(len(places), np.int64)
    for row in range(len(places) - 1, -1, -1):
        goes_on = row + 1 < len(places) and places[row + 1] == places[row] + 6
        ends[row] = ends[row + 1] if goes_on else row + 1
    return ends


@njit(cache=True)
def _panel_count(width: int) -> int:
    return (width + PANEL - 1) // PANEL


@njit(cache=True, nogil=True)
def _eliminate_rows(
    left: int,
    right: int,
    panel: np.ndarray,
    inverses: np.ndarray,
    first: int,
    end: int,
    lift: float,
    sgemm: int,
) -> bool:
    """Replace rows of a symmetric matrix by rows of L^T, in some columns.

    Args:
        left: First column.
        right: End of the columns.
        panel: (W, N) rows of the front.
        inverses: Inverses of the diagonal blocks of the panels.
        first: First panel. Columns right of the panels need the result in the panels' own columns.
        end: End of the panels.
        lift: Smallest pivot.
        sgemm: ``blas.SGEMM``.

    Returns:
        ``False`` at a negative pivot.
    """
    width, rows = len(panel), np.empty((PANEL, TILE), np.float32)
    for block in range(first, end):
        if block > first:
            _subtract_products(0, _following(block - 1, width), left, right, panel, block - 1, sgemm)
        start, stop = block * PANEL, min((block + 1) * PANEL, width)
        inverse = inverses[block, : stop - start, : stop - start]
        if left <= start < right:
            if not _factorise_block(panel[start:stop, start:stop], lift):
                return False
            _invert(panel[start:stop, start:stop], inverse)
        for column in range(max(stop, left), right, TILE):
            last = min(column + TILE, right)
            above = rows[: stop - start, : last - column]
            above[:] = panel[start:stop, column:last]
            multiply(sgemm, 1.0, inverse, above, 0.0, panel[start:stop, column:last])
    return True


@njit(cache=True, nogil=True)
def _subtract_products(first: int, end: int, left: int, right: int, panel: np.ndarray, block: int, sgemm: int) -> None:
    """Subtract the products of eliminated rows from rows that follow panel ``block``.

    Args:
        first: First row to update, counted from the end of the panel.
        end: End of the rows to update.
        left: First column.
        right: End of the columns.
        panel: (W, N) rows of the front.
        block: Number of the last eliminated panel.
        sgemm: ``blas.SGEMM``.

    Notes:
        Recursive halving, without recursion: 2^k panels update the 2^k panels that follow, where 2^k is the largest
        power of two that divides ``block`` + 1. Products of more rows at once are faster.
    """
    start = (block + 1) * PANEL
    before = panel[start - PANEL * ((block + 1) & -(block + 1)) : start]
    for row in range(start + first, start + end, STRIP):
        stop, column = min(row + STRIP, start + end), max(row, left)
        if column < right:
            multiply(sgemm, -1.0, before[:, row:stop], before[:, column:right], 1.0, panel[row:stop, column:right])


@njit(cache=True)
def _following(block: int, width: int) -> int:
    """Return the number of rows that ``_subtract_products`` updates after a panel is eliminated."""
    return max(0, min(PANEL * ((block + 1) & -(block + 1)), width - (block + 1) * PANEL))


@njit(cache=True, nogil=True)
def _subtract_from_update(first: int, end: int, panel: np.ndarray, update: np.ndarray, sgemm: int) -> None:
    """Subtract the products of the eliminated rows from rows ``first`` to ``end`` of the update matrix."""
    width, total = panel.shape
    height = total - width
    start = stored_size(height) - stored_size(height - first)
    for row in range(first, end, STRIP):
        stop = min(row + STRIP, height)
        strip = update[start : start + (stop - row) * (height - row)].reshape(stop - row, -1)
        multiply(sgemm, -1.0, panel[:, width + row : width + stop], panel[:, width + row :], 1.0, strip)
        start += strip.size


@njit(cache=True)
def _factorise_block(block: np.ndarray, lift: float) -> bool:
    """Replace the upper triangle of a small matrix by L^T. Pivots that rounding made too small become ``lift``."""
    count = len(block)
    for i in range(count):
        # "not >" is also true for NaN.
        if not block[i, i] > -WRONG * lift:
            return False
        block[i, i] = np.sqrt(max(block[i, i], lift))
        for j in range(i + 1, count):
            block[i, j] /= block[i, i]
        for k in range(i + 1, count):
            share = block[i, k]
            for j in range(k, count):
                block[k, j] -= share * block[i, j]
    return True


@njit(cache=True)
def _invert(upper: np.ndarray, inverse: np.ndarray) -> None:
    """Compute the inverse of an upper triangle."""
    count = len(upper)
    inverse[:] = 0.0
    for i in range(count - 1, -1, -1):
        inverse[i, i] = 1.0
        for k in range(i + 1, count):
            share = upper[i, k]
            for j in range(k, count):
                inverse[i, j] -= share * inverse[k, j]
        for j in range(i, count):
            inverse[i, j] /= upper[i, i]
