"""Give back the disk space of what earlier runs left."""

from __future__ import annotations

import bpy

from ...core.data.errors import FractureError
from .. import user_cache
from .availability import running, usable


class FRACTURE_OT_forget(bpy.types.Operator):
    """Removes the cache of earlier runs."""

    bl_idname = "fracture.forget"
    bl_label = "Forget Earlier Runs"
    bl_description = (
        "Remove the cells, breaks, checkpoints and compiled code that earlier runs left; results in scenes stay. "
        "The next run compiles again, which takes up to a minute"
    )

    @classmethod
    def poll(cls, context):
        """Only while nothing runs."""
        return usable(cls, running())

    def execute(self, context):
        """Remove the cache and report its size."""
        try:
            held = user_cache.forget()
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{held / 2**20:.1f} MB given back")
        return {"FINISHED"}
