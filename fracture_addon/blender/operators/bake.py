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


class FRACTURE_OT_bake(bpy.types.Operator):
    """Bakes the run that the scene's cache folder keeps."""

    bl_idname = "fracture.bake"
    bl_label = "Bake Kept Run"
    bl_description = "Put the run that is kept in the cache folder into the scene again, without computing it"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """Only in object mode, with a run kept, while nothing runs."""
        if run.active is not None:
            cls.poll_message_set("A run is under way: wait for it, or cancel it")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave the edit mode first (Tab)")
            return False
        if not context.scene.fracture.cache_path:
            cls.poll_message_set("Choose a folder to keep runs in, then press Shatter")
            return False
        return True

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
