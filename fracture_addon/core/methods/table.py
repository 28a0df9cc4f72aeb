"""The table of methods, and calls to the method that an object's settings choose.

The panel reads the table too. A method is therefore imported only when a job first needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..data.choice import chosen
from .capabilities import Capabilities
from .fem.capabilities import CAPABILITIES as FEM
from .lattice.capabilities import CAPABILITIES as LATTICE
from .network.capabilities import CAPABILITIES as NETWORK

if TYPE_CHECKING:
    from ..data.impact import Impact
    from ..data.material import Material
    from ..data.progress import CrackWatch, ShareProgress
    from ..data.settings.settings import FillSettings, ModelSettings, StageSettings, StrikeSettings
    from ..data.solid import SolidModel
    from ..data.steady_load import SteadyLoad
    from ..data.stress_window import StressWindow
    from ..data.surface import Surface
    from .method import Break, Method, Prepared, RigidMotion, Solver


@dataclass(frozen=True)
class Row:
    """A method.

    Attributes:
        label: Its name in the panel and in messages.
        capabilities: Features that it supports.
        load: Function that imports it. Its compiled code takes about 0.3 s to load.
    """

    label: str
    capabilities: Capabilities
    load: Callable[[], Method[Any, Any]]

    @cached_property
    def method(self) -> Method[Any, Any]:
        """Method, imported at the first use."""
        return self.load()


def _network() -> Method[Any, Any]:
    from .network.method import Network

    return Network()


def _lattice() -> Method[Any, Any]:
    from .lattice.method import LatticeMethod

    return LatticeMethod()


def _fem() -> Method[Any, Any]:
    from .fem.method import FiniteElements

    return FiniteElements()


# One row per method, by ``Settings.method``.
METHODS: dict[str, Row] = {
    "network": Row("Network", NETWORK, _network),
    "lattice": Row("Lattice", LATTICE, _lattice),
    "fem": Row("Finite Elements", FEM, _fem),
}


def row(settings: StageSettings) -> Row:
    """Return the row of the method that an object's settings choose.

    Raises:
        SettingsError: There is no such method.
    """
    return chosen(METHODS, settings.method, "method")


def capabilities(settings: StageSettings) -> Capabilities:
    """Return the capabilities of the chosen method."""
    return row(settings).capabilities


def method(settings: StageSettings) -> Method[Any, Any]:
    """Return the chosen method."""
    return row(settings).method


def labels_with(supports: Callable[[Capabilities], bool]) -> str:
    """Return the labels of the methods that support something, for a message."""
    return " or ".join(item.label for item in METHODS.values() if supports(item.capabilities))


def first_with(supports: Callable[[Capabilities], bool]) -> str:
    """Return the name of the first method that supports something."""
    return next(name for name, item in METHODS.items() if supports(item.capabilities))


def discretise(surface: Surface, settings: FillSettings) -> SolidModel:
    """Fill a closed surface with the cells of the chosen method."""
    return method(settings).discretise(surface, settings)


def material_for(material: Material, settings: StageSettings) -> Material:
    """Return the material that the chosen method breaks: without flow, unless the method computes flow."""
    return material if capabilities(settings).plastic else material.without_flow()


def build(solid: SolidModel, material: Material, settings: ModelSettings) -> Any:
    """Build the constant model of a solid by the chosen method."""
    return method(settings).build(solid, material_for(material, settings), settings)


def prepare(solid: SolidModel, material: Material, settings: ModelSettings) -> Prepared:
    """Build the model of a solid and the solver for the impacts on it, by the chosen method."""
    from .method import Prepared

    model = build(solid, material, settings)
    return Prepared(model, method(settings).solver(model))


def strike(
    model: Any,
    settings: StrikeSettings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    progress: ShareProgress | None = None,
    watch: CrackWatch | None = None,
    solver: Solver | None = None,
) -> Break:
    """Break a body by one or more simultaneous impacts.

    Args:
        model: From ``build``.
        settings: Settings of the body.
        motion: Motion of the whole body right before the impacts.
        impacts: At least one.
        progress: Called with the share of the work that is done, 0 to 1.
        watch: Called after each round of breaks; it changes no result.
        solver: Solver of earlier impacts on the model; ``None`` for a new one.

    Returns:
        Fragments and their velocities.

    Notes:
        Smith et al. 2001, Norton et al. 1991, or O'Brien and Hodgins 1999, by ``settings.method``.

    Example:
        A tetrahedron of porcelain is hit at half the critical load, and at eight times the critical load.

        >>> import numpy as np
        >>> from ..data.impact import Impact
        >>> from ..data.material import PORCELAIN
        >>> from ..data.settings.settings import Settings
        >>> from ..data.surface import Surface
        >>> from .method import RigidMotion
        >>> corners = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> settings = Settings.of(cell_count=200)
        >>> model = build(discretise(surface, settings), PORCELAIN, settings)
        >>> unit = Impact([0.02, 0.02, 0], [0, 0, 1], impulse=0.5e-4, duration=1e-4, radius=0.01)
        >>> force = critical_force(model, settings, [unit])
        >>> still = RigidMotion(np.zeros(3), np.zeros(3))
        >>> [strike(model, settings, still, [replace(unit, load_factor=times * force)]).broken for times in (0.5, 8.0)]
        [False, True]
    """
    from .break_result import unbroken

    chosen_method = method(settings)
    loads = [impact for impact in impacts if impact.peak_force > 0.0]
    if loads:
        result = chosen_method.strike(model, settings, motion, loads, progress=progress, watch=watch, solver=solver)
    else:
        result = unbroken(chosen_method.cells(model), impacts, motion, 0.0)
    return replace(result, origin=max(impacts, key=lambda impact: impact.contact_force).point)


def stand(model: Any, settings: StrikeSettings, motion: RigidMotion, load: SteadyLoad, solver: Solver) -> Break:
    """Break the overloaded bonds of a held body under a steady load, until the held rest carries its load.

    Args:
        model: From ``build``.
        settings: Settings of the body.
        motion: Motion of the whole body.
        load: Forces on the cells, and the cells that are held.
        solver: From ``Solver.holding``, with the same cells; it keeps its factor for the next load.

    Returns:
        The fragments; one if the body stands. The load factor is the load over the one that first breaks something.
    """
    return method(settings).stand(model, settings, motion, load, solver)


def critical_force(
    model: Any,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Solver | None = None,
) -> float:
    """Return the sum of the peak forces, N, at which simultaneous impacts first break something, by the chosen method.

    Their forces keep their ratios, and their load factors do not matter. Impacts without momentum do not count. If no
    impact has momentum, all count as equal forces at zero speed.
    """
    loads = [impact for impact in impacts if impact.contact_force > 0.0]
    loads = loads or [replace(impact, impulse=0.5 * impact.duration, speed=0.0) for impact in impacts]
    return method(settings).critical_force(model, settings, loads, progress, solver=solver)


def strength(model: Any, material: Material, settings: ModelSettings) -> float:
    """Return the tension, Pa, at which a model breaks where its strength is not varied, by the chosen method."""
    return method(settings).strength(model, material_for(material, settings), settings)


def stress_window(
    model: Any,
    solid: SolidModel,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Solver | None = None,
) -> StressWindow:
    """Return stress and cracks while ``strike`` breaks a body by the same impacts, by the chosen method."""
    return method(settings).stress_window(model, solid, settings, impacts, progress, solver=solver)
