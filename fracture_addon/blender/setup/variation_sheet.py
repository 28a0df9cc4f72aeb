"""The contact sheet of the last variations: pictures and numbers of pieces. It is not saved in the .blend file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import bpy.utils.previews
from bpy.props import EnumProperty, PointerProperty, StringProperty

from ...core.data.errors import FractureError
from ...core.data.readable import length_text
from ...core.data.variation import Variation
from ..read import settings
from .named_settings import as_text
from .variation_grid import Grid, axes

# Items of a property for all settings that can differ.
SETTINGS = [(name, axis.label, axis.row.description) for name, axis in axes().items()]
VALUES = "At most five values, separated by commas. Empty: the grey values, around the object's current value"


class Sheet:
    """Pictures of variations, which arrive one by one.

    Attributes:
        grid: Settings of the variations.
        outcomes: Result or error of each variation so far.
        items: Name, label and so on of each picture, for a property of Blender.
    """

    def __init__(self, objects: Sequence[bpy.types.Object], grid: Grid):
        """Create a sheet without pictures.

        Args:
            objects: The objects that break.
            grid: Settings of the variations.
        """
        self.grid = grid
        self.outcomes: list[Variation | FractureError] = []
        self.items: list[tuple[str, str, str, int, int]] = []
        self._objects = _identities(objects)
        self._pictures = bpy.utils.previews.new()

    def take(self, number: int, outcome: Variation | FractureError) -> None:
        """Add the result of the next variation."""
        picture: Any = self._pictures.new(str(number))
        if isinstance(outcome, Variation):
            height, width = outcome.pixels.shape[:2]
            picture.image_size = width, height
            picture.image_pixels = outcome.pixels.view("<i4").ravel().tolist()
        self.outcomes.append(outcome)
        self.items.append((str(number), self.label(number), self.description(number), picture.icon_id, number))

    def label(self, number: int) -> str:
        """Return the number of pieces of a variation and the deviation from drawn cracks, or that it failed."""
        outcome = self.outcomes[number]
        if isinstance(outcome, FractureError):
            return "failed"
        if outcome.piece_count == 1:
            return "whole"
        away = "" if outcome.deviation is None else f", {length_text(outcome.deviation)} off"
        return f"{outcome.piece_count} pieces{away}"

    def short_label(self, number: int) -> str:
        """Return the part of the label that matters most: the deviation from drawn cracks, else the number alone."""
        outcome = self.outcomes[number]
        if isinstance(outcome, Variation) and outcome.deviation is not None:
            return length_text(outcome.deviation)
        return self.label(number).split()[0]

    def description(self, number: int) -> str:
        """Return the values of a variation, or its error."""
        outcome = self.outcomes[number]
        if isinstance(outcome, FractureError):
            return str(outcome)
        values = ", ".join(f"{item.declared.name} {as_text(item.value)}" for item in self.grid.cells()[number])
        if outcome.deviation is not None:
            values += f"; cracks {length_text(outcome.deviation)} from the drawn ones on average"
        factor = outcome.strengthened
        return f"{values}; impacts {factor:.3g} times stronger (Break Anyway)" if factor != 1.0 else values

    def nearest(self) -> tuple[int, float] | None:
        """Return the variation whose cracks are nearest to the drawn ones, and its deviation, m; ``None`` for none."""
        found = [
            (outcome.deviation, number)
            for number, outcome in enumerate(self.outcomes)
            if isinstance(outcome, Variation) and outcome.deviation is not None
        ]
        if not found:
            return None
        deviation, number = min(found)
        return number, deviation

    def is_of(self, objects: Sequence[bpy.types.Object]) -> bool:
        """Return whether the variations are of these objects."""
        return _identities(objects) == self._objects

    def close(self) -> None:
        """Free the pictures."""
        bpy.utils.previews.remove(self._pictures)


_sheet: Sheet | None = None


def show(objects: Sequence[bpy.types.Object], grid: Grid) -> Sheet:
    """Replace the sheet by one without pictures; arguments as for ``Sheet``."""
    global _sheet
    close()
    _sheet = Sheet(objects, grid)
    return _sheet


def close() -> None:
    """Remove the sheet."""
    global _sheet
    if _sheet is not None:
        _sheet.close()
    _sheet = None


def shown(context: Any) -> Sheet | None:
    """Return the sheet if it is of the selected objects."""
    objects = settings.chosen(settings.selection(context))
    return _sheet if _sheet is not None and _sheet.is_of(objects) else None


def _items(_group: Any, _context: Any) -> list[tuple[str, str, str, int, int]]:
    return _sheet.items if _sheet is not None else []


class FractureVariations(bpy.types.PropertyGroup):
    """Two settings and their values, and the chosen picture."""

    across: EnumProperty(
        name="Across",
        description="Setting that differs between columns",
        default="violence",
        items=SETTINGS,
    )
    across_values: StringProperty(name="Values", description=VALUES)
    down: EnumProperty(name="Down", description="Setting that differs between rows", default="seed", items=SETTINGS)
    down_values: StringProperty(name="Values", description=VALUES)
    chosen: EnumProperty(
        name="Variation",
        description="Picture whose values Use This applies",
        items=_items,
    )


def register() -> None:
    """Add the settings of variations to the window manager, which no file contains."""
    bpy.utils.register_class(FractureVariations)
    manager: Any = bpy.types.WindowManager
    manager.fracture_variations = PointerProperty(type=FractureVariations)


def unregister() -> None:
    """Remove the settings and the pictures."""
    close()
    manager: Any = bpy.types.WindowManager
    del manager.fracture_variations
    bpy.utils.unregister_class(FractureVariations)


def _identities(objects: Sequence[bpy.types.Object]) -> set[int]:
    """Return the session ids of objects, which renaming and undo do not change."""
    return {obj.session_uid for obj in objects}
