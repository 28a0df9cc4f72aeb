"""Steps in time. Each is ``step(model, state, forces, seconds) -> bool``: whether it was taken.

``forces(positions, velocities)`` leaves those of the bonds in ``model.partial`` and returns (N, 3) outer forces and
whether a bond is longer than it bears; then no step is taken, so that breaks fall between steps and every scheme
starts anew behind them.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .forces import FAST, PARALLEL_FROM


def leapfrog(model, state, forces, step: float) -> bool:
    """Velocities first, then positions with the new velocities: symplectic, it keeps energy within bounds."""
    outer, over = forces(state.positions, state.velocities)
    if over:
        return False
    kernel = _leapfrog_parallel if len(model.lattice.bonds) >= PARALLEL_FROM else _leapfrog_kernel
    runs = (model.runs.nodes, model.runs.highs)
    kernel(state.positions, state.velocities, *runs, model.partial, outer, model.masses, model.fixed, step)
    return True


def euler(model, state, forces, step: float) -> bool:
    """Positions with the old velocities, as the papers print it (Norton et al. 1991, "Dynamics"): it gains energy."""
    acceleration, over = _acceleration(model, forces, state.positions, state.velocities)
    if over:
        return False
    state.positions += step * state.velocities
    state.velocities += step * acceleration
    return True


def runge_kutta(model, state, forces, step: float) -> bool:
    """The classical scheme of fourth order; stable up to 1.4 times the leapfrog's step, at four times its cost."""
    x, v = state.positions, state.velocities
    a1, over = _acceleration(model, forces, x, v)
    if over:
        return False
    v2 = v + 0.5 * step * a1
    a2, _ = _acceleration(model, forces, x + 0.5 * step * v, v2)
    v3 = v + 0.5 * step * a2
    a3, _ = _acceleration(model, forces, x + 0.5 * step * v2, v3)
    v4 = v + step * a3
    a4, _ = _acceleration(model, forces, x + step * v3, v4)
    x += step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
    v += step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return True


INTEGRATORS = {"leapfrog": leapfrog, "euler": euler, "runge_kutta": runge_kutta}


def _acceleration(model, forces, positions, velocities) -> tuple[np.ndarray, bool]:
    total, over = forces(positions, velocities)
    runs = model.runs
    for run, (low, high) in enumerate(zip(runs.nodes[:-1], runs.highs, strict=True)):
        total[low:high] += model.partial[run, low:high]
    return np.where(model.fixed, 0.0, 1.0 / model.masses)[:, None] * total, over


@njit(cache=True, error_model="numpy", fastmath=FAST)
def _leapfrog_run(run, x, v, nodes, highs, partial, outer, masses, fixed, step):
    first = run
    while first > 0 and highs[first - 1] > nodes[run]:
        first -= 1
    for node in range(nodes[run], nodes[run + 1]):
        if fixed[node]:
            continue
        factor = step / masses[node]
        for axis in range(3):
            force = outer[node, axis]
            for other in range(first, run + 1):
                if highs[other] > node:
                    force += partial[other, node, axis]
            v[node, axis] += factor * force
            x[node, axis] += step * v[node, axis]


@njit(cache=True)
def _leapfrog_kernel(x, v, nodes, highs, partial, outer, masses, fixed, step):
    for run in range(len(highs)):
        _leapfrog_run(run, x, v, nodes, highs, partial, outer, masses, fixed, step)


@njit(cache=True, parallel=True)
def _leapfrog_parallel(x, v, nodes, highs, partial, outer, masses, fixed, step):
    for run in prange(len(highs)):
        _leapfrog_run(run, x, v, nodes, highs, partial, outer, masses, fixed, step)
