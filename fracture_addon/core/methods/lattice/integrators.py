"""Integrators in time: leapfrog, Euler, Runge-Kutta.

The step of an integrator has the form ``(model, state, gravity, forces, friction, step) -> bool``. It advances by
``step`` seconds, or returns False and changes nothing when a bond is longer than its limit. Bonds therefore break
between steps, and every scheme restarts after a break.

``forces(positions, velocities)`` writes the bond forces to ``state.scratch.partial``. It returns all other forces,
(N, 3) N or (0, 3) where there are none, and whether a bond is longer than its limit. ``friction()`` changes the
velocities after all forces have acted; it is ``None`` without contact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from .forces.runs import Runs, over_runs, summed
from .forces.springs import FAST
from .model import Model
from .state import State

Forces = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, bool]]
Friction = Callable[[], None]
Step = Callable[[Model, State, np.ndarray, Forces, Friction | None, float], bool]


def leapfrog(
    model: Model, state: State, gravity: np.ndarray, forces: Forces, friction: Friction | None, step: float
) -> bool:
    """Update velocities, then positions with the new velocities. The scheme is symplectic: energy stays bounded.

    Args:
        model: The lattice.
        state: Changed in place.
        gravity: (3,) m/s2.
        forces: See the head of this module.
        friction: Likewise.
        step: s.

    Returns:
        Whether a step was taken.

    Notes:
        Verlet 1967. The position after a step of free fall is g h^2, with g h^2 / 2 of the velocity half a step later.

    Example:
        >>> from .advance import Surroundings, advance, initial_state
        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6)
        >>> state = initial_state(model)
        >>> steps = advance(model, state, Surroundings(np.array([0.0, 0, -10])), 0.01, 1, Integrator(leapfrog))
        >>> state.velocities[0].round(9).tolist(), state.positions[0].round(9).tolist()
        ([0.0, 0.0, -0.1], [0.0, 0.0, -0.001])
    """
    outer, over = forces(state.positions, state.velocities)
    if over:
        return False
    # Without friction one pass over the nodes updates velocities and positions.
    _kick(model, state, gravity, outer, step, step if friction is None else 0.0)
    if friction is not None:
        friction()
        _drift(model.runs, state.positions, state.velocities, step)
    return True


def euler(
    model: Model, state: State, gravity: np.ndarray, forces: Forces, friction: Friction | None, step: float
) -> bool:
    """Update positions with the old velocities, then the velocities. Energy grows.

    The arguments are those of ``leapfrog``.

    Args:
        model: The lattice.
        state: Changed in place.
        gravity: (3,) m/s2.
        forces: See the head of this module.
        friction: Likewise.
        step: s.

    Returns:
        Whether a step was taken.

    Notes:
        Norton et al. 1991, "Dynamics", as printed.

    Example:
        The first step of a free fall changes the velocity only.

        >>> from .advance import Surroundings, advance, initial_state
        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6)
        >>> state = initial_state(model)
        >>> steps = advance(model, state, Surroundings(np.array([0.0, 0, -10])), 0.01, 1, Integrator(euler))
        >>> state.velocities[0].round(9).tolist(), state.positions[0].round(9).tolist()
        ([0.0, 0.0, -0.1], [0.0, 0.0, 0.0])
    """
    outer, over = forces(state.positions, state.velocities)
    if over:
        return False
    state.positions += step * state.velocities
    _kick(model, state, gravity, outer, step, 0.0)
    if friction is not None:
        friction()
    return True


def runge_kutta(
    model: Model, state: State, gravity: np.ndarray, forces: Forces, friction: Friction | None, step: float
) -> bool:
    """Take a classical Runge-Kutta step, stable up to 1.4 times the leapfrog step, at 4 times its cost.

    Args:
        model: The lattice.
        state: Changed in place.
        gravity: (3,) m/s2.
        forces: See the head of this module.
        friction: Likewise.
        step: s.

    Returns:
        Whether a step was taken.

    Notes:
        Kutta 1901. Norton et al. 1991 name better integrators than Euler's as an option.

    Example:
        A free fall is exact: g h^2 / 2.

        >>> from .advance import Surroundings, advance, initial_state
        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6)
        >>> state = initial_state(model)
        >>> steps = advance(model, state, Surroundings(np.array([0.0, 0, -10])), 0.01, 1, INTEGRATORS["runge_kutta"])
        >>> state.velocities[0].round(9).tolist(), state.positions[0].round(9).tolist()
        ([0.0, 0.0, -0.1], [0.0, 0.0, -0.0005])
    """
    x, v = state.positions, state.velocities
    a1, over = _acceleration(model, state, gravity, forces, x, v)
    if over:
        return False
    v2 = v + 0.5 * step * a1
    a2, _ = _acceleration(model, state, gravity, forces, x + 0.5 * step * v, v2)
    v3 = v + 0.5 * step * a2
    a3, _ = _acceleration(model, state, gravity, forces, x + 0.5 * step * v2, v3)
    v4 = v + step * a3
    a4, _ = _acceleration(model, state, gravity, forces, x + step * v3, v4)
    x += step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
    v += step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    if friction is not None:
        friction()
    return True


@dataclass(frozen=True)
class Integrator:
    """A scheme, and the limit of its steps.

    Attributes:
        advance: Takes one step.
        stages: Weights of the forces that a step computes.
        needs_damping: Whether only damping keeps the energy bounded.
    """

    advance: Step
    stages: tuple[float, ...] = (1.0,)
    needs_damping: bool = False

    def step_share(self, damping_ratio: float) -> float:
        """Return the longest useful step over that of leapfrog.

        Euler's method gains energy in steps above 2 zeta / omega. Damping is proportional to stiffness, so this limit
        is the same for all vibrations: leapfrog's step times the damping ratio of the fastest one. Above critical
        damping, the method is stable up to leapfrog's step.
        """
        return min(damping_ratio, 1.0) if self.needs_damping else 1.0


LEAPFROG = Integrator(leapfrog)
INTEGRATORS: Mapping[str, Integrator] = {
    "leapfrog": LEAPFROG,
    "euler": Integrator(euler, needs_damping=True),
    "runge_kutta": Integrator(runge_kutta, (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)),
}


def _kick(model: Model, state: State, gravity: np.ndarray, outer: np.ndarray, step: float, drift: float) -> None:
    """Change the velocities by all forces of ``step`` seconds, then the positions by ``drift`` seconds of motion."""
    loads = (state.scratch.partial, outer, gravity, model.masses, model.fixed)
    _kick_runs(model.runs, state.positions, state.velocities, *loads, step, drift)


def _acceleration(
    model: Model, state: State, gravity: np.ndarray, forces: Forces, positions: np.ndarray, velocities: np.ndarray
) -> tuple[np.ndarray, bool]:
    outer, over = forces(positions, velocities)
    total = outer.copy() if len(outer) else np.zeros_like(positions)
    summed(model.runs, state.scratch.partial, total)
    return np.where(model.fixed[:, None], 0.0, total / model.masses[:, None] + gravity), over


@njit(cache=True, error_model="numpy", fastmath=FAST)
def _kick_run(
    index: int,
    runs: Runs,
    x: np.ndarray,
    v: np.ndarray,
    partial: np.ndarray,
    outer: np.ndarray,
    gravity: np.ndarray,
    masses: np.ndarray,
    fixed: np.ndarray,
    step: float,
    drift: float,
) -> None:
    # The index of a parallel loop is unsigned; mixed with a signed one, numba would make it a float.
    run, nodes, highs = np.int64(index), runs.nodes, runs.highs
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


@over_runs
def _kick_runs(
    runs: Runs,
    x: np.ndarray,
    v: np.ndarray,
    partial: np.ndarray,
    outer: np.ndarray,
    gravity: np.ndarray,
    masses: np.ndarray,
    fixed: np.ndarray,
    step: float,
    drift: float,
) -> None:
    for run in prange(len(runs.highs)):
        _kick_run(run, runs, x, v, partial, outer, gravity, masses, fixed, step, drift)


@over_runs
def _drift(runs: Runs, x: np.ndarray, v: np.ndarray, step: float) -> None:
    for node in prange(len(x)):
        for axis in range(3):
            x[node, axis] += step * v[node, axis]
