"""Add an example scene to the current one."""

from __future__ import annotations

from typing import Any

import bpy

from ..setup import presets
from .availability import editing, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_add_scene(ImmediateOperator, bpy.types.Operator):
    """Run a scenario preset."""

    bl_idname = "fracture.add_scene"
    bl_label = "Add Scene"
    bl_description = "Add this example to the scene: objects, impacts and all settings. Then press Shatter"
    bl_options = ImmediateOperator.bl_options | {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether Blender is in object mode."""
        return usable(cls, editing(context))

    def act(self, context: Any) -> None:
        """Build the scene; if that fails, remove what was added."""
        presets.build(context, self.filepath)
