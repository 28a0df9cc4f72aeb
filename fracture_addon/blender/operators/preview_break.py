"""Preview the cracks of the selected objects as lines."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.crack_preview import Cracks
from ..process import run
from .run_operator import RunOperator


class FRACTURE_OT_preview_break(RunOperator, bpy.types.Operator):
    """Compute the first break at low detail and show its cracks."""

    bl_idname = "fracture.preview_break"
    bl_label = "Shatter: Preview Break"
    bl_description = (
        "Show the cracks of the first break of the selected meshes as lines, with at most 2,000 cells per object. "
        "With a Detail of at most 2,000, Shatter breaks them along the same lines. Shatter, Clear and Remove Preview "
        "remove the lines"
    )

    task = "cracks"
    doing = "Computing the cracks"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Add the lines and report the number of pieces."""
        finished.show_cracks(context)
        bodies = finished.process.result_of(Cracks).bodies
        whole = [body.name for body, found in zip(finished.job.bodies, bodies, strict=True) if found.piece_count < 2]
        pieces = sum(body.piece_count for body in bodies)
        found = f"Preview: {pieces:,} piece{'s' if pieces > 1 else ''}"
        run.say("; ".join([found, *(f"'{name}' does not break" for name in whole)]))
