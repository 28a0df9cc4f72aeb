"""The time operator: forces on nodes, steps in time, breaks in between (Sweeney et al. 1991, sections 5.1 and 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...data.errors import SettingsError
from ...numerics.components import components
from .contact import collisions
from .contact.collisions import Contacts
from .contact.obstacles import Obstacle
from .contact.samples import Sampled
from .contact.shape_obstacle import ShapeObstacle
from .forces.integrators import INTEGRATORS
from .forces.springs import bond_forces
from .fracture import break_cells
from .state import Model, State

# A step is this share of the largest stable one where none is asked for.
STEP_SHARE = 0.8
NO_FORCES = np.empty((0, 3))


@dataclass(frozen=True)
class Surroundings:
    """What acts on lattices from outside; it may be another one at every call of ``advance``.

    Attributes:
        gravity: (3,) m/s2.
        obstacles: What nodes cannot enter.
        pushes: (N, 3) N on the nodes (a blow, the wind on faces), or nothing.
        stiffness: Scale of all stiffness and damping, or (B,) one a bond.
    """

    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    obstacles: Sequence[Obstacle | ShapeObstacle | Sampled] = ()
    pushes: np.ndarray | None = None
    stiffness: float | np.ndarray = 1.0


def initial_state(model: Model, velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)) -> State:
    """The lattice at rest in shape, moving rigidly: (3,) m/s of its centre of mass and (3,) rad/s about it."""
    lattice = model.lattice
    center = model.masses @ lattice.points / model.masses.sum()
    alive = np.ones(lattice.bond_count, bool)
    velocities = np.asarray(velocity, float) + np.cross(angular_velocity, lattice.points - center)
    state = State(
        lattice.points.copy(),
        np.where(model.fixed[:, None], 0.0, velocities),
        lattice.rest_lengths.copy(),
        alive,
        np.ones(len(lattice.cells), bool),
        components(lattice.bonds, lattice.node_count, alive),
        model.stiffness.copy(),
        model.damping.copy(),
        lattice.rest_lengths * (1.0 + model.thresholds),
        Contacts.none(lattice.node_count),
    )
    collisions.renew(model, state)
    return state


def checked_step(model: Model, step: float | None, stiffness: float | np.ndarray = 1.0) -> float:
    """The step to take, seconds.

    Raises:
        SettingsError: The wanted one is larger than the largest stable one.
    """
    largest = model.largest_step / float(np.sqrt(np.max(stiffness)))
    if step is None:
        return STEP_SHARE * largest
    if step > largest:
        raise SettingsError(
            f"A time step of {step:.3g} s is more than this lattice bears; "
            f"set {largest:.3g} s or less, or make it softer or coarser"
        )
    return step


def advance(
    model: Model,
    state: State,
    surroundings: Surroundings,
    step: float,
    count: int,
    integrator: str = "leapfrog",
) -> int:
    """Go on by up to ``count`` steps of ``step`` seconds, until a bond is longer than it bears. Shapes stay.

    Returns:
        Steps taken; fewer than ``count`` when ``fracture`` is due.

    Raises:
        SettingsError: The step is larger than the largest stable one.
    """
    step = checked_step(model, step, surroundings.stiffness)
    advance_once = INTEGRATORS[integrator]
    gravity = np.asarray(surroundings.gravity, float)

    def forces(positions, velocities) -> tuple[np.ndarray, bool]:
        over = _inner_forces(model, state, surroundings.stiffness, positions, velocities)
        return outer_forces(model, state, surroundings, positions, velocities), over

    def rub() -> None:
        for obstacle in surroundings.obstacles:
            obstacle.rub(state.positions, state.velocities, model.masses, step)
        collisions.rub(model, state, step)

    plastic = bool(np.isfinite(model.yield_stretch).any())
    for taken in range(count):
        collisions.keep_up(model, state)
        rubs = surroundings.obstacles or len(state.contacts.pairs)
        if not advance_once(model, state, gravity, forces, rub if rubs else None, step):
            return taken
        state.time += step
        if plastic:
            creep(model, state, step)
    return count


def fracture(model: Model, state: State, rows: np.ndarray | None = None) -> np.ndarray:
    """Break the bonds that are longer than they bear, and what has to follow.

    ``rows`` are the bonds to break instead of those. Returns the rows of all bonds that broke, those that followed by
    the cell rule included.
    """
    lattice = model.lattice
    rows = overloaded(model, state) if rows is None else np.asarray(rows)
    before = state.alive.copy()
    cells = (lattice.cell_bonds, lattice.cell_starts, model.bonds_cells, model.bond_starts)
    break_cells(rows, state.alive, state.valid, *cells)
    broken = np.flatnonzero(before & ~state.alive)
    state.stiffness[broken] = state.damping[broken] = 0.0
    state.limits[broken] = np.inf
    state.component = components(lattice.bonds, lattice.node_count, state.alive)
    collisions.take_in(model, state, broken)
    return broken


def run(
    model: Model, state: State, surroundings: Surroundings, step: float, count: int, integrator: str = "leapfrog"
) -> int:
    """Go on by ``count`` steps of ``step`` seconds, breaking what breaks; returns the number of bonds that broke.

    Raises:
        SettingsError: As of ``advance``.
    """
    broken = 0
    while count:
        taken = advance(model, state, surroundings, step, count, integrator)
        count -= taken
        if count:
            broken += len(fracture(model, state))
    return broken


def overloaded(model: Model, state: State) -> np.ndarray:
    """Rows of the bonds that are longer than they bear; bonds break under tension only."""
    return np.flatnonzero(lengths(model, state) > state.limits)


def lengths(model: Model, state: State) -> np.ndarray:
    """(B,) present lengths of the bonds, m."""
    first, second = model.lattice.bonds.T
    return np.linalg.norm(state.positions[second] - state.positions[first], axis=1)


def energy(model: Model, state: State, gravity=(0.0, 0.0, 0.0)) -> tuple[float, float, float]:
    """Kinetic energy, that of the stretched bonds and contacts, and that of height, joules."""
    kinetic = 0.5 * float(model.masses @ np.einsum("ni,ni->n", state.velocities, state.velocities))
    elastic = 0.5 * float(state.stiffness @ (lengths(model, state) - state.rest_lengths) ** 2)
    height = -float(model.masses @ (state.positions @ np.asarray(gravity, float)))
    return kinetic, elastic + collisions.energy(model, state), height


def creep(model: Model, state: State, step: float) -> None:
    """Let rest lengths follow what is stretched or pressed beyond the yield stretch: plastic flow."""
    stretch = lengths(model, state) / state.rest_lengths - 1.0
    beyond = np.sign(stretch) * np.maximum(np.abs(stretch) - model.yield_stretch, 0.0)
    flown = 1.0 + np.minimum(np.multiply(model.creep_rate, step), 1.0) * beyond
    state.rest_lengths *= np.where(state.alive, flown, 1.0)
    state.limits = np.where(state.alive, state.rest_lengths * (1.0 + model.thresholds), np.inf)


def outer_forces(model, state, surroundings, positions, velocities) -> np.ndarray:
    """(N, 3) forces on the nodes but for bonds, gravity and friction, newtons, or (0, 3) where there are none.

    They are not to be changed, and last to the next call.
    """
    if not surroundings.obstacles and not len(state.contacts.pairs):
        return NO_FORCES if surroundings.pushes is None else surroundings.pushes
    forces = model.outer
    if surroundings.pushes is None:
        forces.fill(0.0)
    else:
        forces[:] = surroundings.pushes
    for obstacle in surroundings.obstacles:
        obstacle.push(positions, velocities, forces)
    collisions.add_forces(model, state, positions, forces)
    return forces


def _inner_forces(model, state, scale, positions, velocities) -> bool:
    stiffness, damping = state.stiffness, state.damping
    if np.any(scale != 1.0):
        stiffness, damping = scale * stiffness, scale * damping
    return bond_forces(
        positions, velocities, model.runs, state.rest_lengths, stiffness, damping, state.limits, model.partial
    )
