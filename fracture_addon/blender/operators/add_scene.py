"""Add an example scene to the current one."""

from __future__ import annotations

from typing import Any

import bpy

from ..setup import presets
from .availability import editing, usable
from .immediate_operator import ImmediateOperator
from .status import Status


class FRACTURE_OT_add_scene(ImmediateOperator, bpy.types.Operator):
    """Run a scenario preset."""

    bl_idname = "fracture.add_scene"
    bl_label = "Shatter: Add Scene"
    bl_description = (
        "Add this example to the scene: objects, impacts and their settings. Then press Shatter. "
        "The frame range stays, unless Set Frames is on in the panel Adjust Last Operation"
    )
    bl_options = ImmediateOperator.bl_options | {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})
    set_frames: bpy.props.BoolProperty(
        name="Set Frames",
        description="Set the frame range and the frame rate of the current scene to those of the example",
        default=False,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether Blender is in object mode."""
        return usable(cls, editing(context))

    def invoke(self, context: Any, _event: bpy.types.Event) -> Status:
        """Add the scene, and show it in the viewport."""
        status = self.execute(context)
        if "FINISHED" in status and context.area is not None and context.area.type == "VIEW_3D":
            bpy.ops.view3d.view_selected("INVOKE_DEFAULT")
        return status

    def act(self, context: Any) -> None:
        """Build the scene; if that fails, remove what was added."""
        presets.build(context, self.filepath, keep_frames=not self.set_frames)
