"""Add an impact to an object: an empty for its point and direction."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Matrix

from ..scene.collections import home
from ..scene.result_lookup import IMPACT_OF
from ..setup.placing import UP, nearest
from .availability import editing, linked, subject, unless, usable
from .status import Status


class FRACTURE_OT_add_impact(bpy.types.Operator):
    """Add an arrow for an impact on the active object."""

    bl_idname = "fracture.add_impact"
    bl_label = "Shatter: Add Impact"
    bl_description = (
        "Add an impact to the active object on the current frame. The tip of the arrow is at the point of the surface "
        "nearest to the 3D cursor. Move or rotate the arrow to change the impact"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is a mesh with faces, in object mode."""
        obj = subject(context)
        has_faces = obj is not None and obj.type == "MESH" and obj.data.polygons
        return usable(
            cls, unless(has_faces, "Make a mesh with faces active (click it)"), linked(context), editing(context)
        )

    def execute(self, context: Any) -> Status:
        """Add and select the arrow, and refer to it in the object's settings, after existing impacts."""
        obj = subject(context)
        point, inward = nearest(obj, context.scene.cursor.location)
        empty = bpy.data.objects.new(f"{obj.name} Impact", None)
        empty.empty_display_type = "SINGLE_ARROW"
        empty.empty_display_size = 0.5 * max(obj.dimensions)
        empty.show_in_front = True
        # The arrow is outside the object; it points along its Z axis and ends at the surface.
        start = point - empty.empty_display_size * inward
        empty.matrix_world = Matrix.Translation(start[:]) @ UP.rotation_difference(inward).to_matrix().to_4x4()
        home(context.scene, obj).objects.link(empty)
        group = obj.fracture
        impact = group.more_impacts.add() if group.impact_enabled and group.impact_object is not None else group
        group.impact_enabled = True
        impact.impact_object = empty
        empty[IMPACT_OF] = obj
        impact.impact_frame = context.scene.frame_current
        # The broken object stays active, so that the panel still shows its settings.
        context.view_layer.update()
        for other in context.selected_objects:
            other.select_set(False)
        empty.select_set(True)
        context.view_layer.objects.active = obj
        return {"FINISHED"}
