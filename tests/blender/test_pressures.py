"""Pressures: what the scene says of them, and what they do."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.panels import loads
from fracture_addon.blender.read import hits
from fracture_addon.blender.read.job import read_job, read_job_at_rest
from fracture_addon.blender.read.placed_loads import pressures
from fracture_addon.blender.read.settings import chosen
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets
from fracture_addon.core.data.errors import SettingsError


@pytest.fixture
def gas(cube, scene):
    """A pressure in a hollow cube, added from the panel."""
    scene.frame_start, scene.frame_end = 1, 12
    cube.modifiers.new("Wall", "SOLIDIFY").thickness = 0.1
    cube.fracture.resolution = 400
    scene.cursor.location = cube.location
    scene.frame_set(4)
    assert bpy.ops.fracture.add_place(kind="PRESSURE") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "PRESSURE"]
    return empty


def test_a_pressure_is_read_in_metres_at_its_place_on_the_first_frame(cube, gas, scene):
    scene.unit_settings.scale_length = 0.5
    gas.fracture.place_pressure = 2e5
    for frame, x in ((1, 0.2), (4, -2.0)):
        gas.location.x = x
        gas.keyframe_insert("location", frame=frame)
    (found,) = read_job(bpy.context, [cube], (1, 12)).pressures
    assert (found.name, found.frame, found.pressure, found.load_factor) == (gas.name, 4, 2e5, 0.0)
    assert found.point[0] == pytest.approx(0.1)
    gas.fracture.place_relative, gas.fracture.place_load_factor = True, 3.0
    assert read_job(bpy.context, [cube], (1, 12)).pressures[0].load_factor == 3.0
    assert read_job_at_rest(bpy.context, [cube]).pressures == ()


def test_a_pressure_outside_the_frame_range_is_refused_and_a_hidden_one_does_not_count(gas):
    gas.fracture.place_frame = 30
    with pytest.raises(SettingsError, match="The pressure 'Cube Pressure' is on frame 30, outside the frames 1 to 12"):
        pressures(bpy.context, (1, 12))
    gas.hide_viewport = True
    assert pressures(bpy.context, (1, 12)) == ()


def test_the_panel_knows_that_a_pressure_loads_an_object(cube, gas):
    assert hits.can_be_hit(bpy.context, [cube])
    assert loads.sentence(bpy.context, cube) == "Hit by: pressure on frame 4"
    assert chosen([cube, gas]) == [cube]


@pytest.mark.once
def test_a_pressure_bursts_a_hollow_cube_and_throws_its_pieces_in_all_directions(cube, gas, scene):
    scene.use_gravity = False
    gas.fracture.place_relative, gas.fracture.place_load_factor = True, 1.2
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(cube)
    pieces = result_lookup.pieces_of(collection)
    assert len(pieces) > 1
    assert collection["fracture_break_frame"] == 4
    assert "Pressure 'Cube Pressure'" in collection["fracture_report"]
    scene.frame_set(4)
    before = np.array([piece.matrix_world.translation for piece in pieces])
    scene.frame_set(12)
    moved = np.array([piece.matrix_world.translation for piece in pieces]) - before
    assert (moved.max(axis=0) > 0.1).all()
    assert (moved.min(axis=0) < -0.1).all()


@pytest.mark.once
def test_a_pressure_beside_the_object_is_refused(cube, gas):
    gas.location.x += 10.0
    with pytest.raises(RuntimeError, match="'Cube Pressure' is not inside a hollow object"):
        bpy.ops.fracture.shatter()


@pytest.mark.once
def test_the_bottle_of_the_scene_bursts(scene):
    for obj in list(scene.objects):
        bpy.data.objects.remove(obj)
    presets.build(bpy.context, presets.find("bursting_bottle", presets.SCENES))
    bottle = bpy.context.object
    bottle.fracture.resolution, scene.frame_end = 1500, 6
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    assert len(result_lookup.pieces_of(result_lookup.collection_of(bottle))) > 5
