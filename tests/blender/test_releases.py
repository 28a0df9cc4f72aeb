"""Releases and freezes: what the scene says of them, and what they do."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read.job import read_job, read_job_at_rest
from fracture_addon.blender.scene import result_lookup
from fracture_addon.core.data.errors import SettingsError
from tests.blender.reading import move


@pytest.fixture
def held(cube, scene):
    """A cube of 0.2 m at a height of one metre that lets its pieces go one by one."""
    scene.frame_start, scene.frame_end = 1, 12
    cube.location = (0.0, 0.0, 1.0)
    group = cube.fracture
    group.held, group.activation, group.activation_speed, group.resolution = True, "EVENT", 0.0, 300
    bpy.context.view_layer.update()
    return cube


@pytest.fixture
def release(held, scene):
    """A release beside the cube, added from the panel."""
    scene.cursor.location = (-1.0, 0.0, 1.0)
    assert bpy.ops.fracture.add_place(kind="RELEASE") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "RELEASE"]
    return empty


def test_an_empty_is_read_in_metres_with_its_motion_and_its_growth(held, release, scene):
    scene.unit_settings.scale_length = 0.5
    release.empty_display_size = 0.4
    move(release, {1: (-1, 0, 1), 5: (1, 0, 1)})
    move(release, {1: (1, 1, 1), 5: (3, 3, 3)}, "scale")
    (found,) = read_job(bpy.context, [held], (1, 5)).releases
    assert (found.name, found.surface) == (release.name, None)
    assert found.matrices.shape == (5, 4, 4)
    assert found.matrices[[0, 2, 4], 0, 3] == pytest.approx([-0.5, 0.0, 0.5])
    assert found.matrices[[0, 2, 4], 0, 0] == pytest.approx([0.2, 0.4, 0.6])
    assert read_job_at_rest(bpy.context, [held]).releases == ()
    release.hide_viewport = True
    assert read_job(bpy.context, [held], (1, 5)).releases == ()


def test_a_mesh_is_read_with_its_shape(held, scene):
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(-3, 0, 1))
    mesh = bpy.context.object
    mesh.fracture.place, mesh.scale = "RELEASE", (0.1, 1.0, 1.0)
    bpy.context.view_layer.update()
    (found,) = read_job(bpy.context, [held], (1, 5)).releases
    assert np.ptp(found.surface.points, axis=0) == pytest.approx([2.0, 2.0, 2.0])
    assert found.matrices[0, :3, 3] == pytest.approx([-3.0, 0.0, 1.0])
    assert found.matrices[4, 0, 0] == pytest.approx(0.1)


@pytest.mark.once
def test_pieces_fall_when_the_empty_reaches_them(held, release, scene):
    group = held.fracture
    scene.cursor.location = (0.0, 0.0, 1.1)
    assert bpy.ops.fracture.add_impact() == {"FINISHED"}
    group.impact_frame, release.empty_display_size = 2, 0.3
    move(release, {1: (-1, 0, 1), 4: (-1, 0, 1), 6: (0, 0, 1)})
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    pieces = result_lookup.pieces_of(result_lookup.collection_of(held))
    assert len(pieces) > 1

    def heights(frame):
        scene.frame_set(frame)
        return np.array([piece.matrix_world.translation.z for piece in pieces])

    start, before, after = heights(3), heights(5), heights(12)
    assert np.abs(before - start).max() < 1e-5
    assert (start - after).min() > 0.05


def test_the_painted_order_and_the_distance_are_read(held, scene):
    group = held.fracture
    vertices = held.vertex_groups.new(name="Later")
    vertices.add([0, 1], 0.5, "REPLACE")
    scene.unit_settings.scale_length = 0.5
    group.order_paint, group.order_start, group.order_end, group.activation_distance = "Later", 5, 9, 0.4
    settings = read_job(bpy.context, [held], (1, 5)).bodies[0].settings.motion
    assert sorted(settings.order.weights) == pytest.approx([0.0] * 6 + [0.5] * 2)
    assert (settings.order_start, settings.order_end) == (5, 9)
    assert settings.activation_distance == pytest.approx(0.2)
    group.order_paint = "Nowhere"
    with pytest.raises(SettingsError, match=r"'Cube': .*'Nowhere' does not exist; choose another in How It Moves"):
        read_job(bpy.context, [held], (1, 5))


@pytest.fixture
def freeze(cube, scene):
    """A freeze around a falling cube of 0.2 m that an impact breaks on frame 2, added from the panel."""
    scene.frame_start, scene.frame_end = 1, 12
    cube.location, cube.fracture.resolution = (0.0, 0.0, 1.0), 300
    bpy.context.view_layer.update()
    scene.cursor.location = (0.0, 0.0, 1.1)
    assert bpy.ops.fracture.add_impact() == {"FINISHED"}
    cube.fracture.impact_frame = 2
    scene.cursor.location = (0.0, 0.0, 1.0)
    assert bpy.ops.fracture.add_place(kind="FREEZE") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "FREEZE"]
    empty.empty_display_size, empty.fracture.place_frame = 1000.0, 4
    return empty


def test_a_freeze_is_read_with_its_frames_and_its_motion(cube, freeze):
    move(freeze, {1: (0, 0, 1), 5: (0, 0, 3)})
    (found,) = read_job(bpy.context, [cube], (1, 5)).freezes
    assert (found.volume.name, found.first_frame, found.last_frame) == (freeze.name, 4, 5)
    assert found.volume.matrices[[0, 2, 4], 2, 3] == pytest.approx([1.0, 2.0, 3.0])
    assert found.volume.matrices[0, 0, 0] == pytest.approx(1000.0)
    freeze.fracture.place_release = 4
    assert read_job(bpy.context, [cube], (1, 5)).freezes[0].last_frame == 4
    assert read_job_at_rest(bpy.context, [cube]).freezes == ()


def test_impossible_frames_of_a_freeze_are_errors_that_name_it(cube, freeze):
    freeze.fracture.place_release = 3
    with pytest.raises(SettingsError, match=f"'{freeze.name}': .*lets go on frame 3, before it starts on frame 4"):
        read_job(bpy.context, [cube], (1, 12))
    freeze.fracture.place_frame = 20
    with pytest.raises(SettingsError, match=r"freeze .* is on frame 20, outside the frames 1 to 12"):
        read_job(bpy.context, [cube], (1, 12))


def test_frozen_pieces_hang_in_the_air_and_fall_when_the_freeze_lets_go(cube, freeze, scene):
    freeze.fracture.place_release = 8
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    pieces = result_lookup.pieces_of(result_lookup.collection_of(cube))
    assert len(pieces) > 1

    def places(frame):
        scene.frame_set(frame)
        return np.array([piece.matrix_world.translation for piece in pieces])

    assert np.abs(places(8) - places(4)).max() < 1e-5
    assert (places(8) - places(12))[:, 2].min() > 0.05
