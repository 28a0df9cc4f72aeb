"""What pulls at a bond: stress along it, rather than bare stretch."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .advance import lengths
from .forces.springs import PARALLEL_FROM

# Of central forces at Poisson's ratio 1/4: both Lame constants over Young's modulus.
LAME = 0.4


def tension_readable(model, state) -> np.ndarray:
    """(B,) stress along each bond over Young's modulus: a stretch, corrected for what is only the bulge of pressure.

    Hooke's law at Poisson's ratio 1/4, 0.4 (trace of strain + 2 stretch), with the trace from the mean stretch of the
    bonds at both ends: equal to the stretch under uniaxial tension, and zero across uniaxial pressure, where the
    stretch is not.
    """
    stretch = lengths(model, state) / state.rest_lengths - 1.0
    weight = state.stiffness * state.rest_lengths**2
    first, second = model.lattice.bonds.T
    count = model.lattice.node_count
    total, weights = (
        np.bincount(first, values, count) + np.bincount(second, values, count) for values in (weight * stretch, weight)
    )
    # The mean over all directions of n . strain . n is a third of the trace.
    trace = 3.0 * total / np.maximum(weights, np.finfo(float).tiny)
    return LAME * (0.5 * (trace[first] + trace[second]) + 2.0 * stretch)


def tension(model, state) -> np.ndarray:
    """The same, compiled."""
    return _over(model, state, np.ones(len(state.alive)), np.zeros(len(state.positions)), 1.0)[0]


def demand(model, state, tips: np.ndarray, tip_share: float) -> tuple[np.ndarray, float]:
    """(B,) tension of each bond over what it bears, and the greatest of those that hold.

    Args:
        model: Its thresholds are those of sound material.
        state: Present.
        tips: (N,) s, until when each node is at the tip of a crack.
        tip_share: Threshold of a bond at a tip over that of sound material.
    """
    return _over(model, state, model.thresholds, tips, tip_share)


def _over(model, state, thresholds: np.ndarray, tips: np.ndarray, tip_share: float) -> tuple[np.ndarray, float]:
    runs, result = model.runs, np.empty(len(thresholds))
    lists = (runs.starts, runs.seconds, runs.nodes, runs.highs)
    bonds = (state.rest_lengths, state.stiffness, thresholds)
    scratch = (model.partial, np.empty(len(state.positions)), result)
    kernel = _tension_parallel if len(thresholds) >= PARALLEL_FROM else _tension_kernel
    return result, kernel(state.positions, *lists, *bonds, tips, tip_share, state.time, *scratch)


@njit(cache=True, error_model="numpy")
def _stretches(run, x, starts, seconds, nodes, highs, rest_lengths, stiffness, partial, result):
    """Stretch of a run's bonds, and at each node that they touch the sum of it and of the weights."""
    sums = partial[run]
    for node in range(nodes[run], highs[run]):
        sums[node, 0] = sums[node, 1] = 0.0
    for a in range(np.uint64(nodes[run]), np.uint64(nodes[run + 1])):
        x0, x1, x2 = x[a, 0], x[a, 1], x[a, 2]
        total = weights = 0.0
        for bond in range(np.uint64(starts[a]), np.uint64(starts[a + np.uint64(1)])):
            b = seconds[bond]
            d0, d1, d2 = x[b, 0] - x0, x[b, 1] - x1, x[b, 2] - x2
            rest = rest_lengths[bond]
            stretch = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2) / rest - 1.0
            weight = stiffness[bond] * rest * rest
            result[bond] = stretch
            total += weight * stretch
            weights += weight
            sums[b, 0] += weight * stretch
            sums[b, 1] += weight
        sums[a, 0] += total
        sums[a, 1] += weights


@njit(cache=True, error_model="numpy")
def _traces(run, nodes, highs, partial, trace):
    # A parallel loop's index is unsigned, and would turn to a float beside a signed one.
    run = np.int64(run)
    first = run
    while first > 0 and highs[first - 1] > nodes[run]:
        first -= 1
    for node in range(nodes[run], nodes[run + 1]):
        total = weights = 0.0
        for other in range(first, run + 1):
            if highs[other] > node:
                total += partial[other, node, 0]
                weights += partial[other, node, 1]
        trace[node] = 3.0 * total / weights if weights > 0.0 else 0.0


@njit(cache=True, error_model="numpy")
def _demands(run, starts, seconds, nodes, stiffness, thresholds, tips, tip_share, time, trace, result):
    greatest = -np.inf
    for a in range(np.uint64(nodes[run]), np.uint64(nodes[run + 1])):
        for bond in range(np.uint64(starts[a]), np.uint64(starts[a + np.uint64(1)])):
            b = seconds[bond]
            borne = thresholds[bond] * (tip_share if max(tips[a], tips[b]) > time else 1.0)
            result[bond] = LAME * (0.5 * (trace[a] + trace[b]) + 2.0 * result[bond]) / borne
            if stiffness[bond] > 0.0:
                greatest = max(greatest, result[bond])
    return greatest


@njit(cache=True)
def _tension_kernel(
    x, starts, seconds, nodes, highs, rest_lengths, stiffness, thresholds, tips, tip_share, time, partial, trace, result
):
    greatest = -np.inf
    for run in range(len(highs)):
        _stretches(run, x, starts, seconds, nodes, highs, rest_lengths, stiffness, partial, result)
    for run in range(len(highs)):
        _traces(run, nodes, highs, partial, trace)
    for run in range(len(highs)):
        greatest = max(
            greatest,
            _demands(run, starts, seconds, nodes, stiffness, thresholds, tips, tip_share, time, trace, result),
        )
    return greatest


@njit(cache=True, parallel=True)
def _tension_parallel(
    x, starts, seconds, nodes, highs, rest_lengths, stiffness, thresholds, tips, tip_share, time, partial, trace, result
):
    greatest = -np.inf
    for run in prange(len(highs)):
        _stretches(run, x, starts, seconds, nodes, highs, rest_lengths, stiffness, partial, result)
    for run in prange(len(highs)):
        _traces(run, nodes, highs, partial, trace)
    for run in prange(len(highs)):
        greatest = max(
            greatest,
            _demands(run, starts, seconds, nodes, stiffness, thresholds, tips, tip_share, time, trace, result),
        )
    return greatest
