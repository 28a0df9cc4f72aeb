"""Show the stress and the cracks inside the selected objects while they are struck."""

from __future__ import annotations

import bpy

from .. import run
from .run_operator import RunOperator


class FRACTURE_OT_show_stress(RunOperator, bpy.types.Operator):
    """Asks for what goes on inside, and shows it."""

    bl_idname = "fracture.show_stress"
    bl_label = "Show Stress"
    bl_description = (
        "Show the largest principal stress and the cracks inside the selected meshes during the first blow on each, "
        "a moment of it a frame. See it in Solid shading with Color > Attribute, or in Material Preview. "
        "Shatter and Clear take it away again"
    )

    task = "stress"
    doing = "Looking inside"

    def deliver(self, context, finished):
        """Show, and say from which frame on."""
        spared = finished.show_stress(context)
        struck = [body for body in finished.process.result.bodies if body is not None]
        first = min(body.frame for body in struck)
        last = max(body.frame + len(body.window.times) - 1 for body in struck)
        greatest = max(float(body.window.stress.max()) for body in struck)
        text = f"Frames {first} to {last}: up to {greatest / 1e6:.3g} MPa"
        run.say("; ".join([text, *(f"nothing strikes '{name}'" for name in spared)]))
