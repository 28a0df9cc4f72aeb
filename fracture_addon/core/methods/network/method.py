"""Networks of rigid bonds: Smith, Witkin and Baraff 2001, with full bonds by default."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.material import Material
from ...data.progress import CrackWatch, ShareProgress
from ...data.settings.settings import StrikeSettings
from ...data.solid import SolidModel, outer_faces
from ...data.steady_load import SteadyLoad
from ..break_result import split, with_smallest_fragment
from ..method import Break, Method, RigidMotion
from ..rigid_components import Cells
from ..surface_cracks import lines_on_surface
from .advance import finish, initial_state, weighted_state
from .critical_load import critical_force, next_failure
from .dent import dent
from .full_glue import FullGlue
from .glue import Glue
from .impact_window import follow
from .model import Model, build
from .release import release
from .state import ImpactLoad, State
from .stress import stress_window

# Smallest fragment of full bonds, in cells of mean volume. With 3, the number of fragments does not depend on the cells
# (docs/decisions/energy_limited_force.md); with 4 a plate that falls 1 m breaks into 4.4 to 5.3 fragments
# instead of 5.2 to 5.4.
SMALLEST_FRAGMENT = 3.0


def strike(
    model: Model,
    settings: StrikeSettings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    progress: ShareProgress | None = None,
    watch: CrackWatch | None = None,
    solver: Glue | None = None,
) -> Break:
    """Break a body by simultaneous impacts; see ``table.strike``.

    A static or kinematic body is computed like a free one: inertia balances the load.
    """
    impact_load, state = initial_state(model, impacts, settings, solver)
    critical = next_failure(state)
    for share in follow(model, state, impact_load, settings):
        if progress:
            progress(share)
        if watch:
            watch(lambda: _crack_lines(model, state))
    state = finish(model, state, impact_load)
    return release(model, state, _result(model, settings, motion, impact_load, critical, state))


def _crack_lines(model: Model, state: State) -> np.ndarray:
    """Return the lines (L, 2, 3) m along which broken bonds meet the surface."""
    broken = model.solid.faces[~state.alive[: model.tie_start]]
    return lines_on_surface(model.solid.points, broken, outer_faces(model.solid.cells)[0])


def stand(model: Model, settings: StrikeSettings, motion: RigidMotion, load: SteadyLoad, solver: Glue) -> Break:
    """Break a held body by a steady load; see ``table.stand``.

    The load rises from one failing bond to the next. Fragments without a held cell fall: they carry nothing.
    """
    impact_load, state = weighted_state(model, load, solver)
    critical = next_failure(state)
    for _ in follow(model, state, impact_load, settings):
        pass
    return _result(model, settings, motion, impact_load, critical, state)


def _result(
    model: Model, settings: StrikeSettings, motion: RigidMotion, impact_load: ImpactLoad, critical: float, state: State
) -> Break:
    """Return the fragments of a body that breaks no further; ``critical`` is its critical load, N.

    Point bonds keep single cells, as the paper does.
    """
    if model.kind is FullGlue:
        settings = with_smallest_fragment(settings, SMALLEST_FRAGMENT, len(model.cells.masses))
    return split(
        model.cells,
        model.pairs,
        model.areas,
        state.alive,
        state.impulses,
        state.spins,
        motion,
        settings,
        load_factor=impact_load.peak_load / critical if critical else 0.0,
        solve_count=state.solve_count,
        tie_start=model.tie_start,
    )


class Network(Method[Model, Glue]):
    """Network of bonds between rigid cells: the default method."""

    build = staticmethod(build)

    def solver(self, model: Model) -> Glue:
        """Return a solver with the factor of the unbroken body."""
        return model.unloaded()

    def cells(self, model: Model) -> Cells:
        """Return the cells."""
        return model.cells

    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stand = staticmethod(stand)
    stress_window = staticmethod(stress_window)

    def dent(
        self,
        model: Model,
        solid: SolidModel,
        material: Material,
        settings: StrikeSettings,
        impacts: Sequence[Impact],
        most: float,
        solver: Glue,
    ) -> np.ndarray | None:
        """See ``Method``. Point bonds are rigid: they do not flow."""
        if not isinstance(solver, FullGlue):
            return None
        return dent(model, solid, material, settings, impacts, most, solver)
