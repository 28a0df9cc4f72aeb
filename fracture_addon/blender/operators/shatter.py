"""Break the selected objects."""

from __future__ import annotations

import bpy

from .run_operator import RunOperator


class FRACTURE_OT_shatter(RunOperator, bpy.types.Operator):
    """Asks for a recording, and bakes it."""

    bl_idname = "fracture.shatter"
    bl_label = "Shatter"
    bl_description = "Break the selected meshes by the forces of their impacts, and key the pieces on the timeline"

    task = "recording"
    doing = "Shattering"

    def deliver(self, context, finished):
        """Bake."""
        finished.bake(context)
