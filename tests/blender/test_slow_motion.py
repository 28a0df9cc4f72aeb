"""Slow motion of the run in the cache folder."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.process import cached_run
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.scene.action_curves import curves_of
from fracture_addon.blender.write import bake
from tests.blender import halves

BREAK, LAST = 5, 12


@pytest.fixture
def broken(cube, scene, tmp_path):
    """A cube that falls and comes apart on frame 5; its run is in the cache folder."""
    scene.frame_start, scene.frame_end = 1, LAST
    scene.fracture.cache_path = str(tmp_path)
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    recording = halves.recording(job, BREAK)
    bake.bake(bpy.context, job, recording, [cube], {})
    cached_run.store(scene, [cube], job, recording)
    return cube


def drawn(frame):
    """Objects that are drawn on a frame, and the places of all pieces."""
    bpy.context.scene.frame_set(frame)
    objects = [obj for obj in bpy.context.scene.objects if obj.type == "MESH" and not obj.hide_render]
    return {obj.name: np.array(obj.matrix_world) for obj in objects}


def same(one, other):
    return one.keys() == other.keys() and all(np.allclose(one[name], other[name], atol=1e-4) for name in one)


def test_the_old_frames_are_on_every_second_new_one(broken, scene):
    real = [drawn(frame) for frame in range(1, LAST + 1)]
    scene.frame_set(1)
    assert bpy.ops.fracture.slow_motion(speed=0.5, before=0, after=LAST, ramp=0) == {"FINISHED"}
    assert all(same(drawn(2 * row + 1), expected) for row, expected in enumerate(real))
    assert "Cube" in drawn(2 * BREAK - 2)
    assert "Cube" not in drawn(2 * BREAK - 1)
    assert scene.frame_end == LAST


def test_pressing_again_starts_from_the_recording_and_bake_returns_to_the_real_speed(broken, scene):
    real = [drawn(frame) for frame in range(1, LAST + 1)]
    scene.frame_set(BREAK)
    for _ in range(2):
        bpy.ops.fracture.slow_motion(speed=0.25, before=1, after=2, ramp=1)
        last = max(
            int(curve.keyframe_points[-1].co[0])
            for piece in result_lookup.pieces_of(result_lookup.collection_of(broken))
            for curve in curves_of(piece)
            if curve.data_path == "location"
        )
        assert LAST + 9 <= last <= LAST + 15
    bpy.ops.fracture.bake()
    assert all(same(drawn(row + 1), expected) for row, expected in enumerate(real))
