"""The loading of a network: up the impact schedule, breaking what is overloaded (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..impact import Impact, schedule
from ..job import Settings
from ..parts import Parts, find_parts
from ..contact_patch import patch_forces
from .crack_growth import select_breaks, weaken
from .model import FullGlue, Model, PointGlue

# With full bonds the load rises by equal ratios, and at each level breaking goes on until nothing is overloaded,
# or this many times.
LEVELS, ROUNDS = 7, 12
# Cracks run on through this many faces under the same forces (crack advance, O'Brien and Hodgins 2000).
ADVANCES = 4


@dataclass
class State:
    """What varies while a network breaks.

    Attributes:
        glue: Forces under the present load.
        alive: (F,) bool, bonds that hold.
        strengths: (F,) weakened by cracks.
        parts: What still hangs together.
        load: Present load, newtons over all impacts.
        time: Share of the impact's duration that is over.
        impulses: (C, 3) momentum that each cell has got so far, N s.
        spins: (C, 3) angular momentum about its own centroid that each cell has got, N m s.
        delivered: N s, of the impacts' impulse.
        solve_count: Linear solves so far.
    """

    glue: FullGlue | PointGlue
    alive: np.ndarray
    strengths: np.ndarray
    parts: Parts
    impulses: np.ndarray
    spins: np.ndarray
    load: float = 0.0
    time: float = 0.0
    delivered: float = 0.0
    solve_count: int = 0


@dataclass(frozen=True)
class Blow:
    """Impacts that fall together on a model, and what they come to.

    Attributes:
        impacts: At least one.
        peak: N, sum of their peak forces, as computed; stress is found at ``violence`` times that.
        impulse: N s, the sum of their impulses.
        duration: s, the longest.
        violence: See ``Settings``.
        speed_change: m/s that the whole body's contact undergoes; a part that has got it is pushed no more.
    """

    impacts: Sequence[Impact]
    peak: float
    impulse: float
    duration: float
    violence: float
    speed_change: float = field(default=np.inf)


def initial_state(model: Model, impacts: Sequence[Impact], settings: Settings) -> tuple[Blow, State]:
    """The whole body under one newton of load."""
    parts = find_parts(model.cells, model.pairs)
    shape = model.cells.centers.shape
    glue = model.glue.copy()
    state = State(
        glue, np.ones(len(model.pairs), bool), model.strengths, parts, np.zeros(shape), np.zeros(shape), load=1.0
    )
    forces = patch_forces(model.cells, parts, impacts, model.cell_size)
    glue.solve(parts, forces)
    state.solve_count = 1
    peak, impulse = (sum(getattr(impact, name) for impact in impacts) for name in ("peak_force", "impulse"))
    blow = Blow(
        impacts,
        peak,
        impulse,
        max(impact.duration for impact in impacts),
        settings.violence,
        impulse * _yielding(model, parts, forces),
    )
    return blow, state


def critical_load(model: Model, state: State) -> float:
    """Load, newtons, at which the first bond breaks, of a state that nothing has broken yet."""
    return state.load / float((state.glue.burden() / state.strengths).max())


def levels(blow: Blow, critical: float, settings: Settings) -> np.ndarray:
    """Loads to stop at, newtons, rising from the critical one to the peak; none when the peak is below it."""
    peak = blow.violence * blow.peak
    if peak < critical:
        return np.empty(0)
    if settings.bonds == "point":
        rising = np.array([schedule(step / settings.load_steps) for step in range(1, settings.load_steps // 2 + 1)])
        rising = rising * peak
        return rising[rising >= critical] if (rising >= critical).any() else np.array([peak])
    return np.geomspace(critical * (1.0 + 1e-9), peak, LEVELS)


def advance(model: Model, state: State, blow: Blow, load: float) -> State:
    """Raise the load; forces scale with it, as nothing broke since they were found. Momentum goes on to the parts."""
    time = 0.5 * load / (blow.violence * blow.peak)
    # The schedule is linear up to its peak in the middle, so the mean load over the step is the middle one.
    mean_load = 0.5 * (schedule(state.time) + schedule(time)) * blow.peak
    _push(model, state, blow, mean_load * (time - state.time) * blow.duration)
    state.glue.scale(load / state.load)
    state.load, state.time = load, time
    return state


def fracture(model: Model, state: State, blow: Blow, settings: Settings) -> tuple[State, np.ndarray]:
    """Break what is overloaded once, weaken what is around it, and find the new forces.

    Returns:
        The state, and the rows of the bonds that broke: none when the load is borne.
    """
    burden, broken = state.glue.burden(), np.empty(0, np.int64)
    for _ in range(1 if settings.bonds == "point" else ADVANCES):
        demand = np.where(state.alive, burden / state.strengths, 0.0)
        if settings.bonds == "point":
            rows = np.flatnonzero(demand > 1.0)
        else:
            rows = select_breaks(demand, broken, model.face_centers, model.normals, model.cell_size)
        if not len(rows):
            break
        state.alive[rows] = False
        state.strengths = weaken(
            state.strengths, model.strengths, rows, model.neighbours, model.normals, settings.crack_growth
        )
        broken = np.concatenate([broken, rows])
    if not len(broken):
        return state, broken
    state.glue.remove(broken)
    state.parts = find_parts(model.cells, model.pairs[state.alive])
    forces = patch_forces(model.cells, state.parts, blow.impacts, model.cell_size)
    state.glue.solve(state.parts, state.load * forces)
    state.solve_count += 1
    return state, broken


def finish(model: Model, state: State, blow: Blow) -> State:
    """Deliver what is left of the impulse while the load falls again; nothing more breaks then."""
    _push(model, state, blow, blow.impulse - state.delivered)
    return state


def is_spent(model: Model, state: State, blow: Blow) -> bool:
    """Whether what the striker touches already moves as fast as it can be made to."""
    return _contact_speed(model, state, blow) >= blow.speed_change * (1.0 - 1e-9)


def _yielding(model: Model, parts: Parts, forces: np.ndarray) -> float:
    """Speed that the contact gains a newton second of impulse, 1/kg."""
    acceleration, _ = parts.accelerations(model.cells, forces)
    return float(np.einsum("ci,ci->", forces, acceleration) / np.linalg.norm(forces, axis=1).sum())


def _contact_speed(model: Model, state: State, blow: Blow) -> float:
    forces = patch_forces(model.cells, state.parts, blow.impacts, model.cell_size)
    speeds = np.einsum("ci,ci->c", forces, state.impulses) / model.cells.masses
    return float(speeds.sum() / np.linalg.norm(forces, axis=1).sum())


def _push(model: Model, state: State, blow: Blow, impulse: float) -> None:
    """Give the parts under the contact an impulse, but no more than brings the contact to its final speed."""
    forces = patch_forces(model.cells, state.parts, blow.impacts, model.cell_size)
    room = blow.speed_change - _contact_speed(model, state, blow)
    impulse = float(np.clip(room / _yielding(model, state.parts, forces), 0.0, impulse))
    acceleration, angular = state.parts.accelerations(model.cells, forces)
    state.impulses += impulse * model.cells.masses[:, None] * acceleration
    state.spins += impulse * np.einsum("cij,cj->ci", model.cells.inertias, angular[state.parts.part_of_cell])
    state.delivered += impulse
