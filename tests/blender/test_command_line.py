"""The command line: what it takes, what it writes, and what it says and returns when it cannot."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from fracture_addon.blender.command_line import command, import_model
from fracture_addon.blender.read import settings
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.write import looks
from fracture_addon.core.data.errors import CancelledError, SolverDivergedError, WorkerError
from tests.blender.models import BOX

ROOT = Path(__file__).resolve().parents[2]
SHEET = "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n"
QUICK = ("--resolution", "200", "--frames", "1-6", "--scenario", "impact")


@pytest.fixture
def box(tmp_path, scene):
    path = tmp_path / "box.obj"
    path.write_text(BOX)
    return path


def main(*arguments):
    return command.main([str(item) for item in arguments])


def test_help_is_worth_reading(capfd, registered):
    assert main("--help") == 0
    text = capfd.readouterr().out
    for part in ("--drop-height", "terracotta", "examples:", "130 cancelled", "metres", "ball", ".glb"):
        assert part in text


@pytest.mark.parametrize(
    "wrong",
    [
        ["--frames", "9-3"],
        ["--frames", "soon"],
        ["--height", "-1"],
        ["--height", "nan"],
        ["--speed", "0"],
        ["--charge", "0"],
        ["--direction", "0,0,0"],
        ["--direction", "1,2"],
        ["--seed", "-1"],
        ["--resolution", "many"],
        ["--scenario", "scene"],
        ["--method", "magic"],
        ["--preset", "cheese"],
        ["--object", "Jar"],
        ["--report", "report.txt"],
        ["--output", "/nowhere/out.blend"],
        ["--output", "/proc/out.blend"],
        ["--unknown"],
        ["--made-as", "jelly"],
        ["--thickness", "0"],
        ["--checkpoint-every", "0"],
        ["--checkpoint-every", "99999999"],
        ["--continue-from", "99999999999"],
        ["--frames", "1-99999999999"],
        ["--frames", "0-20000"],
        ["--frames", "-5-10"],
        ["--fps", "0"],
        ["--fps", "20000"],
        ["--resolution", "900000000"],
        ["--resolution", "9" * 5000],
        ["--pieces", "900000000"],
        ["--set", "resolution=900000000"],
        ["--set", "frame_end=99999999999"],
        ["--output", "x" * 250 + ".blend"],
        ["--output", f"{'deep/' * 200}out.blend"],
        ["--report", "x" * 5000 + ".json"],
        ["--render", "x" * 250 + ".png"],
        ["--object", "x" * 5000],
        ["--preset", "x" * 5000],
    ],
)
def test_wrong_usage_is_one_line_and_code_2(box, tmp_path, capfd, monkeypatch, wrong):
    monkeypatch.setattr(command, "run_job", lambda *_: pytest.fail("it simulated"))
    assert main(box, "--output", tmp_path / "out.blend", *wrong) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert not (tmp_path / "out.blend").exists()


@pytest.mark.parametrize(
    ("option", "name"), [("--output", "a.blend"), ("--report", "a.json"), ("--render", "a.png"), ("--film", "a.webm")]
)
def test_a_link_that_leads_to_itself_is_code_2(box, tmp_path, capfd, option, name):
    (tmp_path / name).symlink_to(tmp_path / name)
    assert main(box, "--output", tmp_path / "out.blend", option, tmp_path / name) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert "symbolic links" in error


def test_a_console_without_the_letters_of_a_name_gets_their_numbers(box, tmp_path, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(box, "--output", tmp_path / "Gefäß.png") == 2
    command._line("Wrote Gefäß.png")
    assert b"Gef\\xe4\\xdf.png" in written.getvalue()


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing.obj", "--output", "a.blend"],
        ["box.fbx", "--output", "a.blend"],
        ["x" * 300 + ".obj", "--output", "a.blend"],
        ["x" * 5000 + ".obj", "--output", "a.blend"],
        ["--scene", "x" * 5000, "--output", "a.blend"],
        [],
    ],
)
def test_a_missing_or_unknown_input_is_code_2(registered, capfd, arguments):
    assert main(*arguments) == 2
    assert capfd.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("sheet.obj", SHEET, "flat"),
        ("points.obj", "v 0 0 0\nv 1 0 0\nv 1 1 1\n", "no faces"),
        ("empty.obj", "# nothing\n", "no mesh"),
        ("broken.glb", "this is no model", "damaged glTF file"),
        ("broken.blend", "this is no scene", "cannot be read"),
    ],
)
def test_input_that_cannot_break_is_refused_with_code_3(scene, tmp_path, capfd, name, content, reason):
    path = tmp_path / name
    path.write_text(content)
    assert main(path, "--no-repair", "--output", tmp_path / "out.blend") == 3
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert reason in error
    assert not (tmp_path / "out.blend").exists()


@pytest.mark.parametrize(("words", "method"), [([], "lattice"), (["--method", "fem"], "fem")])
def test_softening_makes_it_deform_by_a_method_that_can(box, tmp_path, monkeypatch, words, method):
    jobs = []

    def take(job, *_):
        jobs.append(job)
        raise CancelledError("")

    monkeypatch.setattr(command, "run_job", take)
    assert main(box, *QUICK, *words, "--softening", "50", "--output", tmp_path / "out.blend") == 130
    (body,) = jobs[0].bodies
    assert (body.settings.method, body.settings.motion.dynamics, body.settings.motion.softening) == (
        method,
        "deformable",
        50.0,
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [(WorkerError("died"), 4), (SolverDivergedError("grew"), 4), (CancelledError(""), 130), (KeyboardInterrupt(), 130)],
)
def test_a_run_that_fails_or_is_stopped(box, tmp_path, capfd, monkeypatch, error, code):
    def fail(*_):
        raise error

    monkeypatch.setattr(command, "run_job", fail)
    assert main(box, "--output", tmp_path / "out.blend") == code
    assert capfd.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out.blend").exists()


def test_a_render_that_hides_an_interruption_is_cancelled(box, tmp_path, capfd, monkeypatch):
    def render(*_):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        raise WorkerError("the render failed")

    monkeypatch.setattr(command, "run_job", render)
    assert main(box, "--output", tmp_path / "out.blend") == 130
    assert "cancelled" in capfd.readouterr().err


def test_a_model_is_broken_and_written(box, tmp_path, capfd):
    blend, report = tmp_path / "out.blend", tmp_path / "out.json"
    options = ("--height", "0.4", "--preset", "plaster", "--seed", "3", "--violence", "9", *QUICK)
    options += ("--fps", "23.976")
    options += ("--set", "violence=2", "--set", "relief=stony")  # over other options, and over presets
    assert main(box, *options, "--output", blend, "--report", report) == 0
    said = capfd.readouterr().out
    assert f"Wrote {blend}" in said
    assert "pieces, volume exact" in said
    assert "Info:" not in said
    content = json.loads(report.read_text())
    assert content["frames"] == [1, 6]
    assert content["bodies"][0]["fragments"] > 1
    assert {"reading", "simulating", "baking", "saving", "total"} <= set(content["seconds"])
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    source = bpy.data.objects["box"]
    assert settings.material_of(source).name == "Plaster"
    assert (source.fracture.seed, source.fracture.violence, source.fracture.resolution) == (3, 2.0, 200)
    assert source.fracture.relief == "STONY"
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(23.976)
    assert len(result_lookup.collection_of(source).objects) == content["bodies"][0]["fragments"]


def test_an_object_gets_the_look_of_its_preset(box, tmp_path):
    blend = tmp_path / "out.blend"
    options = ("--preset", "brick", "--look", "--seed", "3", *QUICK)
    assert main(box, *options, "--output", blend) == 0
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    source = bpy.data.objects["box"]
    assert [slot.material[looks.LOOK] for slot in source.material_slots] == ["Brick"]
    for piece in result_lookup.collection_of(source).objects:
        assert piece.material_slots[0].material == source.active_material


def test_a_material_without_a_look_is_refused(box, tmp_path, capfd):
    options = ("--look", "--set", "material_name=Mine", *QUICK)
    assert main(box, *options, "--output", tmp_path / "out.blend") == 2
    assert capfd.readouterr().err.endswith("the material 'Mine' has no look; omit --look\n")
    assert not (tmp_path / "out.blend").exists()


def test_a_scene_is_broken_as_it_is(struck, scene, tmp_path):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1, 0, 0.5))
    source, out = tmp_path / "in.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    before = source.read_bytes()
    assert main(source, "--object", "Cube", "--dust", "debris", "--one-object", "--output", out) == 0
    assert source.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert [item.name for item in bpy.data.collections if "fracture_report" in item] == ["Cube Fragments"]
    assert bpy.context.scene.frame_end == 4
    cube = bpy.data.objects["Cube"]
    assert (cube.fracture.dust, result_lookup.collection_of(cube).objects[0].name) == ("DEBRIS", "Cube Pieces")


def test_the_selected_objects_are_chosen(cube):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1, 0, 0.5))
    other = bpy.context.object
    assert import_model.chosen([cube, other], None) == [other]
    assert import_model.chosen([cube, other], "Cube") == [cube]
    bpy.ops.object.select_all(action="DESELECT")
    assert import_model.chosen([cube, other], None) == [cube, other]


def test_a_curve_breaks_where_it_is_named(scene, tmp_path, capfd):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1, 0, 0.5))
    bpy.ops.curve.primitive_bezier_curve_add(location=(0, 0, 2))
    bpy.context.object.name = "Line"
    scene.frame_end = 3
    bpy.ops.object.select_all(action="DESELECT")
    source, out = tmp_path / "in.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    options = ("--made-as", "rope", "--thickness", "0.02", "--checkpoint-every", "1", "--resolution", "120")
    assert main(source, "--object", "Line", *options, "--output", out) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    (shown,) = result_lookup.collection_of(bpy.data.objects["Line"]).objects
    assert shown.modifiers["Fracture"].type == "MESH_CACHE"
    assert main(source, "--object", "Line", *options, "--continue-from", "2", "--output", out) == 0
    assert main(source, "--object", "Line", "--continue-from", "2", "--made-as", "rope", "--output", out) == 2
    assert "no checkpoint" in capfd.readouterr().err


def test_a_height_is_for_models_only(struck, tmp_path, capfd):
    source = tmp_path / "in.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    assert main(source, "--height", "1", "--output", tmp_path / "out.blend") == 2
    assert "--height applies only to model files" in capfd.readouterr().err


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="for Pythons with the bpy module")
def test_the_module_runs_by_itself(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-m", "fracture_addon"]
    ended = subprocess.run([*program, "--help"], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "\nusage: python -m fracture_addon" in f"\n{ended.stdout}"  # Blender may say something of its own first
    ended = subprocess.run([*program, "a.obj"], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 2
