"""What the command line writes: whole or not at all, and never over what the artist put in without being asked."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import bpy
import numpy as np
import pytest

from fracture_addon.blender.command_line import command, contact_sheet
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.write import mesh_cache
from fracture_addon.core.data.errors import CancelledError, WorkerError
from fracture_addon.core.data.job import Job

ROOT = Path(__file__).resolve().parents[2]
MODEL = "mtllib box.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nusemtl Wood\n" + "".join(
    f"f {a}/1 {b}/1 {c}/1\n" for a, b, c in ((1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3))
)
QUICK = ("--resolution", "200", "--frames", "1-6", "--scenario", "impact")


def main(*arguments):
    return command.main([str(item) for item in arguments])


@contextlib.contextmanager
def files_of_at_most(size):
    """No file of this process may grow beyond so many bytes: to its writer that is a full disk."""
    import resource

    before, ignored = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def write_blend(path):
    command._save(path)


def write_report(path):
    arguments = Namespace(input="a" * 20_000, output="b", scenario="drop", report=path)
    command._write_report(arguments, Job(()), {}, {})


def write_picture(path):
    noise = np.random.default_rng(1).random((contact_sheet.TILE[1], contact_sheet.TILE[0], 4), np.float32)
    contact_sheet._save_tiled([noise], path)


@pytest.mark.skipif(os.name == "nt", reason="limits of other systems")
@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize(
    ("name", "write"), [("out.blend", write_blend), ("out.json", write_report), ("out.png", write_picture)]
)
def test_a_full_disk_leaves_the_old_file(scene, tmp_path, name, write, is_there):
    path = tmp_path / name
    if is_there:
        path.write_text("the old one")
    with files_of_at_most(4096), pytest.raises((WorkerError, OSError, RuntimeError)) as caught:
        write(path)
    assert "\n" not in str(caught.value)
    assert [item.name for item in tmp_path.iterdir()] == ([name] if is_there else [])
    assert not is_there or path.read_text() == "the old one"
    write(path)
    assert path.stat().st_size > 4096


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root mounts a small disk")
@pytest.mark.skipif(sys.platform != "linux", reason="a file system of Linux")
def test_a_small_disk_that_is_full_leaves_the_old_result(scene, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)], check=False).returncode:
        pytest.skip("this system lets nobody mount a disk")
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(disk / "out.blend"), compress=True)
        (disk / "filler").write_bytes(bytes(256 * 1024 - (disk / "out.blend").stat().st_size - 8192))
        before = (disk / "out.blend").read_bytes()
        with pytest.raises(WorkerError, match=r"out\.blend' cannot be written.*free some space"):
            command._save(disk / "out.blend")
        assert (disk / "out.blend").read_bytes() == before
        assert sorted(item.name for item in disk.iterdir()) == ["filler", "out.blend"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_the_files_of_deformed_objects(scene, tmp_path, monkeypatch):
    obj = bpy.data.objects.new("Jelly", bpy.data.meshes.new("Jelly"))
    scene.collection.objects.link(obj)
    source = tmp_path / "source" / "Jelly_1.pc2"
    source.parent.mkdir()
    source.write_bytes(b"new")
    modifier = obj.modifiers.new(mesh_cache.MODIFIER, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", str(source)
    old = tmp_path / "out_fracture" / "Jelly_0.pc2"
    old.parent.mkdir()
    old.write_bytes(b"old")
    (tmp_path / "out.blend").write_text("the old one, which reads Jelly_0.pc2")
    monkeypatch.setattr(command, "_is_whole", lambda path: False)
    with pytest.raises(WorkerError, match="its end is missing"):
        command._save(tmp_path / "out.blend")
    assert (tmp_path / "out.blend").read_text().startswith("the old one")
    assert [item.name for item in old.parent.iterdir()] == ["Jelly_0.pc2"]


def test_an_object_that_lost_its_file_does_not_stop_the_output(scene, tmp_path):
    for name, kept in (("Jelly", True), ("Old", False)):
        obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        scene.collection.objects.link(obj)
        modifier = obj.modifiers.new(mesh_cache.MODIFIER, "MESH_CACHE")
        modifier.cache_format, modifier.filepath = "PC2", str(tmp_path / f"{name}_1.pc2")
        if kept:
            (tmp_path / f"{name}_1.pc2").write_bytes(b"points")
    command._save(tmp_path / "out.blend")
    assert (tmp_path / "out.blend").exists()
    assert [item.name for item in (tmp_path / "out_fracture").iterdir()] == ["Jelly_1.pc2"]
    assert bpy.path.abspath(modifier.filepath) == str(tmp_path / "Old_1.pc2")


@pytest.fixture
def scene_file(struck, tmp_path):
    path = tmp_path / "in.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.mark.parametrize("way", ["same", "symbolic link", "hard link", "other spelling"])
def test_the_input_is_not_overwritten(scene_file, tmp_path, monkeypatch, capfd, way):
    monkeypatch.setattr(command, "run_job", lambda *_: pytest.fail("it simulated"))
    output = scene_file if way == "same" else tmp_path / "out.blend"
    if way == "symbolic link":
        output.symlink_to(scene_file)
    elif way == "hard link":
        output.hardlink_to(scene_file)
    elif way == "other spelling":
        output = tmp_path / ".." / tmp_path.name / "in.blend"
    before = scene_file.read_bytes()
    assert main(scene_file, "--output", output) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert "--overwrite-input" in error
    assert scene_file.read_bytes() == before


def test_the_input_is_overwritten_where_that_is_asked_for(scene_file):
    assert main(scene_file, "--output", scene_file, "--overwrite-input") == 0
    bpy.ops.wm.open_mainfile(filepath=str(scene_file))
    assert result_lookup.collection_of(bpy.data.objects["Cube"]).objects


def test_reports_and_pictures_are_not_written_over_the_input(scene_file, tmp_path, capfd):
    for option, name in (("--report", "a.json"), ("--render", "a.png")):
        (tmp_path / name).symlink_to(scene_file)
        assert main(scene_file, "--output", tmp_path / "out.blend", option, tmp_path / name) == 2
        assert "this is the input" in capfd.readouterr().err


def test_files_that_the_scene_uses_are_not_overwritten(scene, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(command, "run_job", lambda *_: pytest.fail("it simulated"))
    (tmp_path / "box.obj").write_text(MODEL)
    (tmp_path / "box.mtl").write_text("newmtl Wood\nmap_Kd wood.png\n")
    write_picture(tmp_path / "wood.png")
    before = (tmp_path / "wood.png").read_bytes()
    assert main(tmp_path / "box.obj", "--output", tmp_path / "out.blend", "--render", tmp_path / "wood.png") == 2
    assert "the scene uses this file" in capfd.readouterr().err
    assert (tmp_path / "wood.png").read_bytes() == before


def test_a_cancelled_run_leaves_the_old_result(scene_file, tmp_path, monkeypatch):
    def cancel(*_):
        raise CancelledError("")

    monkeypatch.setattr(command, "run_job", cancel)
    (tmp_path / "out.blend").write_text("the old one")
    assert main(scene_file, "--output", tmp_path / "out.blend") == 130
    assert (tmp_path / "out.blend").read_text() == "the old one"


PLAYED = """
import json, sys
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Object, "fracture")
scene, found = bpy.context.scene, []
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    shown = {}
    for item in bpy.context.evaluated_depsgraph_get().object_instances:
        if item.object.type == "MESH" and item.object.data.vertices:
            name = item.parent.name if item.is_instance else item.object.name
            heights = [(item.matrix_world @ vertex.co).z for vertex in item.object.data.vertices]
            if max(heights) > min(heights):  # points of pieces that are not there yet are scaled to nothing
                shown.setdefault(name, []).extend([min(heights), max(heights)])
    found.append({name: [min(heights), max(heights)] for name, heights in shown.items()})
print("@" + json.dumps(found))
"""


def played(path):
    """For every frame, names of the meshes that are shown and their lowest and highest point, without the add-on."""
    command = [sys.executable, "-c", PLAYED, str(path)]
    ended = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=120.0, check=False)
    assert ended.returncode == 0, ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("@")]
    return json.loads(line[1:])


NOT_IN_BLENDER = pytest.mark.skipif(bool(bpy.app.binary_path), reason="for Pythons with the bpy module")


@NOT_IN_BLENDER
@pytest.mark.parametrize("one_object", [False, True])
def test_a_result_plays_without_the_add_on(struck, scene, tmp_path, one_object):
    scene.frame_end = 12
    source, out = tmp_path / "in.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    assert main(source, "--output", out, *(["--one-object"] if one_object else [])) == 0
    shutil.copy(out, tmp_path / "elsewhere.blend")
    before, *_, late, last = played(tmp_path / "elsewhere.blend")
    assert before.keys() == {"Cube"}
    assert "Cube" not in last
    assert len(last) == 1 if one_object else len(last) > 1
    assert last.keys() == late.keys()
    assert all(last[name] != late[name] for name in last)
    assert min(low for low, _ in last.values()) < min(low for low, _ in before.values()) - 0.1


@NOT_IN_BLENDER
def test_a_deformed_result_plays_without_the_add_on(struck, scene, tmp_path):
    struck.fracture.impact_enabled = False
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    scene.frame_end = 6
    struck.location.z = 0.11
    source, out = tmp_path / "in.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    options = ("--object", "Cube", "--softening", "1000", "--resolution", "120")
    assert main(source, *options, "--output", out) == 0
    assert not mesh_cache.beside(source).exists()
    (tmp_path / "elsewhere").mkdir()
    shutil.move(out, tmp_path / "elsewhere" / "out.blend")
    shutil.move(tmp_path / "out_fracture", tmp_path / "elsewhere" / "out_fracture")
    first, *_, last = played(tmp_path / "elsewhere" / "out.blend")
    assert last["Cube Deformed"] != first["Cube Deformed"]
    assert last["Cube Deformed"][1] < first["Cube Deformed"][1]
