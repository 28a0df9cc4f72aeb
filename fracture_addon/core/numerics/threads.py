"""Threads that share a loop over independent elements. The result does not depend on their number."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from numba import config

# As many threads as Numba may use, which a sweep sets to its share of the cores.
THREADS = int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]

# Threads besides the one that calls. They hold no data.
_POOL = ThreadPoolExecutor(max(1, THREADS - 1))

# Fewest elements of a part. Starting a thread takes 30 microseconds, as long as a query of about 100 points.
FEWEST = 500


def in_parts(call: Callable[[int, int], object], count: int) -> None:
    """Call a function for consecutive ranges of elements, each range on a thread of its own.

    The calls run at the same time only while they are in compiled code with ``nogil``. They must not call ``in_parts``.

    Args:
        call: Takes the first element and the one after the last. It writes only the results of these elements, and
            reads no results of others.
        count: Number of elements.

    Example:
        >>> import numpy as np
        >>> squares = np.zeros(2000)
        >>> def fill(start, end):
        ...     squares[start:end] = np.arange(start, end) ** 2
        >>> in_parts(fill, 2000)
        >>> int(squares[1999])
        3996001
    """
    parts = max(1, min(THREADS, count // FEWEST))
    ends = [count * part // parts for part in range(parts + 1)]
    others = [_POOL.submit(call, *span) for span in pairwise(ends[1:])]
    call(ends[0], ends[1])
    for other in others:
        other.result()
