"""Remove an additional impact from an object."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import IntProperty

from .availability import linked, subject, unless, usable
from .status import Status


class FRACTURE_OT_remove_impact(bpy.types.Operator):
    """Remove one of the additional impacts; its empty stays."""

    bl_idname = "fracture.remove_impact"
    bl_label = "Shatter: Remove Impact"
    bl_description = "Remove this impact from the active object. Its empty stays in the scene"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Index", description="Index of the additional impact", min=0, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object has additional impacts."""
        found = subject(context) is not None and subject(context).fracture.more_impacts
        return usable(cls, unless(found, "Make an object with more than one impact active (click it)"), linked(context))

    def execute(self, context: Any) -> Status:
        """Remove the impact from the list."""
        subject(context).fracture.more_impacts.remove(self.index)
        return {"FINISHED"}
