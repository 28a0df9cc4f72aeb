"""Bake the run that is kept in the cache folder, without computing it again."""

from __future__ import annotations

import zipfile

import bpy

from ...core import arrays
from ...core.errors import SceneError
from ...core.job import Job
from ...core.recording import Recording
from .. import bake, run, same_shape
from ..job_process import JOB_FILE, RECORDING_FILE
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
        job, recording = _kept(run.cache_folder(context.scene))
        objects = [_named(context.scene, body.name) for body in job.bodies]
        same_shape.check(context, job, objects)
        bake.bake(context, job, recording, objects, {})


def _kept(folder) -> tuple[Job, Recording]:
    try:
        return arrays.load(folder / JOB_FILE, Job), arrays.load(folder / RECORDING_FILE, Recording)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise SceneError(f"'{folder}' holds no readable run ({error}); press Shatter to make one") from error


def _named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    obj = scene.objects.get(name)
    if obj is None:
        raise SceneError(f"The kept run is of '{name}', which is not in this scene; press Shatter instead")
    return obj
