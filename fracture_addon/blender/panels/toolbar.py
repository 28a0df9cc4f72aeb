"""The Impact Tool in the toolbar of the 3D viewport, in object mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ..scene.result_lookup import subject_of


class FRACTURE_TOOL_impact(bpy.types.WorkSpaceTool):
    """Tool that presses an impact onto the active object; beside it, the button selects."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = "fracture.impact"
    bl_label = "Shatter: Impact"
    bl_description = (
        "Press on the active object and drag to the right for a stronger impact. Hold the pointer still to see its "
        "cracks; release to place it"
    )
    # Blender adds ".dat", and leaves absolute paths as they are.
    bl_icon = str(Path(__file__).with_name("icons") / "impact")
    bl_keymap: Any = (
        ("fracture.impact_tool", {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("press", True)]}),
        ("view3d.select", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
    )

    @staticmethod
    def draw_settings(context: Any, layout: Any, _tool: Any) -> None:
        """Draw the settings that change the cracks, in the header of the tool."""
        if subject_of(context.object) is None:
            layout.label(text="Make a mesh active (click it)")
            return
        for name in ("violence", "resolution", "seed"):
            layout.prop(context.scene.fracture_selected, name)


def register() -> None:
    """Add the tool behind the cursor and the transform tools."""
    bpy.utils.register_tool(FRACTURE_TOOL_impact, after={"builtin.add_cube", "builtin.measure"}, separator=True)


def unregister() -> None:
    """Remove the tool."""
    bpy.utils.unregister_tool(FRACTURE_TOOL_impact)
