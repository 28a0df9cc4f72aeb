"""Add a scene that something breaks in to the present one."""

from __future__ import annotations

import bpy

from .. import presets
from .at_once import AtOnce
from .availability import editing, usable


class FRACTURE_OT_add_scene(AtOnce, bpy.types.Operator):
    """Runs the preset of a scene."""

    bl_idname = "fracture.add_scene"
    bl_label = "Add Scene"
    bl_description = "Add something to break and what breaks it, with all settings: then press Shatter"
    bl_options = AtOnce.bl_options | {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context):
        """In object mode."""
        return usable(cls, editing(context))

    def act(self, context):
        """Build it; one that cannot be built leaves nothing behind."""
        presets.build(context, self.filepath)
