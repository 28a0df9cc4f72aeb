"""Threads that share independent work: the elements of a loop, or whole bodies. No result depends on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from numba import config

# As many threads as Numba may use, which a sweep sets to its share of the cores.
THREADS = int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]

# Threads besides the one that calls. They hold no data.
_POOL = ThreadPoolExecutor(max(1, THREADS - 1))

# Fewest elements of a part. Starting a thread takes 30 microseconds, as long as a query of about 100 points.
FEWEST = 500

T = TypeVar("T")


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


def in_order(call: Callable[[int], T], count: int) -> Iterator[T]:
    """Yield the results of independent calls in their order; later calls run while the caller uses a result.

    The calls run at the same time while they are in code without the interpreter lock. They may call ``in_parts``. They
    must not run Numba's parallel loops, because one of its threading layers ends the process if two threads do.

    Args:
        call: Takes the number of the call. If it raises, the error is raised in its turn, and calls that have not
            begun are left out.
        count: Number of calls.

    Example:
        >>> list(in_order(lambda number: number**2, 4))
        [0, 1, 4, 9]
    """
    if min(THREADS, count) < 2:
        yield from map(call, range(count))
        return
    with ThreadPoolExecutor(min(THREADS, count)) as pool:
        yield from pool.map(call, range(count))
