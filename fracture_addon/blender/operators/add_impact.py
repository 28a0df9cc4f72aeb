"""Add an impact to an object: an empty for its point and direction."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Matrix

from ..setup.placing import UP, nearest
from .availability import editing, linked, unless, usable
from .status import Status


class FRACTURE_OT_add_impact(bpy.types.Operator):
    """Add an arrow for an impact on the active object."""

    bl_idname = "fracture.add_impact"
    bl_label = "Add Impact"
    bl_description = (
        "Add an impact to the active object on the current frame. The arrow is at the point of the surface nearest to "
        "the 3D cursor. Move or rotate it to change the impact"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is a mesh with faces, in object mode."""
        obj = context.object
        has_faces = obj is not None and obj.type == "MESH" and obj.data.polygons
        return usable(
            cls, unless(has_faces, "Make a mesh with faces active (click it)"), linked(context), editing(context)
        )

    def execute(self, context: Any) -> Status:
        """Add the empty, and refer to it in the object's settings, after existing impacts."""
        obj = context.object
        point, inward = nearest(obj, context.scene.cursor.location)
        empty = bpy.data.objects.new(f"{obj.name} Impact", None)
        empty.empty_display_type = "SINGLE_ARROW"
        empty.empty_display_size = 0.5 * max(obj.dimensions)
        empty.matrix_world = Matrix.Translation(point[:]) @ UP.rotation_difference(inward).to_matrix().to_4x4()
        context.collection.objects.link(empty)
        group = obj.fracture
        impact = group.more_impacts.add() if group.impact_enabled and group.impact_object is not None else group
        group.impact_enabled = True
        impact.impact_object = empty
        impact.impact_frame = context.scene.frame_current
        return {"FINISHED"}
