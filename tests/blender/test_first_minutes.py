"""What a new user meets: selection, messages, drops and impacts."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fracture_addon.blender.operators import availability
from fracture_addon.blender.panels import last_report, loads, main
from fracture_addon.blender.process import run
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene.result_lookup import subject_of
from fracture_addon.blender.setup import presets, scenario


def select(*objects):
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


@pytest.fixture
def pair(cube):
    """Two selected cubes."""
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.0, 0.0, 0.0))
    other = bpy.context.object
    select(cube, other)
    return cube, other


@pytest.fixture
def piece(struck, scene):
    """A fragment of a broken cube, selected on a frame after the break."""
    select(struck)
    bpy.ops.fracture.shatter()
    scene.frame_set(4)
    found = next(obj for obj in bpy.data.objects if "fracture_source" in obj)
    select(found)
    return found


def test_violence_detail_and_seed_apply_to_all_selected_objects(pair, scene):
    selected = scene.fracture_selected
    selected.violence, selected.resolution, selected.seed = 2.5, 700, 9
    for obj in pair:
        assert (obj.fracture.violence, obj.fracture.resolution, obj.fracture.seed) == (2.5, 700, 9)
    select(pair[1])
    selected.seed = 3
    assert (pair[0].fracture.seed, pair[1].fracture.seed) == (9, 3)
    assert selected.seed == 3


def test_settings_for_all_leave_colliders_alone(pair, scene):
    with bpy.context.temp_override(object=pair[1], active_object=pair[1], selected_objects=[pair[1]]):
        bpy.ops.rigidbody.object_add(type="PASSIVE")
    scene.fracture_selected.seed = 5
    assert (pair[0].fracture.seed, pair[1].fracture.seed) == (5, 0)


def test_a_piece_shows_the_settings_and_the_report_of_its_source(piece, struck, scene):
    assert subject_of(piece) == struck
    scene.fracture_selected.seed = 8
    assert struck.fracture.seed == 8
    assert last_report.lines(piece) == last_report.lines(struck) != ()
    assert bpy.ops.fracture.clear.poll()


def test_a_copy_of_a_piece_has_no_source(piece):
    copied = piece.copy()
    bpy.context.scene.collection.objects.link(copied)
    select(copied)
    assert subject_of(copied) == copied
    assert not bpy.ops.fracture.shatter.poll()


def test_another_drop_replaces_the_tilt(cube):
    select(cube)
    bpy.ops.fracture.drop(seed=1)
    once = cube.matrix_world.copy()
    bpy.ops.fracture.drop(seed=1)
    assert np.allclose(cube.matrix_world, once, atol=1e-5)
    bpy.ops.fracture.drop(seed=2)
    assert not np.allclose(cube.matrix_world, once, atol=1e-2)
    bpy.ops.fracture.drop(seed=1)
    assert np.allclose(cube.matrix_world, once, atol=1e-5)


def test_a_drop_keeps_a_rotation_of_the_artist(cube):
    select(cube)
    bpy.ops.fracture.drop(seed=1)
    cube.rotation_euler = (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    before = cube.matrix_world.to_quaternion()
    bpy.ops.fracture.drop(seed=1)
    tilt = (cube.matrix_world.to_quaternion() @ before.inverted()).angle
    assert scenario.TILT[0] <= np.degrees(tilt) <= scenario.TILT[1] + 1e-3


def test_the_speed_of_the_ball_is_in_metres_per_second():
    speed = bpy.ops.fracture.throw_ball.get_rna_type().properties["speed"]
    assert speed.unit == "VELOCITY"
    assert bpy.utils.units.to_string("METRIC", speed.unit, 8.0) == "8 m/s"


def test_the_arrow_of_an_impact_is_outside_selected_and_ends_at_the_surface(cube, scene):
    scene.frame_set(7)
    scene.cursor.location = (0.0, 0.0, 5.0)
    select(cube)
    assert bpy.ops.fracture.add_impact() == {"FINISHED"}
    arrow = cube.fracture.impact_object
    assert arrow.select_get()
    assert arrow.show_in_front
    assert subject_of(bpy.context.object) == cube
    assert cube.fracture.impact_frame == 7
    top = max((cube.matrix_world @ vertex.co).z for vertex in cube.data.vertices)
    assert arrow.matrix_world.translation.z == pytest.approx(top + arrow.empty_display_size)
    (impact,) = read_job(bpy.context, [cube], (1, 20)).bodies[0].impacts
    assert impact.point[2] == pytest.approx(top, abs=1e-6)
    assert impact.direction[2] < -0.99


def test_an_impact_has_the_values_of_adjust_last_operation(cube, scene):
    scene.cursor.location = (0.0, 0.0, 5.0)
    select(cube)
    bpy.ops.fracture.add_impact(location=(5.0, 0.0, 0.5), frame=9, strength=7.0, radius=0.02)
    bpy.ops.fracture.add_impact()  # with its defaults, not with those of the last one
    first, second = sorted(read_job(bpy.context, [cube], (1, 20)).bodies[0].impacts, key=lambda item: -item.frame)
    assert (first.frame, first.strength, first.radius) == pytest.approx((9, 7.0, 0.02))
    assert first.point == pytest.approx((0.1, 0.0, 0.5), abs=1e-6)
    assert first.direction == pytest.approx((-1.0, 0.0, 0.0), abs=1e-6)
    assert (second.frame, second.strength, second.radius) == (1, 4.0, 0.0)
    assert second.point == pytest.approx((0.0, 0.0, 0.6), abs=1e-6)


def test_the_arrow_of_an_impact_shows_the_settings_of_its_object(cube, scene):
    select(cube)
    bpy.ops.fracture.add_impact()
    arrow = cube.fracture.impact_object
    scene.fracture_selected.seed = 4
    assert cube.fracture.seed == 4
    assert bpy.ops.fracture.shatter.poll()
    select(arrow)
    assert subject_of(arrow) == cube
    assert bpy.ops.fracture.shatter.poll()
    cube.fracture.impact_object = None
    assert subject_of(arrow) == arrow
    assert not bpy.ops.fracture.shatter.poll()


def test_an_arrow_on_the_surface_and_one_that_misses_strike_where_they_are(cube, scene):
    arrow = bpy.data.objects.new("Arrow", None)
    scene.collection.objects.link(arrow)
    cube.fracture.impact_enabled, cube.fracture.impact_object = True, arrow
    half = 0.5 * cube.dimensions.z
    for place in ((0.0, 0.0, -half), (9.0, 0.0, 0.0)):
        arrow.location = cube.matrix_world @ Vector(place)
        bpy.context.view_layer.update()
        (impact,) = read_job(bpy.context, [cube], (1, 20)).bodies[0].impacts
        assert impact.point == pytest.approx(np.array(arrow.location), abs=1e-6)


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_scene_changes_the_frame_range_only_if_asked(scene, is_asked):
    scene.frame_start, scene.frame_end = 5, 333
    path = presets.find("obrien_wall_1", presets.SCENES)
    assert bpy.ops.fracture.add_scene(filepath=str(path), set_frames=is_asked) == {"FINISHED"}
    assert ((scene.frame_start, scene.frame_end) == (5, 333)) == (not is_asked)


def test_the_message_names_the_mode(cube):
    select(cube)
    cube.vertex_groups.new(name="Weights")
    for mode, said in (("WEIGHT_PAINT", "Leave Weight Paint Mode"), ("EDIT", "Leave Edit Mode first (Tab)")):
        bpy.ops.object.mode_set(mode=mode)
        try:
            assert availability.editing(bpy.context).startswith(said)
            assert not bpy.ops.fracture.shatter.poll()
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")
    assert availability.editing(bpy.context) == ""


def test_a_run_that_breaks_nothing_says_so_with_the_remedy(cube):
    select(cube)
    cube.fracture.resolution = 200
    bpy.ops.fracture.drop(height=0.001)
    cube.fracture.violence = 0.0
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    first, *others = last_report.lines(cube)
    assert first.text.startswith("Nothing broke")
    assert first.is_warning
    assert any("raise the violence" in line.text for line in others)
    assert not any("pieces" in line.text for line in (first, *others))


def test_an_error_goes_when_the_scene_changes(cube):
    select(cube)
    cube.fracture.impact_enabled = True
    with pytest.raises(RuntimeError, match="has no empty"):
        bpy.ops.fracture.shatter()
    bpy.context.view_layer.update()
    assert run.message.is_error
    assert main._is_current(run.message, bpy.context)
    cube.fracture.impact_enabled = False
    cube.update_tag()
    bpy.context.view_layer.update()
    assert run.message is None


def test_a_message_goes_when_its_step_is_undone(cube):
    select(cube)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.fracture.paint(kind="WEAK")
    bpy.ops.ed.undo_push(message="Paint")
    assert "Weak" in run.message.text
    bpy.ops.ed.undo()
    assert run.message is None


def test_the_hint_for_painting_is_shown_while_painting_only(cube):
    select(cube)
    bpy.ops.fracture.paint(kind="WEAK")
    assert main._is_current(run.message, bpy.context)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not main._is_current(run.message, bpy.context)


def test_an_error_is_shown_with_its_objects_only(pair):
    run.say("wrong", is_error=True, objects=[pair[0]])
    assert not main._is_current(run.message, bpy.context)
    select(pair[0])
    assert main._is_current(run.message, bpy.context)
    run.message = None


def test_the_panel_says_what_can_hit_the_object(cube):
    select(cube)
    assert loads.sentence(bpy.context, cube).startswith("Nothing hits it yet")
    bpy.ops.fracture.drop()
    assert loads.sentence(bpy.context, cube) == "Hit by: Floor"
    bpy.ops.fracture.add_impact()
    assert loads.sentence(bpy.context, cube) == "Hit by: impact on frame 1, Floor"
    assert settings.chosen([cube]) == [cube]
