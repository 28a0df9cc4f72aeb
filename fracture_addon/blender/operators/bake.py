"""Bake a stored run without computing it again."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import cached_run, run
from ..read import settings
from ..write import bake
from .cached_run_operator import CachedRunOperator


class FRACTURE_OT_bake(CachedRunOperator, bpy.types.Operator):
    """Bake a stored run."""

    bl_idname = "fracture.bake"
    bl_label = "Shatter: Bake Cached Run"
    bl_description = (
        "Create the pieces and keyframes of the active object's run again, without computing. With a Cache Folder, "
        "of the last run in it"
    )

    def bake(self, context: Any, cached: cached_run.CachedRun, objects: list[bpy.types.Object]) -> None:
        """Bake it as it is."""
        bake.bake(context, cached.job, cached.recording, objects, {})
        if not cached.job.log_events and any(map(settings.wants_events, objects)):
            run.say("The cached run has no events; press Shatter to log them")
