"""Cancel the current run."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from .availability import unless, usable
from .status import Status


class FRACTURE_OT_cancel(bpy.types.Operator):
    """Stop the worker process."""

    bl_idname = "fracture.cancel"
    bl_label = "Shatter: Cancel"
    bl_description = "Stop the current run. The scene is not changed"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a run is in progress."""
        return usable(cls, unless(run.active is not None, "No run is in progress"))

    def execute(self, context: Any) -> Status:
        """Stop the worker; the operator that started it ends at its next timer event."""
        run.stop("Cancelled")
        return {"FINISHED"}
