"""Stop the run that is under way."""

from __future__ import annotations

import bpy

from .. import run


class FRACTURE_OT_cancel(bpy.types.Operator):
    """Stop the run; the scene stays as it is"""

    bl_idname = "fracture.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        """Only while something runs."""
        if run.active is None:
            cls.poll_message_set("Nothing is running")
            return False
        return True

    def execute(self, context):
        """Ask the operator that owns the run to end it at its next tick."""
        run.active.cancelled = True
        return {"FINISHED"}
