"""Blasts: what the scene says of them, and what they do."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.panels import last_report, loads
from fracture_addon.blender.process import run
from fracture_addon.blender.read import hits
from fracture_addon.blender.read.job import read_job, read_job_at_rest
from fracture_addon.blender.read.placed_loads import blasts
from fracture_addon.blender.read.settings import chosen
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import scenario
from fracture_addon.core.data.errors import SettingsError
from tests.blender.test_panels import first_level


@pytest.fixture
def charge(cube, scene):
    """A blast beside a cube, added from the panel."""
    scene.frame_start, scene.frame_end = 1, 20
    scene.cursor.location = (-3.0, 0.0, 0.0)
    scene.frame_set(4)
    assert bpy.ops.fracture.add_place(kind="BLAST") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "BLAST"]
    cube.fracture.resolution = 300
    return empty


def pieces(obj):
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def test_a_blast_is_read_in_metres_at_its_place_on_its_frame(cube, charge, scene):
    scene.unit_settings.scale_length = 0.5
    charge.fracture.place_charge = 0.3
    for frame, x in ((1, 0.0), (4, -2.0)):
        charge.location.x = x
        charge.keyframe_insert("location", frame=frame)
    (found,) = read_job(bpy.context, [cube], (1, 20)).blasts
    assert found.frame == 4
    assert found.charge == 0.3
    assert found.point == pytest.approx([-1.0, 0.0, 0.0])
    assert read_job_at_rest(bpy.context, [cube]).blasts == ()


def test_a_blast_outside_the_frame_range_is_refused_and_a_hidden_one_does_not_count(charge):
    charge.fracture.place_frame = 30
    with pytest.raises(
        SettingsError, match="'Cube Blast' is on frame 30, outside the frames 1 to 20; change its frame"
    ):
        blasts(bpy.context, (1, 20))
    charge.hide_viewport = True
    assert blasts(bpy.context, (1, 20)) == ()


def test_the_panel_knows_that_a_blast_hits(cube, charge):
    assert hits.can_be_hit(bpy.context, [cube])
    assert loads.sentence(bpy.context, cube) == "Hit by: blast on frame 4"
    assert chosen([cube, charge]) == [cube]


@pytest.mark.once
def test_the_preview_of_the_break_is_that_of_the_blast(cube, charge):
    """Not that of an impact on the front, which Fracture Only would add."""
    job = run.read(bpy.context, [cube], "cracks")
    assert not job.is_at_rest
    assert len(job.blasts) == 1
    cube.fracture.tensile_strength_mpa = 1.0
    charge.fracture.place_charge = 20.0
    assert bpy.ops.fracture.preview_break() == {"FINISHED"}
    assert len(result_lookup.preview_of(cube).data.edges) > 10


@pytest.mark.once
def test_a_blast_breaks_a_cube_and_throws_its_pieces_away(cube, charge, scene):
    scene.use_gravity = False
    cube.fracture.tensile_strength_mpa = 1.0
    charge.fracture.place_charge = 20.0
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    found = pieces(cube)
    assert len(found) > 1
    scene.frame_set(3)
    before = np.mean([piece.matrix_world.translation[0] for piece in found])
    scene.frame_set(20)
    assert np.mean([piece.matrix_world.translation[0] for piece in found]) > before + 0.1


def test_blast_it_breaks_an_object_in_one_press(cube, scene):
    scene.frame_start, scene.frame_end = 1, 20
    cube.fracture.resolution = 300
    assert "fracture.blast_it" in first_level(cube)
    assert bpy.ops.fracture.blast_it() == {"FINISHED"}
    assert scene.objects["Blast"].location.y < -0.1  # in front of the cube
    assert len(pieces(cube)) > 1
    assert scene.frame_current == result_lookup.collection_of(cube)["fracture_break_frame"] == 5
    assert not last_report.lines(cube)[0].text.startswith("Nothing broke")
    assert "fracture.shatter" in first_level(cube)


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
def test_a_blast_beside_an_object_is_outside_it_on_the_side_from_which_the_wave_comes(cube, scene, direction):
    scene.frame_start, scene.frame_end = 1, 20
    scene.unit_settings.scale_length = 0.1
    suitable = scenario.blast(bpy.context, [cube], direction)
    given = scenario.blast(bpy.context, [cube], direction, 0.25)
    first, second = blasts(bpy.context, (1, 20))
    assert first.point == pytest.approx(second.point)
    away = first.point - 0.1 * np.array(cube.location)
    distance = scenario.BLAST_GAP * 0.1 * float(np.linalg.norm(cube.dimensions))
    assert away == pytest.approx(-(0.05 * cube.dimensions[0] + distance) * np.array(direction), rel=1e-5, abs=1e-7)
    assert given.fracture.place_charge == pytest.approx(0.25)
    assert suitable.fracture.place_charge == pytest.approx((distance / scenario.SCALED_DISTANCE) ** 3, rel=1e-5)
    assert {first.frame, second.frame} == {1 + scenario.IMPACT_FRAMES}
