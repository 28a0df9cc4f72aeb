"""Break the selected objects without simulating their motion."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from .run_operator import RunOperator


class FRACTURE_OT_fracture_only(RunOperator, bpy.types.Operator):
    """Break objects where they are, without motion."""

    bl_idname = "fracture.fracture_only"
    bl_label = "Shatter: Fracture Only"
    bl_description = (
        "Break the selected meshes where they are on the current frame, without motion and keyframes, for rigid "
        "bodies, geometry nodes or export. The impacts of an object break it. An object without impacts breaks by one "
        "on its front; if Pieces is above 0, all of it breaks into that many pieces"
    )

    task = "fracture"
    doing = "Breaking"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Add the pieces."""
        finished.bake(context)
