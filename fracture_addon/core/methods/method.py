"""The interface of a fracture method.

A method is a package with a subclass of ``Method``, and a row in ``table.METHODS``. Its model is constant and its state
varies. Methods never import one another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.errors import SettingsError
from ..data.impact import Impact
from ..data.job import Body, Job
from ..data.material import Material
from ..data.progress import CrackWatch, ShareProgress
from ..data.settings.settings import FillSettings, ModelSettings, StrikeSettings
from ..data.solid import SolidModel
from ..data.steady_load import SteadyLoad
from ..data.stress_window import StressWindow
from ..data.surface import Surface
from ..data.thin import Thin
from ..meshing.filling.cell_sizes import Spread
from ..meshing.filling.tetrahedralize import tetrahedralize
from .rigid_components import Cells
from .whole_shot import Colliders, WholeShot

NO_WEIGHT = "only a network with full bonds can carry its own weight; choose these, or clear Own Weight"


class Solver:
    """Factors, caches and threads that impacts on one model reuse. They save time; no result depends on them."""

    def make_ready(self) -> None:
        """Prepare for the next impact on the unbroken body; by default, do nothing."""
        return None

    def holding(self, held: np.ndarray) -> Self:
        """Return a new solver for the unbroken body in which the cells ``held`` (H,) do not move.

        Raises:
            SettingsError: The method, or its kind of bonds, does not compute weight.
        """
        raise SettingsError(NO_WEIGHT)


# A method's constant data of a body, and its solver.
ModelT = TypeVar("ModelT")
SolverT = TypeVar("SolverT", bound=Solver)


@dataclass(frozen=True)
class Prepared:
    """A body that is ready for impacts.

    Attributes:
        model: The method's constant data of the body.
        solver: Solver that impacts on it reuse.
    """

    model: Any
    solver: Solver

    def make_ready(self) -> None:
        """See ``Solver.make_ready``."""
        self.solver.make_ready()


# For a body that is never checked for breaks.
UNPREPARED = Prepared(None, Solver())


@dataclass(frozen=True)
class RigidMotion(ReadOnlyArrays):
    """Velocity (3,) m/s of a centre of mass, and angular velocity (3,) rad/s, in rest space."""

    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(frozen=True)
class Break(ReadOnlyArrays):
    """Result of an impact on a body.

    Attributes:
        fragment_of_cell: (C,) int32, 0..N-1 by falling mass; all 0 if nothing broke. One per cell of ``solid``, or, if
            that is ``None``, per cell of the solid that the model was built from.
        velocity, angular_velocity: (N, 3), m/s and rad/s of each fragment's centre of mass, right after the impact.
        load_factor: Peak load over the load that first breaks something.
        solve_count: Number of linear solves; with finite elements, of checks for cracks.
        dust_count: Number of dust fragments before they are merged or dropped.
        dust_volume: Their share of the mass, which at uniform density is their share of the volume.
        kept: (N,) bool, False for a fragment that vanishes (dropped dust).
        crushed: Share of the mass in material that broke into pieces smaller than a cell.
        part_of_cell: (C,) int32, different numbers on the two sides of each crack, also where reinforcement holds both
            sides in one fragment; ``None`` if none does.
        solid: The body in rest space on the cells into which the method divided it, padding included; ``None`` when its
            cells are unchanged.
        origin: (3,) m, point of the strongest impact, rest space; ``table.strike`` sets it.
    """

    fragment_of_cell: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    load_factor: float
    solve_count: int
    dust_count: int
    dust_volume: float
    kept: np.ndarray
    crushed: float = 0.0
    part_of_cell: np.ndarray | None = None
    solid: SolidModel | None = None
    origin: np.ndarray | None = None

    @property
    def broken(self) -> bool:
        """Whether there are cracks between fragments, or between parts of a fragment."""
        return len(self.velocity) > 1 or self.part_of_cell is not None

    def is_cracked(self, fragment: int) -> bool:
        """Return whether reinforcement holds parts of a fragment together."""
        return self.part_of_cell is not None and bool(np.ptp(self.part_of_cell[self.fragment_of_cell == fragment]) > 0)

    @property
    def piece_count(self) -> int:
        """Number of fragments that are kept, or of parts that cracks divide them into."""
        if self.part_of_cell is None:
            return int(np.count_nonzero(self.kept))
        return len(np.unique(self.part_of_cell[self.kept[self.fragment_of_cell]]))


class Method(ABC, Generic[ModelT, SolverT]):
    """Interface between the timeline and a method."""

    def check(self, body: Body, /) -> None:
        """Refuse a body whose settings the method cannot compute; by default, refuse none.

        Raises:
            SettingsError: The message names the setting and its limit.
        """
        return None

    def discretise(self, surface: Surface, settings: FillSettings, /) -> SolidModel:
        """Fill a closed surface with cells; by default, tetrahedra between random points that keep a minimum distance.

        Raises:
            InvalidMeshError: The surface cannot be filled.
        """
        return tetrahedralize(surface, settings.filling.cell_count, settings.seed, Spread.of(settings.filling))

    def discretise_thin(self, thin: Thin, seed: int, /) -> SolidModel:
        """Divide a rope, a sheet or a shell into cells.

        Raises:
            SettingsError: The method has no thin bodies.
        """
        raise SettingsError(f"a {thin.kind} can only be a lattice; choose the method Lattice")

    @abstractmethod
    def build(self, solid: SolidModel, material: Material, settings: ModelSettings, /) -> ModelT:
        """Build the constant model of a solid, which any number of impacts can use."""

    @abstractmethod
    def solver(self, model: ModelT, /) -> SolverT:
        """Return a new solver for the impacts on a model."""

    @abstractmethod
    def cells(self, model: ModelT, /) -> Cells:
        """Return the cells of a model as rigid bodies."""

    @abstractmethod
    def critical_force(
        self,
        model: ModelT,
        settings: StrikeSettings,
        impacts: Sequence[Impact],
        progress: ShareProgress | None = None,
        /,
        *,
        solver: SolverT | None = None,
    ) -> float:
        """Return the force, N, at which simultaneous impacts first break something; see ``table.critical_force``."""

    @abstractmethod
    def strike(
        self,
        model: ModelT,
        settings: StrikeSettings,
        motion: RigidMotion,
        impacts: Sequence[Impact],
        /,
        *,
        progress: ShareProgress | None = None,
        watch: CrackWatch | None = None,
        solver: SolverT | None = None,
    ) -> Break:
        """Break a body by impacts that load it; see ``table.strike``."""

    def stand(
        self, model: ModelT, settings: StrikeSettings, motion: RigidMotion, load: SteadyLoad, solver: SolverT, /
    ) -> Break:
        """Break a held body by a steady load; see ``table.stand``.

        Raises:
            SettingsError: The method does not compute weight: the default.
        """
        raise SettingsError(NO_WEIGHT)

    def dent(
        self,
        model: ModelT,
        solid: SolidModel,
        material: Material,
        settings: StrikeSettings,
        impacts: Sequence[Impact],
        most: float,
        solver: SolverT,
        /,
    ) -> np.ndarray | None:
        """Return the dent that impacts leave in a ductile body that they do not break.

        Args:
            model: Model of the body.
            solid: What it was built from.
            material: Material of the body, with its flow.
            settings: Settings of the body.
            impacts: Simultaneous impacts.
            most: Depth at which the dent ends, m.
            solver: Solver of the model.

        Returns:
            (P, 3) m, permanent displacement of the points of ``solid``; ``None`` (the default) if the method does not
            bend bodies.
        """
        return None

    @abstractmethod
    def stress_window(
        self,
        model: ModelT,
        solid: SolidModel,
        settings: StrikeSettings,
        impacts: Sequence[Impact],
        progress: ShareProgress | None = None,
        /,
        *,
        solver: SolverT | None = None,
    ) -> StressWindow:
        """Return stress and cracks while ``strike`` breaks a body; ``solid`` is what ``model`` was built from."""

    def strength(self, model: ModelT, material: Material, settings: ModelSettings, /) -> float:
        """Return the tension, Pa, at which a model breaks where its strength is not varied."""
        return material.tensile_strength

    def whole_shot(self, models: Sequence[ModelT], job: Job, colliders: Colliders, /) -> WholeShot:
        """Return the deformable bodies of a scene; see ``Capabilities.deformable``.

        Args:
            models: Model of each body.
            job: The bodies with their closed surfaces, glue, wind and gravity.
            colliders: The rigid bodies around them.

        Raises:
            SettingsError: The method has no deformable bodies, or a setting is invalid.
        """
        raise SettingsError("the method cannot simulate deformable bodies; choose another method")
