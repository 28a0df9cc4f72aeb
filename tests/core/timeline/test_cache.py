"""The cache changes the time of a run, never its bytes."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.methods import method, table
from fracture_addon.core.timeline.cache import Cache, Memory
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

FLOOR = Collider("floor", Surface([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]]))
SETTINGS = Settings.of(method="halving", cell_count=300, seed=3, break_depth=1)

pytestmark = pytest.mark.usefixtures("halving")


def impact(way, frame=2) -> AuthoredImpact:
    way = np.asarray(way, float)
    return AuthoredImpact(frame, np.array([0.0, 0.0, 0.04]) - 0.05 * way, way, 1.3)


BODY = Body("block", shapes.box((0.1, 0.06, 0.08), (0.0, 0.0, 0.04)), PORCELAIN, SETTINGS, impacts=(impact([1, 0, 0]),))
OPEN = Surface(BODY.surface.points, BODY.surface.faces[:-1])


def written(tmp_path, body, cache, frames=3) -> bytes:
    job = Job((body,), (FLOOR,), 1, frames)
    arrays.save(tmp_path / "recording.npz", simulate(job, lambda stage, share: None, cache))
    return (tmp_path / "recording.npz").read_bytes()


@pytest.fixture
def calls(monkeypatch):
    """Names of the method's functions in the order of their calls."""
    made = []
    for name in ("discretise", "strike"):
        original = getattr(table, name)

        def counted(*args, _name=name, _original=original, **values):
            made.append(_name)
            return _original(*args, **values)

        monkeypatch.setattr(table, name, counted)
    return made


@pytest.fixture
def cache(tmp_path) -> Cache:
    return Cache(tmp_path / "stages")


CHANGES = {
    "nothing": (BODY, []),
    "impact": (replace(BODY, impacts=(impact([0, 1, 0]),)), ["strike"]),
    "violence": (replace(BODY, settings=SETTINGS.changed(violence=1.5)), ["strike"]),
    "strength": (replace(BODY, material=replace(PORCELAIN, tensile_strength=30e6)), ["strike"]),
    "noise": (replace(BODY, settings=SETTINGS.changed(noise=0.5)), ["strike"]),
    "relief": (replace(BODY, settings=SETTINGS.changed(roughness=0.0)), []),
    "seed": (replace(BODY, settings=SETTINGS.changed(seed=4)), ["discretise", "strike"]),
    "detail": (replace(BODY, settings=SETTINGS.changed(cell_count=400)), ["discretise", "strike"]),
    "shape": (replace(BODY, surface=shapes.moved(BODY.surface, offset=(0.0, 0.001, 0.0))), ["discretise", "strike"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_second_run_repeats_only_stages_with_changed_inputs(change, tmp_path, cache, calls):
    written(tmp_path, BODY, cache)
    assert calls[:2] == ["discretise", "strike"]
    body, expected = CHANGES[change]
    calls.clear()
    again = written(tmp_path, body, cache)
    whole = calls[:]
    calls.clear()
    assert again == written(tmp_path, body, Cache())
    assert calls[:2] == ["discretise", "strike"]
    assert len(calls) - len(whole) == 2 - len(expected)
    assert ("discretise" in whole) == ("discretise" in expected)


def test_a_network_break_is_cached(tmp_path, cache, calls):
    body = replace(BODY, settings=SETTINGS.changed(method="network", piece_count=6))
    first = written(tmp_path, body, cache)
    assert calls
    calls.clear()
    assert written(tmp_path, body, cache) == first
    assert not calls


def test_a_repair_is_cached_and_a_refusal_is_not(tmp_path, cache, monkeypatch):
    body = replace(BODY, surface=OPEN, settings=SETTINGS.changed(repair=False))
    for _ in range(2):
        with pytest.raises(InvalidMeshError):
            written(tmp_path, body, cache)
    body = replace(body, settings=SETTINGS.changed(repair=True))
    first = written(tmp_path, body, cache)
    monkeypatch.setattr("fracture_addon.core.timeline.preparation.prepare_body", None)
    assert written(tmp_path, body, cache) == first


@pytest.mark.parametrize("damage", ["cut short", "a flipped bit", "foreign", "empty", "a folder"])
def test_a_damaged_entry_is_computed_again(damage, tmp_path, cache):
    assert cache.result("sum", int, (1, 2), lambda: 3) == 3
    assert cache.result("sum", int, (1, 2), lambda: 4) == 3
    (entry,) = (tmp_path / "stages").iterdir()
    content = entry.read_bytes()
    middle = len(content) // 2
    damaged = {
        "cut short": content[:-7],
        "a flipped bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "foreign": b"\x80\x04K\x03.",
        "empty": b"",
    }
    if damage == "a folder":
        entry.unlink()
        entry.mkdir()
    else:
        entry.write_bytes(damaged[damage])
    assert cache.result("sum", int, (1, 2), lambda: 5) == 5


def test_inputs_with_small_differences_have_different_keys(cache):
    values = [(1.0,), (1,), (True,), (None,), ("1",), (np.float64(1.0 + 1e-16 * 3),), (np.ones(1),)]
    values += [(np.ones(1, np.float32),), (np.ones((1, 1)),), (np.array([1.0, 1.0]),), ((1.0, 1.0),)]
    for row, value in enumerate(values):
        assert cache.result("row", int, value, lambda row=row: row) == row
    assert cache.result("another", int, values[0], lambda: 99) == 99


def test_the_entry_unused_for_longest_is_removed_first(tmp_path):
    folder = tmp_path / "stages"
    cache = Cache(folder, most_bytes=20_000)
    block = np.zeros(1000)
    for row in range(2):
        cache.result("block", np.ndarray, (row,), lambda: block)
        for entry in folder.iterdir():
            os.utime(entry, ns=(entry.stat().st_atime_ns, entry.stat().st_mtime_ns - 10**9))
    cache.result("block", np.ndarray, (0,), lambda: None)
    cache.result("block", np.ndarray, (2,), lambda: block)
    made = []
    for row in (0, 2, 1):
        cache.result("block", np.ndarray, (row,), lambda row=row: made.append(row))
    assert made == [1]
    assert sum(entry.stat().st_size for entry in folder.iterdir()) <= 20_000


def test_caches_that_fill_a_folder_together_keep_to_its_limit(tmp_path):
    """Three of them store in turn; each lists the folder only when it has used its part of the room."""
    folder = tmp_path / "stages"
    caches = [Cache(folder, most_bytes=200_000) for _ in range(3)]
    for row in range(90):
        caches[row % 3].result("block", np.ndarray, (row,), lambda: np.zeros(1000))
        assert sum(entry.stat().st_size for entry in folder.iterdir()) <= 200_000
    assert len(list(folder.iterdir())) > 15


def test_memory_keeps_the_results_that_the_last_run_used():
    memory, made = Memory(), []
    cache = Cache(memory=memory)

    def run(*names: str) -> list[str]:
        made.clear()
        for name in names:
            assert cache.in_memory("stage", (name,), lambda name=name: made.append(name) or name) == name
        memory.finish_run()
        return made[:]

    assert run("a", "b", "a") == ["a", "b"]
    assert run("a", "c") == ["c"]
    assert run("a", "b", "c") == ["b"]
    assert Cache().in_memory("stage", ("a",), lambda: "new") == "new"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"impacts": (impact([0, 1, 0]),)}, 0),
        ({"settings": SETTINGS.changed(violence=1.2, dust="drop", crack_growth=0.2, piece_count=3)}, 0),
        ({"settings": SETTINGS.changed(noise=0.5)}, 1),
        ({"material": replace(PORCELAIN, tensile_strength=30e6)}, 1),
    ],
)
def test_a_model_is_rebuilt_only_if_its_inputs_change(change, expected, tmp_path, monkeypatch):
    built = []
    build = table.build
    monkeypatch.setattr(table, "build", lambda solid, *inputs: built.append(solid.cell_count) or build(solid, *inputs))
    cache = Cache(memory=Memory())
    written(tmp_path, BODY, cache)
    whole, _ = built[0], built.clear()
    written(tmp_path, replace(BODY, **change), cache)
    assert built.count(whole) == expected


@pytest.mark.parametrize("way", ["network", "lattice", "fem"])
def test_a_used_model_breaks_like_a_new_one(way):
    settings = SETTINGS.changed(method=way, cell_count=150)
    solid = table.discretise(BODY.surface, settings)
    still = method.RigidMotion(np.zeros(3), np.zeros(3))

    def struck(body, way) -> bytes:
        way = np.asarray(way, float)
        light = Impact(np.array([0.0, 0.0, 0.04]) - 0.04 * way, way, 1.0, 1e-4, 0.02)
        force = table.critical_force(body.model, settings, [light], solver=body.solver)
        hard = replace(light, impulse=0.5 * 4.0 * force * light.duration)
        return arrays.digest(table.strike(body.model, settings, still, [hard], solver=body.solver))

    body = table.prepare(solid, PORCELAIN, settings)
    first = struck(body, [1, 0, 0])
    assert struck(body, [0, 1, 0]) == struck(table.prepare(solid, PORCELAIN, settings), [0, 1, 0]) != first


def test_a_run_succeeds_if_the_cache_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "stages")
    assert cache.result("sum", int, (1,), lambda: 1) == 1
    assert cache.result("sum", int, (1,), lambda: 2) == 2
    assert Cache(tmp_path / "none", most_bytes=0).result("sum", int, (1,), lambda: 1) == 1
    assert not (tmp_path / "none").exists()
