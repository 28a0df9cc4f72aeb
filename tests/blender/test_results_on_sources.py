"""What a result does to the artist's own objects: it moves and hides them, and gives them back as they were."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fracture_addon.blender.panels import last_report
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import action_curves, result_motion
from fracture_addon.blender.write import results
from tests.blender.baking import place, run, world
from tests.blender.snapshot import snapshot


def key_visibility(glazed):
    glazed.hide_render = True
    glazed.keyframe_insert("hide_render", frame=1)
    glazed.hide_render = False
    glazed.keyframe_insert("hide_render", frame=3)


def key_location(glazed):
    for frame in (-3, 1, 8):
        glazed.location.x = 0.1 * frame
        glazed.keyframe_insert("location", frame=frame)
    for curve in action_curves.curves_of(glazed):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def parent(glazed):
    handle = bpy.data.objects.new("Handle", None)
    handle.scale = (1.0, 2.0, 0.5)
    bpy.context.scene.collection.objects.link(handle)
    glazed.parent = handle
    glazed.rotation_euler = (0.3, 0.2, 0.1)


def add_ball(glazed):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.05, location=(-1.0, 0.0, 0.5))
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    bpy.context.object.keyframe_insert("location", frame=1)


def hold(glazed):
    glazed.fracture.held = True


@pytest.mark.parametrize("prepare", [None, key_visibility, key_location, parent, add_ball, hold])
def test_clear_puts_everything_back(glazed, scene, prepare):
    if prepare:
        prepare(glazed)
    scene.frame_set(3)
    before = snapshot()
    run(bpy.context, [glazed])
    assert snapshot() != before
    results.clear(bpy.context, [glazed])
    assert snapshot() == before


def test_clear_helps_when_the_artist_removed_half_of_it(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    scene.frame_set(12)
    bpy.data.objects.remove(bpy.data.objects["Cube Motion"])
    bpy.data.batch_remove([*collection.objects, collection])
    results.clear(bpy.context, [glazed])
    assert not glazed.hide_viewport
    assert not glazed.constraints
    assert glazed.animation_data is None


def test_reading_changes_nothing(glazed, scene):
    key_location(glazed)
    add_ball(glazed)
    scene.frame_set(3)
    before = snapshot()
    read_job(bpy.context, [glazed], (1, 12))
    assert snapshot() == before


@pytest.mark.parametrize("frame", [3, 11])
def test_reading_a_broken_scene_changes_nothing(glazed, scene, frame):
    key_location(glazed)
    add_ball(glazed)
    run(bpy.context, [glazed])
    scene.frame_set(frame)
    before = snapshot()
    read_job(bpy.context, [glazed], (1, 12))
    assert snapshot() == before


def test_the_artists_own_visibility_holds_until_the_break(glazed, scene):
    key_visibility(glazed)
    run(bpy.context, [glazed])
    seen = []
    for frame in (1, 2, 3, 4, 5, 12):
        scene.frame_set(frame)
        seen.append(glazed.hide_render)
    assert seen == [True, True, False, False, True, True]


@pytest.mark.parametrize("lets_go", [False, True], ids=["animated", "let go by keys"])
def test_a_moving_source_is_moved_by_the_simulation_only(glazed, scene, lets_go):
    key_location(glazed)
    for frame, value in ((1, True), (3, False)) if lets_go else ():
        glazed.fracture.held = value
        glazed.keyframe_insert("fracture.held", frame=frame)
    job, recording, _ = run(bpy.context, [glazed])
    if not lets_go:
        assert job.bodies[0].velocity[0] == pytest.approx(0.1 * 24.0)
    track = recording.bodies[0]
    scene.frame_set(1)
    rest = place(glazed)
    for frame in (2, 4):
        scene.frame_set(frame)
        wanted = world(track.poses[frame - 1]) @ Matrix.Translation(-track.center) @ rest
        assert np.allclose(place(glazed), wanted, atol=1e-5)


def test_a_projectile_moves_as_computed(glazed, scene):
    add_ball(glazed)
    ball = bpy.context.object
    _, recording, _ = run(bpy.context, [glazed])
    for frame in (1, 4, 10):
        scene.frame_set(frame)
        assert place(ball)[:3, 3] == pytest.approx(recording.projectiles[0].poses[frame - 1, :3], abs=1e-5)


def test_a_projectile_of_two_results_is_given_back_with_the_last(glazed, scene):
    add_ball(glazed)
    ball = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.0, 0.0, 0.5))
    other = bpy.context.object
    run(bpy.context, [glazed])
    run(bpy.context, [other])
    results.clear(bpy.context, [other])
    assert result_motion.is_taken(ball)
    results.clear(bpy.context, [glazed])
    assert not result_motion.is_taken(ball)
    assert not ball.constraints


def test_an_action_of_two_objects_is_changed_for_neither(glazed, scene):
    key_location(glazed)
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    other = bpy.context.object
    other.animation_data_create().action = glazed.animation_data.action
    run(bpy.context, [glazed])
    scene.frame_set(12)
    assert glazed.hide_viewport
    assert not other.hide_viewport


def test_a_saved_result_can_be_cleared_after_loading(glazed, scene, tmp_path):
    scene.frame_set(1)
    run(bpy.context, [glazed])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    glazed = bpy.data.objects["Cube"]
    results.clear(bpy.context, [glazed])
    assert [obj.name for obj in bpy.data.objects] == ["Cube"]
    assert not glazed.constraints
    assert glazed.animation_data is None
    assert not bpy.data.actions


def test_what_broke_together_stays_together_without_a_selection(glazed):
    other = glazed.copy()
    other.location.x += 5.0
    bpy.context.scene.collection.objects.link(other)
    run(bpy.context, [glazed, other])
    bpy.context.view_layer.objects.active = glazed
    for obj in bpy.context.selected_objects:
        obj.select_set(False)  # as Blender does with what is hidden
    assert settings.selection(bpy.context) == [glazed, other]
    first, second, *_ = (line.text for line in last_report.lines(other))
    assert first.startswith("2 objects, 4 pieces in all")
    assert second.startswith(f"{other.name}: 2 pieces")
    glazed.select_set(True)
    assert settings.selection(bpy.context) == [glazed]
    glazed.select_set(False)
    run(bpy.context, [other])  # again, alone
    assert settings.selection(bpy.context) == [glazed]
    run(bpy.context, [glazed, other])
    results.clear(bpy.context, [other])
    assert settings.selection(bpy.context) == [glazed]
    results.clear(bpy.context, [glazed])
    assert settings.selection(bpy.context) == [glazed]
