"""Bake the run that is kept in the cache folder, without computing it again."""

from __future__ import annotations

import bpy

from ...core.data.errors import SceneError
from .. import bake, kept_run, same_shape
from .at_once import AtOnce
from .availability import editing, lacking, running, usable


class FRACTURE_OT_bake(AtOnce, bpy.types.Operator):
    """Bakes the run that the scene's cache folder keeps."""

    bl_idname = "fracture.bake"
    bl_label = "Bake Kept Run"
    bl_description = "Put the run that is kept in the cache folder into the scene again, without computing it"

    @classmethod
    def poll(cls, context):
        """Only in object mode, with a run kept, while nothing runs."""
        nothing = lacking(context.scene.fracture.cache_path, "Choose a folder to keep runs in, then press Shatter")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context):
        """Read the kept job and its recording, and bake it onto the objects of the same names."""
        kept = kept_run.load(context.scene)
        objects = [_named(context.scene, body.name) for body in kept.job.bodies]
        same_shape.check(context, kept.job, objects)
        bake.bake(context, kept.job, kept.recording, objects, {})


def _named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    obj = scene.objects.get(name)
    if obj is None:
        raise SceneError(f"The kept run is of '{name}', which is not in this scene; press Shatter instead")
    return obj
