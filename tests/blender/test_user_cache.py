"""The cache in the user's folder: found, shared, forgotten, and done without where there is no such folder."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest

from fracture_addon.blender import extension
from fracture_addon.blender.process import child_python, run, user_cache
from fracture_addon.blender.setup import presets
from fracture_addon.blender.write import mesh_cache
from fracture_addon.core.data.errors import FolderError
from fracture_addon.core.storage import folders
from fracture_addon.core.timeline.cache import MOST_BYTES

ROOT = Path(__file__).resolve().parents[2]
NOT_IN_BLENDER = pytest.mark.skipif(bool(bpy.app.binary_path), reason="for Pythons with the bpy module")


@pytest.fixture
def user_folder(registered, monkeypatch, tmp_path):
    """A user folder of the test's own: other tests go on from what is in the real one."""
    monkeypatch.setattr(extension, "user_folder", lambda name: folders.make(tmp_path / "user" / name))
    return tmp_path / "user"


def test_the_child_is_told_of_private_folders_outside_the_extension(user_folder):
    told = child_python.environment()
    for name in ("FRACTURE_STAGES", "FRACTURE_COMPILED"):
        assert Path(told[name]).parent.parent == user_folder / "cache"
    assert int(told["FRACTURE_STAGES_BYTES"]) == MOST_BYTES
    assert "NUMBA_CACHE_DIR" not in told.keys() - os.environ.keys()


def test_forget_removes_stages_checkpoints_and_compiled_code(user_folder):
    cache = user_cache.find().folder
    for name in ("stages/a.stage", "stages/checkpoints/a.checkpoint", "compiled/a.code"):
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_bytes(bytes(1000))
    artist = folders.make(user_folder / "mesh_caches") / "Cube_Deformed.pc2"
    artist.touch()
    assert bpy.ops.fracture.forget() == {"FINISHED"}
    assert not cache.exists()
    assert artist.exists()


def test_versions_leave_one_another_alone(user_folder, monkeypatch):
    parent = user_folder / "cache"
    now = time.time()

    def find(version):
        monkeypatch.setattr(user_cache, "_digest_of_sources", lambda: version)
        return user_cache.find().folder

    for version in ("first", "second", "first"):
        (find(version) / "a").touch()
    assert sorted(path.name for path in parent.iterdir() if path.is_dir()) == ["first", "second"]
    ages = {"hour": 1 / 24, "days": 3, "more": 4, "week": 7, "weeks": 21, "months": 60}
    for name, days in ages.items():
        (parent / name).mkdir()
        os.utime(parent / name, (now - days * 86400.0,) * 2)
    os.utime(parent / "first", (now - 86400.0 * 400,) * 2)
    find("first")
    # "first" is in use; of the others four are newer than "week", and "months" is stale.
    assert {path.name for path in parent.iterdir() if path.is_dir()} == {"first", "second", "hour", "days"}


def test_the_same_version_installed_again_continues_with_its_cache(user_folder, monkeypatch, tmp_path):
    """Blender gives each file the time of the installation."""
    monkeypatch.setattr(extension, "ROOT", tmp_path)
    source = tmp_path / "fracture_addon" / "core" / "data" / "job.py"
    source.parent.mkdir(parents=True)
    source.write_text("SIZE = 1\n")
    cache = user_cache.find().folder
    os.utime(source, (1e9, 1e9))
    assert user_cache.find().folder == cache
    source.write_text("SIZE = 2\n")
    assert user_cache.find().folder != cache
    source.write_text("SIZE = 1\n")
    assert user_cache.find().folder == cache
    source.rename(source.with_name("jobs.py"))
    assert user_cache.find().folder != cache


@pytest.mark.skipif(os.name == "nt", reason="modes of other systems")
def test_a_folder_that_others_can_write_is_not_used(user_folder, struck):
    user_cache.find()
    (user_folder / "cache").chmod(0o777)
    told = child_python.environment()
    assert (told["FRACTURE_STAGES"], told["FRACTURE_COMPILED"]) == ("", "")
    run.begin(bpy.context, [struck])
    run.stop()
    assert "There is no cache" in run.message.text
    assert "mode 0777" in run.message.text
    with pytest.raises(RuntimeError, match="mode 0777"):
        bpy.ops.fracture.forget()


WITHOUT_HOME = """
import json, os, sys
import bpy
from fracture_addon.blender import registration
from fracture_addon.blender.command_line import command
from fracture_addon.blender.process import child_python
registration.register()
told = child_python.environment()
try:
    forgotten = str(bpy.ops.fracture.forget())
except RuntimeError as error:
    forgotten = str(error)
job = []
command.run_job = lambda *values: job.append(1) or sys.exit(0)
try:
    command.main(["box.obj", "--output", "out.blend"])
except SystemExit:
    pass
names = sorted(os.path.join(folder, name) for folder, _, found in os.walk(".") for name in found)
print("@" + json.dumps([told["FRACTURE_STAGES"], told["FRACTURE_COMPILED"], forgotten, job, names]))
registration.unregister()
"""
BOX = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


@NOT_IN_BLENDER
@pytest.mark.skipif(os.name == "nt", reason="Windows has no HOME")
@pytest.mark.parametrize("home", ["below a file", "read-only"])
def test_without_a_user_folder_nothing_is_touched_and_that_is_said(tmp_path, home):
    """As in a container without a home: the artist's folders in the working directory stay, also with Forget."""
    work = tmp_path / "work"
    (work / "meshes" / "vases").mkdir(parents=True)
    (work / "meshes" / "vases" / "vase.obj").touch()
    (work / "box.obj").write_text(BOX)
    (tmp_path / "file").touch()
    place = {"below a file": tmp_path / "file" / "home", "read-only": "/proc/1"}[home]
    around = {name: value for name, value in os.environ.items() if name != "BLENDER_USER_RESOURCES"}
    around |= {"HOME": str(place), "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(place)}
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_HOME], env=around, cwd=work, capture_output=True, text=True, timeout=300.0
    )
    assert ended.returncode == 0, ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("@")]
    stages, compiled, forgotten, job, names = json.loads(line[1:])
    assert (stages, compiled) == ("", "")
    assert "cannot be written" in forgotten or "absolute path" in forgotten
    assert job == [1]
    assert names == ["./box.obj", "./meshes/vases/vase.obj"]
    assert "warning: There is no cache" in ended.stdout


def test_a_relative_answer_of_blender_is_refused(registered, monkeypatch, tmp_path):
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: "")
    monkeypatch.setattr(bpy.utils, "extension_path_user", lambda *_, **__: "")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FolderError, match="absolute path"):
        extension.user_folder("cache")
    assert user_cache.find().folder is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_beside_an_unsaved_file_is_refused(scene, struck, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    scene.fracture.cache_path = "//kept"
    with pytest.raises(RuntimeError, match="'//kept' is relative to a file that is not saved"):
        bpy.ops.fracture.bake()
    with pytest.raises(FolderError, match="not saved"):
        mesh_cache.folder(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert mesh_cache.folder(scene) == tmp_path / "kept"


def test_presets_are_not_read_from_the_working_directory(registered, monkeypatch):
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda kind: ["presets/fracture_addon/material"])
    assert presets.folders() == [presets.shipped_folder()]
