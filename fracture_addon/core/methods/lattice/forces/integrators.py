"""Steps in time. Each is ``step(model, state, gravity, forces, rub, seconds) -> bool``: whether it was taken.

``forces(positions, velocities)`` leaves those of the bonds in ``model.partial`` and returns (N, 3) others, or (0, 3)
where there are none, and whether a bond is longer than it bears; then no step is taken, so that breaks fall between
steps and every scheme starts anew behind them. ``rub()`` is friction, which acts on velocities that all forces have
acted on; ``None`` where none is.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .springs import FAST, PARALLEL_FROM, summed


def leapfrog(model, state, gravity, forces, rub, step: float) -> bool:
    """Velocities first, then positions with the new velocities: symplectic, it keeps energy within bounds."""
    outer, over = forces(state.positions, state.velocities)
    if over:
        return False
    parallel = len(model.lattice.bonds) >= PARALLEL_FROM
    kick, drift = (_kick_parallel, _drift_parallel) if parallel else (_kick_kernel, _drift_kernel)
    loads = (model.partial, outer, gravity, model.masses, model.fixed)
    # Without friction in between both are one pass over the nodes.
    at_once = step if rub is None else 0.0
    kick(state.positions, state.velocities, model.runs.nodes, model.runs.highs, *loads, step, at_once)
    if rub is not None:
        rub()
        drift(state.positions, state.velocities, step)
    return True


def euler(model, state, gravity, forces, rub, step: float) -> bool:
    """Positions with the old velocities, as the papers print it (Norton et al. 1991, "Dynamics"): it gains energy."""
    acceleration, over = _acceleration(model, gravity, forces, state.positions, state.velocities)
    if over:
        return False
    state.positions += step * state.velocities
    state.velocities += step * acceleration
    if rub is not None:
        rub()
    return True


def runge_kutta(model, state, gravity, forces, rub, step: float) -> bool:
    """The classical scheme of fourth order; stable up to 1.4 times the leapfrog's step, at four times its cost."""
    x, v = state.positions, state.velocities
    a1, over = _acceleration(model, gravity, forces, x, v)
    if over:
        return False
    v2 = v + 0.5 * step * a1
    a2, _ = _acceleration(model, gravity, forces, x + 0.5 * step * v, v2)
    v3 = v + 0.5 * step * a2
    a3, _ = _acceleration(model, gravity, forces, x + 0.5 * step * v2, v3)
    v4 = v + step * a3
    a4, _ = _acceleration(model, gravity, forces, x + step * v3, v4)
    x += step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
    v += step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    if rub is not None:
        rub()
    return True


INTEGRATORS = {"leapfrog": leapfrog, "euler": euler, "runge_kutta": runge_kutta}


def _acceleration(model, gravity, forces, positions, velocities) -> tuple[np.ndarray, bool]:
    outer, over = forces(positions, velocities)
    total = outer.copy() if len(outer) else np.zeros_like(positions)
    summed(model.runs, model.partial, total)
    return np.where(model.fixed[:, None], 0.0, total / model.masses[:, None] + gravity), over


@njit(cache=True, error_model="numpy", fastmath=FAST)
def _kick_run(run, x, v, nodes, highs, partial, outer, gravity, masses, fixed, step, drift):
    # A parallel loop's index is unsigned, and would turn to a float beside a signed one.
    run = np.int64(run)
    first = run
    while first > 0 and highs[first - 1] > nodes[run]:
        first -= 1
    for node in range(np.uint64(nodes[run]), np.uint64(nodes[run + 1])):
        if fixed[node]:
            continue
        f0 = f1 = f2 = 0.0
        if len(outer):
            f0, f1, f2 = outer[node, 0], outer[node, 1], outer[node, 2]
        for other in range(np.uint64(first), np.uint64(run + 1)):
            if highs[other] > node:
                f0 += partial[other, node, 0]
                f1 += partial[other, node, 1]
                f2 += partial[other, node, 2]
        factor = step / masses[node]
        v[node, 0] += factor * f0 + step * gravity[0]
        v[node, 1] += factor * f1 + step * gravity[1]
        v[node, 2] += factor * f2 + step * gravity[2]
        for axis in range(3):
            x[node, axis] += drift * v[node, axis]


@njit(cache=True)
def _kick_kernel(x, v, nodes, highs, partial, outer, gravity, masses, fixed, step, drift):
    for run in range(len(highs)):
        _kick_run(run, x, v, nodes, highs, partial, outer, gravity, masses, fixed, step, drift)


@njit(cache=True, parallel=True)
def _kick_parallel(x, v, nodes, highs, partial, outer, gravity, masses, fixed, step, drift):
    for run in prange(len(highs)):
        _kick_run(run, x, v, nodes, highs, partial, outer, gravity, masses, fixed, step, drift)


@njit(cache=True)
def _drift_kernel(x, v, step):
    for node in range(np.uint64(len(x))):
        for axis in range(3):
            x[node, axis] += step * v[node, axis]


@njit(cache=True, parallel=True)
def _drift_parallel(x, v, step):
    for node in prange(len(x)):
        for axis in range(3):
            x[node, axis] += step * v[node, axis]
