"""Panel of the stress preview."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import result_lookup
from .section import Section


class FRACTURE_PT_stress_preview(Section, bpy.types.Panel):
    """Stress preview: stress and cracks of the first impact in the viewport."""

    bl_label = "Stress Preview"

    def draw(self, context: Any) -> None:
        """Draw the buttons, and the time and strength of the preview."""
        column = self.layout.column(align=True)
        column.operator("fracture.stress_preview", icon="SHADING_RENDERED")
        column.operator("fracture.remove_preview", icon="X")
        preview = result_lookup.preview_of(context.object)
        if preview is None or result_lookup.TIMES not in preview:
            return
        times, first_frame = preview[result_lookup.TIMES], preview[result_lookup.START]
        row = min(max(context.scene.frame_current - first_frame, 0), len(times) - 1)
        column.label(text=f"{1e3 * times[row]:.3g} of {1e3 * times[-1]:.3g}\u00a0ms after the impact", icon="TIME")
        column.label(text=f"Red: the strength, {preview[result_lookup.STRENGTH] / 1e6:.3g}\u00a0MPa", icon="COLOR")
