"""The dense fronts of a sparse Cholesky factor: gathered from the matrix and their children, then eliminated.

One thread does it, or all of them do, each in some of the columns: with the same products, to the same bytes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .blas import multiply
from .blocks import CHAINS, side_by_side
from .elimination import STRIP, passed_on

# Rows eliminated at a time within a front, and columns right of them that are worked on at a time.
PANEL, TILE = 32, 256
# In a front that all threads do together, first one of them does so many panels in their own columns (a power of two),
# then all go on with what is right of those.
TOGETHER = 16
# A pivot below zero by more than so many times the lift is not by rounding.
WRONG = 1e4


@njit(cache=True)
def eliminate(front, data, lift, plan, updates, panels, sgemm):
    """Assemble a front from the matrix and its children, eliminate what it owns, pass on the rest.

    Args:
        front: Its number in the plan.
        data: (B, 6, 6) the matrix's blocks.
        lift: Of the diagonal.
        plan: The ``Elimination``.
        updates: What fronts pass on, as the plan lays it out.
        panels: What they own, likewise.
        sgemm: The BLAS's product.

    Returns:
        False at a bad pivot.
    """
    panel, update = _places(front, plan, updates, panels)
    _assemble(front, data, lift, plan, updates, panel, update)
    width, total = panel.shape
    inverses = np.empty((_panel_count(width), PANEL, PANEL), np.float32)
    if not _eliminate_rows(0, total, panel, inverses, 0, len(inverses), lift, sgemm):
        return False
    _pass_on(0, total - width, panel, update, sgemm)
    return True


def eliminate_side_by_side(front, data, lift, plan, updates, panels, sgemm) -> bool:
    """``eliminate`` a wide front on all threads."""
    panel, update = _places.py_func(front, plan, updates, panels)
    _assemble(front, data, lift, plan, updates, panel, update)
    width, total = panel.shape
    count, whole = _panel_count(width), width // PANEL
    inverses = np.empty((count, PANEL, PANEL), np.float32)
    firsts = [*range(0, whole, TOGETHER), *range(whole, count)]
    for first, end in zip(firsts, [*firsts[1:], count], strict=True):
        # The last rows fill no panel, and come by themselves, after their columns: what follows depends on those.
        right = min(count * PANEL, total) if end == whole else min(end * PANEL, width)
        if not _eliminate_rows(first * PANEL, right, panel, inverses, first, end, lift, sgemm):
            return False
        _side_by_side(_eliminate_rows, _ends(total - right, right), panel, inverses, first, end, lift, sgemm)
        if end < count:
            ends = _falling_ends(_following(end - 1, width), total - end * PANEL)
            _side_by_side(_take_off, ends, 0, total, panel, end - 1, sgemm)
    height = total - width
    _side_by_side(_pass_on, _falling_ends(height, height), panel, update, sgemm)
    return True


def _side_by_side(kernel, ends: np.ndarray, *arguments) -> None:
    side_by_side(lambda chain: kernel(ends[chain], ends[chain + 1], *arguments))


@njit(cache=True)
def _ends(count, first):
    """Where each chain's share of so many columns starts, the first one at ``first``, and where the last one ends.

    They have whole panels each: products are by the same bits then as if in one.
    """
    ends = np.full(CHAINS + 1, first + count)
    for chain in range(CHAINS):
        ends[chain] = first + round(count * chain / CHAINS / PANEL) * PANEL
    return ends


@njit(cache=True)
def _falling_ends(count, longest):
    """The same for rows of which each is shorter by one than that before, in whole strips."""
    ends = np.full(CHAINS + 1, count)
    for chain in range(CHAINS):
        before = chain / CHAINS * count * (longest - 0.5 * count)
        ends[chain] = min(count, round((longest - np.sqrt(longest**2 - 2.0 * before)) / STRIP) * STRIP)
    return ends


@njit(cache=True)
def _places(front, plan, updates, panels):
    """Where there is room for what a front owns, (W, N) rows from the diagonal on, and for what it passes on."""
    width = 6 * (plan.starts[front + 1] - plan.starts[front])
    height = 6 * (plan.row_starts[front + 1] - plan.row_starts[front])
    start = plan.update_starts[front]
    panel = panels[plan.panel_starts[front] : plan.panel_starts[front + 1]]
    return panel.reshape(width, width + height), updates[start : start + passed_on(height)]


@njit(cache=True, nogil=True)
def _assemble(front, data, lift, plan, updates, panel, update):
    """Add up what the matrix has of a front, and what its children pass on."""
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
def _add_child(panel, front, child, plan, updates):
    """Add what a child passes on to the rows that its parent owns, and to what that passes on itself."""
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
                place = plan.update_starts[front] + passed_on(height) - passed_on(height - before)
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
def _runs(places):
    """Where places that follow one another end, of each on."""
    ends = np.empty(len(places), np.int64)
    for row in range(len(places) - 1, -1, -1):
        goes_on = row + 1 < len(places) and places[row + 1] == places[row] + 6
        ends[row] = ends[row + 1] if goes_on else row + 1
    return ends


@njit(cache=True)
def _panel_count(width):
    return (width + PANEL - 1) // PANEL


@njit(cache=True, nogil=True)
def _eliminate_rows(left, right, panel, inverses, first, end, lift, sgemm):
    """In the columns from ``left`` to ``right``, the rows of L^T out of those of a symmetric matrix, in place.

    Only the rows of some panels, from ``first`` to ``end``; in columns right of those they are to be known already in
    their own. ``inverses`` are those of their diagonals. False at a bad pivot.
    """
    width, rows = len(panel), np.empty((PANEL, TILE), np.float32)
    for block in range(first, end):
        if block > first:
            _take_off(0, _following(block - 1, width), left, right, panel, block - 1, sgemm)
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
def _take_off(first, end, left, right, panel, block, sgemm):
    """Take rows that are eliminated, up to a panel, from those that follow it, of them from ``first`` to ``end``.

    In the columns from ``left`` to ``right``. Halving without recursion: as many panels as the last power of two that
    is complete are taken from as many that follow. Products are the quicker, the more rows they take at once.
    """
    start = (block + 1) * PANEL
    before = panel[start - PANEL * ((block + 1) & -(block + 1)) : start]
    for row in range(start + first, start + end, STRIP):
        stop, column = min(row + STRIP, start + end), max(row, left)
        if column < right:
            multiply(sgemm, -1.0, before[:, row:stop], before[:, column:right], 1.0, panel[row:stop, column:right])


@njit(cache=True)
def _following(block, width):
    """How many rows take something off once a panel is eliminated."""
    return max(0, min(PANEL * ((block + 1) & -(block + 1)), width - (block + 1) * PANEL))


@njit(cache=True, nogil=True)
def _pass_on(first, end, panel, update, sgemm):
    """Take what is eliminated from strips of what is passed on, those of the rows from ``first`` to ``end``."""
    width, total = panel.shape
    height = total - width
    start = passed_on(height) - passed_on(height - first)
    for row in range(first, end, STRIP):
        stop = min(row + STRIP, height)
        strip = update[start : start + (stop - row) * (height - row)].reshape(stop - row, -1)
        multiply(sgemm, -1.0, panel[:, width + row : width + stop], panel[:, width + row :], 1.0, strip)
        start += strip.size


@njit(cache=True)
def _factorise_block(block, lift):
    """L^T of a small matrix, from its upper triangle; a pivot that rounding took away is ``lift``."""
    count = len(block)
    for i in range(count):
        # Written so that it holds for what is not a number.
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
def _invert(upper, inverse):
    """The inverse of an upper triangle, written out."""
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
