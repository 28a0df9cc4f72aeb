"""Handles in the 3D viewport for the active place: size, direction, width and period."""

from __future__ import annotations

from typing import Any

import bpy
from bpy_extras import view3d_utils
from mathutils import Matrix

from ..setup import impact_drawing, place_handles
from ..setup.place_handles import HANDLES, Handle

# Colours, as Blender's own of a gizmo and one under the pointer, and the width of lines, pixels at interface scale 1.
COLOR, HIGHLIGHT, WIDTH = (1.0, 0.75, 0.1), (1.0, 1.0, 1.0), 1.5
# Size of a handle, over that of Blender's gizmos (75 pixels). A matter of taste.
SIZE = 0.08
# Triangles of an octahedron of radius 1.
CORNERS = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))
OCTAHEDRON = [
    corner
    for row in range(4)
    for pole in ((0, 0, 1), (0, 0, -1))
    for corner in (CORNERS[row], CORNERS[(row + 1) % 4], pole)
]


class FRACTURE_GT_handle(bpy.types.Gizmo):
    """Handle of a place: drag it to change a length, or to turn the place."""

    bl_idname = "FRACTURE_GT_handle"

    __slots__ = ("handle", "shape", "start", "state")

    handle: Handle | None

    def setup(self) -> None:
        """Make the shape."""
        self.shape = self.new_custom_shape("TRIS", OCTAHEDRON)
        self.handle = None

    def draw(self, context: Any) -> None:
        """Draw the handle."""
        self._place(context)
        self.draw_custom_shape(self.shape)

    def draw_select(self, context: Any, select_id: int | None = None) -> None:
        """Draw the handle where the pointer finds it."""
        self._place(context)
        self.draw_custom_shape(self.shape, select_id=select_id)

    def _place(self, context: Any) -> None:
        if self.handle is not None:
            self.matrix_basis = Matrix.Translation(self.handle.point(context.object)[:])

    def invoke(self, context: Any, _event: bpy.types.Event) -> Any:
        """Begin to drag."""
        assert self.handle is not None  # the group sets it before it draws
        self.start, self.state = self.handle.point(context.object), self.handle.state(context.object)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: bpy.types.Event, tweak: Any) -> Any:
        """Follow the pointer; ``tweak`` has the keys that are held."""
        assert self.handle is not None  # as in ``invoke``
        region, view = context.region, context.region_data
        pixel = event.mouse_region_x, event.mouse_region_y
        origin = view3d_utils.region_2d_to_origin_3d(region, view, pixel)
        direction = view3d_utils.region_2d_to_vector_3d(region, view, pixel)
        self.handle.drag(context.object, origin, direction, self.start, tweak)
        context.view_layer.update()
        if self.handle.change is None:
            text = self.handle.label
        elif self.handle.value is not None:
            text = f"{self.handle.label}: {self.handle.value(context.object)}"
        else:
            length = bpy.utils.units.to_string(
                context.scene.unit_settings.system, "LENGTH", self.handle.distance(context.object), precision=4
            )
            text = f"{self.handle.label} handle: {length}"
        context.area.header_text_set(text)
        context.area.tag_redraw()
        return {"RUNNING_MODAL"}

    def exit(self, context: Any, cancel: bool | None) -> None:
        """End the drag: one undo step, or what was before."""
        assert self.handle is not None  # as in ``invoke``
        context.area.header_text_set(None)
        if cancel:
            self.handle.restore(context.object, self.state)
        else:
            bpy.ops.ed.undo_push(message=f"Shatter: {self.handle.label}")


class FRACTURE_GT_outline(bpy.types.Gizmo):
    """Lines that show a place."""

    bl_idname = "FRACTURE_GT_outline"

    def draw(self, context: Any) -> None:
        """Draw the lines."""
        lines = place_handles.outline(context.object)
        if len(lines):
            impact_drawing.draw_lines(lines, (*COLOR, 1.0), WIDTH)


class FRACTURE_GGT_place(bpy.types.GizmoGroup):
    """Handles and lines of the active place."""

    bl_idname = "FRACTURE_GGT_place"
    bl_label = "Place"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is an empty with handles, selected, local and in object mode."""
        obj = context.object
        return (
            obj is not None
            and obj.type == "EMPTY"
            and obj.fracture.place in HANDLES
            and obj.library is None
            and context.mode == "OBJECT"
            and obj.select_get()
        )

    def setup(self, _context: Any) -> None:
        """Add as many handles as the kind with the most has."""
        self.gizmos.new(FRACTURE_GT_outline.bl_idname)
        for _ in range(max(map(len, HANDLES.values()))):
            gizmo: Any = self.gizmos.new(FRACTURE_GT_handle.bl_idname)
            gizmo.color, gizmo.alpha = COLOR, 1.0
            gizmo.color_highlight, gizmo.alpha_highlight = HIGHLIGHT, 1.0
            gizmo.scale_basis = SIZE
            gizmo.use_draw_modal = True

    def draw_prepare(self, context: Any) -> None:
        """Give each handle what it changes, and hide the others."""
        handles = HANDLES[context.object.fracture.place]
        gizmos: list[Any] = list(self.gizmos)[1:]
        for row, gizmo in enumerate(gizmos):
            gizmo.hide = row >= len(handles)
            gizmo.handle = handles[row] if row < len(handles) else None


CLASSES = (FRACTURE_GT_handle, FRACTURE_GT_outline, FRACTURE_GGT_place)
