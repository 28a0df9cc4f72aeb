"""Draw cracks on the active object: with the pointer, or from what is drawn or marked in Blender."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatVectorProperty
from mathutils import Vector

from ...core.data.errors import SceneError
from ...core.data.placed_fields import WeakSheet
from ..properties.placed_fields import distance, factor
from ..properties.stroke import FractureStrokePoint
from ..setup import drawn_cracks, drawn_lines, stroke_drawing
from ..setup.drawn_cracks import Stroke
from ..setup.impact_drawing import under_pointer
from .availability import editing, linked, no_mesh, running, subject, usable
from .immediate_operator import ImmediateOperator
from .status import Status

# Distance of the eye of a view without perspective, in sizes of the object: the directions to all its points then
# differ by less than a hundredth of a degree, and float32 values are still exact to a millionth of its size.
FAR = 1e4
# Largest distance of a line from the surface, in sizes of the object; lines further away are not on this object.
NEAR = 0.5


def _direction(default: str) -> Any:
    return EnumProperty(
        name="Direction",
        description="Direction in which the crack goes into the object",
        items=(
            ("VIEW", "View", "Away from the viewer, as a cut"),
            ("NORMAL", "Normal", "Perpendicular to the surface. Choose it for bowls and other walls"),
        ),
        default=default,
    )


class _DrawsCracks(ImmediateOperator):
    """Settings of the sheets, and adding them.

    Attributes:
        along: Direction of the sheets, declared by each operator.
    """

    along: Any

    whole: BoolProperty(
        name="Whole Object",
        description="The crack goes through all walls of the object. Turn off for a crack through the first wall only",
        default=False,
    )
    strength: factor(
        "Strength",
        "Multiplies the strength along the drawn crack. Lower it if cracks do not follow the line; above 1, they "
        "avoid it",
        WeakSheet.factor,
    )
    width: distance("Width", "Thickness of the weak layer. 0: one layer of cells. Raise it for a wide seam")
    eye: FloatVectorProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is a mesh, in object mode, and no run is in progress."""
        return usable(cls, running(), no_mesh(context), linked(context), editing(context))

    def look(self, context: Any) -> None:
        """Store where the viewer is."""
        if context.space_data is None or context.space_data.type != "VIEW_3D":
            return
        view = context.space_data.region_3d
        eye = view.view_matrix.inverted()
        if view.is_perspective:
            self.eye = eye.translation
        else:
            far = FAR * max(subject(context).dimensions)
            self.eye = subject(context).matrix_world.translation + far * (eye.to_3x3() @ Vector((0.0, 0.0, 1.0)))

    def add(self, context: Any, lines: Sequence[drawn_lines.Line], onto_surface: bool) -> None:
        """Add the sheet of lines to the active object."""
        body = drawn_cracks.Body(context, subject(context))
        strokes = []
        for points, is_closed in lines:
            found, inward = body.nearest(points)
            if not np.linalg.norm(found - points, axis=1).max() < NEAR * body.size:
                continue
            placed = found if onto_surface else points
            if self.along == "VIEW":
                if not any(self.eye):
                    raise SceneError("The direction View needs a 3D viewport; choose Normal")
                inward = drawn_cracks.along_view(placed, np.array(self.eye))
            strokes.append(Stroke(placed, inward, is_closed))
        if not strokes:
            raise SceneError(f"No line is on '{body.object.name}'; draw on its surface, or make another object active")
        drawn_cracks.add(context, body, strokes, self.whole, self.strength, self.width)


class FRACTURE_OT_draw_cracks(_DrawsCracks, bpy.types.Operator):
    """Draw a line on the active object with the pointer, along which it cracks."""

    bl_idname = "fracture.draw_cracks"
    bl_label = "Shatter: Draw Crack"
    bl_description = (
        "Draw a line on the active object: it becomes a weak sheet through the object, and cracks follow it. "
        "Move, rotate or edit the sheet afterwards. Esc cancels"
    )

    along: _direction("VIEW")
    stroke: CollectionProperty(
        type=FractureStrokePoint, name="Line", description="Points on the surface", options={"HIDDEN", "SKIP_SAVE"}
    )

    def invoke(self, context: Any, event: bpy.types.Event) -> Status:
        """Begin a line where the pointer is, if it is over the object."""
        self._points: list[Vector] = []
        if context.region_data is None or not self._point(context, event):
            return {"CANCELLED", "PASS_THROUGH"}
        self.look(context)
        self._drawing = stroke_drawing.add(self._points)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: bpy.types.Event) -> Status:
        """Follow the pointer until the button is released."""
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self.cancel(context)
            for point in self._points:
                self.stroke.add().location = point
            return self.execute(context)
        if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            self._point(context, event)
            context.area.tag_redraw()
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """End the drawing on the screen."""
        stroke_drawing.remove(self._drawing)
        if context.area is not None:
            context.area.tag_redraw()

    def act(self, context: Any) -> None:
        """Add the sheet of the line."""
        points = np.array([item.location[:] for item in self.stroke], float).reshape(-1, 3)
        if len(points) < 2:
            raise SceneError(f"The line on '{subject(context).name}' is too short; press, drag and release to draw one")
        self.add(context, [(points, False)], onto_surface=False)

    def _point(self, context: Any, event: bpy.types.Event) -> bool:
        """Add the point under the pointer, and return whether there is one."""
        found = under_pointer(context, event, subject(context))
        if found is not None:
            self._points.append(found[0])
        return found is not None


class FRACTURE_OT_cracks_from(_DrawsCracks, bpy.types.Operator):
    """Let the active object crack along what is drawn or marked in Blender."""

    bl_idname = "fracture.cracks_from"
    bl_label = "Shatter: Cracks From"
    bl_description = (
        "Turn seams, sharp edges, curves or annotations on the active object into weak sheets through it. Cracks "
        "follow them. Move, rotate or edit the sheets afterwards"
    )

    source: EnumProperty(name="Lines", description="Lines to use", items=drawn_lines.SOURCES)
    along: _direction("NORMAL")

    def invoke(self, context: Any, _event: bpy.types.Event) -> Status:
        """Store where the viewer is, and add the sheets."""
        self.look(context)
        return self.execute(context)

    def act(self, context: Any) -> None:
        """Add the sheets of the lines."""
        lines = drawn_lines.READERS[self.source](context, subject(context))
        self.add(context, [line for line in lines if len(line[0]) > 1], onto_surface=True)
