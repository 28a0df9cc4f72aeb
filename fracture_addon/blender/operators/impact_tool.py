"""Aim an impact with the pointer: its cracks are drawn on the surface before it is placed.

Nothing is added to the file until a click places the impact.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...core.data.crack_preview import BodyCracks
from ...core.data.errors import FractureError
from ...core.data.job import AuthoredImpact, Job
from ..process import missing_libraries
from ..process.live_cracks import LiveCracks
from ..read.job import read_job_at_rest
from ..setup import impact_drawing, impacts
from ..setup.impact_pointer import STRENGTH, ImpactPointer
from .availability import editing, linked, running, subject, unless, usable
from .status import Status

# s, time after which a pointer counts as still; time between two checks of the pointer and of the worker.
STILL_SECONDS, TICK_SECONDS = 0.15, 0.03
# Beginnings of the types of events that Blender may have: they move the view or belong to its window. Others, such as
# Delete and undo, could remove the object that the tool has read.
PASSED_ON = ("MIDDLEMOUSE", "WHEEL", "TRACKPAD", "MOUSE", "NDOF", "NUMPAD", "TIMER", "WINDOW")
# Radius of the first disc over the size of the object. A matter of taste: the wheel changes it.
FIRST_RADIUS = 0.03
HINT = "Point at the object, drag to set the strength, wheel: radius, release: place the impact, Esc: cancel"


class ImpactTool:
    """The tool without Blender's registration.

    Attributes:
        pointer: The impact under the pointer; ``None`` where it is not over the object.
        cracks: Cracks of the last answer; ``None`` before it.
    """

    pointer: ImpactPointer | None = None
    cracks: BodyCracks | None = None

    def begin(self, context: Any) -> None:
        """Read the object.

        Raises:
            FractureError: It cannot be broken.
        """
        self._object = subject(context)
        job = read_job_at_rest(context, [self._object])
        group, frame = self._object.fracture, context.scene.frame_current
        frames = [item.impact_frame for item in (group, *group.more_impacts)]
        body = job.bodies[0]
        # Impacts on the same frame act together; the others do not act with the new one.
        now = tuple(impact for impact, at in zip(body.impacts, frames, strict=False) if at == frame)
        self._job = replace(job, bodies=(replace(body, impacts=now),))
        self._unit = context.scene.unit_settings.scale_length
        self._radius = FIRST_RADIUS * max(self._object.dimensions)
        self._live = LiveCracks()
        self._changed_at: float | None = None
        self._drag_from: tuple[float, ImpactPointer] | None = None

    def question(self) -> Job:
        """Return the job of one frame with the impact under the pointer."""
        assert self.pointer is not None  # a question needs an impact
        pointer, body = self.pointer, self._job.bodies[0]
        impact = AuthoredImpact(
            self._job.frame_start,
            self._unit * _array(pointer.point),
            _array(pointer.inward),
            pointer.strength,
            self._unit * pointer.radius,
        )
        return replace(self._job, bodies=(replace(body, impacts=(*body.impacts, impact)),))

    def point_at(self, found: tuple[Vector, Vector] | None, x: float) -> None:
        """Move the pointer to a point of the surface and its inward normal, or off the object; drag if pressed."""
        if self._drag_from is not None:
            start, pointer = self._drag_from
            self._change(pointer.dragged(x - start))
        elif found is None:
            self.pointer = self.cracks = self._changed_at = None
        else:
            strength = STRENGTH if self.pointer is None else self.pointer.strength
            self._change(ImpactPointer(*found, self._radius, strength))

    def press(self, x: float) -> None:
        """Begin to drag the strength, if the pointer is over the object."""
        self._drag_from = None if self.pointer is None else (x, self.pointer)

    def widen(self, steps: int) -> None:
        """Change the radius by steps of the wheel."""
        if self.pointer is not None:
            self._change(self.pointer.widened(steps))
            self._radius = self.pointer.radius

    def place(self, context: Any) -> None:
        """Add the impact to the object."""
        assert self.pointer is not None  # a drag began over the object
        impact = impacts.add(context, self._object, self.pointer.point, self.pointer.inward)
        impact.impact_strength, impact.impact_radius = self.pointer.strength, self.pointer.radius

    def tick(self, now: float) -> bool:
        """Ask for cracks if the pointer is still, and take answers; return whether there is something new to draw.

        Raises:
            FractureError: The cracks cannot be computed.
        """
        if self._changed_at is not None and now - self._changed_at >= STILL_SECONDS and self.pointer is not None:
            self._changed_at = None
            self._live.ask(self.question())
        answer = self._live.poll()
        if answer is None or self.pointer is None:
            return False
        (self.cracks,) = answer.bodies
        return True

    def text(self) -> str:
        """Return the text of the header: strength, radius and number of pieces."""
        if self.pointer is None:
            return HINT
        parts = [f"Strength {self.pointer.strength:.3g} times the critical load"]
        if self.cracks is not None and self.cracks.critical_force:
            parts[0] += f", {_newtons(self.pointer.strength * self.cracks.critical_force)}"
        parts.append(f"radius {1e3 * self._unit * self.pointer.radius:.3g}\u00a0mm")
        if self.cracks is not None:
            parts.append(f"{self.cracks.piece_count} pieces" if self.cracks.piece_count > 1 else "it does not break")
        return "   |   ".join([*parts, HINT])

    def end(self) -> None:
        """End the worker's computation, if one runs."""
        self._live.close()

    def _change(self, pointer: ImpactPointer) -> None:
        if self.pointer is None or pointer != self.pointer:
            self.pointer, self._changed_at = pointer, time.monotonic()


class FRACTURE_OT_impact_tool(bpy.types.Operator):
    """Place an impact with the pointer, with a live preview of its cracks."""

    bl_idname = "fracture.impact_tool"
    bl_label = "Shatter: Impact Tool"
    bl_description = (
        "Aim an impact at the active object: the cracks are drawn where the pointer rests. "
        "Drag to set the strength, turn the wheel to set the radius; Esc cancels"
    )
    bl_options = {"REGISTER", "UNDO"}

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
        """Read the object and start to follow the pointer."""
        if context.area is None or context.area.type != "VIEW_3D":
            return self.execute(context)
        self.tool = ImpactTool()
        try:
            with missing_libraries.loaded():
                self.tool.begin(context)
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._drawing = impact_drawing.add(self.tool, max(subject(context).dimensions), context.scene)
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.area.header_text_set(HINT)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: bpy.types.Event) -> Status:
        """Follow the pointer; pass on what moves the view."""
        tool = self.tool
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            return self._finish(context, {"CANCELLED"})
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and tool.pointer is not None:
            tool.place(context)
            return self._finish(context, {"FINISHED"})
        if event.type == "TIMER":
            try:
                changed = tool.tick(time.monotonic())
            except FractureError as error:
                self.report({"ERROR"}, str(error))
                return self._finish(context, {"CANCELLED"})
            if not changed:
                return {"PASS_THROUGH"}
        elif event.type == "MOUSEMOVE":
            tool.point_at(impact_drawing.under_pointer(context, event, subject(context)), event.mouse_region_x)
        elif event.type == "LEFTMOUSE" and event.value == "PRESS":
            tool.press(event.mouse_region_x)
        elif event.type in ("WHEELUPMOUSE", "WHEELDOWNMOUSE") and tool.pointer is not None and not event.ctrl:
            tool.widen(1 if event.type == "WHEELUPMOUSE" else -1)
        else:
            return {"PASS_THROUGH"} if event.type.startswith(PASSED_ON) else {"RUNNING_MODAL"}
        context.area.header_text_set(tool.text())
        context.area.tag_redraw()
        return {"PASS_THROUGH"} if event.type == "TIMER" else {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """End when Blender ends the operator: a file is loaded or the window closes."""
        self._finish(context, {"CANCELLED"})

    def _finish(self, context: Any, status: Status) -> Status:
        self.tool.end()
        impact_drawing.remove(self._drawing)
        context.window_manager.event_timer_remove(self._timer)
        if context.area is not None:
            context.area.header_text_set(None)
            context.area.tag_redraw()
        return status


def _array(vector: Vector) -> np.ndarray:
    return np.array(vector[:], float)


def _newtons(force: float) -> str:
    for unit, size in (("MN", 1e6), ("kN", 1e3)):
        if force >= size:
            return f"{force / size:.3g}\u00a0{unit}"
    return f"{force:.3g}\u00a0N"
