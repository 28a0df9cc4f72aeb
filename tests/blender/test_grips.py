"""Grips: what the scene says of them, and what they do."""

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from fracture_addon.blender.panels import loads
from fracture_addon.blender.read import hits
from fracture_addon.blender.read.job import read_job, read_job_at_rest
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import snapping
from fracture_addon.core.numerics.rotations import matrices


@pytest.fixture
def bar(cube, scene):
    """A bar of 0.2 m along X, 0.02 m thick, on a short timeline."""
    scene.frame_start, scene.frame_end = 1, 16
    cube.scale = (1.0, 0.1, 0.1)
    cube.location = (0.0, 0.0, 0.0)
    cube.fracture.resolution = 300
    bpy.context.view_layer.update()
    return cube


@pytest.fixture
def hand(bar, scene):
    """A grip at the right end of the bar, added from the panel."""
    scene.cursor.location = (0.1, 0.0, 0.0)
    assert bpy.ops.fracture.add_place(kind="GRIP") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "GRIP"]
    empty.empty_display_size = 0.03
    return empty


def shatter(obj):
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def test_a_grip_is_read_in_metres_with_its_motion_and_its_size(bar, hand, scene):
    scene.unit_settings.scale_length = 0.5
    hand.scale = (2.0, 2.0, 2.0)
    hand.rotation_mode = "QUATERNION"
    for frame, x in ((1, 0.1), (16, 0.4)):
        hand.location.x = x
        hand.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), (frame - 1) * 0.01)
        hand.keyframe_insert("location", frame=frame)
        hand.keyframe_insert("rotation_quaternion", frame=frame)
    (found,) = read_job(bpy.context, [bar], (1, 16)).grips
    assert (found.name, found.load_factor) == (hand.name, 2.0)
    assert found.radius == pytest.approx(0.03)
    assert found.track.shape == (16, 7)
    assert found.track[[0, 15], 0] == pytest.approx([0.05, 0.2])
    assert matrices(found.track[15, 3:])[1, 0] == pytest.approx(np.sin(0.15), abs=1e-5)
    hand.fracture.place_relative, hand.fracture.place_stiffness = False, 3e4
    (found,) = read_job(bpy.context, [bar], (1, 16)).grips
    assert (found.stiffness, found.load_factor) == (3e4, 0.0)
    assert read_job_at_rest(bpy.context, [bar]).grips == ()
    hand.hide_viewport = True
    assert read_job(bpy.context, [bar], (1, 16)).grips == ()


@pytest.mark.once
def test_a_grip_lets_go_after_its_last_frame(bar, hand, scene):
    hand.fracture.place_release = 5
    (found,) = read_job(bpy.context, [bar], (1, 16)).grips
    assert len(found.track) == 5
    assert shatter(bar) == []
    scene.frame_set(5)
    held = bar.matrix_world.translation.z
    scene.frame_set(16)
    assert held == pytest.approx(0.0, abs=1e-6)
    assert bar.matrix_world.translation.z < -0.5


def test_a_grip_that_lets_go_before_the_run_is_refused(bar, hand):
    hand.fracture.place_release = 1
    with pytest.raises(RuntimeError, match="'Cube Grip' lets go on frame 1, but the run starts on frame 1"):
        bpy.ops.fracture.shatter()


@pytest.mark.once
def test_a_grip_beside_the_object_is_refused(bar, hand):
    hand.location.x += 1.0
    with pytest.raises(RuntimeError, match="the grip 'Cube Grip' holds no object that breaks"):
        bpy.ops.fracture.shatter()


def test_the_panel_knows_that_grips_load_an_object(bar, hand):
    assert hits.can_be_hit(bpy.context, [bar])
    assert loads.sentence(bpy.context, bar) == "Hit by: 1 grip"


@pytest.mark.parametrize("motion", [item[0] for item in snapping.MOTIONS])
def test_snap_it_breaks_a_bar_and_each_end_follows_its_grip(bar, scene, motion):
    bar.rotation_euler = (0.0, 0.0, 0.7)
    assert bpy.ops.fracture.snap_it(motion=motion) == {"FINISHED"}
    pieces = result_lookup.pieces_of(result_lookup.collection_of(bar))
    assert len(pieces) > 1
    born = scene.frame_current
    grips = [obj for obj in scene.objects if obj.fracture.place == "GRIP"]
    assert len(grips) == 2
    for grip in grips:
        scene.frame_set(born)
        nearest = min(pieces, key=lambda piece: (piece.matrix_world.translation - grip.matrix_world.translation).length)
        before = grip.matrix_world.inverted() @ nearest.matrix_world
        scene.frame_set(16)
        after = grip.matrix_world.inverted() @ nearest.matrix_world
        assert np.abs(np.array(after) - np.array(before)).max() < 1e-4


def test_snap_it_with_another_motion_replaces_the_grips(bar, scene):
    """As when the motion is changed in Adjust Last Operation, which undoes the pieces but not the grips."""
    assert bpy.ops.fracture.snap_it(motion="BEND") == {"FINISHED"}
    assert bpy.ops.fracture.snap_it(motion="PULL") == {"FINISHED"}
    grips = [obj for obj in scene.objects if obj.fracture.place == "GRIP"]
    assert len(grips) == 2
    scene.frame_set(scene.frame_start)
    starts = [grip.matrix_world.copy() for grip in grips]
    scene.frame_set(scene.frame_end)
    for start, grip in zip(starts, grips, strict=True):
        assert (grip.matrix_world.translation - start.translation).length > 0.01
        assert grip.matrix_world.to_quaternion().rotation_difference(start.to_quaternion()).angle < 1e-3


@pytest.mark.once
def test_snap_it_keeps_the_grips_of_an_earlier_press(bar, scene):
    assert bpy.ops.fracture.snap_it() == {"FINISHED"}
    (left, right) = [obj for obj in scene.objects if obj.fracture.place == "GRIP"]
    left.fracture.place_load_factor = 0.5
    right.fracture.place_load_factor = 0.5
    assert bpy.ops.fracture.snap_it() == {"FINISHED"}
    assert len([obj for obj in scene.objects if obj.fracture.place == "GRIP"]) == 2
    assert result_lookup.pieces_of(result_lookup.collection_of(bar)) == []
