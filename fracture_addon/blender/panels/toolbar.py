"""The tools in the toolbar of the 3D viewport, in object mode: Impact, Draw Cracks and Pull a Piece."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ..process import waiting_worker
from ..scene.result_lookup import all_results, subject_of
from ..setup.piece_pointer import TOOL, show_at

# Selects beside what a tool acts on. It comes first in the keymaps of the tools: Blender puts each item of an add-on's
# keymap before the others, and the first one in the resulting order gets the press.
SELECT: Any = ("view3d.select", {"type": "LEFTMOUSE", "value": "PRESS"}, None)


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
        SELECT,
        ("fracture.impact_tool", {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("press", True)]}),
    )

    @staticmethod
    def draw_settings(context: Any, layout: Any, _tool: Any) -> None:
        """Draw the settings that change the cracks, in the header of the tool, and start a worker for these cracks."""
        waiting_worker.prepare()
        if subject_of(context.object) is None:
            layout.label(text="Make a mesh active (click it)")
            return
        for name in ("violence", "resolution", "seed"):
            layout.prop(context.scene.fracture_selected, name)


class FRACTURE_TOOL_draw_cracks(bpy.types.WorkSpaceTool):
    """Tool that draws a crack on the active object; beside it, the button selects."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = "fracture.draw_cracks"
    bl_label = "Shatter: Draw Cracks"
    bl_description = (
        "Draw a line on the active object: cracks follow it. The line becomes a weak sheet that can be moved and edited"
    )
    bl_icon = str(Path(__file__).with_name("icons") / "draw_cracks")
    bl_keymap: Any = (
        SELECT,
        ("fracture.draw_cracks", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
    )

    @staticmethod
    def draw_settings(context: Any, layout: Any, tool: Any) -> None:
        """Draw the settings of the next line, in the header of the tool."""
        if subject_of(context.object) is None:
            layout.label(text="Make a mesh active (click it)")
            return
        line = tool.operator_properties("fracture.draw_cracks")
        for name in ("along", "whole", "strength", "width"):
            layout.prop(line, name)


class FRACTURE_TOOL_pull_piece(bpy.types.WorkSpaceTool):
    """Tool that changes single pieces; beside them, the button selects."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = TOOL
    bl_label = "Shatter: Pull a Piece"
    bl_description = (
        "Click a piece of a result to hide it, anchor it, turn it into dust, break it again or release it. Drag it "
        "onto another piece to glue it there"
    )
    bl_icon = str(Path(__file__).with_name("icons") / "pull_piece")
    bl_keymap: Any = (
        SELECT,
        ("view3d.select", {"type": "LEFTMOUSE", "value": "PRESS", "shift": True}, {"properties": [("toggle", True)]}),
        ("fracture.pull_piece", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
    )

    @staticmethod
    def draw_settings(context: Any, layout: Any, tool: Any) -> None:
        """Draw what a click does, in the header of the tool."""
        if not all_results():
            layout.label(text="Press Shatter first: there are no pieces")
            return
        layout.prop(tool.operator_properties("fracture.pull_piece"), "click")

    @staticmethod
    def draw_cursor(context: Any, _tool: Any, xy: tuple[int, int]) -> None:
        """Highlight the piece under the pointer."""
        show_at(context, xy)


def register() -> None:
    """Add the tools behind the cursor and the transform tools."""
    bpy.utils.register_tool(FRACTURE_TOOL_impact, after={"builtin.add_cube", "builtin.measure"}, separator=True)
    bpy.utils.register_tool(FRACTURE_TOOL_draw_cracks, after={FRACTURE_TOOL_impact.bl_idname})
    bpy.utils.register_tool(FRACTURE_TOOL_pull_piece, after={FRACTURE_TOOL_draw_cracks.bl_idname})


def unregister() -> None:
    """Remove the tools."""
    bpy.utils.unregister_tool(FRACTURE_TOOL_pull_piece)
    bpy.utils.unregister_tool(FRACTURE_TOOL_draw_cracks)
    bpy.utils.unregister_tool(FRACTURE_TOOL_impact)
