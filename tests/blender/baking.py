"""What tests of baked results have in common: halves that fall, and where things are."""

import bpy
import numpy as np

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import result_lookup, result_motion
from fracture_addon.blender.write import bake
from fracture_addon.core.numerics.rotations import matrices
from tests.blender import halves

BREAK = 5


def run(context, objects, break_frame=BREAK):
    job = read_job(context, objects, settings.frame_range(context.scene))
    recording = halves.recording(job, break_frame)
    return job, recording, bake.bake(context, job, recording, objects, {"total": 1.5})


def place(obj):
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def world(pose, unit=1.0):
    result = np.eye(4)
    result[:3, :3] = matrices(pose[3:])
    result[:3, 3] = pose[:3] / unit
    return result


def reloaded(path):
    """Save the file, open it again, and return its scene."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def is_whole(obj, scene):
    """Whether an object is not moved, not hidden, and without a result."""
    seen = []
    for frame in (1, BREAK, 12):
        scene.frame_set(frame)
        seen.append(not obj.hide_viewport and not obj.hide_render)
    return all(seen) and not result_motion.is_taken(obj) and result_lookup.collection_of(obj) is None


def is_broken(obj, scene, collection, count=2):
    """Whether an object still falls, is hidden from its break on, and has its fragments."""
    scene.frame_set(1)
    start = place(obj)[2, 3]
    scene.frame_set(BREAK - 1)
    falls = place(obj)[2, 3] < start - 1e-3
    seen = not obj.hide_viewport
    scene.frame_set(12)
    return (
        falls and seen and obj.hide_viewport and obj.hide_render and len(result_lookup.pieces_of(collection)) == count
    )
