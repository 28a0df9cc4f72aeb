"""Show the stress over the local strength just before the selected objects break."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.stress_window import Stresses
from ..process import run
from ..read import settings
from .availability import editing, running, unless, usable
from .run_operator import RunOperator

PAINTING = "PAINT_WEIGHT"


class FRACTURE_OT_expected_stress(RunOperator, bpy.types.Operator):
    """Show the stress over the local strength just before the selected objects break."""

    bl_idname = "fracture.expected_stress"
    bl_label = "Shatter: Expected Stress"
    bl_description = (
        "Show where the selected meshes will break: their stress over the local strength, just before the first crack. "
        "The reddest place breaks first. Press it after painting weak or strong regions. Ends Weight Paint Mode, and "
        "shows attributes in viewports with Solid shading. Remove Preview removes it"
    )

    task = "stress"
    doing = "Computing the expected stress"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether an object to break is selected, in object or weight paint mode, and no run is in progress."""
        nothing = unless(settings.chosen(settings.selection(context)), "Select a mesh to break")
        wrong_mode = "" if context.mode == PAINTING else editing(context)
        return usable(cls, running(), wrong_mode, nothing)

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """End painting."""
        if context.mode != PAINTING:
            return False
        bpy.ops.object.mode_set(mode="OBJECT")
        return True

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Add the previews, go to the moment before the first break, and show their colours."""
        without_impact = finished.show_stress_preview(context)
        bodies = [body for body in finished.process.result_of(Stresses).bodies if body is not None]
        first = min(bodies, key=lambda body: body.frame)
        frame = first.frame + first.first_break
        if not any(window.screen.is_animation_playing for window in context.window_manager.windows):
            context.scene.frame_set(frame)
        _show_attributes(context)
        share = max(body.largest_share for body in bodies)
        if share < 1.0:
            text = (
                f"The first impact, on frame {frame}, breaks nothing: the stress is at most {100.0 * share:.2g} % of "
                "the strength. Raise Violence, or press Shatter with Break Anyway, which makes all impacts stronger"
            )
        else:
            text = f"Expected stress just before the break, on frame {frame}: the reddest place breaks first"
        run.say("; ".join([text, *(f"'{name}' has no impact" for name in without_impact)]))


def _show_attributes(context: Any) -> None:
    """Let the viewports of all windows that have solid shading show the colours of attributes."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D" and area.spaces.active.shading.type == "SOLID":
                area.spaces.active.shading.color_type = "VERTEX"
