"""What every way of breaking has in common, and the table of them.

A method is a package with four functions, ``build``, ``strike``, ``critical_force`` and ``look_inside``, and a fifth,
``discretise``, where it wants cells of its own; ``NEEDS_PADDING = False`` says that it builds on cells alone. Behind
them its ``Model`` is constant and its ``State`` varies; methods never import one another.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from ..data.impact import Impact
from ..data.job import Settings
from ..data.material import Material
from ..data.solid import SolidModel
from ..data.stress import StressWindow
from ..data.surface import Surface
from ..meshing.filling.cell_sizes import Spread
from ..meshing.filling.tetrahedralize import tetrahedralize

METHODS = {"network": ".network", "lattice": ".lattice", "fem": ".fem"}

Progress = Callable[[float], None]


@dataclass(frozen=True)
class RigidMotion:
    """Velocity (3,) m/s of a centre of mass, and angular velocity (3,) rad/s, in rest space."""

    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(frozen=True)
class Break:
    """What a blow made of a body.

    Attributes:
        fragment_of_cell: (C,) int32, 0..N-1 by falling volume; all 0 where nothing broke. One a cell of ``solid``, or
            where that is ``None`` of the solid that the model was built of.
        velocity, angular_velocity: (N, 3), of each fragment's centre of mass, right after the blow.
        load_factor: Peak load over the load that first breaks something.
        solve_count: Linear solves it took.
        dust_count: Fragments that were merged or dropped.
        dust_volume: Share of the volume they had.
        kept: (N,) bool, False for a fragment that is to vanish (dust to drop).
        solid: The same body in rest space on the cells that the method divided it into as it cracked, padding included;
            ``None`` when its cells are as they were.
        origin: (3,) where the strongest of the blows fell, rest space; a method leaves it to ``strike``.
    """

    fragment_of_cell: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    load_factor: float
    solve_count: int
    dust_count: int
    dust_volume: float
    kept: np.ndarray
    solid: SolidModel | None = None
    origin: np.ndarray | None = None

    @property
    def broken(self) -> bool:
        """Whether there is more than one fragment."""
        return len(self.velocity) > 1


def named(name: str) -> ModuleType:
    """The package of a method, with the functions that a method has."""
    return importlib.import_module(METHODS[name], __package__)


def discretise(surface: Surface, settings: Settings) -> SolidModel:
    """Fill a closed surface with cells: the method's own way, or else tetrahedra on points of their own.

    Raises:
        InvalidMeshError: The surface cannot be filled.
    """
    own = getattr(named(settings.method), "discretise", None)
    if own:
        return own(surface, settings)
    return tetrahedralize(surface, settings.cell_count, settings.seed, Spread.of(settings))


def build(solid: SolidModel, material: Material, settings: Settings):
    """The constant model of a solid, ready to be struck any number of times."""
    return named(settings.method).build(solid, material, settings)


def needs_padding(settings: Settings) -> bool:
    """Whether a method has to know of a solid's padding to build a model of it."""
    return getattr(named(settings.method), "NEEDS_PADDING", True)


def strike(
    model,
    settings: Settings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    held: bool = False,
    progress: Progress | None = None,
) -> Break:
    """Break a body by one or more blows that fall together.

    Args:
        model: From ``build``.
        settings: Of the body.
        motion: Of the whole body right before the blow.
        impacts: Their loads, before ``settings.violence`` scales them.
        held: The body is anchored: inertia does not balance the load, the anchor does.
        progress: Called with a share from 0 to 1.
    """
    result = named(settings.method).strike(model, settings, motion, impacts, held=held, progress=progress)
    return replace(result, origin=max(impacts, key=lambda impact: impact.peak_force).point)


def critical_force(model, settings: Settings, impact: Impact, progress: Progress | None = None) -> float:
    """Peak force, newtons, at which ``impact`` (its point, direction and radius) first breaks something."""
    return named(settings.method).critical_force(model, settings, impact, progress)


def strength(model, material: Material, settings: Settings) -> float:
    """Pa, the tension that a model breaks at where nothing is placed or scattered."""
    own = getattr(named(settings.method), "strength", None)
    return own(model) if own else material.tensile_strength


def look_inside(
    model, solid: SolidModel, settings: Settings, impacts: Sequence[Impact], progress: Progress | None = None
) -> StressWindow:
    """What goes on in a body as ``strike`` breaks it by the same impacts; ``solid`` is what ``model`` was built of."""
    return named(settings.method).look_inside(model, solid, settings, impacts, progress)
