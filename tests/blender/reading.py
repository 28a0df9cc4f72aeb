"""Scenes for tests of what is read of them: rigid bodies, keys, and the job that they become."""

import bpy

from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import action_curves


def job_of(*objects, frames=(1, 5)):
    return read_job(bpy.context, objects, frames)


def collider(job):
    (only,) = job.colliders
    return only


def add(operator, kind="PASSIVE", shape="MESH", **where):
    getattr(bpy.ops.mesh, f"primitive_{operator}_add")(**where)
    obj = bpy.context.object
    bpy.ops.rigidbody.object_add(type=kind)
    obj.rigid_body.collision_shape = shape
    return obj


def move(obj, places, path="location"):
    """Linear keys, ``{frame: place}``."""
    for frame, value in places.items():
        owner, _, name = path.rpartition(".")
        setattr(obj.path_resolve(owner) if owner else obj, name, value)
        obj.keyframe_insert(path, frame=frame)
    for curve in action_curves.curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def switch(owner, path, steps):
    """Keys of a setting that is on or off, ``{frame: value}``."""
    group, _, name = path.rpartition(".")
    for frame, value in steps.items():
        setattr(owner.path_resolve(group) if group else owner, name, value)
        owner.keyframe_insert(path, frame=frame)
