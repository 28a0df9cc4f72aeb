"""Remove the previews of the selected objects."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..read import settings
from ..scene import result_lookup
from ..write import cell_preview
from .availability import editing, unless, usable
from .status import Status


class FRACTURE_OT_remove_preview(bpy.types.Operator):
    """Remove previews of cells, cracks, stress and joints."""

    bl_idname = "fracture.remove_preview"
    bl_label = "Shatter: Remove Preview"
    bl_description = (
        "Remove the previews of cells, cracks, stress and joints of the selected objects. Their pieces stay"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a preview, or an object with one, is selected."""
        nothing = unless(result_lookup.previewed(settings.selection(context)), "Select an object with a preview")
        return usable(cls, editing(context), nothing)

    def execute(self, context: Any) -> Status:
        """Remove the previews."""
        cell_preview.remove(result_lookup.previewed(settings.selection(context)))
        run.message = None
        return {"FINISHED"}
