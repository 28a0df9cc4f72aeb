"""Aim an impact with the pointer: its cracks are drawn on the surface before it is placed.

Nothing is added to the file until a click places the impact. The sidebar works meanwhile.
"""

from __future__ import annotations

import functools
import time
from typing import Any

import bpy

from ...core.data.errors import FractureError
from ..process import missing_libraries, run
from ..setup import impact_drawing
from .availability import editing, linked, running, subject, unless, usable
from .impact_aim import ImpactAim
from .status import Status

# s, time between two checks of the pointer and of the worker.
TICK_SECONDS = 0.03
# Prefixes of the types of events that are passed on to Blender: they move the view or belong to its window. Others,
# such as Delete and undo, could remove the object that the tool has read.
PASSED_ON = ("MIDDLEMOUSE", "WHEEL", "TRACKPAD", "MOUSE", "NDOF", "NUMPAD", "TIMER", "WINDOW")
# Prefixes of the events that are passed on over the regions with the settings of the tool.
PASSED_ON_BESIDE = (*PASSED_ON, "LEFTMOUSE", "INBETWEEN")
BESIDE = ("UI", "TOOL_HEADER")


class FRACTURE_OT_impact_tool(bpy.types.Operator):
    """Place an impact with the pointer, with a live preview of its cracks."""

    bl_idname = "fracture.impact_tool"
    bl_label = "Shatter: Impact Tool"
    bl_description = (
        "Aim an impact at the active object: the cracks are drawn where the pointer rests. "
        "Drag to set the strength, turn the wheel to set the radius; Esc cancels"
    )
    bl_options = {"REGISTER", "UNDO"}

    press: bpy.props.BoolProperty(
        name="Press",
        description="Begin to drag the strength at once, as the tool in the toolbar does",
        default=False,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    _shown = ""

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is a mesh with faces, in object mode, and no run is in progress."""
        obj = subject(context)
        has_faces = obj is not None and obj.type == "MESH" and obj.data.polygons
        mesh = unless(has_faces, "Make a mesh with faces active (click it)")
        return usable(cls, mesh, linked(context), editing(context), running())

    def execute(self, _context: Any) -> Status:
        """Refuse to run without a pointer."""
        self.report({"ERROR"}, "The tool needs a 3D viewport; use Add Impact in scripts")
        return {"CANCELLED"}

    def invoke(self, context: Any, event: bpy.types.Event) -> Status:
        """Read the object and start to follow the pointer; with ``press``, only where it is over the object."""
        if context.area is None or context.area.type != "VIEW_3D":
            return self.execute(context)
        if self.press and impact_drawing.under_pointer(context, event, subject(context)) is None:
            return {"CANCELLED", "PASS_THROUGH"}
        self.tool = ImpactAim()
        try:
            with missing_libraries.loaded():
                self.tool.begin(context)
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._drawing = impact_drawing.add(self.tool, max(subject(context).dimensions), context.scene)
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        # While a slider is dragged, Blender gives the events of an operator's timer to the slider.
        self._tick = functools.partial(_tick, self.tool)
        bpy.app.timers.register(self._tick)
        context.window_manager.modal_handler_add(self)
        if self.press:
            self._point(context, event)
            self.tool.press(_x(context, event))
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: bpy.types.Event) -> Status:
        """Follow the pointer; pass on what moves the view, and the mouse over the sidebar."""
        tool = self.tool
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            return self._finish(context, {"CANCELLED"})
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and tool.is_pressed:
            tool.place(context)
            return self._finish(context, {"FINISHED"})
        if event.type == "TIMER":
            if tool.error is not None:
                self.report({"ERROR"}, str(tool.error))
            if tool.error is not None or run.active is not None:  # a button of the sidebar started a run
                return self._finish(context, {"CANCELLED"})
        elif not tool.is_pressed and _is_beside(context, event):
            return {"PASS_THROUGH"} if event.type.startswith(PASSED_ON_BESIDE) else {"RUNNING_MODAL"}
        elif event.type == "MOUSEMOVE":
            self._point(context, event)
        elif event.type == "LEFTMOUSE" and event.value == "PRESS":
            tool.press(_x(context, event))
        elif event.type in ("WHEELUPMOUSE", "WHEELDOWNMOUSE") and tool.pointer is not None and not event.ctrl:
            tool.widen(1 if event.type == "WHEELUPMOUSE" else -1)
        else:
            return {"PASS_THROUGH"} if event.type.startswith(PASSED_ON) else {"RUNNING_MODAL"}
        self._show(context)
        if event.type == "TIMER":
            return {"PASS_THROUGH"}
        context.area.tag_redraw()
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """End when Blender ends the operator: a file is loaded or the window closes."""
        self._finish(context, {"CANCELLED"})

    def _show(self, context: Any) -> None:
        """Show the text of the header, if it changed; setting it draws the viewport again."""
        text = self.tool.text()
        if text != self._shown:
            self._shown = text
            context.area.header_text_set(text)

    def _point(self, context: Any, event: bpy.types.Event) -> None:
        found = impact_drawing.under_pointer(context, event, self.tool.object)
        self.tool.point_at(found, _x(context, event))

    def _finish(self, context: Any, status: Status) -> Status:
        self.tool.end()
        if bpy.app.timers.is_registered(self._tick):
            bpy.app.timers.unregister(self._tick)
        impact_drawing.remove(self._drawing)
        context.window_manager.event_timer_remove(self._timer)
        if context.area is not None:
            context.area.header_text_set(None)
            context.area.tag_redraw()
        return status


def _tick(aim: ImpactAim) -> float | None:
    """Request cracks, and draw those that arrived; Blender calls this again after the returned time, s."""
    if aim.tick(time.monotonic()):
        impact_drawing.redraw()
    return None if aim.error else TICK_SECONDS


def _x(context: Any, event: Any) -> float:
    """Return where the pointer is, in pixels at an interface scale of 1 from the left edge of the viewport."""
    return event.mouse_region_x / context.preferences.system.ui_scale


def _is_beside(context: Any, event: bpy.types.Event) -> bool:
    """Return whether the pointer is over a region of the viewport that shows settings."""
    return any(
        0 <= event.mouse_x - region.x < region.width and 0 <= event.mouse_y - region.y < region.height
        for region in context.area.regions
        if region.type in BESIDE
    )
