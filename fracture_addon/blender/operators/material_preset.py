"""Save the active object's material as a preset, or remove a preset of the artist."""

from __future__ import annotations

from typing import Any

import bpy
from bl_operators.presets import AddPresetBase

from ..setup import presets
from .availability import no_shape, usable


class FRACTURE_OT_material_preset(AddPresetBase, bpy.types.Operator):  # type: ignore[misc]
    """Write or remove a preset file of the artist."""

    bl_idname = "fracture.material_preset"
    bl_label = "Shatter: Save Material"
    bl_description = "Save the material of the active object as a preset, or remove one of your presets"
    preset_menu = "FRACTURE_MT_material_presets"
    preset_subdir = presets.SUBFOLDER
    # No preset_defines: Blender's exec of them does not reach its eval on Python 3.13 before 5.1.
    preset_values = [f"bpy.context.object.fracture.{name}" for name in presets.STORED]

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object can be broken."""
        return usable(cls, no_shape(context))

    def execute(self, context: Any) -> Any:
        """Add or remove the preset with Blender's preset functions."""
        if not self.remove_name:
            return super().execute(context)
        path = presets.find(self.name)
        if path is None:
            self.report({"WARNING"}, f"There is no preset named '{self.name}'; choose one from the menu")
            return {"CANCELLED"}
        if path.parent == presets.shipped_folder():
            self.report(
                {"WARNING"}, f"'{self.name}' comes with the extension and stays; only your own presets can be removed"
            )
            return {"CANCELLED"}
        self.name = path.stem
        return super().execute(context)

    def pre_cb(self, context: Any) -> None:
        """Name the material after the new preset, in the file and in the panel."""
        if not self.remove_name:
            context.object.fracture.material_name = presets.display_name(str(self.as_filename(self.name)))
