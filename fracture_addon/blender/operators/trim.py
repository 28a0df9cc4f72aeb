"""Bake a stored run with motion only on a range of frames."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.timeline.trimming import Trim, trimmed
from ..process import cached_run, run
from ..write import bake
from .cached_run_operator import CachedRunOperator


class FRACTURE_OT_trim(CachedRunOperator, bpy.types.Operator):
    """Bake a stored run with motion only on a range of frames."""

    bl_idname = "fracture.trim"
    bl_label = "Shatter: Trim"
    bl_description = (
        "Create the pieces of the run again, with motion only up to the current frame. Change the "
        "first and the last frame in Adjust Last Operation (F9). Your own keyframes stay. Bake Cached Run returns to "
        "the whole run"
    )

    first: bpy.props.IntProperty(
        name="First Frame",
        description="First frame that is kept; that of the run, unless it is chosen. Before it, nothing moves",
        default=1,
        options={"SKIP_SAVE"},
    )
    last: bpy.props.IntProperty(
        name="Last Frame",
        description="Last frame that is kept; the current one, unless it is chosen. After it, nothing moves",
        default=250,
        options={"SKIP_SAVE"},
    )
    to_start: bpy.props.BoolProperty(
        name="Move to Start",
        description=(
            "Move the motion to the first frame of the run. Turn on to begin the shot with First Frame. Colliders with "
            "keyframes keep their times"
        ),
        default=False,
        options={"SKIP_SAVE"},
    )

    def bake(self, context: Any, cached: cached_run.CachedRun, objects: list[bpy.types.Object]) -> None:
        """Trim it, and bake it."""
        # Stored as values of the operator, which Adjust Last Operation shows.
        if not self.properties.is_property_set("first"):
            self.first = cached.job.frame_start
        if not self.properties.is_property_set("last"):
            self.last = context.scene.frame_current
        recording = trimmed(cached.job, cached.recording, Trim(self.first, self.last, self.to_start))
        bake.bake(context, cached.job, recording, objects, {})
        moved = f", and begins on frame {recording.frame_start}" if self.to_start else ""
        run.say(f"The motion has frames {self.first} to {self.last} of the run{moved}")
