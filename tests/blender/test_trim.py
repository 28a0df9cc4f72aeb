"""Trim of the run in the cache folder: what the scene shows on each frame, and what stays the artist's."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.process import cached_run
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene.action_curves import curves_of
from fracture_addon.blender.write import bake
from fracture_addon.core.data.recording import Deformed, Recording, Track
from tests.blender import halves
from tests.blender.snapshot import snapshot

BREAK, LAST = 5, 12


def baked(obj, scene, folder, made=halves.recording):
    """Bake a recording of an object, with the run in the cache folder; return the places of its frames."""
    scene.frame_start, scene.frame_end = 1, LAST
    scene.fracture.cache_path = str(folder)
    job = read_job(bpy.context, [obj], settings.frame_range(scene))
    recording = made(job)
    bake.bake(bpy.context, job, recording, [obj], {})
    cached_run.store(scene, [obj], job, recording)
    return drawn_frames()


def stretching(job):
    """A deformable body that grows by a half in each frame."""
    body = job.bodies[0]
    points = np.array([body.surface.points * (1.0 + 0.5 * row) for row in range(LAST)], np.float32)
    faces = len(body.surface.faces)
    deformed = Deformed(0, body.surface, np.zeros(faces, bool), np.zeros(faces, np.int32), points)
    still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (LAST, 1))
    return Recording(1, (Track(body.name, np.zeros(3), 1, still),), deformed=(deformed,))


def drawn(frame):
    """World points of all meshes that are drawn on a frame, by object."""
    bpy.context.scene.frame_set(frame)
    result = {}
    for item in bpy.context.evaluated_depsgraph_get().object_instances:
        obj = item.object
        owner = item.parent if item.is_instance else obj
        if obj.type == "MESH" and not owner.original.hide_render and obj.data.vertices:
            places = [item.matrix_world @ vertex.co for vertex in obj.data.vertices]
            if item.matrix_world.determinant():
                result.setdefault(owner.name, []).extend(map(tuple, places))
    return {name: np.array(points) for name, points in result.items()}


def drawn_frames():
    return [drawn(frame) for frame in range(1, LAST + 3)]


def check(whole, first, last, to_start=False):
    for frame in range(1, LAST + 3):
        wanted = whole[min(max(frame + (first - 1 if to_start else 0), first), last) - 1]
        found = drawn(frame)
        assert found.keys() == wanted.keys()
        assert all(np.allclose(found[name], wanted[name], atol=1e-4) for name in wanted)


@pytest.mark.parametrize("kind", ["keyframed", "one object", "deformable"])
@pytest.mark.parametrize("to_start", [False, True])
def test_the_scene_shows_the_range_and_bake_the_whole_run(cube, scene, tmp_path, kind, to_start):
    cube.fracture.one_object = kind == "one object"
    if kind == "deformable":
        cube.fracture.method, cube.fracture.dynamics = "LATTICE", "DEFORMABLE"
    whole = baked(cube, scene, tmp_path, stretching if kind == "deformable" else halves.recording)
    for first, last in ((3, 8), (7, 10), (3, 3), (6, LAST), (1, 4)):
        assert bpy.ops.fracture.trim(first=first, last=last, to_start=to_start) == {"FINISHED"}
        check(whole, first, last, to_start)
    assert (scene.frame_start, scene.frame_end) == (1, LAST)
    assert bpy.ops.fracture.bake() == {"FINISHED"}
    check(whole, 1, LAST)


def test_your_keyframes_and_your_objects_stay(cube, scene, tmp_path):
    cube.fracture.held = True
    for frame in (1, LAST):
        cube.location.x = frame
        cube.keyframe_insert("location", frame=frame)
    own = [tuple(key.co) for curve in curves_of(cube) for key in curve.keyframe_points]
    baked(cube, scene, tmp_path)
    mine = bpy.data.objects.new("Mine", None)
    bpy.data.collections["Cube Fragments"].objects.link(mine)
    scene.frame_set(4)
    for first, to_start in ((3, False), (BREAK, True)):
        assert bpy.ops.fracture.trim(first=first, last=9, to_start=to_start) == {"FINISHED"}
        kept = [tuple(key.co) for curve in curves_of(cube) for key in curve.keyframe_points]
        assert kept == own
        assert mine.name in bpy.data.collections["Cube Fragments"].objects
        assert scene.frame_current == 4


def test_one_undo_brings_the_whole_run_back(cube, scene, tmp_path):
    whole = baked(cube, scene, tmp_path)
    scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Before")
    made = []
    for last in (9, 6):
        assert bpy.ops.fracture.trim(first=6, last=last) == {"FINISHED"}
        made.append(snapshot())
        bpy.ops.ed.undo_push(message="Trim")
        bpy.ops.ed.undo()
        check(whole, 1, LAST)
        bpy.context.scene.frame_set(1)
    assert bpy.ops.fracture.trim(first=6, last=9) == {"FINISHED"}
    assert snapshot() == made[0]


def test_what_cannot_be_trimmed_leaves_the_result(cube, scene, tmp_path):
    whole = baked(cube, scene, tmp_path)
    with pytest.raises(RuntimeError, match="'Cube' has frames 1 to 12"):
        bpy.ops.fracture.trim(first=20, last=30)
    check(whole, 1, LAST)


def test_without_values_the_motion_ends_on_the_current_frame(cube, scene, tmp_path):
    whole = baked(cube, scene, tmp_path)
    scene.frame_set(7)
    assert bpy.ops.fracture.trim() == {"FINISHED"}
    check(whole, 1, 7)
