"""Add an impact to an object: an empty for its point and direction."""

from __future__ import annotations

from typing import Any

import bpy

from ..setup import impacts
from ..setup.placing import nearest
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
        impacts.add(context, obj, *nearest(obj, context.scene.cursor.location))
        return {"FINISHED"}
