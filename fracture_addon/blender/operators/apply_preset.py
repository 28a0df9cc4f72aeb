"""Give the selected objects a preset's material."""

from __future__ import annotations

import bpy

from .. import presets, settings
from .at_once import AtOnce
from .availability import linked, no_shape, usable


class FRACTURE_OT_apply_preset(AtOnce, bpy.types.Operator):
    """Runs a preset for the selected objects."""

    bl_idname = "fracture.apply_preset"
    bl_label = "Apply Material Preset"
    bl_description = "Give the selected objects this material"
    bl_options = AtOnce.bl_options | {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context):
        """Only with a mesh active."""
        return usable(cls, no_shape(context), linked(context))

    def act(self, context):
        """Run the preset for each object; a value that makes no sense changes none of them."""
        objects = {obj.name: obj for obj in (context.object, *context.selected_objects)}
        for obj in settings.chosen(objects.values()):
            presets.apply(context, obj, self.filepath)
