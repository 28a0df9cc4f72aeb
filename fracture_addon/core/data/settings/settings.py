"""All settings of a body, and the part of them that each stage takes as input."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Self, TypeVar

from .cracks import CrackSettings
from .filling import FillingSettings, RepairSettings
from .methods import FemSettings, LatticeSettings, NetworkSettings
from .motion import MotionSettings
from .pieces import PieceSettings
from .setting import Group, Setting, setting, table
from .strength import StrengthSettings
from .surface import SurfaceSettings


@dataclass(frozen=True)
class StageSettings(Group):
    """Base of the input of a stage: the method, the seed, and groups of settings.

    Attributes:
        method: A name in ``table.METHODS``.
    """

    method: str = "network"
    seed: int = setting(
        0,
        "Seed",
        "Seed of all random numbers. Change it to get different cracks; the same seed repeats the result",
        low=0,
    )

    def part(self, stage: type[Stage]) -> Stage:
        """Return the settings that a stage takes as input. Its results depend on no others."""
        return stage(**{item.name: getattr(self, item.name) for item in fields(stage)})

    def changed(self, **values: Any) -> Self:
        """Replace settings by their names, whichever group they are in: each name is in one group only.

        Raises:
            SettingsError: A value is invalid.
            TypeError: A name is not that of a setting.
        """
        found: dict[str, Any] = {}
        for group, kind in groups(type(self)).items():
            own = {item.name: values.pop(item.name) for item in fields(kind) if item.name in values}
            found |= {group: replace(getattr(self, group), **own)} if own else {}
        return replace(self, **found, **values)

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Return settings with these values by name, and defaults for all others."""
        return cls().changed(**values)


Stage = TypeVar("Stage", bound=StageSettings)


def groups(stage: type[StageSettings]) -> dict[str, type[Group]]:
    """Return the groups of a stage by the name of their field."""
    made: list[tuple[str, Any]] = [(item.name, item.default_factory) for item in fields(stage)]
    return {name: kind for name, kind in made if isinstance(kind, type) and issubclass(kind, Group)}


@dataclass(frozen=True)
class FillSettings(StageSettings):
    """Input of the filling of a surface with cells."""

    filling: FillingSettings = field(default_factory=FillingSettings)


@dataclass(frozen=True)
class ModelSettings(StageSettings):
    """Input of the model that a method builds from cells."""

    strength: StrengthSettings = field(default_factory=StrengthSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    lattice: LatticeSettings = field(default_factory=LatticeSettings)
    fem: FemSettings = field(default_factory=FemSettings)


@dataclass(frozen=True)
class StrikeSettings(ModelSettings):
    """Input of an impact on a model."""

    cracks: CrackSettings = field(default_factory=CrackSettings)
    pieces: PieceSettings = field(default_factory=PieceSettings)


@dataclass(frozen=True)
class Settings(StrikeSettings, FillSettings):
    """All settings of an object, without its material."""

    repair: RepairSettings = field(default_factory=RepairSettings)
    surface: SurfaceSettings = field(default_factory=SurfaceSettings)
    motion: MotionSettings = field(default_factory=MotionSettings)


@cache
def all_rows() -> dict[str, tuple[Setting, Any]]:
    """Return the table: the row and the default of each setting, by the name of its field."""
    kinds: tuple[type[Group], ...] = (StageSettings, *groups(Settings).values())
    return {name: row for kind in kinds for name, row in table(kind).items()}
