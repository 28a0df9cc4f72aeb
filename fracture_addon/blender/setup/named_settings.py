"""Read and list settings by name and text: all settings of objects and scenes that the panel has.

Lengths are in metres, also in scenes with another unit.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SettingsError
from ..properties import FractureObjectSettings
from ..properties.scene import FractureSceneSettings
from ..read import unused_settings
from ..read.settings import plain

FLAGS = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
# A limit of at least this size counts as none: Blender uses it for properties without a limit.
NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class NamedSetting:
    """A setting and its new value.

    Attributes:
        declared: Blender's definition of the property.
        value: A number, a flag, an enum identifier, a name, or a tuple of numbers.
    """

    declared: Any
    value: Any


def read(text: str) -> NamedSetting:
    """Parse ``name=value``.

    Raises:
        SettingsError: The name is unknown or the value is invalid; the message lists valid ones.
    """
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign:
        raise SettingsError(f"'{text}' has no value; write it like violence=2")
    known = {item.identifier: item for item in _declared()}
    if name not in known:
        near = difflib.get_close_matches(name, known)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise SettingsError(f"there is no setting '{name}'; {hint}--list-settings lists all settings")
    item = known[name]
    if not getattr(item, "is_array", False):
        return NamedSetting(item, KINDS[item.type](item, value))
    parts = value.split(",")
    if len(parts) != item.array_length:
        raise SettingsError(f"{name} has {len(parts)} values; write {item.array_length} numbers separated by commas")
    return NamedSetting(item, tuple(KINDS[item.type](item, part) for part in parts))


def give(scene: bpy.types.Scene, obj: bpy.types.Object, chosen: Sequence[NamedSetting]) -> None:
    """Assign the settings, in order, to an object or its scene."""
    for setting in chosen:
        name = setting.declared.identifier
        group = _group(scene, obj, name)
        unit = scene.unit_settings.scale_length if getattr(setting.declared, "unit", "") == "LENGTH" else 1.0
        setattr(group, name, setting.value if unit == 1.0 else setting.value / unit)


def unused(objects: Sequence[bpy.types.Object], chosen: Sequence[NamedSetting]) -> list[str]:
    """Return a warning for each setting that has no effect on an object, with the reason."""
    return [
        f"'{obj.name}': {name} has no effect here: {why[0].lower()}{why[1:]}"
        for obj in objects
        for name in (item.declared.identifier for item in chosen)
        if (why := unused_settings.reason(obj, name))
    ]


def listing(scene: bpy.types.Scene) -> str:
    """Return two lines per setting: name and default; allowed values and description."""
    # Read the defaults from a new object, because properties in GPa or MPa declare none.
    untouched = bpy.data.objects.new("Untouched", None)
    lines = []
    for item in sorted(_declared(), key=lambda item: item.identifier):
        value = getattr(_group(scene, untouched, item.identifier), item.identifier)
        lines.append(f"{item.identifier}={as_text(value)}\n    {_choice(item)}{item.description}\n")
    bpy.data.objects.remove(untouched)
    return "".join(lines)


def _group(scene: Any, obj: Any, name: str) -> Any:
    return obj.fracture if name in FractureObjectSettings.bl_rna.properties else scene.fracture


def _declared() -> Iterator[Any]:
    for group in (FractureObjectSettings, FractureSceneSettings):
        for item in group.bl_rna.properties:
            # Blender gives each property group a property "name", which Fracture does not use.
            if item.type in KINDS and not item.is_readonly and item.identifier != "name":
                yield item


def _number(item: Any, text: str, kind: Callable[[str], float] = float) -> float:
    try:
        value = kind(text)
    except ValueError:
        whole = "whole " if kind is int else ""
        raise SettingsError(f"{item.identifier}: '{text}' is not a {whole}number") from None
    # Blender stores limits in 32 bits, which may be slightly above the declared ones.
    low, high = plain(item.hard_min), plain(item.hard_max)
    if not math.isfinite(value) or not low <= value <= high:
        raise SettingsError(f"{item.identifier}: '{text}' is out of range; choose {_range(item)}")
    return value


def _flag(item: Any, text: str) -> bool:
    if text.lower() not in FLAGS:
        raise SettingsError(f"{item.identifier}: '{text}' is neither on nor off; write on or off")
    return FLAGS[text.lower()]


def _identifier(item: Any, text: str) -> str:
    if text.upper() not in item.enum_items:
        raise SettingsError(f"{item.identifier}: '{text}' is unknown; choose from {', '.join(_identifiers(item))}")
    return text.upper()


# Parsers by property type.
KINDS: dict[str, Callable[[Any, str], Any]] = {
    "FLOAT": _number,
    "INT": lambda item, text: _number(item, text, int),
    "BOOLEAN": _flag,
    "ENUM": _identifier,
    "STRING": lambda _, text: text,
}


def _identifiers(item: Any) -> list[str]:
    return [choice.identifier.lower() for choice in item.enum_items]


def as_text(value: Any) -> str:
    """Return a value as ``read`` takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value.lower() if value.isupper() else value
    return ",".join(f"{number:.7g}" for number in np.atleast_1d(value))


def _range(item: Any) -> str:
    ends = [f"{word} {plain(end):.7g}" for word, end in (("at least", item.hard_min), ("at most", item.hard_max))]
    unlimited = (abs(item.hard_min) >= NO_LIMIT, abs(item.hard_max) >= NO_LIMIT)
    return ", ".join(end for end, skip in zip(ends, unlimited, strict=True) if not skip) or "any number"


def _choice(item: Any) -> str:
    if item.type == "ENUM":
        return f"{', '.join(_identifiers(item))}. "
    if item.type not in ("FLOAT", "INT"):
        return ""
    metres = ", in metres" if getattr(item, "unit", "") == "LENGTH" else ""
    return f"{_range(item)}{metres}. "
