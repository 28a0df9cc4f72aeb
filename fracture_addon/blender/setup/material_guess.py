"""Guess of an object's material preset from the names of its own materials.

A guess counts only as long as the artist has chosen no material in the panel. Shatter applies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..write.looks import LOOK
from . import presets

# Words in the names of materials, and the file names of their presets. The first word that is found counts.
WORDS = {
    "tempered": "tempered_glass",
    "glass": "soda_lime_glass",
    "window": "soda_lime_glass",
    "windshield": "tempered_glass",
    "bottle": "soda_lime_glass",
    "crystal": "soda_lime_glass",
    "beaker": "borosilicate_glass",
    "borosilicate": "borosilicate_glass",
    "ice": "ice",
    "icicle": "ice",
    "brick": "brick",
    "bricks": "brick",
    "wood": "wood_pine",
    "wooden": "wood_pine",
    "pine": "wood_pine",
    "oak": "wood_pine",
    "timber": "wood_pine",
    "plank": "wood_pine",
    "planks": "wood_pine",
    "terracotta": "terracotta",
    "clay": "terracotta",
    "earthenware": "terracotta",
    "flowerpot": "terracotta",
    "porcelain": "porcelain",
    "ceramic": "porcelain",
    "ceramics": "porcelain",
    "china": "porcelain",
    "tile": "ceramic_tile",
    "tiles": "ceramic_tile",
    "concrete": "concrete_C30",
    "cement": "concrete_C30",
    "marble": "marble",
    "granite": "granite",
    "sandstone": "sandstone",
    "stone": "granite",
    "rock": "granite",
    "plaster": "plaster",
    "gypsum": "plaster",
    "adobe": "adobe",
    "mortar": "mortar_joint",
    "obsidian": "obsidian",
    "jade": "jade_nephrite",
    "chocolate": "chocolate_dark_20C",
    "aluminium": "aluminium_6061T6",
    "aluminum": "aluminium_6061T6",
    "plastic": "abs_toughened",
    "abs": "abs_toughened",
}
# Custom property on an object: name of the preset's material that was guessed.
GUESSED = "fracture_guessed_material"


def words(name: str) -> list[str]:
    """Return the words of a name in lower case: ``oldGlass_01`` has ``old`` and ``glass``."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def guess(obj: Any) -> str:
    """Return the file name of the preset that suits an object's own materials; empty without one, or if chosen.

    A look of a preset, for example from the asset library, stands for its preset.
    """
    if is_chosen(obj):
        return ""
    own = [slot.material for slot in obj.material_slots if slot.material is not None]
    if look := next((material[LOOK] for material in own if LOOK in material), ""):
        path = presets.find(look)
        return path.stem if path is not None else ""
    names = [material.name for material in own]
    return next((WORDS[word] for name in names for word in WORDS if word in words(name)), "")


def is_chosen(obj: Any) -> bool:
    """Return whether the artist has chosen or changed the material in the panel."""
    group = obj.fracture
    return not is_guessed(obj) and any(group.is_property_set(name) for name in presets.STORED)


def is_guessed(obj: Any) -> bool:
    """Return whether Shatter has applied a guess that the artist has not changed."""
    return obj.get(GUESSED) == obj.fracture.material_name


def apply_to(context: Any, objects: Iterable[Any]) -> None:
    """Apply the guesses to objects without a chosen material.

    Raises:
        SettingsError: The preset cannot be run.
    """
    for obj in objects:
        name = guess(obj) if obj.library is None else ""
        path = presets.find(name) if name else None
        if path is not None and presets.display_name(path.name) != obj.fracture.material_name:
            presets.apply(context, obj, path)
            obj[GUESSED] = obj.fracture.material_name
