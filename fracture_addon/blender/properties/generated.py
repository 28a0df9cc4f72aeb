"""Blender properties from the table of settings."""

from __future__ import annotations

import math
from typing import Any

from ...core.data.settings.setting import Setting, table
from .overridable import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

# Units that Blender shows itself; others are part of the name.
SHOWN_UNITS = ("", "m", "fraction")


def properties(*groups: type) -> type:
    """Return a class with a Blender property for each setting of some groups, to inherit from.

    Args:
        groups: Dataclasses whose fields are rows of the table.
    """
    found = {}
    for field, (row, default) in (item for group in groups for item in table(group).items()):
        name = row.property or field
        found[name] = property_of(row, default)
        if row.scaled is not None:
            found[row.scaled_property(field)] = _scaled(name, row)
    return type("TableProperties", (), {"__annotations__": found})


def property_of(row: Setting, default: Any) -> Any:
    """Return the Blender property of a row of the table."""
    shown = row.name if row.unit in SHOWN_UNITS else f"{row.name} ({row.unit})"
    texts: dict[str, Any] = {"name": shown, "description": row.description, "default": default}
    if row.choices:
        items = [(choice.value.upper(), choice.name, choice.description) for choice in row.choices]
        return EnumProperty(**{**texts, "default": default.upper()}, items=items)
    if isinstance(default, str):
        return StringProperty(**texts)
    if isinstance(default, bool):
        return BoolProperty(**texts)
    limits: dict[str, Any] = {
        "min": row.low if row.panel_low is None else row.panel_low,
        "max": row.high,
        "soft_min": row.soft_low,
        "soft_max": row.soft_high,
        "step": row.step,
    }
    if not row.clamped:
        limits = {**limits, "min": None, "max": None}
    chosen: dict[str, Any] = {key: value for key, value in limits.items() if value is not None and math.isfinite(value)}
    if isinstance(default, int):
        return IntProperty(**texts, **chosen)
    look: dict[str, Any] = {"precision": row.precision} if row.precision is not None else {}
    look |= {"m": {"subtype": "DISTANCE", "unit": "LENGTH"}, "fraction": {"subtype": "FACTOR"}}.get(row.unit, {})
    return FloatProperty(**texts, **chosen, **look)


def _scaled(stored: str, row: Setting) -> Any:
    """Return a property that reads and writes the property ``stored`` in another unit."""
    assert row.scaled is not None
    unit, size = row.scaled

    def read(group: Any) -> float:
        return getattr(group, stored) / size

    def write(group: Any, value: float) -> None:
        setattr(group, stored, value * size)

    return FloatProperty(
        name=f"{row.name} ({unit})",
        description=row.scaled_description,
        get=read,
        set=write,
        soft_min=0.0,
        soft_max=row.scaled_soft_high,
        precision=2,
        options={"SKIP_SAVE"},
    )
