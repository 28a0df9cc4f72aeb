"""Take a further blow off an object."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from .availability import lacking, linked, usable


class FRACTURE_OT_remove_impact(bpy.types.Operator):
    """Removes one of the further blows; its empty stays."""

    bl_idname = "fracture.remove_impact"
    bl_label = "Remove Impact"
    bl_description = "Strike the active object no more with this blow; its empty stays"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Index", description="Which of the further blows", min=0, options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        """Only where there are further blows."""
        found = context.object is not None and context.object.fracture.more_impacts
        return usable(cls, lacking(found, "Make an object with more than one impact the active one"), linked(context))

    def execute(self, context):
        """Remove it from the list."""
        context.object.fracture.more_impacts.remove(self.index)
        return {"FINISHED"}
