"""Bake a stored run with slow motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy

from ...core.timeline.retiming import SlowMotion, retimed
from ..process import cached_run, run
from ..write import bake
from .cached_run_operator import CachedRunOperator


class FRACTURE_OT_slow_motion(CachedRunOperator, bpy.types.Operator):
    """Bake a stored run with slow motion."""

    bl_idname = "fracture.slow_motion"
    bl_label = "Shatter: Slow Motion"
    bl_description = (
        "Create the pieces of the run again, with slow motion around the current frame. Values are "
        "in Adjust Last Operation (F9). Your own keyframes keep their times. Bake Cached Run returns to the real speed"
    )

    speed: bpy.props.FloatProperty(
        name="Speed",
        description="Speed of the slow frames, over the real speed. 0.1 is ten times as slow",
        default=0.25,
        min=0.001,
        max=10.0,
        soft_max=1.0,
        precision=3,
    )
    before: bpy.props.IntProperty(
        name="Frames Before",
        description="Frames of the run before the current one that are slow",
        default=2,
        min=0,
        soft_max=50,
    )
    after: bpy.props.IntProperty(
        name="Frames After",
        description="Frames of the run after the current one that are slow",
        default=10,
        min=0,
        soft_max=100,
    )
    ramp: bpy.props.IntProperty(
        name="Ramp",
        description="Frames of the run over which the speed changes, before and after the slow ones",
        default=4,
        min=0,
        soft_max=50,
    )

    def bake(self, context: Any, cached: cached_run.CachedRun, objects: list[bpy.types.Object]) -> None:
        """Change its times, and bake it."""
        frame = context.scene.frame_current
        recording = retimed(
            cached.recording, SlowMotion(frame - self.before, frame + self.after, self.speed, self.ramp)
        )
        last = recording.frame_start + len(recording.bodies[0].poses) - 1
        bake.bake(context, replace(cached.job, frame_end=last), recording, objects, {})
        run.say(
            f"With slow motion the run ends on frame {last}"
            + (f"; the scene ends on frame {context.scene.frame_end}" if last > context.scene.frame_end else "")
        )
