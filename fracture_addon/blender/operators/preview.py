"""Show the cells that the selected objects would be divided into."""

from __future__ import annotations

import bpy

from .. import run
from .run_operator import RunOperator

FACES_A_CELL = 4


class FRACTURE_OT_preview(RunOperator, bpy.types.Operator):
    """Asks for the cells, and shows them."""

    bl_idname = "fracture.preview"
    bl_label = "Preview Cells"
    bl_description = (
        "Show the cells that the selected meshes would be divided into; cracks run between them. "
        "Viewport shading by attribute colours them by strength. Shatter and Clear take them away again"
    )

    task = "preview"
    doing = "Dividing into cells"

    def deliver(self, context, finished):
        """Show, and say how many there are."""
        finished.show(context)
        count = sum(len(cells.faces) for cells in finished.process.result.bodies) // FACES_A_CELL
        run.say(f"{count:,} cells")
