"""Runs of bonds: loops over the bonds of a lattice that several cores share.

Bonds are divided into a fixed number of runs. Each run sums its forces in an array of its own. The result therefore
does not depend on the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ....data.arrays import frozen

# Number of runs of bonds: the largest number of cores that share the work. With 1 to 160 runs, fragments and points
# stay the same to six digits; rounding differs.
CHUNKS = 8
# Smallest number of bonds for the parallel kernels. With fewer bonds, waking the other cores costs more than they save.
# It only affects speed: with 0 and 1e9 a dropped tile and glued bricks keep their bytes.
PARALLEL_FROM = 40_000


class Runs(NamedTuple):
    """The order of the bonds in the kernels: node after node, in runs of about equal numbers of bonds.

    Attributes:
        starts: (N + 1,) uint32, first bond of each node. Bonds are sorted by their first node.
        seconds: (B,) uint32, second node of each bond. Unsigned, because a signed index costs a check for wrapping.
        nodes: (C + 1,) int64, first node of each run.
        highs: (C,) int64, one more than the largest node that the bonds of a run touch.
        widest: Largest number of bonds that start at one node.
    """

    starts: np.ndarray
    seconds: np.ndarray
    nodes: np.ndarray
    highs: np.ndarray
    widest: int


def runs_of(bonds: np.ndarray, node_count: int) -> Runs:
    """Divide bonds into runs.

    Args:
        bonds: (B, 2) nodes, sorted by their first node, which is the smaller one.
        node_count: Number of nodes.

    Returns:
        ``CHUNKS`` runs.

    Example:
        >>> runs = runs_of(np.array([[0, 1], [0, 2], [1, 2]]), 3)
        >>> runs.starts.tolist(), runs.seconds.tolist(), runs.widest
        ([0, 2, 3, 3], [1, 2, 2], 2)
    """
    starts = np.searchsorted(bonds[:, 0], np.arange(node_count + 1))
    nodes = np.searchsorted(starts, np.linspace(0, len(bonds), CHUNKS + 1))
    nodes[0], nodes[-1] = 0, node_count
    highs = nodes[1:].copy()
    for run, (first, last) in enumerate(pairwise(nodes)):
        highs[run] = max(highs[run], bonds[starts[first] : starts[last], 1].max(initial=-1) + 1)
    # Rising ends make the runs that touch a node consecutive.
    highs = np.maximum.accumulate(highs)
    widest = int(np.diff(starts).max(initial=0))
    arrays = frozen(starts, np.uint32), frozen(bonds[:, 1], np.uint32), frozen(nodes, np.int64), frozen(highs, np.int64)
    return Runs(*arrays, widest)


def over_runs(loop: Any) -> Callable[..., Any]:
    """Compile a loop over runs twice, for one core and for all; lattices with many bonds use all.

    Args:
        loop: Has ``runs`` as first argument, and loops with ``prange``.
    """
    # numba's cache distinguishes functions by their names, not by the option ``parallel``.
    copy = FunctionType(loop.__code__, loop.__globals__, f"{loop.__name__}_parallel")
    copy.__qualname__ = copy.__name__
    alone, together = njit(cache=True)(loop), njit(cache=True, parallel=True)(copy)

    def run(runs: Runs, *arguments: Any) -> Any:
        return (together if len(runs.seconds) >= PARALLEL_FROM else alone)(runs, *arguments)

    return run


def summed(runs: Runs, partial: np.ndarray, forces: np.ndarray) -> None:
    """Add the (C, N, 3) forces of all runs to (N, 3) ``forces``, newtons."""
    for run, (low, high) in enumerate(zip(runs.nodes[:-1], runs.highs, strict=True)):
        forces[low:high] += partial[run, low:high]
