"""Bake the run in the cache folder with motion only on a range of frames."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.timeline.trimming import Trim, trimmed
from ..process import cached_run, run
from ..read import same_shape
from ..write import bake
from .availability import editing, running, unless, usable
from .bake import named
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_trim(ImmediateOperator, bpy.types.Operator):
    """Bake the run in the scene's cache folder with motion only on a range of frames."""

    bl_idname = "fracture.trim"
    bl_label = "Shatter: Trim"
    bl_description = (
        "Create the pieces of the run in the cache folder again, with motion only up to the current frame. Change the "
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

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a cache folder is set, in object mode, and no run is in progress."""
        nothing = unless(context.scene.fracture.cache_path, "Set Cache Folder, then press Shatter")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Read the cached run, trim it, and bake it onto the objects of the same names."""
        cached = cached_run.load(context.scene)
        # Stored as values of the operator, which Adjust Last Operation shows.
        if not self.properties.is_property_set("first"):
            self.first = cached.job.frame_start
        if not self.properties.is_property_set("last"):
            self.last = context.scene.frame_current
        objects = [named(context.scene, body.name) for body in cached.job.bodies]
        same_shape.check(context, cached.job, objects)
        recording = trimmed(cached.job, cached.recording, Trim(self.first, self.last, self.to_start))
        bake.bake(context, cached.job, recording, objects, {})
        moved = f", and begins on frame {recording.frame_start}" if self.to_start else ""
        run.say(f"The motion has frames {self.first} to {self.last} of the run{moved}")
