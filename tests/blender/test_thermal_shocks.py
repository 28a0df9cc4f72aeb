"""Thermal shocks: what the scene says of them, and what they do."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.panels import loads
from fracture_addon.blender.read import hits
from fracture_addon.blender.read.job import read_job, read_job_at_rest
from fracture_addon.blender.read.placed_loads import thermal_shocks
from fracture_addon.blender.read.settings import chosen
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets, scenario
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.surface import volume


@pytest.fixture
def water(cube, scene):
    """A thermal shock around a cube, added from the panel."""
    scene.frame_start, scene.frame_end = 1, 8
    cube.fracture.resolution = 300
    scene.cursor.location = cube.location
    scene.frame_set(4)
    assert bpy.ops.fracture.add_place(kind="THERMAL") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "THERMAL"]
    empty.empty_display_size = 0.5
    return empty


def test_an_empty_is_read_as_a_sphere_in_metres_at_its_place_on_its_frame(cube, water, scene):
    scene.unit_settings.scale_length = 0.5
    water.fracture.place_temperature, water.fracture.place_heat_transfer = -60.0, 900.0
    for frame, x in ((1, 5.0), (4, 0.2)):
        water.location.x = x
        water.keyframe_insert("location", frame=frame)
    (found,) = read_job(bpy.context, [cube], (1, 8)).thermal_shocks
    assert (found.name, found.frame, found.difference, found.transfer) == ("Cube Thermal Shock", 4, -60.0, 900.0)
    assert (found.load_factor, found.surface, found.waits) == (0.0, None, True)
    assert found.matrix[:3, 3] == pytest.approx([0.1, 0.0, 0.25], abs=1e-6)
    assert found.matrix[:3, :3] == pytest.approx(0.25 * np.eye(3), abs=1e-6)
    water.fracture.place_relative, water.fracture.place_load_factor = True, 3.0
    assert read_job(bpy.context, [cube], (1, 8)).thermal_shocks[0].load_factor == 3.0
    assert read_job_at_rest(bpy.context, [cube]).thermal_shocks == ()


def test_a_mesh_is_read_with_its_shape_and_is_no_obstacle(cube, scene):
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    bath = bpy.context.object
    bath.scale = (0.5, 0.5, 0.25)
    bath.fracture.place, bath.fracture.place_frame = "THERMAL", 3
    job = read_job(bpy.context, [cube], (1, 8))
    (found,) = job.thermal_shocks
    assert volume(found.surface) == pytest.approx(8.0)
    assert np.diag(found.matrix) == pytest.approx([0.5, 0.5, 0.25, 1.0])
    assert job.colliders == ()
    assert chosen([cube, bath]) == [cube]


def test_wrong_shocks_are_refused_and_hidden_ones_do_not_count(water):
    water.fracture.place_temperature = 0.0
    with pytest.raises(SettingsError, match="'Cube Thermal Shock': the temperature difference is 0 K"):
        thermal_shocks(bpy.context, (1, 8))
    water.fracture.place_frame = 30
    with pytest.raises(SettingsError, match="The thermal shock 'Cube Thermal Shock' is on frame 30, outside"):
        thermal_shocks(bpy.context, (1, 8))
    water.hide_viewport = True
    assert thermal_shocks(bpy.context, (1, 8)) == ()


def test_the_panel_knows_that_a_thermal_shock_loads_an_object(cube, water):
    assert hits.can_be_hit(bpy.context, [cube])
    assert loads.sentence(bpy.context, cube) == "Hit by: thermal shock on frame 4"


@pytest.mark.once
@pytest.mark.parametrize("waits", [False, True])
def test_cold_water_breaks_a_cube_on_its_frame_or_after_the_heat_and_the_report_says_why(cube, water, scene, waits):
    scene.frame_end = 16
    water.fracture.place_relative, water.fracture.place_load_factor, water.fracture.place_waits = True, 2.5, waits
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(cube)
    assert len(result_lookup.pieces_of(collection)) > 1
    seconds = float(collection["fracture_report"].split(", after ")[1].split(" s")[0])
    assert collection["fracture_break_frame"] == 4 + (round(24.0 * seconds) if waits else 0)
    assert "Thermal shock 'Cube Thermal Shock': -" in collection["fracture_report"]


@pytest.mark.once
def test_water_beside_the_object_is_refused_and_changes_nothing(cube, water, scene):
    water.location.x += 10.0
    before = set(scene.objects)
    with pytest.raises(RuntimeError, match="'Cube Thermal Shock' touches no rigid object that breaks on frame 4"):
        bpy.ops.fracture.shatter()
    assert set(scene.objects) == before


@pytest.mark.once
def test_a_method_without_temperature_is_refused(cube, water):
    cube.fracture.method = "FEM"
    with pytest.raises(RuntimeError, match="the method Finite Elements computes none; choose Network"):
        bpy.ops.fracture.shatter()


def test_the_scenario_quench_puts_cold_water_around_an_object(cube, scene):
    scene.frame_start, scene.frame_end = 1, 8
    scenario.quench(bpy.context, [cube])
    job = read_job(bpy.context, [cube], (1, 8))
    (found,) = job.thermal_shocks
    assert found.difference < 0.0
    assert found.load_factor == scenario.QUENCH
    corners = np.linalg.solve(found.matrix, np.c_[job.bodies[0].surface.points, np.ones(8)].T)[:3]
    assert np.linalg.norm(corners, axis=0).max() < 1.0


@pytest.mark.once
def test_the_glass_of_the_scene_breaks_in_the_water(scene):
    for obj in list(scene.objects):
        bpy.data.objects.remove(obj)
    presets.build(bpy.context, presets.find("hot_glass_in_water", presets.SCENES))
    glass = bpy.context.object
    glass.fracture.resolution, scene.frame_end = 1500, 20
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(glass)
    assert 1 < len(result_lookup.pieces_of(collection)) < 60
    assert 16 <= collection["fracture_break_frame"] <= 19
