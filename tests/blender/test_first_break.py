"""The first press: a break in any case, its marker, the playhead, the hint line and the guess of the material."""

import json

import bpy
import pytest

from fracture_addon.blender import extension
from fracture_addon.blender.panels import last_report, main
from fracture_addon.blender.process import run
from fracture_addon.blender.read import hits
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import hints, material_guess, presets, scenario
from fracture_addon.core.data.job import ROUGH_DETAIL, Job, Settings, rough
from tests.blender.test_panels import first_level
from tests.core.timeline_scenes import block


@pytest.fixture
def small(cube, scene):
    """A coarse cube on a short timeline."""
    scene.frame_start, scene.frame_end = 1, 40
    cube.fracture.resolution = 300
    return cube


def markers(scene):
    return [(marker.name, marker.frame) for marker in scene.timeline_markers]


def break_frame(obj):
    return result_lookup.collection_of(obj)["fracture_break_frame"]


@pytest.mark.parametrize(("name", "kind"), [("quench_it", "THERMAL"), ("sing_at_it", "SOUND")])
def test_one_press_breaks_an_object_by_cold_water_or_a_sound(small, scene, name, kind):
    small.modifiers.new("Wall", "SOLIDIFY").thickness = 0.05  # a solid block rings at too high a frequency
    assert getattr(bpy.ops.fracture, name)() == {"FINISHED"}
    (load,) = [obj for obj in scene.objects if obj.fracture.place == kind]
    assert len(result_lookup.pieces_of(result_lookup.collection_of(small))) > 1
    assert break_frame(small) >= load.fracture.place_frame > 1
    assert scenario.floor_of(scene) is not None


@pytest.mark.parametrize("name", ["drop_it", "hit_it"])
def test_one_press_breaks_an_object_that_nothing_hits(small, scene, name):
    small.fracture.tensile_strength_mpa = 500.0
    assert getattr(bpy.ops.fracture, name)() == {"FINISHED"}
    assert len(result_lookup.pieces_of(result_lookup.collection_of(small))) > 1
    assert scene.frame_current == break_frame(small) > 1
    assert markers(scene) == [("Cube breaks", break_frame(small))]
    assert any("Break Anyway" in line.text for line in last_report.lines(small))
    if name == "hit_it":  # the ball comes from the front, so that Blender's first view shows the struck side
        assert scene.objects["Ball"].matrix_world.translation.y < 0.0


@pytest.mark.parametrize(("count", "text"), [(1, "1 piece with this seed"), (2, "2 pieces with this seed")])
def test_the_report_counts_one_piece_and_two_pieces(count, text):
    assert last_report._lines(json.dumps({"fragments": count}), "Cube")[0].text.startswith(text)


def test_the_report_of_several_objects_counts_all_and_names_the_shown_one():
    """The pieces of all objects come first; the lines below are about one object."""
    all_of_them = {"count": 3, "fragments": 57}
    lines = [last_report._lines(json.dumps({"fragments": n, "objects": all_of_them}), "Cube")[:2] for n in (12, 0)]
    assert {first.text for first, _ in lines} == {"3 objects, 57 pieces in all"}
    assert [second.text.split(",")[0] for _, second in lines] == [
        "Cube: 12 pieces with this seed",
        "Cube: did not break",
    ]
    report = {"fragments": 0, "objects": {"count": 3, "fragments": 0}}
    assert last_report._lines(json.dumps(report), "Cube")[0] == last_report.Line("None of 3 objects broke", True)


@pytest.mark.once
def test_without_break_anyway_a_strong_object_survives(small, scene):
    small.fracture.tensile_strength_mpa = 500.0
    scene.fracture.break_anyway = False
    bpy.ops.fracture.drop_it()
    assert last_report.lines(small)[0].text.startswith("Nothing broke")
    assert markers(scene) == []
    assert scene.frame_current == 1


def test_the_button_offers_drop_and_hit_only_where_nothing_can_hit(small, scene):
    assert {"fracture.drop_it", "fracture.hit_it", "fracture.quench_it", "fracture.sing_at_it"} <= first_level(small)
    assert "fracture.shatter" not in first_level(small)
    bpy.ops.fracture.drop()
    assert hits.can_be_hit(bpy.context, [small])
    assert not {"fracture.drop_it", "fracture.hit_it"} & first_level(small)
    assert "fracture.shatter" in first_level(small)


def beside(obj):
    """A second cube beside an object; both are selected."""
    other = obj.copy()
    other.location.x += 1.0
    bpy.context.scene.collection.objects.link(other)
    other.select_set(True)
    return other


def test_several_objects_that_only_fall_are_offered_drop_it(small, scene):
    beside(small)
    assert "fracture.drop_it" in first_level(small)
    assert "fracture.shatter" not in first_level(small)
    bpy.ops.fracture.drop()
    assert "fracture.shatter" in first_level(small)


def hold(obj):
    obj.fracture.held = True


def pin(obj):
    obj.fracture.pin_group = obj.vertex_groups.new(name="Pinned").name


def key(obj):
    obj.keyframe_insert("location", frame=1)


def make_passive(obj):
    bpy.ops.rigidbody.object_add(type="PASSIVE")


@pytest.mark.parametrize("change", [hold, pin, key, make_passive])
def test_several_objects_of_which_one_does_not_fall_can_hit_each_other(small, change):
    other = beside(small)
    change(small)
    assert hits.can_be_hit(bpy.context, [small, other])


def test_the_marker_goes_with_the_result_and_those_of_the_artist_stay(struck, scene):
    scene.timeline_markers.new("Cube breaks", frame=99)
    bpy.ops.fracture.shatter()
    frame = break_frame(struck)
    own = ("Cube breaks", frame)
    assert markers(scene) == [("Cube breaks", 99), own]
    bpy.ops.fracture.shatter()
    assert markers(scene) == [("Cube breaks", 99), own]
    bpy.ops.fracture.clear()
    assert markers(scene) == [("Cube breaks", 99)]


@pytest.mark.parametrize("change", ["rename", "move", "camera"])
def test_a_marker_that_the_artist_changed_stays(struck, scene, change):
    bpy.ops.fracture.shatter()
    (marker,) = scene.timeline_markers
    if change == "rename":
        marker.name = "Crash"
    elif change == "move":
        marker.frame += 1
    else:
        marker.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    before = markers(scene)
    bpy.ops.fracture.clear()
    assert markers(scene) == before


@pytest.mark.once
def test_a_marker_of_the_artist_on_the_break_serves_as_well_and_stays(struck, scene):
    bpy.ops.fracture.shatter()
    frame = break_frame(struck)
    bpy.ops.fracture.clear()
    scene.timeline_markers.new("Cube breaks", frame=frame)
    bpy.ops.fracture.shatter()
    bpy.ops.fracture.clear()
    assert markers(scene) == [("Cube breaks", frame)]


@pytest.mark.once
def test_the_playhead_stays_behind_the_break(struck, scene):
    scene.frame_set(4)
    bpy.ops.fracture.shatter()
    assert scene.frame_current == 4 > break_frame(struck)


@pytest.mark.parametrize("edge", [0.01, 0.2, 2.0, 20.0])
def test_the_drop_height_suits_the_size_and_the_frames(scene, edge):
    scene.frame_start, scene.frame_end = 1, 250
    bpy.ops.mesh.primitive_cube_add(size=edge, location=(0.0, 0.0, 0.0))
    bpy.ops.fracture.drop()
    obj = bpy.context.object
    lowest = min((obj.matrix_world @ vertex.co).z for vertex in obj.data.vertices)
    height = lowest - scenario.floor_of(scene).location.z
    size = edge * 3.0**0.5
    assert size <= height <= 9.0 * size
    assert (2.0 * height / 9.81) ** 0.5 * 24 < 125
    scene.frame_end = 10
    assert scenario.suitable_height(bpy.context, [obj]) < 0.2


def test_a_chosen_drop_height_counts(cube, scene):
    bpy.ops.fracture.drop(height=0.3)
    lowest = min((cube.matrix_world @ vertex.co).z for vertex in cube.data.vertices)
    assert lowest - scenario.floor_of(scene).location.z == pytest.approx(0.3, abs=1e-5)


def test_each_hint_is_shown_until_its_step_was_done(struck, scene, monkeypatch):
    monkeypatch.setattr(hints, "_of_session", set())
    chosen = extension.preferences()
    if chosen is not None:  # the installed extension
        chosen.done_steps = ""
    assert hints.hint(is_broken=False, can_be_hit=True) == "Next: press Shatter"
    assert hints.hint(is_broken=False, can_be_hit=False) == "Next: press Drop It, Hit It or Blast It"
    bpy.ops.fracture.shatter()
    assert hints.hint(is_broken=False, can_be_hit=True) == hints.hint(is_broken=False, can_be_hit=False) == ""
    assert hints.hint(is_broken=True, can_be_hit=True).startswith("Next: play")
    hints.done("PLAY")
    assert hints.hint(is_broken=True, can_be_hit=True).startswith("Next: change Violence")
    assert hints.hint(is_broken=True, can_be_hit=False) == ""
    bpy.ops.fracture.shatter()
    assert hints.hint(is_broken=True, can_be_hit=True) == ""


def test_pieces_of_fracture_only_are_not_said_to_play(struck, scene, monkeypatch):
    monkeypatch.setattr(hints, "_of_session", set())
    chosen = extension.preferences()
    if chosen is not None:
        chosen.done_steps = ""
    bpy.ops.fracture.fracture_only()
    assert result_lookup.is_still(result_lookup.collection_of(struck))
    assert hints.hint(is_broken=True, can_be_hit=True, moves=False) == "Next: drag Exploded View"
    scene.fracture_exploded = 0.5
    assert hints.hint(is_broken=True, can_be_hit=True, moves=False).startswith("Next: change Violence")
    bpy.ops.fracture.shatter()
    assert not result_lookup.is_still(result_lookup.collection_of(struck))


def dressed(obj, name):
    obj.data.materials.append(bpy.data.materials.new(name))
    return obj


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("Glass", "soda_lime_glass"),
        ("oldBrick_01", "brick"),
        ("Wood Oak.003", "wood_pine"),
        ("CERAMIC", "porcelain"),
        ("Spice", ""),
        ("Material", ""),
        ("Icebox", ""),
    ],
)
def test_the_material_is_guessed_from_whole_words(cube, name, preset):
    assert material_guess.guess(dressed(cube, name)) == preset


def test_every_guess_is_a_preset(scene):
    assert all(presets.find(name) for name in material_guess.WORDS.values())


def test_a_guess_is_applied_by_shatter_and_shown_as_one(struck):
    dressed(struck, "Green Glass")
    assert main._material_label(struck) == "Soda lime glass (guess)"
    assert struck.fracture.material_name == "Porcelain"
    bpy.ops.fracture.shatter()
    assert struck.fracture.density == 2500.0
    assert main._material_label(struck) == "Soda lime glass (guess)"
    bpy.ops.fracture.apply_preset(filepath=str(presets.find("brick")))
    assert main._material_label(struck) == "Brick"
    bpy.ops.fracture.shatter()
    assert struck.fracture.material_name == "Brick"


@pytest.mark.once
def test_a_changed_value_is_no_guess(struck):
    dressed(struck, "Glass")
    struck.fracture.density = 3000.0
    bpy.ops.fracture.shatter()
    assert struck.fracture.density == 3000.0
    assert main._material_label(struck) == "Porcelain"


def test_a_rough_run_moves_the_pieces_of_few_cells_and_keeps_the_settings(struck, scene, monkeypatch):
    struck.fracture.resolution, struck.fracture.break_depth = 5000, 3
    jobs = []
    monkeypatch.setattr(
        run.JobProcess,
        "start",
        lambda process, job, start=run.JobProcess.start: (jobs.append(job), start(process, job))[1],
    )
    assert bpy.ops.fracture.rough_run() == {"FINISHED"}
    (job,) = jobs
    assert job.bodies[0].settings.filling.cell_count == ROUGH_DETAIL
    assert job.bodies[0].settings.motion.break_depth == 1
    assert job.substeps == scene.fracture.substeps // 2
    result = result_lookup.collection_of(struck)
    assert len(result_lookup.pieces_of(result)) > 1
    assert not result_lookup.is_still(result)
    assert last_report.lines(struck)[0].text.startswith("Rough run")
    assert (struck.fracture.resolution, struck.fracture.break_depth) == (5000, 3)
    struck.fracture.resolution = 300
    bpy.ops.fracture.shatter()
    assert not any("Rough run" in line.text for line in last_report.lines(struck))


def test_a_rough_job_of_a_small_object_keeps_its_cells():
    job = Job((block(settings=Settings.of(cell_count=300, break_depth=1)),), substeps=1, continue_from=4)
    found = rough(job)
    assert found.bodies[0].settings == job.bodies[0].settings
    assert (found.substeps, found.continue_from) == (1, None)
