"""Break the selected objects."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from .run_operator import RunOperator


class FRACTURE_OT_shatter(RunOperator, bpy.types.Operator):
    """Simulate the break and bake it."""

    bl_idname = "fracture.shatter"
    bl_label = "Shatter"
    bl_description = "Break the selected meshes by the forces of their impacts, and write the pieces as keyframes"

    task = "recording"
    doing = "Shattering"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Bake the recording."""
        finished.bake(context)
