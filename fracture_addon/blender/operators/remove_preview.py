"""Take previews out of the scene, and nothing else."""

from __future__ import annotations

import bpy

from .. import previews, run, settings
from .availability import editing, lacking, usable


class FRACTURE_OT_remove_preview(bpy.types.Operator):
    """Removes the previews of cells and stress."""

    bl_idname = "fracture.remove_preview"
    bl_label = "Remove Preview"
    bl_description = "Remove the cells or the stress that are shown of the selected objects, and leave their pieces"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """Only with an object selected that has a preview, or with a preview."""
        nothing = lacking(previews.previewed(settings.selection(context)), "Select an object with a preview")
        return usable(cls, editing(context), nothing)

    def execute(self, context):
        """Remove them."""
        previews.remove(previews.previewed(settings.selection(context)))
        run.message = None
        return {"FINISHED"}
