"""Place an empty that says where and which way an object is struck."""

from __future__ import annotations

import bpy
from mathutils import Matrix

from ..placing import UP, nearest
from .availability import editing, lacking, linked, usable


class FRACTURE_OT_add_impact(bpy.types.Operator):
    """Places an arrow where the active object is to be struck."""

    bl_idname = "fracture.add_impact"
    bl_label = "Add Impact"
    bl_description = (
        "Strike the active object where its surface is nearest to the 3D cursor: "
        "adds an arrow that can be moved and turned"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """Only for a mesh, in object mode."""
        obj = context.object
        is_solid = obj is not None and obj.type == "MESH" and obj.data.polygons
        return usable(
            cls, lacking(is_solid, "Make a mesh with faces the active object"), linked(context), editing(context)
        )

    def execute(self, context):
        """Add the empty, and name it in the object's settings: beside the blows that are there."""
        obj = context.object
        point, inward = nearest(obj, context.scene.cursor.location)
        empty = bpy.data.objects.new(f"{obj.name} Impact", None)
        empty.empty_display_type = "SINGLE_ARROW"
        empty.empty_display_size = 0.5 * max(obj.dimensions)
        empty.matrix_world = Matrix.Translation(point) @ UP.rotation_difference(inward).to_matrix().to_4x4()
        context.collection.objects.link(empty)
        group = obj.fracture
        blow = group.more_impacts.add() if group.impact_enabled and group.impact_object is not None else group
        group.impact_enabled = True
        blow.impact_object = empty
        blow.impact_frame = context.scene.frame_current
        return {"FINISHED"}
