"""Break the selected objects with the settings of the chosen variation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..setup import named_settings, variation_sheet
from .availability import editing, running, unless, usable
from .break_operator import BreakOperator


class FRACTURE_OT_use_variation(BreakOperator, bpy.types.Operator):
    """Assign the settings of a variation, and shatter."""

    bl_idname = "fracture.use_variation"
    bl_label = "Shatter: Use This"
    bl_description = (
        "Assign the two values of the chosen picture to the selected meshes, and shatter them at their full detail. "
        "A higher detail changes the number of pieces"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there are pictures of the selected objects, and no run is in progress."""
        sheet = variation_sheet.shown(context)
        nothing = unless(sheet is not None and sheet.outcomes, "Run variations of the selected objects first")
        return usable(cls, running(), editing(context), nothing)

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Assign the values."""
        sheet, number = variation_sheet.shown(context), context.window_manager.fracture_variations.chosen
        if sheet is None or not number:
            raise SceneError("No variation is chosen; click a picture")
        for obj in objects:
            named_settings.give(context.scene, obj, sheet.grid.cells()[int(number)])
        return True
