"""What a network does under a load: the overloaded breaks, and parts are pushed (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..impact import PAPER_SCHEDULE, Impact, Schedule
from ..job import Settings
from ..parts import Parts, find_parts
from ..rigid.contact_patch import patch_forces
from .crack_growth import Tips, carry, growth_of, weaken
from .model import Model
from .selection import select_breaks
from .state import Blow, State

# While the load rises bonds break in so many rounds for each cell of a wall's thickness, as a round takes a crack on by
# a few cells, and in as many at the peak.
ROUNDS_A_CELL = 7.0
# Cracks run on under the same forces (crack advance, O'Brien and Hodgins 2000) through this many faces, or this many
# times the wall's thickness; a break relieves what is within so many times the wall's thickness, or a cell.
ADVANCES, ADVANCE_WALLS, RELIEF_WALLS = 4, 6.0, 1.5
# Over so many times the wall's thickness a running crack's tip takes on the stress of where it has got to.
CARRY_WALLS = 4.0
# Least radius of a contact over the wall's thickness: what presses on less of a wall bends it just the same.
PATCH_WALLS = 1.5


def initial_state(model: Model, impacts: Sequence[Impact], settings: Settings) -> tuple[Blow, State]:
    """The whole body under one newton of load."""
    parts = find_parts(model.cells, model.pairs)
    shape = model.cells.centers.shape
    glue = model.glue.copy()
    pressure = _pressure(model, parts, impacts)
    glue.solve(parts, pressure)
    state = State(
        glue,
        np.ones(len(model.pairs), bool),
        model.strengths,
        parts,
        pressure,
        np.zeros(shape),
        np.zeros(shape),
        load=1.0,
        solve_count=1,
    )
    peak, impulse = (sum(getattr(impact, name) for impact in impacts) for name in ("peak_force", "impulse"))
    schedule = Schedule(*np.array(settings.impact_schedule).T) if settings.impact_schedule else PAPER_SCHEDULE
    blow = Blow(
        impacts,
        peak * schedule.peak,
        impulse,
        settings.violence,
        schedule,
        impulse * _yielding(pressure, parts.accelerations(model.cells, pressure)[0]),
    )
    return blow, state


def advance(model: Model, state: State, blow: Blow, load: float) -> State:
    """Raise the load; forces scale with it, as nothing broke since they were found. Momentum goes on to the parts."""
    time = max(state.time, blow.schedule.time_of(load / (blow.violence * blow.peak) * blow.schedule.peak))
    _push(model, state, blow, blow.impulse * (blow.schedule.share(time) - blow.schedule.share(state.time)))
    state.settle()
    state.glue.scale(load / state.load)
    state.load, state.time = load, time
    return state


def break_up(model: Model, state: State, blow: Blow, settings: Settings, overload: float) -> State:
    """Break at the present load until no bond bears more than ``overload`` times its strength.

    A ramp gives up after some rounds, and leaves the rest to the next level: cracks take time, and the load rises by
    ``overload`` until then, evenly as in the paper's schedule. With the paper's point bonds there is one round a step.
    What is prestressed needs no load to go on.
    """
    share = (overload - 1.0) * state.load / (blow.violence * blow.peak) if overload > 1.0 else 1.0
    rounds, hurried = 0, math.ceil(share * ROUNDS_A_CELL * model.wall / model.cell_size)
    unhurried = settings.loading == "events" or state.glue.is_prestressed
    most = math.inf if unhurried else 1 if settings.bonds == "point" else hurried
    while rounds < most:
        state, broken = fracture(model, state, blow, settings)
        rounds += 1
        if not len(broken) or (overload > 1.0 and state.demand(1.0) < overload):
            break
    return state


def fracture(model: Model, state: State, blow: Blow, settings: Settings) -> tuple[State, np.ndarray]:
    """Break what is overloaded once, and weaken what is around it.

    Returns:
        The state, and the rows of the bonds that broke: none when the load is borne.
    """
    burden, broken = state.burden(), np.empty(0, np.int64)
    growth = growth_of(settings, model.size_effect)
    advances = max(ADVANCES, int(ADVANCE_WALLS * model.wall / model.cell_size))
    losses = np.minimum(1.0, model.sizes / (CARRY_WALLS * model.wall))
    for _ in range(1 if settings.bonds == "point" else advances):
        demand = np.where(state.alive, burden / state.strengths, 0.0)
        if settings.bonds == "point":
            rows = np.flatnonzero(demand > 1.0)
        else:
            reach = max(model.cell_size, RELIEF_WALLS * model.wall)
            rows = select_breaks(demand, broken, model.face_centers, model.normals, model.sizes, reach)
        if not len(rows):
            break
        state.alive[rows] = False
        tips = Tips.of(rows, model.neighbours, model.normals, growth)
        state.strengths = weaken(state.strengths, model.reached_strengths, tips)
        burden = carry(burden, tips, losses)
        broken = np.concatenate([broken, rows])
    if not len(broken):
        return state, broken
    state.glue.remove(broken)
    state.parts = find_parts(model.cells, model.pairs[state.alive])
    state.pressure = _pressure(model, state.parts, blow.impacts)
    state.is_settled = False
    return state, broken


def finish(model: Model, state: State, blow: Blow) -> State:
    """Deliver what is left of the impulse while the load falls again; nothing more breaks then."""
    _push(model, state, blow, blow.impulse - state.delivered)
    return state


def is_spent(model: Model, state: State, blow: Blow) -> bool:
    """Whether what the striker touches already moves as fast as it can be made to."""
    return _contact_speed(model, state) >= blow.speed_change * (1.0 - 1e-9)


def _pressure(model: Model, parts: Parts, impacts: Sequence[Impact]) -> np.ndarray:
    return patch_forces(model.cells, parts, impacts, model.cell_size, PATCH_WALLS * model.wall)


def _yielding(pressure: np.ndarray, acceleration: np.ndarray) -> float:
    """Speed that the contact gains a newton second of impulse, 1/kg."""
    return float(np.einsum("ci,ci->", pressure, acceleration) / np.linalg.norm(pressure, axis=1).sum())


def _contact_speed(model: Model, state: State) -> float:
    speeds = np.einsum("ci,ci->c", state.pressure, state.impulses) / model.cells.masses
    return float(speeds.sum() / np.linalg.norm(state.pressure, axis=1).sum())


def _push(model: Model, state: State, blow: Blow, impulse: float) -> None:
    """Give the parts under the contact an impulse, but no more than brings the contact to its final speed."""
    acceleration, angular = state.parts.accelerations(model.cells, state.pressure)
    room = blow.speed_change - _contact_speed(model, state)
    impulse = float(np.clip(room / _yielding(state.pressure, acceleration), 0.0, impulse))
    state.impulses += impulse * model.cells.masses[:, None] * acceleration
    state.spins += impulse * np.einsum("cij,cj->ci", model.cells.inertias, angular[state.parts.part_of_cell])
    state.delivered += impulse
