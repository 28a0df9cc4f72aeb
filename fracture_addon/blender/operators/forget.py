"""Delete the cache of earlier runs."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.errors import FractureError
from ..process import user_cache
from .availability import running, usable
from .status import Status


class FRACTURE_OT_forget(bpy.types.Operator):
    """Delete the cache of earlier runs."""

    bl_idname = "fracture.forget"
    bl_label = "Shatter: Delete Cache"
    bl_description = (
        "Delete the cells, breaks, checkpoints and compiled code of earlier runs, to free disk space. "
        "Results in scenes stay. The next run compiles again, which takes up to a minute"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether no run is in progress."""
        return usable(cls, running())

    def execute(self, context: Any) -> Status:
        """Delete the cache and report its size."""
        try:
            size = user_cache.forget()
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{size / 2**20:.1f} MB of cache deleted")
        return {"FINISHED"}
