"""Advance lattices in time (Sweeney et al. 1991, sections 5.1 and 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...data.arrays import ReadOnlyArrays
from ...data.errors import SettingsError
from ...numerics.components import components
from .contact import collisions
from .contact.joint_obstacle import JointObstacle
from .contact.node_ties import TiedNodes
from .contact.spring_contact import SpringContact
from .crack_tips import CrackTips
from .forces.springs import bond_forces
from .fracture import fracture, lengths, overloaded
from .integrators import LEAPFROG, Integrator
from .model import Model
from .state import Contacts, Scratch, State

# Default step over the largest stable one. Smaller ones take more steps: tiles and blocks of glass break into 12
# clusters at 0.56, 0.8 and 0.96, and glued bricks move 65, 63 and 65 mm; above 1 a lattice is unstable.
STEP_SHARE = 0.8
# What pushes and pulls nodes in each step.
Obstacle = SpringContact | JointObstacle | TiedNodes
NO_FORCES = np.empty((0, 3))
ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Surroundings(ReadOnlyArrays):
    """External loads and obstacles. Each call of ``advance`` may have different ones.

    Attributes:
        gravity: (3,) m/s2.
        obstacles: Obstacles that push nodes out, and joints that pull them.
        node_forces: (N, 3) N, forces on the nodes, such as an impact or wind; ``None`` for none.
        stiffness: Factor of stiffness and damping of the bonds, one value or (B,).

    Notes:
        Norton et al. 1991, figures 5 and 6: gravity and stiffness that vary in time.

    Example:
        A spring of half the stiffness gives its ends half the speed. It has 1,000 N/m at full stiffness and is 2 %
        longer than at rest; a node has 0.5 kg.

        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6)
        >>> for stiffness in (1.0, 0.5):
        ...     state = initial_state(model)
        ...     state.positions[1, 0] = 1.02
        ...     steps = advance(model, state, Surroundings(stiffness=stiffness), 0.001, 1)
        ...     print(state.velocities[:, 0].round(6).tolist())
        [0.04, -0.04]
        [0.02, -0.02]
    """

    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    obstacles: Sequence[Obstacle] = ()
    node_forces: np.ndarray | None = None
    stiffness: float | np.ndarray = 1.0


def initial_state(model: Model, velocity: ArrayLike = ZERO, angular_velocity: ArrayLike = ZERO) -> State:
    """Build the state of an undeformed lattice in rigid motion.

    Args:
        model: The lattice.
        velocity: (3,) m/s of the centre of mass.
        angular_velocity: (3,) rad/s about the centre of mass.
    """
    lattice = model.lattice
    center = model.masses @ lattice.points / model.masses.sum()
    alive = np.ones(lattice.bond_count, bool)
    velocities = np.asarray(velocity, float) + np.cross(np.asarray(angular_velocity), lattice.points - center)
    state = State(
        positions=lattice.points.copy(),
        velocities=np.where(model.fixed[:, None], 0.0, velocities),
        rest_lengths=lattice.rest_lengths.copy(),
        alive=alive,
        valid=np.ones(len(lattice.cells), bool),
        component=components(lattice.bonds, lattice.node_count, alive),
        stiffness=model.stiffness.copy(),
        damping=model.damping.copy(),
        limits=lattice.rest_lengths * (1.0 + model.thresholds),
        threshold_factors=np.ones(lattice.bond_count),
        ahead_weights=np.zeros(lattice.bond_count),
        ahead_times=np.full(lattice.bond_count, -np.inf),
        beside_times=np.full(lattice.bond_count, -np.inf),
        contacts=Contacts.none(),
        scratch=Scratch.of(lattice.node_count),
    )
    collisions.renew(model, state)
    return state


def checked_step(model: Model, step: float | None, stiffness: float | np.ndarray = 1.0) -> float:
    """Return a stable time step.

    Args:
        model: The lattice.
        step: Requested step, s; ``None`` for ``STEP_SHARE`` of the largest stable one.
        stiffness: Factor of the bonds' stiffness, one value or (B,).

    Returns:
        s.

    Raises:
        SettingsError: The requested step is larger than the largest stable one.

    Notes:
        Courant, Friedrichs and Lewy 1928; see ``stable_step.largest_stable_step``.

    Example:
        Four times the stiffness halves the step.

        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6)
        >>> [round(checked_step(model, None, stiffness) / model.largest_step, 9) for stiffness in (1.0, 4.0)]
        [0.8, 0.4]
    """
    largest = model.largest_step / float(np.sqrt(np.max(stiffness)))
    if step is None:
        return STEP_SHARE * largest
    if step > largest:
        raise SettingsError(
            f"A time step of {step:.3g} s makes the lattice unstable; "
            f"set {largest:.3g} s or less, or make the body softer or its cells larger"
        )
    return step


def advance(
    model: Model,
    state: State,
    surroundings: Surroundings,
    step: float,
    count: int,
    integrator: Integrator = LEAPFROG,
) -> int:
    """Take up to ``count`` steps, until a bond is longer than its limit. All array shapes stay the same.

    Args:
        model: The lattice.
        state: Changed in place.
        surroundings: External loads and obstacles.
        step: s.
        count: Largest number of steps.
        integrator: The scheme.

    Returns:
        Number of steps taken. It is below ``count`` when ``fracture`` must be called next.

    Raises:
        SettingsError: The step is larger than the largest stable one.

    Notes:
        Norton et al. 1991, "Dynamics", and Sweeney et al. 1991, section 5.1 (the time operator). Leapfrog replaces the
        papers' Euler method.

    Example:
        A rope of two cells falls freely.

        >>> import numpy as np
        >>> from fracture_addon.core.methods.lattice.cells.cells import lattice_of_cells
        >>> from fracture_addon.core.methods.lattice.model import model_of
        >>> points, volumes = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([1e-3, 1e-3])
        >>> rope = lattice_of_cells(points, np.array([[0, 1], [1, 2]]), volumes, "rope", regular=True)
        >>> model = model_of(rope, density=1000.0, young_modulus=1e6)
        >>> state = initial_state(model)
        >>> gravity = np.array([0.0, 0.0, -9.81])
        >>> advance(model, state, Surroundings(gravity), 0.5 * model.largest_step, 10)
        10
        >>> bool(np.allclose(state.velocities[:, 2], -9.81 * state.time))
        True
    """
    step = checked_step(model, step, surroundings.stiffness)
    gravity = np.asarray(surroundings.gravity, float)

    stages = iter(integrator.stages)

    def forces(positions: np.ndarray, velocities: np.ndarray) -> tuple[np.ndarray, bool]:
        over = _bond_forces(model, state, surroundings.stiffness, positions, velocities)
        return external_forces(model, state, surroundings, positions, velocities, next(stages)), over

    masses = np.where(model.fixed, np.inf, model.masses)

    def friction() -> None:
        for obstacle in surroundings.obstacles:
            obstacle.apply_friction(state.positions, state.velocities, masses, step)
        collisions.apply_friction(model, state, step)

    plastic = bool(np.isfinite(model.yield_stretch).any())
    for done in range(count):
        collisions.renew_if_moved(model, state)
        stages = iter(integrator.stages)
        for obstacle in surroundings.obstacles:
            obstacle.start_step()
        may_touch = surroundings.obstacles or len(state.contacts.pairs)
        if not integrator.advance(model, state, gravity, forces, friction if may_touch else None, step):
            return done
        state.time += step
        for obstacle in surroundings.obstacles:
            obstacle.finish_step(step)
        if plastic:
            creep(model, state, step)
    return count


def run(
    model: Model,
    state: State,
    surroundings: Surroundings,
    step: float,
    count: int,
    integrator: Integrator = LEAPFROG,
    tips: CrackTips | None = None,
) -> int:
    """Take steps, and break bonds beyond their limit.

    Args:
        model: The lattice.
        state: Changed in place.
        surroundings: External loads and obstacles.
        step: s.
        count: Number of steps.
        integrator: The scheme.
        tips: Thresholds around cracks; ``None`` to keep those of sound material.

    Returns:
        Number of broken bonds.

    Raises:
        SettingsError: The step is larger than the largest stable one.

    Notes:
        Norton et al. 1991 and Sweeney et al. 1991, sections 5.1 and 5.2: the time and the breaking operator in turn.

    Example:
        A rope is 20 % longer than at rest, and breaks at 10 %.

        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6, thresholds=0.1)
        >>> state = initial_state(model)
        >>> state.positions[1, 0] = 1.2
        >>> run(model, state, Surroundings(), 0.001, 5), state.alive.tolist()
        (1, [False])
    """
    broken = 0
    while count:
        most = tips.steps(step, count) if tips is not None and tips.update(state) else count
        taken = advance(model, state, surroundings, step, most, integrator)
        count -= taken
        if taken < most:
            rows = overloaded(model, state)
            if not len(rows):
                # The kernel rounds differently. Break the bond at its limit too, or no further step would be taken.
                rows = np.array([np.argmax(lengths(model, state) - state.limits)])
            if tips is not None:
                rows = tips.add(state, rows)
            broken += len(fracture(model, state, rows))
    return broken


def creep(model: Model, state: State, step: float) -> None:
    """Let bonds flow plastically: rest lengths follow the strain beyond the yield stretch.

    Args:
        model: Yield stretch, and rate of creep, 1/s.
        state: Changed in place.
        step: s.

    Notes:
        Norton et al. 1991: a rest length that varies.

    Example:
        A rope is 3 % longer than at rest and yields at 1 %. Its rest length takes up the excess at once, at most.

        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> lattice = lattice_of_cells(*rope, "rope", regular=True)
        >>> model = model_of(lattice, 1000.0, 1e6, yield_stretch=0.01, creep_rate=10.0)
        >>> state = initial_state(model)
        >>> state.positions[1, 0] = 1.03
        >>> creep(model, state, 0.05)  # half of the excess
        >>> state.rest_lengths.round(6).tolist()
        [1.01]
    """
    stretch = lengths(model, state) / state.rest_lengths - 1.0
    excess = np.sign(stretch) * np.maximum(np.abs(stretch) - model.yield_stretch, 0.0)
    factor = 1.0 + np.minimum(np.multiply(model.creep_rate, step), 1.0) * excess
    state.rest_lengths *= np.where(state.alive, factor, 1.0)
    thresholds = model.thresholds * state.threshold_factors
    state.limits = np.where(state.alive, state.rest_lengths * (1.0 + thresholds), np.inf)


def external_forces(
    model: Model,
    state: State,
    surroundings: Surroundings,
    positions: np.ndarray,
    velocities: np.ndarray,
    share: float = 1.0,
) -> np.ndarray:
    """Compute all forces except those of bonds, gravity and friction.

    Args:
        model: The lattice.
        state: Supplies the contacts.
        surroundings: Node forces and obstacles.
        positions: (N, 3) m.
        velocities: (N, 3) m/s.
        share: Weight of these forces in the step, for the obstacles.

    Returns:
        (N, 3) N, or (0, 3) where there are none. Callers must not change the array. The next call overwrites it.
    """
    if not surroundings.obstacles and not len(state.contacts.pairs):
        return NO_FORCES if surroundings.node_forces is None else surroundings.node_forces
    forces = state.scratch.outer
    if surroundings.node_forces is None:
        forces.fill(0.0)
    else:
        forces[:] = surroundings.node_forces
    for obstacle in surroundings.obstacles:
        obstacle.push(positions, velocities, forces, share)
    collisions.add_forces(model, state, positions, forces)
    return forces


def _bond_forces(
    model: Model, state: State, scale: float | np.ndarray, positions: np.ndarray, velocities: np.ndarray
) -> bool:
    """Write the bond forces to ``state.scratch.partial``; return whether a bond is longer than its limit."""
    stiffness, damping = state.stiffness, state.damping
    if np.any(scale != 1.0):
        stiffness, damping = scale * stiffness, scale * damping
    return bond_forces(
        positions, velocities, model.runs, state.rest_lengths, stiffness, damping, state.limits, state.scratch.partial
    )
