"""Take previews out of the scene, and nothing else."""

from __future__ import annotations

import bpy

from .. import previews, run, settings


class FRACTURE_OT_remove_preview(bpy.types.Operator):
    """Removes the previews of cells and stress."""

    bl_idname = "fracture.remove_preview"
    bl_label = "Remove Preview"
    bl_description = "Remove the cells or the stress that are shown of the selected objects, and leave their pieces"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """Only with an object selected that has a preview, or with a preview."""
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave the edit mode first (Tab)")
            return False
        if not previews.previewed(settings.selection(context)):
            cls.poll_message_set("Select an object whose cells or stress are shown")
            return False
        return True

    def execute(self, context):
        """Remove them."""
        previews.remove(previews.previewed(settings.selection(context)))
        run.message = None
        return {"FINISHED"}
