"""Forces of springs with damping along the bond (Norton et al. 1991, "Internal forces": kX + dV).

Bonds are summed in a fixed number of chunks, each into forces of its own, so that cores share the work and the sums
come out the same on any number of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit, prange

CHUNKS = 8
# Products and sums may fuse, and a division may become a product; not-a-numbers and the order of sums stay.
FAST = {"contract", "arcp"}
# Bonds that are worked on side by side: so many that what is known of them stays in the nearest cache.
BLOCK = 256
# With fewer bonds it costs more to wake the other cores than they save.
PARALLEL_FROM = 40_000


@dataclass(frozen=True)
class Runs:
    """Bonds in the order in which kernels go through them: node after node, in runs of about as many bonds.

    Attributes:
        starts: (N + 1,) uint32, first bond of each node, as bonds are sorted by their first node.
        seconds: (B,) uint32, second node of each bond. Unsigned, as a signed index costs a check for wrapping.
        nodes: (C + 1,) int64, first node of each run.
        highs: (C,) int64, the node behind the last one that the bonds of a run touch.
        widest: The most bonds of a node.
    """

    starts: np.ndarray
    seconds: np.ndarray
    nodes: np.ndarray
    highs: np.ndarray
    widest: int


def runs_of(bonds: np.ndarray, node_count: int) -> Runs:
    """Divide (B, 2) bonds that are sorted by their first node, the smaller one."""
    starts = np.searchsorted(bonds[:, 0], np.arange(node_count + 1))
    nodes = np.searchsorted(starts, np.linspace(0, len(bonds), CHUNKS + 1))
    nodes[0], nodes[-1] = 0, node_count
    highs = nodes[1:].copy()
    for run, (first, last) in enumerate(pairwise(nodes)):
        highs[run] = max(highs[run], bonds[starts[first] : starts[last], 1].max(initial=-1) + 1)
    # A later run reaches no less far than an earlier one, so that a node finds all runs that touch it side by side.
    highs = np.maximum.accumulate(highs)
    widest = int(np.diff(starts).max(initial=0))
    return Runs(starts.astype(np.uint32), bonds[:, 1].astype(np.uint32), nodes, highs, widest)


def bond_forces_readable(positions, velocities, bonds, rest_lengths, stiffness, damping) -> np.ndarray:
    """(N, 3) forces on the nodes, newtons: along each bond, k (l - l0) + d dl/dt pulls its ends together.

    Args:
        positions: (N, 3) m.
        velocities: (N, 3) m/s.
        bonds: (B, 2).
        rest_lengths: (B,) m.
        stiffness: (B,) N/m.
        damping: (B,) N s/m.
    """
    first, second = bonds.T
    span = positions[second] - positions[first]
    length = np.linalg.norm(span, axis=1)
    direction = span / length[:, None]
    rate = np.einsum("bi,bi->b", velocities[second] - velocities[first], direction)
    pull = (stiffness * (length - rest_lengths) + damping * rate)[:, None] * direction
    forces = np.zeros_like(positions)
    np.add.at(forces, first, pull)
    np.add.at(forces, second, -pull)
    return forces


def bond_forces(positions, velocities, runs: Runs, rest_lengths, stiffness, damping, limits, partial) -> bool:
    """The same, run by run into ``partial`` (C, N, 3); ``summed`` adds them up.

    Args:
        positions: (N, 3) m.
        velocities: (N, 3) m/s.
        runs: Of the bonds.
        rest_lengths: (B,) m.
        stiffness: (B,) N/m.
        damping: (B,) N s/m.
        limits: (B,) lengths at which bonds break, m.
        partial: Written where a run touches nodes.

    Returns:
        Whether any bond is longer than its limit.
    """
    kernel = _bond_forces_parallel if len(limits) >= PARALLEL_FROM else _bond_forces_kernel
    lists = (runs.starts, runs.seconds, runs.nodes, runs.highs, runs.widest)
    return kernel(positions, velocities, *lists, rest_lengths, stiffness, damping, limits, partial)


def summed(runs: Runs, partial: np.ndarray, forces: np.ndarray) -> None:
    """Add the forces of all runs to (N, 3) ``forces``."""
    for run, (low, high) in enumerate(zip(runs.nodes[:-1], runs.highs, strict=True)):
        forces[low:high] += partial[run, low:high]


@njit(cache=True, error_model="numpy", fastmath=FAST)
def _run_forces(run, x, v, starts, seconds, nodes, highs, widest, rest_lengths, stiffness, damping, limits, partial):
    """Bonds a block at a time: what they span is gathered, their pulls are found side by side, and handed out."""
    forces = partial[run]
    for node in range(nodes[run], highs[run]):
        for axis in range(3):
            forces[node, axis] = 0.0
    span0, span1, span2, rates, pulls = np.empty((5, BLOCK + widest))
    over = 0
    first, last = np.uint64(nodes[run]), np.uint64(nodes[run + 1])
    while first < last:
        base, end = np.uint64(starts[first]), first
        while end < last and np.uint64(starts[end]) - base < np.uint64(BLOCK):
            x0, x1, x2 = x[end, 0], x[end, 1], x[end, 2]
            v0, v1, v2 = v[end, 0], v[end, 1], v[end, 2]
            for bond in range(np.uint64(starts[end]), np.uint64(starts[end + np.uint64(1)])):
                b, row = seconds[bond], bond - base
                d0, d1, d2 = x[b, 0] - x0, x[b, 1] - x1, x[b, 2] - x2
                span0[row], span1[row], span2[row] = d0, d1, d2
                rates[row] = (v[b, 0] - v0) * d0 + (v[b, 1] - v1) * d1 + (v[b, 2] - v2) * d2
            end += np.uint64(1)
        count = np.uint64(starts[end]) - base
        rest, stiff = rest_lengths[base : base + count], stiffness[base : base + count]
        damp, limit = damping[base : base + count], limits[base : base + count]
        for row in range(count):
            length = np.sqrt(span0[row] * span0[row] + span1[row] * span1[row] + span2[row] * span2[row])
            inverse = 1.0 / length
            pulls[row] = (stiff[row] * (length - rest[row]) + damp[row] * rates[row] * inverse) * inverse
            over += length > limit[row]
        while first < end:
            f0 = f1 = f2 = 0.0
            for bond in range(np.uint64(starts[first]), np.uint64(starts[first + np.uint64(1)])):
                b, row = seconds[bond], bond - base
                p0, p1, p2 = pulls[row] * span0[row], pulls[row] * span1[row], pulls[row] * span2[row]
                f0 += p0
                f1 += p1
                f2 += p2
                forces[b, 0] -= p0
                forces[b, 1] -= p1
                forces[b, 2] -= p2
            forces[first, 0] += f0
            forces[first, 1] += f1
            forces[first, 2] += f2
            first += np.uint64(1)
    return over


@njit(cache=True)
def _bond_forces_kernel(x, v, starts, seconds, nodes, highs, widest, rest_lengths, stiffness, damping, limits, partial):
    over = 0
    for run in range(len(highs)):
        over += _run_forces(
            run, x, v, starts, seconds, nodes, highs, widest, rest_lengths, stiffness, damping, limits, partial
        )
    return over > 0


@njit(cache=True, parallel=True)
def _bond_forces_parallel(
    x, v, starts, seconds, nodes, highs, widest, rest_lengths, stiffness, damping, limits, partial
):
    over = 0
    for run in prange(len(highs)):
        over += _run_forces(
            run, x, v, starts, seconds, nodes, highs, widest, rest_lengths, stiffness, damping, limits, partial
        )
    return over > 0
