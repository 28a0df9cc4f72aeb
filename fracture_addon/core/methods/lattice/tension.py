"""The tension of bonds: stress along the bond instead of its stretch."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .forces.runs import Runs, over_runs
from .model import Model
from .state import State

# Both Lame constants over Young's modulus, 2 / 5 at Poisson's ratio 1/4, which central forces have.
LAME = 0.4


def tension(model: Model, state: State) -> np.ndarray:
    """Compute the tension of the bonds, stress along each bond over Young's modulus.

    The tension is Hooke's law at Poisson's ratio 1/4: 0.4 (trace of strain + 2 stretch). The trace comes from the mean
    stretch of the bonds at both ends: the mean over all directions of n . strain . n is a third of it. Under uniaxial
    tension the result equals the stretch. Across uniaxial compression it is zero, although bonds there stretch as the
    body bulges.

    Args:
        model: The lattice.
        state: Present positions.

    Returns:
        (B,) dimensionless.

    Notes:
        Own: Norton et al. 1991 use the stretch. Central forces have Poisson's ratio 1/4 (Love 1927).

    Example:
        A tetrahedron that grows by 1 % in all directions: 0.4 (0.03 + 0.02) = 0.02.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .advance import initial_state
        >>> from .model import build
        >>> solid = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], [])
        >>> model = build(solid, PORCELAIN, Settings()).model
        >>> state = initial_state(model)
        >>> state.positions *= 1.01
        >>> tension(model, state).round(9).tolist()
        [0.02, 0.02, 0.02, 0.02, 0.02, 0.02]
    """
    ones = np.ones(len(state.alive))
    return _relative_tension(model, state, ones, np.zeros(len(state.positions)), ones, None)[0]


def bond_overloads(
    model: Model, state: State, tips: np.ndarray, tip_shares: np.ndarray, counted: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Compute the tension of each bond over its threshold.

    Args:
        model: Its thresholds are those of sound material.
        state: Present positions and time.
        tips: (N,) s, time until which each node is at a crack tip.
        tip_shares: (B,) threshold at a crack tip over that of sound material.
        counted: (B,) bool, bonds of the material; the others are no part of the strain. All by default.

    Returns:
        (B,) tension over threshold, and the largest of the unbroken bonds.

    Notes:
        Own (docs/decisions/lattice_crack_tips.md); the criterion of Norton et al. 1991 is the stretch.

    Example:
        The tension 0.02 of a body that grows by 1 % is twice the threshold, and four times that at a crack tip.

        >>> from dataclasses import replace
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .advance import initial_state
        >>> from .model import build
        >>> solid = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], [])
        >>> model = replace(build(solid, PORCELAIN, Settings()).model, thresholds=np.full(6, 0.01))
        >>> state = initial_state(model)
        >>> state.positions *= 1.01
        >>> [round(bond_overloads(model, state, np.full(4, until), np.full(6, 0.5))[1], 9) for until in (0.0, 1.0)]
        [2.0, 4.0]
    """
    return _relative_tension(model, state, model.thresholds, tips, tip_shares, counted)


def _relative_tension(
    model: Model,
    state: State,
    thresholds: np.ndarray,
    tips: np.ndarray,
    tip_shares: np.ndarray,
    counted: np.ndarray | None,
) -> tuple[np.ndarray, float]:
    """Divide the tension of the bonds by ``thresholds``, lowered at crack tips; also return the largest ratio."""
    result = np.empty(len(thresholds))
    stiffness = state.stiffness if counted is None else np.where(counted, state.stiffness, 0.0)
    bonds = (state.rest_lengths, stiffness, thresholds)
    scratch = (state.scratch.partial, np.empty(len(state.positions)), result)
    return result, _tension(model.runs, state.positions, *bonds, tips, tip_shares, state.time, *scratch)


@njit(cache=True, error_model="numpy")
def _stretches(
    run: int,
    runs: Runs,
    x: np.ndarray,
    rest_lengths: np.ndarray,
    stiffness: np.ndarray,
    partial: np.ndarray,
    result: np.ndarray,
) -> None:
    """Write the stretch of a run's bonds, and sum weighted stretch and weights at the nodes that they touch."""
    starts, seconds, nodes, highs, _ = runs
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
def _traces(index: int, runs: Runs, partial: np.ndarray, trace: np.ndarray) -> None:
    """Compute the trace of strain at the nodes of a run."""
    # The index of a parallel loop is unsigned; mixed with a signed one, numba would make it a float.
    run, nodes, highs = np.int64(index), runs.nodes, runs.highs
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
def _overloads(
    run: int,
    runs: Runs,
    stiffness: np.ndarray,
    thresholds: np.ndarray,
    tips: np.ndarray,
    tip_shares: np.ndarray,
    time: float,
    trace: np.ndarray,
    result: np.ndarray,
) -> float:
    """Turn the stretch of a run's bonds into tension over threshold; return the largest of the unbroken bonds."""
    starts, seconds, nodes = runs.starts, runs.seconds, runs.nodes
    largest = -np.inf
    for a in range(np.uint64(nodes[run]), np.uint64(nodes[run + 1])):
        for bond in range(np.uint64(starts[a]), np.uint64(starts[a + np.uint64(1)])):
            b = seconds[bond]
            threshold = thresholds[bond] * (tip_shares[bond] if max(tips[a], tips[b]) > time else 1.0)
            result[bond] = LAME * (0.5 * (trace[a] + trace[b]) + 2.0 * result[bond]) / threshold
            if stiffness[bond] > 0.0:
                largest = max(largest, result[bond])
    return largest


@over_runs
def _tension(
    runs: Runs,
    x: np.ndarray,
    rest_lengths: np.ndarray,
    stiffness: np.ndarray,
    thresholds: np.ndarray,
    tips: np.ndarray,
    tip_shares: np.ndarray,
    time: float,
    partial: np.ndarray,
    trace: np.ndarray,
    result: np.ndarray,
) -> float:
    largest = -np.inf
    for run in prange(len(runs.highs)):
        _stretches(run, runs, x, rest_lengths, stiffness, partial, result)
    for run in prange(len(runs.highs)):
        _traces(run, runs, partial, trace)
    for run in prange(len(runs.highs)):
        largest = max(largest, _overloads(run, runs, stiffness, thresholds, tips, tip_shares, time, trace, result))
    return largest
