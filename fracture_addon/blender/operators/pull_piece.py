"""Point at a piece of a result: a click changes it, a drag to another piece glues it there."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene.result_lookup import all_results
from ..setup import piece_pointer
from ..setup.piece_pointer import pointer
from .availability import editing, running, unless, usable
from .change_pieces import CHANGES
from .status import Status

HINT = "Drag to another piece: glue it there. Release here: change the piece. Esc: cancel"


class FRACTURE_OT_pull_piece(bpy.types.Operator):
    """Change the piece under the pointer."""

    bl_idname = "fracture.pull_piece"
    bl_label = "Shatter: Pull a Piece"
    bl_description = (
        "Point at a piece and click: hide it, anchor it, turn it into dust, break it again or release it. Drag it onto "
        "another piece to glue it there. Esc cancels"
    )
    bl_options: Any = set()  # what it calls is the undo step

    click: bpy.props.EnumProperty(
        name="Click",
        description="What a click does with a piece. Choose a change to apply it to many pieces, one click each",
        items=(
            ("MENU", "Menu", "Open a menu of all changes at the pointer"),
            *(
                (key, name, text.replace("the selected pieces", "the piece"))
                for key, name, text in CHANGES
                if key != "GLUE"
            ),
            ("BREAK", "Break Again", "Break the piece again by an impact at the pointer"),
        ),
        default="MENU",
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there is a result, in object mode, and no run is in progress."""
        return usable(cls, running(), editing(context), unless(all_results(), "Press Shatter first"))

    def execute(self, _context: Any) -> Status:
        """Refuse to run without a pointer."""
        self.report({"ERROR"}, "The tool needs a 3D viewport; use Change Pieces in scripts")
        return {"CANCELLED"}

    def invoke(self, context: Any, event: bpy.types.Event) -> Status:
        """Begin at the piece under the pointer; beside all pieces, let Blender select."""
        if context.area is None or context.area.type != "VIEW_3D":
            return self.execute(context)
        piece, pointer.point = piece_pointer.under(context, event.mouse_region_x, event.mouse_region_y)
        if piece is None:
            return {"CANCELLED", "PASS_THROUGH"}
        self._name = piece.name  # objects may move in memory until the button is released
        pointer.show(piece)
        context.window_manager.modal_handler_add(self)
        context.area.header_text_set(HINT)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: bpy.types.Event) -> Status:
        """Follow the pointer until the button is released."""
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS" and not pointer.is_held:
            self.cancel(context)
            return {"CANCELLED"}
        if pointer.is_held:  # the menu takes all events until it closes
            if event.type in ("MOUSEMOVE", "LEFTMOUSE"):
                self.cancel(context)
                return {"FINISHED", "PASS_THROUGH"}
            return {"PASS_THROUGH"}
        if event.type not in ("MOUSEMOVE", "LEFTMOUSE"):
            return {"RUNNING_MODAL"}
        found, _ = piece_pointer.under(context, event.mouse_region_x, event.mouse_region_y)
        goal = found if found is not None and found.name != self._name else None
        if event.type == "MOUSEMOVE":
            pointer.show(bpy.data.objects.get(self._name), goal)
        elif event.value == "RELEASE":
            self.cancel(context)
            if found is None:
                return {"CANCELLED"}
            self._change(self._name, goal)
            if goal is None and self.click == "MENU":
                pointer.show(found)
                pointer.is_held = True
                return {"RUNNING_MODAL"}
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """End the drag, or the highlight of the piece whose menu was open."""
        pointer.is_held = False
        pointer.show(None)
        if context.area is not None:
            context.area.header_text_set(None)

    def _change(self, name: str, goal: Any) -> None:
        """Change a piece as the click or the drag says, as one undo step of its own."""
        operators: Any = bpy.ops
        try:
            if goal is not None:
                operators.fracture.change_pieces("EXEC_DEFAULT", True, change="GLUE", piece=name, onto=goal.name)
            elif self.click == "MENU":
                pointer.chosen = name
                operators.wm.call_menu_pie(name="FRACTURE_MT_piece")
            elif self.click == "BREAK":
                operators.fracture.break_again("INVOKE_DEFAULT", True, piece=name, point=pointer.point)
            else:
                operators.fracture.change_pieces("EXEC_DEFAULT", True, change=self.click, piece=name)
        except RuntimeError as error:  # the operator reported an error
            self.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
