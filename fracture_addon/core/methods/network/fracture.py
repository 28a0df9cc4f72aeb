"""What a network does under a load: the overloaded breaks, and parts are pushed (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import PAPER_SCHEDULE, Impact, Schedule
from ...data.job import Settings
from ..contact_patch import patch_forces
from ..rigid_parts import Parts, find_parts
from .crack_growth import Tips, carry, growth_of, weaken
from .model import Model
from .state import Blow, State

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
    state.compliance = glue.work
    return _blow(impacts, _mobility(model, state), state.compliance, settings), state


def _blow(impacts: Sequence[Impact], mobility: float, compliance: float, settings: Settings) -> Blow:
    """The load of impacts on a whole body; see ``Blow.load_limit`` for its ``mobility`` and ``compliance``."""
    peak, impulse = sum(impact.peak_force for impact in impacts), sum(impact.impulse for impact in impacts)
    schedule = Schedule(*np.array(settings.impact_schedule).T) if settings.impact_schedule else PAPER_SCHEDULE
    if all(impact.speed > 0.0 for impact in impacts):
        speed = sum(impact.impulse * impact.speed for impact in impacts) / impulse
        partner = max(speed / impulse - mobility, 0.0)
        contact = speed**2 / (peak**2 * (mobility + partner))
    else:
        speed, partner, contact = peak * math.sqrt(compliance * mobility), 0.0, 0.0
    violence = settings.violence
    blow = Blow(impacts, peak, impulse, violence, schedule, speed, contact, partner, speed_change=impulse * mobility)
    return replace(blow, peak=min(peak * schedule.peak, replace(blow, violence=1.0).load_limit(mobility, compliance)))


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

    Breaks make the body more compliant and the mass under the contact smaller, so that the load falls meanwhile. Under
    an infinite ``overload`` the overloaded bonds break once.
    """
    limit_load(model, state, blow)
    for _ in range(len(state.alive)):
        state, broken = fracture(model, state, blow, settings)
        if not len(broken):
            break
        limit_load(model, state, blow)
        if overload > 1.0 and state.demand(1.0) < overload:
            break
    return state


def limit_load(model: Model, state: State, blow: Blow) -> None:
    """Lower the load to the most that the impact's energy can cause on what still holds."""
    state.settle()
    limit = blow.load_limit(_mobility(model, state), state.compliance)
    if limit < state.load:
        state.glue.scale(limit / state.load)
        state.load = limit


def fracture(model: Model, state: State, blow: Blow, settings: Settings) -> tuple[State, np.ndarray]:
    """Break what is overloaded once, and weaken what is around it.

    Returns:
        The state, and the rows of the bonds that broke: none when the load is borne.
    """
    burden, broken = state.burden(), np.empty(0, np.int64)
    growth = growth_of(settings, model.size_effect, state.glue)
    advances = state.glue.advances(max(ADVANCES, int(ADVANCE_WALLS * model.wall / model.cell_size)))
    reach = max(model.cell_size, RELIEF_WALLS * model.wall)
    losses = np.minimum(1.0, model.sizes / (CARRY_WALLS * model.wall))
    for _ in range(advances):
        demand = np.where(state.alive, burden / state.strengths, 0.0)
        rows = state.glue.select(demand, broken, model.face_centers, model.normals, model.sizes, reach)
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


def _mobility(model: Model, state: State) -> float:
    """Speed that the contact gains per newton second of impulse, 1/kg: the inverse of the mass that it feels."""
    return _speed_gain(state.pressure, state.parts.accelerations(model.cells, state.pressure)[0])


def _speed_gain(pressure: np.ndarray, acceleration: np.ndarray) -> float:
    return float(np.einsum("ci,ci->", pressure, acceleration) / np.linalg.norm(pressure, axis=1).sum())


def _contact_speed(model: Model, state: State) -> float:
    speeds = np.einsum("ci,ci->c", state.pressure, state.impulses) / model.cells.masses
    return float(speeds.sum() / np.linalg.norm(state.pressure, axis=1).sum())


def _push(model: Model, state: State, blow: Blow, impulse: float) -> None:
    """Give the parts under the contact an impulse, but no more than brings the contact to its final speed."""
    acceleration, angular = state.parts.accelerations(model.cells, state.pressure)
    room = blow.speed_change - _contact_speed(model, state)
    impulse = float(np.clip(room / _speed_gain(state.pressure, acceleration), 0.0, impulse))
    state.impulses += impulse * model.cells.masses[:, None] * acceleration
    state.spins += impulse * np.einsum("cij,cj->ci", model.cells.inertias, angular[state.parts.part_of_cell])
    state.delivered += impulse
