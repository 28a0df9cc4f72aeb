"""The run that is kept in the artist's folder: it is whole, or says what is wrong with it."""

from dataclasses import replace

import bpy
import pytest

from fracture_addon.blender.process import cached_run
from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SceneError
from fracture_addon.core.data.job import Job
from fracture_addon.core.data.recording import Recording
from tests.blender.snapshot import snapshot

JOB, RECORDING = Job(()), Recording(1, ())


@pytest.fixture
def folder(scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path)
    cached_run.store(scene, JOB, RECORDING)
    return tmp_path


def test_a_cached_run_is_one_file(folder, scene):
    assert [item.name for item in folder.iterdir()] == [cached_run.NAME]
    recording = cached_run.load(scene).recording
    assert replace(recording, events=RECORDING.events) == RECORDING
    assert len(recording.events) == 0


@pytest.mark.parametrize("damage", ["cut short", "empty", "a changed byte", "of another kind", "missing"])
def test_a_run_that_cannot_be_used_says_why_and_leaves_the_scene(folder, scene, damage):
    path = folder / cached_run.NAME
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "of another kind":
        arrays.save(path, RECORDING)
    else:
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
        path.write_bytes({"cut short": content[:-9], "empty": b"", "a changed byte": changed}[damage])
    reason = {"missing": "no readable run", "of another kind": "another version"}.get(damage, "a damaged run")
    before = snapshot()
    with pytest.raises(RuntimeError, match=rf"contains {reason}|{reason}.*press Shatter") as caught:
        bpy.ops.fracture.bake()
    assert reason in str(caught.value)
    assert str(caught.value).strip().count("\n") == 0
    assert snapshot() == before


def test_a_run_that_cannot_be_kept_leaves_the_older_one(folder, scene, monkeypatch):
    before = (folder / cached_run.NAME).read_bytes()

    def full(path, value):
        path.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(arrays, "save", full)
    with pytest.raises(SceneError, match=r"cannot be stored in .*No space left.*choose another folder"):
        cached_run.store(scene, JOB, RECORDING)
    assert (folder / cached_run.NAME).read_bytes() == before
    assert [item.name for item in folder.iterdir()] == [cached_run.NAME]
