"""A grid of variations: two settings of the table with a few values each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import bpy

from ...core.data.errors import SettingsError
from ...core.data.job import Body, Job
from ...core.data.material import Material
from ...core.data.settings.setting import Setting, table
from ...core.data.settings.settings import all_rows
from ..read import settings
from . import named_settings
from .named_settings import NamedSetting

# Most values of a setting that the artist writes. Chosen: the pictures of more are too small in the sidebar.
MOST_VALUES = 5


@dataclass(frozen=True)
class Axis:
    """A setting that variations can differ in.

    Attributes:
        field: Name of its field in ``Settings`` or ``Material``.
        row: Its row of the table.
        is_material: Whether it belongs to the material.
    """

    field: str
    row: Setting
    is_material: bool

    @property
    def name(self) -> str:
        """Name of its property, in the unit that the panel shows."""
        return self.row.scaled_property(self.field) or self.row.property or self.field

    @property
    def label(self) -> str:
        """Name with the unit."""
        unit = self.row.scaled[0] if self.row.scaled is not None else self.row.unit
        return f"{self.row.name} ({unit})" if unit not in ("", "fraction") else self.row.name

    def changed(self, body: Body, value: Any) -> Body:
        """Return a body with a value of the property.

        Raises:
            SettingsError: The value is invalid.
        """
        if self.row.choices:
            value = value.lower()
        elif self.row.scaled is not None:
            value *= self.row.scaled[1]
        if self.is_material:
            return replace(body, material=replace(body.material, **{self.field: value}))
        return replace(body, settings=body.settings.changed(**{self.field: value}))


@cache
def axes() -> dict[str, Axis]:
    """Return all settings but the number of cells, which is low in variations, by the name of their property."""
    found = [Axis(field, row, False) for field, (row, _) in all_rows().items() if field != "cell_count"]
    found += [Axis(field, row, True) for field, (row, _) in table(Material).items()]
    return {axis.name: axis for axis in found}


@dataclass(frozen=True)
class Grid:
    """Values of two settings.

    Attributes:
        down: Values of the rows.
        across: Values of the columns.
    """

    down: tuple[NamedSetting, ...]
    across: tuple[NamedSetting, ...]

    def cells(self) -> list[tuple[NamedSetting, NamedSetting]]:
        """Return the values of each variation, row by row."""
        return list(itertools.product(self.down, self.across))

    def jobs(self, job: Job) -> list[Job]:
        """Return the job of each variation, at the detail of ``job``.

        Raises:
            SettingsError: A value is invalid.
        """
        return [replace(job, bodies=tuple(_changed(body, cell) for body in job.bodies)) for cell in self.cells()]


def read(objects: Sequence[Any], choices: Sequence[tuple[str, str]], most: int = MOST_VALUES) -> Grid:
    """Return the grid for two settings.

    Args:
        objects: Objects to break; the first one gives values that are not written.
        choices: Name and written values of each setting: that of the rows, that of the columns.
        most: Most values of a setting.

    Raises:
        SettingsError: A value is invalid or has no effect, or there are too many.
    """
    if choices[0][0] == choices[1][0]:
        raise SettingsError(f"Rows and columns both vary {choices[0][0]}; choose another setting for one of them")
    down, across = (_values(objects, name, text or proposal(objects[0], name), most) for name, text in choices)
    return Grid(down, across)


def proposal(obj: Any, name: str) -> str:
    """Return values around that of an object: half and twice a number, the next seeds, the first choices.

    Of the violence it is the value, twice and four times the value.
    """
    declared: Any = obj.fracture.bl_rna.properties[name]
    value = getattr(obj.fracture, name)
    if declared.type == "BOOLEAN":
        values: list[Any] = [False, True]
    elif declared.type == "ENUM":
        values = [item.identifier for item in declared.enum_items][:3]
    elif name == "seed":
        values = [value, value + 1, value + 2]
    else:
        low, high = declared.soft_min, declared.soft_max
        # With less violence often nothing breaks, and Break Anyway then gives the same pieces as with the value.
        least = value if name == "violence" else 0.5 * value
        values = [least, 2.0 * least, 4.0 * least] if value else [low, 0.5 * (low + high), high]
        kind = int if declared.type == "INT" else settings.plain
        values = [kind(min(max(number, low), max(high, value))) for number in values]
    return ", ".join(dict.fromkeys(map(named_settings.as_text, values)))


def _values(objects: Sequence[bpy.types.Object], name: str, text: str, most: int) -> tuple[NamedSetting, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not 1 <= len(parts) <= most:
        raise SettingsError(f"{name} has {len(parts)} values; write 1 to {most}, separated by commas")
    found = tuple(named_settings.read(f"{name}={part}") for part in parts)
    if unused := named_settings.unused(objects, found[:1]):
        raise SettingsError(f"{unused[0]}; choose another setting")
    return found


def _changed(body: Body, cell: Sequence[NamedSetting]) -> Body:
    for setting in cell:
        body = axes()[setting.declared.identifier].changed(body, setting.value)
    return body
