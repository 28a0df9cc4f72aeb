"""Motion of a network under a rising load, and the impulse on its fragments (Smith et al. 2001, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.arrays import lengths
from ...data.impact import PAPER_SCHEDULE, Impact, Schedule
from ...data.settings.settings import StrikeSettings
from ...data.steady_load import SteadyLoad
from ..contact_patch import patch_forces
from ..rigid_components import RigidComponents, find_components
from .contact import Contact
from .glue import Glue
from .model import Model
from .peaks import BENDING_RADIUS, RADIUS, peak_factor
from .state import ImpactLoad, State

# Smallest radius of a contact patch, in wall thicknesses: a smaller patch bends a wall in the same way. Tuned: 0.75
# gives the same bytes in small scenes; with 3 a ball no longer breaks a block (docs/decisions/constants.md).
PATCH_WALLS = 1.5
# Smallest load over its peak. It prevents a division by zero where the prestress breaks a body before the contact has a
# force, or under no load.
LEAST_LOAD = 1e-9


def initial_state(
    model: Model, impacts: Sequence[Impact], settings: StrikeSettings, solver: Glue | None = None
) -> tuple[ImpactLoad, State]:
    """Return the load of the impacts, and the unbroken body under a load of 1 N.

    Args:
        model: The network.
        impacts: Simultaneous impacts, at least one.
        settings: ``impact_schedule``.
        solver: Solver of earlier impacts; the state owns a copy, which shares its factor. ``None`` for a new one.

    Returns:
        The load and the state.
    """
    parts = find_components(model.cells, model.pairs)
    state = _unbroken(model, parts, pressure_on(model, parts, impacts), solver, impacts)
    state.compliance = state.glue.work
    impact_load = _impact_load(impacts, _mobility(model, state), state.compliance, settings)
    if impact_load.is_steady:
        bends = any(impact.faces is None or impact.faces.bends for impact in impacts)
        state.strengths = peak_factor(model, state.burden(), BENDING_RADIUS if bends else RADIUS) * model.strengths
    return impact_load, state


def weighted_state(model: Model, load: SteadyLoad, solver: Glue) -> tuple[ImpactLoad, State]:
    """Return the steady load, and the unbroken body under a load of 1 N.

    The state owns a copy of ``solver``, which shares its factor and holds the cells ``load.held``.
    """
    total = float(lengths(load.forces).sum())
    state = _unbroken(model, find_components(model.cells, model.pairs), load.forces / total, solver)
    state.strengths = peak_factor(model, state.burden(), BENDING_RADIUS) * model.strengths
    return ImpactLoad((), peak=total, impulse=0.0, load_factor=1.0, schedule=PAPER_SCHEDULE), state


def _unbroken(
    model: Model, parts: RigidComponents, pressure: np.ndarray, solver: Glue | None, impacts: Sequence[Impact] = ()
) -> State:
    """Return the unbroken body under the forces ``pressure`` (C, 3) and the free strain of a load of 1 N."""
    shape = model.cells.centers.shape
    glue = solver.copy() if solver is not None else model.unloaded()
    total = sum(impact.contact_force for impact in impacts)
    for impact in impacts:
        if impact.strain is not None:
            glue.strain(impact.strain.points, impact.strain.strains / total)
    glue.solve(parts, pressure)
    return State(
        glue=glue,
        alive=np.ones(len(model.pairs), bool),
        strengths=model.strengths,
        parts=parts,
        pressure=pressure,
        impulses=np.zeros(shape),
        spins=np.zeros(shape),
        tension=np.zeros((len(model.pairs), 3)),
        beside_crack=np.zeros(len(model.pairs), bool),
        load=1.0,
        solve_count=1,
    )


def _impact_load(impacts: Sequence[Impact], mobility: float, compliance: float, settings: StrikeSettings) -> ImpactLoad:
    """Return the load of impacts on an unbroken body; arguments as in ``ImpactLoad.contact``."""
    peak, impulse = sum(impact.contact_force for impact in impacts), sum(impact.impulse for impact in impacts)
    points = settings.cracks.impact_schedule
    schedule = Schedule(*np.array(points).T) if points else PAPER_SCHEDULE
    if all(impact.is_steady for impact in impacts):
        return ImpactLoad(impacts, peak, impulse, impacts[0].load_factor, PAPER_SCHEDULE)
    if all(impact.speed > 0.0 for impact in impacts):
        speed = sum(impact.impulse * impact.speed for impact in impacts) / impulse
        partner = max(speed / impulse - mobility, 0.0)
        contact = speed**2 / (peak**2 * (mobility + partner))
    else:
        speed, partner, contact = peak * math.sqrt(compliance * mobility), 0.0, 0.0
    impact_load = ImpactLoad(
        impacts=impacts,
        peak=peak * schedule.peak,
        impulse=impulse,
        load_factor=impacts[0].load_factor,
        schedule=schedule,
        speed=speed,
        contact_compliance=contact,
        partner_mobility=partner,
        speed_change=impulse * mobility,
    )
    if not compliance:
        return impact_load
    return replace(impact_load, peak=schedule.peak * impact_load.contact(mobility, compliance).peak)


def raise_steadily(state: State, impact_load: ImpactLoad, load: float) -> None:
    """Raise a steady load to ``load`` (N). Forces scale with it."""
    _set_load(state, impact_load, load)
    state.time = impact_load.duration * load / impact_load.peak_load


def advance(model: Model, state: State, impact_load: ImpactLoad, load: float) -> State:
    """Raise a prescribed load. Forces scale with it, and fragments receive the impulse meanwhile.

    Args:
        model: The network.
        state: State to change.
        impact_load: Load of the impacts.
        load: N, at least the present one and at most the peak.

    Returns:
        The state.

    Notes:
        Smith et al. 2001, section 3.3, figure 3.

    Example:
        The paper's triangular load is at half of its peak after a quarter of 1 ms, with an eighth of the impulse.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners, settings = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], Settings.of(bonds="point")
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, settings)
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=8.0, duration=1e-3, radius=1.0)
        >>> impact_load, state = initial_state(model, [impact], settings)
        >>> state = advance(model, state, impact_load, 0.5 * impact_load.peak_load)
        >>> round(1e3 * state.time, 9), round(state.delivered, 9)
        (0.25, 1.0)
    """
    schedule, duration = impact_load.schedule, impact_load.duration
    relative = load / impact_load.peak_load * schedule.peak
    time = max(state.time, duration * schedule.time_of(relative))
    share = schedule.share(time / duration) - schedule.share(state.time / duration)
    _push(model, state, impact_load, impact_load.impulse * share)
    _set_load(state, impact_load, load)
    state.time = time
    return state


def initial_contact(model: Model, state: State, impact_load: ImpactLoad) -> Contact:
    """Return the contact of the impacts with the unbroken body at its first touch."""
    return impact_load.contact(_mobility(model, state), state.compliance)


def advance_contact(model: Model, state: State, impact_load: ImpactLoad, contact: Contact, seconds: float) -> Contact:
    """Advance the contact, and update it and the load after breaks.

    Args:
        model: The network.
        state: State to change.
        impact_load: Load of the impacts.
        contact: The contact now.
        seconds: Time to advance, s.

    Returns:
        The contact later, at most at its end.

    Notes:
        Own: contact and body are springs in series instead of a given force (docs/decisions/energy_limited_force.md).

    Example:
        At the peak the closing speed is 0, and the contact has given the body the momentum of the impact. The rebound
        is that of the rigid world.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=8.0, duration=1e-3, radius=1.0, speed=1.0)
        >>> impact_load, state = initial_state(model, [impact], Settings())
        >>> contact = initial_contact(model, state, impact_load)
        >>> contact = advance_contact(model, state, impact_load, contact, contact.time_to_peak)
        >>> contact.speed, round(state.delivered, 6), round(state.load / impact_load.peak_load, 6)
        (0.0, 8.0, 1.0)
    """
    later = contact.after(seconds)
    slowed = max(contact.speed, 0.0) - max(later.speed, 0.0)
    _accelerate(model, state, slowed / contact.mobility)
    state.time += seconds
    if not state.is_settled:
        state.settle()
        mobility = _mobility(model, state) + impact_load.partner_mobility
        compliance = impact_load.contact_compliance + state.compliance
        # A loose cell under the contact does not deform: the spring only accelerates it.
        stored = later.energy
        later = later.changed(mobility, compliance or later.compliance)
        state.released += impact_load.factor**2 * (stored - later.energy)
    _set_load(state, impact_load, impact_load.factor * later.force)
    return later


def _set_load(state: State, impact_load: ImpactLoad, load: float) -> None:
    """Set the load, N. Forces scale with it."""
    load = max(load, LEAST_LOAD * impact_load.peak_load)
    state.settle()
    state.glue.scale(load / state.load)
    state.load = load


def finish(model: Model, state: State, impact_load: ImpactLoad) -> State:
    """Deliver the rest of the impulse while the load falls. No bond breaks any more."""
    if not impact_load.is_steady:
        _push(model, state, impact_load, impact_load.impulse - state.delivered)
    return state


def is_spent(model: Model, state: State, impact_load: ImpactLoad) -> bool:
    """Return whether the fragment at the contact has reached its final speed."""
    return _contact_speed(model, state) >= impact_load.speed_change * (1.0 - 1e-9)


def pressure_on(model: Model, parts: RigidComponents, impacts: Sequence[Impact]) -> np.ndarray:
    """Return the forces of impacts on the cells for a total load of 1 N.

    Args:
        model: The network.
        parts: Its fragments; the small ones take no load.
        impacts: At least one.

    Returns:
        (C, 3) N.

    Notes:
        Own rule for the patch of a contact, see ``contact_patch.patch_forces``. A kinematic body breaks like a free
        one: inertia balances the load.

    Example:
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0)
        >>> forces = pressure_on(model, find_components(model.cells, model.pairs), [impact])
        >>> forces.sum(axis=0).round(9).tolist(), bool(forces[0, 0] > forces[1, 0])
        ([1.0, 0.0, 0.0], True)
    """
    return patch_forces(model.cells, parts, impacts, model.cell_size, PATCH_WALLS * model.wall)


def _mobility(model: Model, state: State) -> float:
    """Return the speed of the contact per impulse, 1/kg: the inverse of the effective mass there."""
    return _speed_gain(state.pressure, state.parts.accelerations(model.cells, state.pressure)[0])


def _speed_gain(pressure: np.ndarray, acceleration: np.ndarray) -> float:
    total = float(np.linalg.norm(pressure, axis=1).sum())
    return float(np.einsum("ci,ci->", pressure, acceleration) / total) if total > 0.0 else 0.0


def _contact_speed(model: Model, state: State) -> float:
    speeds = np.einsum("ci,ci->c", state.pressure, state.impulses) / model.cells.masses
    return float(speeds.sum() / np.linalg.norm(state.pressure, axis=1).sum())


def _push(model: Model, state: State, impact_load: ImpactLoad, impulse: float) -> None:
    """Add an impulse (N s) to the fragments at the contact, limited to the one that gives the final speed.

    Smith et al. 2001, equation 2, for whole fragments instead of cells.
    """
    remaining = impact_load.speed_change - _contact_speed(model, state)
    _accelerate(model, state, float(np.clip(remaining / _mobility(model, state), 0.0, impulse)))


def _accelerate(model: Model, state: State, impulse: float) -> None:
    """Add an impulse (N s) to the fragments at the contact."""
    acceleration, angular = state.parts.accelerations(model.cells, state.pressure)
    state.impulses += impulse * model.cells.masses[:, None] * acceleration
    state.spins += impulse * np.einsum("cij,cj->ci", model.cells.inertias, angular[state.parts.part_of_cell])
    state.delivered += impulse
