"""What tests of baked results have in common: halves that fall, and where things are."""

import bpy
import numpy as np

from fracture_addon.blender import bake, read_scene, settings
from fracture_addon.core.numerics.rotations import matrices
from tests.blender import halves

BREAK = 5


def run(context, objects, break_frame=BREAK):
    job = read_scene.read_job(context, objects, settings.frame_range(context.scene))
    recording = halves.recording(job, break_frame)
    return job, recording, bake.bake(context, job, recording, objects, {"total": 1.5})


def place(obj):
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def world(pose, unit=1.0):
    result = np.eye(4)
    result[:3, :3] = matrices(pose[3:])
    result[:3, 3] = pose[:3] / unit
    return result
