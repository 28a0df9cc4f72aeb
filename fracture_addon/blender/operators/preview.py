"""Preview the cells of the selected objects."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.cell_preview import Preview
from ..process import run
from .run_operator import RunOperator

# A tetrahedron has four faces.
FACES_PER_CELL = 4


class FRACTURE_OT_preview(RunOperator, bpy.types.Operator):
    """Compute the cells and show them."""

    bl_idname = "fracture.preview"
    bl_label = "Shatter: Cell Preview"
    bl_description = (
        "Show the cells of the selected meshes, to check Detail. Cracks run between cells. "
        "Solid shading with Color > Attribute shows their strength. Shatter, Clear and Remove Preview remove them"
    )

    task = "preview"
    doing = "Creating cells"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Add the preview and report the number of cells."""
        finished.show(context)
        cells = finished.process.result_of(Preview)
        count = sum(len(body.faces) for body in cells.bodies) // FACES_PER_CELL
        run.say(f"{count:,} cells")
