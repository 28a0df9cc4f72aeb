"""What goes on inside an object while it is struck."""

from __future__ import annotations

import bpy

from .. import previews, stress_preview
from .section import Section


class FRACTURE_PT_look_inside(Section, bpy.types.Panel):
    """Stress and cracks in the viewport."""

    bl_label = "Look Inside"

    def draw(self, context):
        """Draw the buttons, and the moment that is shown."""
        column = self.layout.column(align=True)
        column.operator("fracture.show_stress", icon="SHADING_RENDERED")
        column.operator("fracture.remove_preview", icon="X")
        preview = previews.preview_of(context.object)
        if preview is None or stress_preview.TIMES not in preview:
            return
        times, start = preview[stress_preview.TIMES], preview[stress_preview.START]
        moment = min(max(context.scene.frame_current - start, 0), len(times) - 1)
        column.label(text=f"{1e3 * times[moment]:.3g} of {1e3 * times[-1]:.3g}\u00a0ms after the blow", icon="TIME")
        column.label(text=f"Red is {preview[stress_preview.STRENGTH] / 1e6:.3g}\u00a0MPa, the strength", icon="COLOR")
