"""Stop the run that is under way."""

from __future__ import annotations

import bpy

from .. import run
from .availability import lacking, usable


class FRACTURE_OT_cancel(bpy.types.Operator):
    """Stops the child."""

    bl_idname = "fracture.cancel"
    bl_label = "Cancel"
    bl_description = "Stop the run; the scene stays as it is"

    @classmethod
    def poll(cls, context):
        """Only while something runs."""
        return usable(cls, lacking(run.active is not None, "Nothing is running"))

    def execute(self, context):
        """Stop the child; the operator that started it notices at its next tick."""
        run.stop("Cancelled")
        return {"FINISHED"}
