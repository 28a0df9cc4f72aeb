"""Keep the active object's material as a preset, or remove one of the artist's own."""

from __future__ import annotations

import bpy
from bl_operators.presets import AddPresetBase

from .. import presets
from .availability import no_shape, usable


class FRACTURE_OT_material_preset(AddPresetBase, bpy.types.Operator):  # type: ignore[misc]
    """Writes or removes a preset file of the artist's own."""

    bl_idname = "fracture.material_preset"
    bl_label = "Keep Material Preset"
    bl_description = "Keep these values as a material preset, or remove a preset of your own"
    preset_menu = "FRACTURE_MT_material_presets"
    preset_subdir = presets.SUBFOLDER
    # No preset_defines: Blender's exec of them does not reach its eval on Python 3.13 before 5.1.
    preset_values = [f"bpy.context.object.fracture.{name}" for name in presets.STORED]

    @classmethod
    def poll(cls, context):
        """Only with a mesh active."""
        return usable(cls, no_shape(context))

    def execute(self, context):
        """Add or remove, both by Blender's own machinery."""
        if not self.remove_name:
            return super().execute(context)
        path = presets.find(self.name)
        if path is None:
            self.report({"WARNING"}, f"There is no preset named '{self.name}'")
            return {"CANCELLED"}
        if path.parent == presets.shipped_folder():
            self.report({"WARNING"}, f"'{self.name}' comes with the extension: only presets of your own can be removed")
            return {"CANCELLED"}
        self.name = path.stem
        return super().execute(context)

    def pre_cb(self, context):
        """A new preset names the material after itself, in the file and in the panel."""
        if not self.remove_name:
            context.object.fracture.material_name = presets.display_name(self.as_filename(self.name))
