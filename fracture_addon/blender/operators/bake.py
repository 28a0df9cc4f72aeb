"""Bake the run that is kept in the cache folder, without computing it again."""

from __future__ import annotations

import zipfile

import bpy

from ...core import arrays
from ...core.errors import FractureError, SceneError
from ...core.job import Job
from ...core.recording import Recording
from .. import bake, run
from ..job_process import JOB_FILE, RECORDING_FILE
from .availability import editing, lacking, running, usable


class FRACTURE_OT_bake(bpy.types.Operator):
    """Bakes the run that the scene's cache folder keeps."""

    bl_idname = "fracture.bake"
    bl_label = "Bake Kept Run"
    bl_description = "Put the run that is kept in the cache folder into the scene again, without computing it"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """Only in object mode, with a run kept, while nothing runs."""
        nothing = lacking(context.scene.fracture.cache_path, "Choose a folder to keep runs in, then press Shatter")
        return usable(cls, running(), editing(context), nothing)

    def execute(self, context):
        """Read the kept job and its recording, and bake it onto the objects of the same names."""
        folder = run.cache_folder(context.scene)
        try:
            job, recording = _kept(folder)
            objects = [_named(body.name) for body in job.bodies]
            bake.bake(context, job, recording, objects, {})
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def _kept(folder) -> tuple[Job, Recording]:
    try:
        return arrays.load(folder / JOB_FILE, Job), arrays.load(folder / RECORDING_FILE, Recording)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise SceneError(f"'{folder}' holds no readable run ({error}); press Shatter to make one") from error


def _named(name: str) -> bpy.types.Object:
    obj = bpy.data.objects.get(name)
    if obj is None:
        raise SceneError(f"The kept run is of '{name}', which is not in this file; press Shatter instead")
    return obj
