"""Make the stress preview of the selected objects."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.stress_window import Stresses
from ..process import run
from .run_operator import RunOperator


class FRACTURE_OT_stress_preview(RunOperator, bpy.types.Operator):
    """Compute the stress during the first impact and show it."""

    bl_idname = "fracture.stress_preview"
    bl_label = "Shatter: Stress Preview"
    bl_description = (
        "Show the largest principal stress and the cracks inside the selected meshes during their first impact, "
        "in slow motion: each frame shows one moment. Use Solid shading with Color > Attribute, or Material Preview. "
        "Shatter, Clear and Remove Preview remove it"
    )

    task = "stress"
    doing = "Computing the stress preview"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Add the previews, and report their frames and the largest stress."""
        without_impact = finished.show_stress_preview(context)
        shown = [body for body in finished.process.result_of(Stresses).bodies if body is not None]
        first = min(body.frame for body in shown)
        last = max(body.frame + len(body.window.times) - 1 for body in shown)
        greatest = max(float(body.window.stress.max()) for body in shown)
        text = f"Stress preview on frames {first} to {last}, at most {greatest / 1e6:.3g} MPa"
        run.say("; ".join([text, *(f"'{name}' has no impact" for name in without_impact)]))
