"""Forces of springs with damping along the bond (Norton et al. 1991, "Internal forces": kX + dV)."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .runs import Runs, over_runs

# Compiler options: a product and a sum may fuse, and a division may become a product. The handling of NaN and the order
# of sums stay exact.
FAST = {"contract", "arcp"}
# Number of bonds that the kernel handles together, so that their data stay in the first-level cache. From 25 to 5,120
# all recordings keep their bytes.
BLOCK = 256


def bond_forces(
    positions: np.ndarray,
    velocities: np.ndarray,
    runs: Runs,
    rest_lengths: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    limits: np.ndarray,
    partial: np.ndarray,
) -> bool:
    """Compute the bond forces of each run; ``summed`` adds them up.

    k (l - l0) + d dl/dt along each bond pulls its ends together.

    Args:
        positions: (N, 3) m.
        velocities: (N, 3) m/s.
        runs: Order of the bonds.
        rest_lengths: (B,) m.
        stiffness: (B,) N/m.
        damping: (B,) N s/m.
        limits: (B,) m, lengths at which bonds break.
        partial: (C, N, 3) N, receives the forces of each run on the nodes that it touches.

    Returns:
        Whether any bond is longer than its limit.

    Notes:
        Norton et al. 1991, "Internal forces": kX + dV.

    Example:
        A spring of 1,000 N/m is 10 mm longer than at rest, and below its limit of 1.1 m.

        >>> from .runs import CHUNKS, runs_of, summed
        >>> runs, positions = runs_of(np.array([[0, 1]]), 2), np.array([[0.0, 0, 0], [1.01, 0, 0]])
        >>> partial, forces = np.zeros((CHUNKS, 2, 3)), np.zeros((2, 3))
        >>> spring = np.array([1.0]), np.array([1000.0]), np.array([0.0]), np.array([1.1])
        >>> bond_forces(positions, np.zeros((2, 3)), runs, *spring, partial)
        False
        >>> summed(runs, partial, forces)
        >>> forces.round(9).tolist()
        [[10.0, 0.0, 0.0], [-10.0, 0.0, 0.0]]
    """
    return _bond_forces(runs, positions, velocities, rest_lengths, stiffness, damping, limits, partial)


@njit(cache=True, error_model="numpy", fastmath=FAST)
def _run_forces(
    run: int,
    runs: Runs,
    x: np.ndarray,
    v: np.ndarray,
    rest_lengths: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    limits: np.ndarray,
    partial: np.ndarray,
) -> int:
    """Compute the forces of one run, block by block, and return the number of bonds beyond their limit.

    The first loop gathers the spans of a block, the second computes its pulls, the third adds them to the nodes.
    """
    starts, seconds, nodes, highs, widest = runs
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
                b, spring = seconds[bond], bond - base
                d0, d1, d2 = x[b, 0] - x0, x[b, 1] - x1, x[b, 2] - x2
                span0[spring], span1[spring], span2[spring] = d0, d1, d2
                rates[spring] = (v[b, 0] - v0) * d0 + (v[b, 1] - v1) * d1 + (v[b, 2] - v2) * d2
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
                b, spring = seconds[bond], bond - base
                p0, p1, p2 = pulls[spring] * span0[spring], pulls[spring] * span1[spring], pulls[spring] * span2[spring]
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


@over_runs
def _bond_forces(
    runs: Runs,
    x: np.ndarray,
    v: np.ndarray,
    rest_lengths: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    limits: np.ndarray,
    partial: np.ndarray,
) -> bool:
    over = 0
    for run in prange(len(runs.highs)):
        over += _run_forces(run, runs, x, v, rest_lengths, stiffness, damping, limits, partial)
    return over > 0
