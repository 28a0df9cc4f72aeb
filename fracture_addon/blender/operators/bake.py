"""Bake the run in the cache folder without computing it again."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import cached_run, run
from ..read import same_shape, settings
from ..write import bake
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_bake(ImmediateOperator, bpy.types.Operator):
    """Bake the run in the scene's cache folder."""

    bl_idname = "fracture.bake"
    bl_label = "Shatter: Bake Cached Run"
    bl_description = "Create the pieces and keyframes of the run in the cache folder again, without computing"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a cache folder is set, in object mode, and no run is in progress."""
        nothing = unless(context.scene.fracture.cache_path, "Set Cache Folder, then press Shatter")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Read the cached job and its recording, and bake them onto the objects of the same names."""
        cached = cached_run.load(context.scene)
        objects = [named(context.scene, body.name) for body in cached.job.bodies]
        same_shape.check(context, cached.job, objects)
        bake.bake(context, cached.job, cached.recording, objects, {})
        if not cached.job.log_events and any(map(settings.wants_events, objects)):
            run.say("The cached run has no events; press Shatter to log them")


def named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return an object of a scene.

    Raises:
        SceneError: The scene has no object of this name.
    """
    obj = scene.objects.get(name)
    if obj is None:
        raise SceneError(
            f"The cached run contains '{name}', which is not in this scene; press Shatter to make a new run"
        )
    return obj
