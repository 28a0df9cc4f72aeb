"""Events in the scene: points with their values, a CSV file, timeline markers, dust and sparks."""

import csv
from dataclasses import replace

import bpy
import numpy as np
import pytest

from fracture_addon.blender.command_line import command
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake, events, node_groups, speck_nodes
from fracture_addon.core.data.events import BREAK, COLLISION, IMPACT, KINDS, Events
from tests.blender import halves
from tests.blender.models import BOX
from tests.blender.snapshot import snapshot
from tests.blender.test_one_object import instances

COLUMNS = ["frame", "time_s", "x", "y", "z", "energy_J", "body", "kind"]
LOGGED = Events(
    np.array([3, 5, 5, 9], np.int32),
    np.array([0.05, 0.16, 0.165, 0.3]),
    np.array([[0.0, 0.0, 0.4], [0.1, 0.0, 0.2], [0.0, 0.1, 0.2], [0.3, 0.2, 0.0]]),
    np.array([0.5, 4.0, 1.0, 0.01]),
    np.zeros(4, np.int32),
    np.array([IMPACT, BREAK, COLLISION, COLLISION], np.int32),
)


def run(cube, shown="POINTS"):
    """Bake a run of one cube with four events."""
    cube.fracture.events = shown
    job = read_job(bpy.context, [cube], settings.frame_range(bpy.context.scene))
    return bake.bake(bpy.context, job, replace(halves.recording(job), events=LOGGED), [cube], {})[0]


@pytest.fixture
def logged(cube, scene):
    scene.frame_start, scene.frame_end = 1, 12
    return cube


def lines(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_points_have_the_events_of_the_run(logged, scene, unit):
    scene.unit_settings.scale_length = unit
    collection = run(logged)
    read = events.read_events(collection.objects["Cube Events"])
    np.testing.assert_allclose(read.points * unit, LOGGED.points, atol=1e-6)
    for name in ("frames", "times", "energies", "bodies", "kinds"):
        np.testing.assert_allclose(getattr(read, name), getattr(LOGGED, name), rtol=1e-6)


def test_by_default_a_result_has_no_points_and_the_buttons_say_why(logged, scene):
    collection = run(logged, "OFF")
    assert "Cube Events" not in collection.objects
    assert not bpy.ops.fracture.write_events.poll()
    with pytest.raises(RuntimeError, match="Choose Events in How Pieces Look"):
        bpy.ops.fracture.add_sound_markers()


def test_a_run_without_a_log_gives_no_points(logged):
    job = read_job(bpy.context, [logged], settings.frame_range(bpy.context.scene))
    logged.fracture.events = "POINTS"
    collection = bake.bake(bpy.context, job, halves.recording(job), [logged], {})[0]
    assert "Cube Events" not in collection.objects
    assert read_job(bpy.context, [logged], settings.frame_range(bpy.context.scene)).log_events


def test_a_file_has_a_line_for_each_event_in_metres(logged, scene, tmp_path):
    scene.unit_settings.scale_length = 0.01
    run(logged)
    path = tmp_path / "cube.csv"
    assert bpy.ops.fracture.write_events(filepath=str(path)) == {"FINISHED"}
    head, *rows = lines(path)
    assert head == COLUMNS
    assert [row[0] for row in rows] == ["3", "5", "5", "9"]
    assert [(row[6], row[7]) for row in rows] == [("Cube", KINDS[kind]) for kind in LOGGED.kinds]
    values = np.array([row[1:6] for row in rows], float)
    wanted = np.column_stack([LOGGED.times, LOGGED.points, LOGGED.energies])
    np.testing.assert_allclose(values, wanted, atol=1e-6)


def test_a_file_that_cannot_be_written_is_an_error(logged, tmp_path):
    run(logged)
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.fracture.write_events(filepath=str(tmp_path / "missing" / "cube.csv"))


def test_markers_are_on_the_strongest_events_and_only_they_are_removed(logged, scene):
    run(logged)
    scene.timeline_markers.new("Cut", frame=5)
    assert bpy.ops.fracture.add_sound_markers(count=2) == {"FINISHED"}
    made = [(marker.frame, marker.name) for marker in scene.timeline_markers if " J" in marker.name]
    assert sorted(made) == [(3, "Cube impact 0.5 J"), (5, "Cube break 4 J")]
    assert bpy.ops.fracture.add_sound_markers(count=20) == {"FINISHED"}
    made = [marker for marker in scene.timeline_markers if " J" in marker.name]
    assert [marker.frame for marker in made] == [3, 5, 9]  # one on a frame
    made[0].name = "Mine 1 J"
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert {marker.name for marker in scene.timeline_markers} == {"Cut", "Mine 1 J"}


@pytest.mark.parametrize("shown", ["DUST", "SPARKS"])
def test_specks_fly_from_their_events_and_are_gone_afterwards(logged, scene, shown):
    before = snapshot()[0]
    collection = run(logged, shown)
    points = collection.objects["Cube Events"]
    look = speck_nodes.LOOKS[shown]
    count = sum(round(min(look["Most"], look["Specks"] * np.sqrt(value))) for value in LOGGED.energies)
    scene.frame_set(2)
    assert not any(matrix[:3, :3].any() for matrix, _ in instances(points))
    scene.frame_set(6)
    seen = [matrix for matrix, _ in instances(points) if matrix[:3, :3].any()]
    assert len(instances(points)) == pytest.approx(count, abs=4)
    assert 0 < len(seen) < count
    places = np.array([matrix[:3, 3] for matrix in seen])
    farthest = look["Speed"] * np.sqrt(3.0) * 0.2 + 0.5 * look["Gravity"] * 0.2**2
    nearest = np.linalg.norm(places[:, None] - LOGGED.points[:3], axis=2).min(axis=1)
    assert 0.0 < nearest.max() < farthest
    scene.frame_set(scene.frame_current + round(24 * look["Life"]) + 8)
    assert not any(matrix[:3, :3].any() for matrix, _ in instances(points))
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert snapshot()[0] == before


@pytest.mark.parametrize(("unit", "extent", "factor"), [(1.0, 0.2, 1.0), (1.0, 3.0, 10.0), (0.01, 300.0, 10.0)])
def test_specks_of_large_objects_are_larger(cube, scene, unit, extent, factor):
    scene.unit_settings.scale_length = unit
    cube.dimensions = (extent, 0.1 * extent, 0.1 * extent)
    bpy.context.view_layer.update()
    cube.fracture.events = "SPARKS"
    points = events.write_events(scene, cube, LOGGED, 1, None)
    (modifier,) = points.modifiers
    inputs = {item.name: item.identifier for item in modifier.node_group.interface.items_tree}
    assert node_groups._input(modifier, inputs["Size"]) * unit == pytest.approx(
        factor * speck_nodes.LOOKS["SPARKS"]["Size"]
    )


def test_the_command_line_writes_the_file(tmp_path, scene):
    model, table = tmp_path / "box.obj", tmp_path / "box.csv"
    model.write_text(BOX)
    arguments = [model, "--output", tmp_path / "out.blend", "--events", table, "--scenario", "impact"]
    arguments += ["--resolution", "200", "--frames", "1-6"]
    assert command.main([str(item) for item in arguments]) == 0
    head, *rows = lines(table)
    assert head == COLUMNS
    assert rows[0][6:] == ["box", "break"]
    assert float(rows[0][5]) > 0.0


def test_the_command_line_wants_a_csv_file(tmp_path, scene):
    model = tmp_path / "box.obj"
    model.write_text(BOX)
    arguments = [str(model), "--output", str(tmp_path / "out.blend"), "--events", str(tmp_path / "box.txt")]
    assert command.main(arguments) == 2
