"""The run that is kept in the artist's folder: it is whole, or says what is wrong with it."""

from dataclasses import replace

import bpy
import pytest

from fracture_addon.blender.process import cached_run
from fracture_addon.blender.scene import result_lookup
from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SceneError
from fracture_addon.core.data.job import Job
from fracture_addon.core.data.recording import Recording
from fracture_addon.core.timeline.cache import Cache
from tests.blender.snapshot import snapshot

JOB, RECORDING = Job(()), Recording(1, ())


@pytest.fixture
def folder(scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path)
    cached_run.store(scene, [], JOB, RECORDING)
    return tmp_path


def test_a_cached_run_is_one_file(folder, scene):
    assert [item.name for item in folder.iterdir()] == [cached_run.NAME]
    recording = cached_run.load(scene, "").recording
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
        cached_run.store(scene, [], JOB, RECORDING)
    assert (folder / cached_run.NAME).read_bytes() == before
    assert [item.name for item in folder.iterdir()] == [cached_run.NAME]


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """An empty folder for the runs of the user's cache."""
    monkeypatch.setattr(cached_run, "_of_user", lambda: Cache(tmp_path / "runs"))
    return tmp_path / "runs"


def places(obj, frame):
    """Places of the pieces of an object on a frame."""
    bpy.context.scene.frame_set(frame)
    return [
        [tuple(row) for row in piece.matrix_world]
        for piece in result_lookup.pieces_of(result_lookup.collection_of(obj))
    ]


def test_without_a_cache_folder_a_result_keeps_its_run(struck, runs):
    bpy.ops.fracture.shatter()
    third, last = places(struck, 3), places(struck, 4)
    assert last != third
    assert bpy.ops.fracture.trim(first=1, last=3) == {"FINISHED"}
    assert places(struck, 4) == third
    assert bpy.ops.fracture.trim(first=1, last=4) == {"FINISHED"}
    assert places(struck, 4) == last
    bpy.context.scene.frame_set(3)
    assert bpy.ops.fracture.slow_motion(speed=0.5, before=1, after=1, ramp=0) == {"FINISHED"}
    assert places(struck, 4) != last
    bpy.context.view_layer.objects.active = result_lookup.pieces_of(result_lookup.collection_of(struck))[0]
    assert bpy.ops.fracture.bake() == {"FINISHED"}
    assert places(struck, 4) == last


def select(obj):
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def test_each_result_has_a_run_of_its_own(struck, scene, runs):
    other = struck.copy()
    other.name, other.location.x = "Other", 1.0
    scene.collection.objects.link(other)
    made = []
    for obj in (struck, other):
        scene.frame_set(1)
        select(obj)
        bpy.ops.fracture.shatter()
        made.append(places(obj, 4))
    select(struck)
    assert bpy.ops.fracture.trim(first=1, last=3) == {"FINISHED"}
    assert places(struck, 4) != made[0]
    assert bpy.ops.fracture.bake() == {"FINISHED"}
    assert [places(struck, 4), places(other, 4)] == made


def test_a_run_that_left_the_cache_says_so(struck, runs):
    bpy.ops.fracture.shatter()
    for path in runs.iterdir():
        path.unlink()
    before = snapshot()
    with pytest.raises(RuntimeError, match="no longer in the cache; press Shatter to make it again"):
        bpy.ops.fracture.trim()
    assert snapshot() == before


@pytest.mark.parametrize("operator", ["trim", "slow_motion", "bake"])
def test_a_result_without_motion_has_no_run(struck, runs, operator):
    bpy.ops.fracture.fracture_only()
    assert not getattr(bpy.ops.fracture, operator).poll()
