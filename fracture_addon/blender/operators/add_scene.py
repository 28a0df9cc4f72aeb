"""Add a scene that something breaks in to the present one."""

from __future__ import annotations

import bpy

from ...core.errors import FractureError
from .. import presets
from .availability import editing, usable


class FRACTURE_OT_add_scene(bpy.types.Operator):
    """Runs the preset of a scene."""

    bl_idname = "fracture.add_scene"
    bl_label = "Add Scene"
    bl_description = "Add something to break and what breaks it, with all settings: then press Shatter"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context):
        """In object mode."""
        return usable(cls, editing(context))

    def execute(self, context):
        """Build it; one that cannot be built leaves nothing behind."""
        try:
            presets.build(context, self.filepath)
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
