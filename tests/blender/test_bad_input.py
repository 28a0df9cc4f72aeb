"""Whatever is wrong with the input: Shatter says so in one line with the remedy, and leaves the scene as it was."""

import os
import signal
from types import SimpleNamespace

import bpy
import pytest

from fracture_addon.blender.operators import run_operator
from fracture_addon.blender.panels import last_report
from fracture_addon.blender.process import child_python, run, waiting_worker
from tests.blender.snapshot import snapshot

# Which input is refused depends on no version of Blender, and other tests read input of each kind.
pytestmark = pytest.mark.once

NOT_ON_WINDOWS = pytest.mark.skipif(os.name == "nt", reason="signals and limits of other systems")


@pytest.fixture
def ready(struck):
    """An object that breaks when nothing is done to it."""
    bpy.ops.object.select_all(action="DESELECT")
    struck.select_set(True)
    bpy.context.view_layer.objects.active = struck
    struck.fracture.repair = False
    return struck


def shape(obj, points, faces):
    mesh = bpy.data.meshes.new("Other")
    mesh.from_pydata(points, [], faces)
    obj.data = mesh


def empty(obj):
    shape(obj, [], [])


def points_only(obj):
    shape(obj, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [])


def not_a_number(obj):
    obj.data.vertices[3].co.y = float("nan")


def plane(obj):
    shape(obj, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])


def both_sides_of_a_plane(obj):
    shape(obj, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3), (3, 2, 1, 0)])


def squeezed_flat(obj):
    for vertex in obj.data.vertices:
        vertex.co.z = 0.1


def scaled_flat(obj):
    obj.scale.z = 0.0


def scaled_to_nothing(obj):
    obj.scale = (0.0, 0.0, 0.0)


def opened(obj):
    shape(obj, [vertex.co for vertex in obj.data.vertices], [item.vertices[:] for item in obj.data.polygons][1:])


def nonsense_material(obj):
    obj.fracture.young_modulus = float("nan")


def no_frames(obj):
    bpy.context.scene.frame_end = bpy.context.scene.frame_start


def stretched_time(obj):
    bpy.context.scene.render.frame_map_new = 200


def nothing_to_hit_it(obj):
    obj.fracture.impact_enabled = False


def linked(obj):
    path = os.path.join(bpy.app.tempdir, "library.blend")
    bpy.data.libraries.write(path, {obj})
    bpy.data.objects.remove(obj)
    with bpy.data.libraries.load(path, link=True) as (_, loaded):
        loaded.objects = ["Cube"]
    theirs = bpy.data.objects["Cube"]
    bpy.context.scene.collection.objects.link(theirs)
    theirs.select_set(True)


def editing(obj):
    bpy.ops.object.mode_set(mode="EDIT")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (empty, "'Cube' cannot be used: it has no faces; select"),
        (points_only, "'Cube' cannot be used: it has no faces; select"),
        (not_a_number, "'Cube' cannot be used: 1 of its 8 points have invalid coordinates; delete"),
        (plane, "'Cube' cannot be broken: it is flat, .* Solidify"),
        (both_sides_of_a_plane, "'Cube' cannot be broken: it is flat, .* Solidify"),
        (squeezed_flat, "'Cube' cannot be broken: it is flat, .* Solidify"),
        (scaled_flat, "'Cube' cannot be broken: it is flat, .* Solidify"),
        (scaled_to_nothing, "'Cube' cannot be used: .* zero area; .* scale"),
        (opened, "'Cube' cannot be broken: it has 4 open edges; turn on Repair"),
        (
            nonsense_material,
            r"'Cube': .*young_modulus\) is nan; set it between",
        ),
        (no_frames, "The frame range 1 to 1 is empty; set an end"),
        (stretched_time, r"Time Stretching is on \(100 to 200\), .* set both of its values to 100"),
        (nothing_to_hit_it, "nothing can hit 'Cube'; add a floor or a projectile"),
        (linked, "'Cube' is linked from .*; make it local"),
        (editing, r"Leave Edit Mode first \(Tab\)"),
    ],
)
def test_bad_input_is_one_line_and_an_untouched_scene(ready, spoil, said):
    spoil(ready)
    bpy.context.view_layer.update()
    before = snapshot()
    with pytest.raises(RuntimeError, match=said) as caught:
        bpy.ops.fracture.shatter()
    assert str(caught.value).strip().count("\n") == 0
    assert "Traceback" not in str(caught.value)
    assert snapshot() == before
    assert run.active is None


@pytest.mark.parametrize(
    ("spoil", "found", "done"),
    [
        (opened, "it has 4 open edges", "1 hole capped"),
        (plane, "it has no thickness and 4 open edges", "1 open sheet given a wall of 14.1\xa0mm"),
    ],
)
def test_bad_input_is_repaired_by_default_and_reported(ready, spoil, found, done):
    ready.fracture.property_unset("repair")
    spoil(ready)
    bpy.context.view_layer.update()
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    said = [line.text for line in last_report.lines(ready)]
    assert any(found in text and done in text for text in said)


@pytest.mark.parametrize("scale", [(-1.0, 1.0, 1.0), (-1.0, -2.0, -1.0)])
def test_a_negative_scale_that_is_not_applied_is_none_of_bad_input(ready, scale):
    ready.scale = scale
    bpy.context.view_layer.update()
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    for piece in (obj for obj in bpy.data.objects if "fracture_source" in obj):
        assert piece.matrix_world.is_negative is False


@NOT_ON_WINDOWS
def test_a_killed_worker_is_one_line_and_an_untouched_scene(ready, monkeypatch):
    def kill(_seconds):
        os.kill(run.active.process.pid, signal.SIGKILL)
        run.active.process._worker._child.wait()

    monkeypatch.setattr(run_operator, "time", SimpleNamespace(sleep=kill))
    before = snapshot()
    with pytest.raises(
        RuntimeError,
        match=r"The worker was killed \(SIGKILL\) while \w+.*Nothing in the scene was changed; lower the detail",
    ) as caught:
        bpy.ops.fracture.shatter()
    assert str(caught.value).strip().count("\n") == 0
    assert snapshot() == before
    assert run.active is None


@NOT_ON_WINDOWS
def test_a_disk_that_takes_no_more_is_one_line_and_an_untouched_scene(ready, monkeypatch, tmp_path):
    """The child may write files of 512 bytes, no larger ones: the job is there, but the recording finds no room."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nulimit -f 1\nexec "{child_python.python_program()}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(waiting_worker, "python_program", lambda: str(program))
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"cannot write .*; free some space") as caught:
        bpy.ops.fracture.shatter()
    assert str(caught.value).strip().count("\n") == 0
    assert snapshot() == before


@NOT_ON_WINDOWS
@pytest.mark.parametrize("megabytes", [300, 700])
def test_a_limit_of_memory_is_one_line_and_an_untouched_scene(ready, monkeypatch, tmp_path, megabytes):
    """As by ``ulimit -v``: too little to load the libraries, and too little to compile."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nulimit -v {megabytes}000\nexec "{child_python.python_program()}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(waiting_worker, "python_program", lambda: str(program))
    before = snapshot()
    with pytest.raises(
        RuntimeError, match=rf"the memory limit \(ulimit -v\) is 0.{megabytes // 100} GB; raise it"
    ) as caught:
        bpy.ops.fracture.shatter()
    assert str(caught.value).strip().count("\n") == 0
    assert snapshot() == before


def test_a_folder_for_the_run_that_cannot_be_written_is_one_line(ready, monkeypatch, tmp_path):
    monkeypatch.setattr(run.extension, "job_folder", lambda: tmp_path / "nowhere")
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"The run cannot start in '.*nowhere': No such file"):
        bpy.ops.fracture.shatter()
    assert snapshot() == before
