"""Fracture of a network under its present load (Smith et al. 2001, sections 3.3 and 3.4)."""

from __future__ import annotations

import numpy as np

from ...data.settings.settings import StrikeSettings
from ..rigid_components import find_components
from .advance import pressure_on
from .crack_advance import CrackAdvance
from .crack_growth import Tips, carry, growth_of, weaken
from .model import Model
from .release import limited
from .state import ImpactLoad, State

# Distance that a crack advances per solve (crack advance, O'Brien and Hodgins 2000): the first number in wall
# thicknesses, but at least the second in cell sizes. Insensitive: mean counts of fragments stay within the scatter of
# seeds with half and twice either value (docs/decisions/constants.md).
ADVANCE_WALLS, ADVANCE_CELLS = 4.0, 2.0
# Length of the crack that one broken bond makes, in cells. Insensitive from 0.5 to 0.84: mean counts of fragments
# stay within the scatter of seeds (docs/decisions/constants.md).
BOND_LENGTH = 0.7
# Distance over which a break releases stress: in wall thicknesses, as with finite elements, but at most a share of the
# body's diagonal, because a crack of one round is short in a thick body; at least one cell. Tuned: where a ball hits a
# block of 2,000 cells at four times its critical load, shares of 0.07, 0.09 and 0.12 give 83, 85 and 46 fragments; with
# 0.12 the number depends least on the cells (docs/decisions/energy_limited_force.md).
RELEASE_WALLS, RELEASE_SHARE = 4.0, 0.12
# Length over which a crack tip loses its stress concentration, in wall thicknesses. Tuned: 8 stays within the scatter
# of seeds; 2 gives a third of the fragments where a ball hits a block (docs/decisions/constants.md).
CARRY_WALLS = 4.0


def break_up(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings, overload: float) -> State:
    """Break bonds at a prescribed load until no burden exceeds ``overload`` times the strength of its bond.

    Args:
        model: The network.
        state: State to change.
        impact_load: Load of the impacts.
        settings: ``bonds`` and the settings of crack growth.
        overload: Ratio of burden to strength; infinite for one round of breaks.

    Returns:
        The state.

    Notes:
        Smith et al. 2001, section 3.3.

    Example:
        A bond of almost no strength breaks under a load of 1 N.

        >>> from ...data.impact import Impact
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .advance import initial_state
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0)
        >>> impact_load, state = initial_state(model, [impact], Settings())
        >>> state.strengths = np.array([1e-9])
        >>> break_up(model, state, impact_load, Settings(), 1.0).parts.masses.round(6).tolist()
        [400.0, 400.0]
    """
    for _ in range(len(state.alive)):
        state, broken = fracture(model, state, impact_load, settings)
        if not len(broken) or (overload > 1.0 and state.demand(1.0) < overload):
            break
    return state


def fracture(model: Model, state: State, impact_load: ImpactLoad, settings: StrikeSettings) -> tuple[State, np.ndarray]:
    """Break overloaded bonds and advance their cracks, without a new solve for the forces.

    Args:
        model: The network; F bonds.
        state: State to change.
        impact_load: Load of the impacts.
        settings: ``bonds`` and the settings of crack growth.

    Returns:
        The state, and the bonds (K,) that broke; none if no bond is overloaded.

    Raises:
        SettingsError: ``crack_function`` is unknown.
        SolverDivergedError: The forces of the present load do not converge.

    Notes:
        Smith et al. 2001, sections 3.3 and 3.4, with crack advance after O'Brien and Hodgins 2000: select overloaded
        bonds, break them, weaken their neighbours, estimate the stress at the new crack tips, and repeat.

    Example:
        >>> from ...data.impact import Impact
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .advance import initial_state
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0)
        >>> impact_load, state = initial_state(model, [impact], Settings())
        >>> fracture(model, state, impact_load, Settings())[1].tolist()
        []
        >>> state.strengths = np.array([1e-9])
        >>> fracture(model, state, impact_load, Settings())[1].tolist()
        [0]
    """
    burden, broken = state.burden(), np.empty(0, np.int64)
    beside_crack = state.strengths < model.strengths
    growth = growth_of(settings, model.size_effect, state.glue)
    cracks = CrackAdvance(model.face_centers, max(ADVANCE_WALLS * model.wall, ADVANCE_CELLS * model.cell_size))
    reach = _release_reach(model)
    losses = np.minimum(1.0, model.sizes / (CARRY_WALLS * model.wall))
    for _ in range(state.glue.advances(len(state.alive))):
        demand = np.where(state.alive & cracks.allowed, burden / state.strengths, 0.0)
        rows = state.glue.select(demand, broken, model.face_centers, model.normals, model.sizes, reach)
        if not len(rows):
            break
        state.alive[rows] = False
        cracks.add(rows)
        tips = Tips.of(rows, model.neighbours, model.normals, growth)
        state.strengths = weaken(state.strengths, model.reached_strengths, tips)
        burden = carry(burden, tips, losses)
        cracks.reach(tips)
        broken = np.concatenate([broken, rows])
    if not len(broken):
        return state, broken
    state.tension[broken] = limited(state.glue.tension(broken), model.reached_strengths[broken])
    state.beside_crack[broken] = beside_crack[broken]
    state.glue.remove(broken)
    state.parts = find_components(model.cells, model.pairs[state.alive])
    if not impact_load.is_steady:
        state.pressure = pressure_on(model, state.parts, impact_load.impacts)
    state.is_settled, state.crack_length = False, cracks.length + BOND_LENGTH * model.cell_size
    return state, broken


def _release_reach(model: Model) -> float:
    """Return the distance over which a break releases stress, m."""
    diagonal = float(np.linalg.norm(np.ptp(model.cells.centers, axis=0)))
    return max(model.cell_size, min(RELEASE_WALLS * model.wall, RELEASE_SHARE * diagonal))
