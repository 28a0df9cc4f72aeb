"""Add an impact to an object: an empty for its point and direction."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.impact import RADIUS, STRENGTH
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

    location: bpy.props.FloatVectorProperty(
        name="Location",
        description="The impact is at the point of the surface nearest to this place, in world space. "
        "The 3D cursor at first",
        subtype="TRANSLATION",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    frame: bpy.props.IntProperty(
        name="Frame", description="Frame of the impact. The current frame at first", options={"SKIP_SAVE"}
    )
    strength: bpy.props.FloatProperty(
        name="Strength", description=STRENGTH, default=4.0, min=0.0, soft_max=50.0, precision=1
    )
    radius: bpy.props.FloatProperty(
        name="Radius", description=RADIUS, default=0.0, min=0.0, soft_max=1.0, subtype="DISTANCE", unit="LENGTH"
    )

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
        # Adjust Last Operation shows the values that are used.
        if not self.properties.is_property_set("location"):
            self.location = context.scene.cursor.location
        if not self.properties.is_property_set("frame"):
            self.frame = context.scene.frame_current
        impact = impacts.add(context, obj, *nearest(obj, self.location))
        impact.impact_frame, impact.impact_strength, impact.impact_radius = self.frame, self.strength, self.radius
        return {"FINISHED"}
