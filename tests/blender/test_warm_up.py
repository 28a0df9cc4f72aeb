"""Compilation ahead of the first run: what it compiles, and how it ends."""

import ast
import subprocess
import sys
import time

import bpy
import pytest

from fracture_addon.blender.process import user_cache, waiting_worker, warm_up
from fracture_addon.blender.process.child_python import environment
from fracture_addon.core.storage import compiled_code
from fracture_addon.core.timeline import warm_up as core

AFTER = """
import dataclasses
import numba
from fracture_addon.core.timeline import warm_up
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
def compiled():
    import gc
    found = [item for item in gc.get_objects() if isinstance(item, numba.core.registry.CPUDispatcher)]
    return {(item.py_func.__module__, item.py_func.__qualname__, signature) for item in found
            if item.py_func.__module__.startswith("fracture_addon") for signature in item.signatures}
for group in warm_up.FIRST_RUN:
    warm_up.GROUPS[group]()
before = compiled()
tile = warm_up.job()
cube = shapes.moved(shapes.cube(2.0), offset=(0.0, 0.0, 1.02))
default = tile.bodies[0].settings.changed(cell_count=6000)
compact = dataclasses.replace(tile, bodies=(dataclasses.replace(tile.bodies[0], surface=cube, settings=default),))
counts = [len(simulate(job, lambda *_: None).fragments) for job in (tile, compact)]
print(min(counts), len(before), sorted(name for _, name, _ in compiled() - before))
"""


def ended(process, seconds=60.0):
    """Whether a process ends; the limit only keeps a failing test from waiting forever."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


@pytest.fixture
def warming(registered, monkeypatch):
    """A compilation that has started its processes, with the code of earlier tests but none in the extension."""
    monkeypatch.setattr(compiled_code, "is_shipped", lambda: False)
    found = warm_up.WarmUp(user_cache.find().folder)
    assert not found.look()
    yield found
    found.end()


@pytest.mark.once
def test_a_run_compiles_hardly_anything_after_all_groups(registered):
    """Neither a tile nor a compact body with the default detail: they need one more signature of ``mates``."""
    done = subprocess.run(
        [sys.executable, "-c", AFTER], env=environment(), capture_output=True, text=True, check=True, timeout=900
    )
    fragments, count, more = done.stdout.split(maxsplit=2)
    assert int(fragments) > 1
    assert int(count) > 40
    assert set(ast.literal_eval(more)) <= {"mates"}


def test_the_groups_are_those_of_the_core():
    assert warm_up.GROUPS == core.FIRST_RUN


@pytest.mark.once
def test_at_the_end_a_worker_waits(warming, tmp_path):
    (tmp_path / user_cache.COMPILED).mkdir()
    (tmp_path / user_cache.COMPILED / "one.code").touch()
    warming._cache = tmp_path
    waiting_worker.dismiss()
    while not warming.look():
        time.sleep(0.05)
    worker = waiting_worker.fetch()
    assert worker.is_ready()
    assert 0.0 < warming.share < 1.0
    worker.end()


def test_the_end_kills_the_processes(warming):
    processes = list(warming._compilers)
    assert processes
    warming.end()
    assert all(process.poll() is not None for process in processes)


@pytest.mark.once
def test_a_process_ends_when_blender_is_gone(registered):
    process = warm_up._compiler("checks")
    process.stdin.close()
    assert ended(process)


def test_code_that_came_with_the_extension_is_not_compiled(registered, monkeypatch):
    """Only the worker that waits for the first run starts, and the status bar speaks of no compilation."""
    monkeypatch.setattr(compiled_code, "is_shipped", lambda: True)
    found = warm_up.WarmUp(user_cache.find().folder)
    monkeypatch.setattr(warm_up, "_current", found)
    found.look()
    assert found._compilers == []
    assert found._last is not None
    assert warm_up.share() is None
    found.end()


def test_nothing_is_compiled_ahead_without_a_window(registered):
    assert bpy.app.background
    warm_up.start()
    assert not bpy.app.timers.is_registered(warm_up._look)
    assert warm_up.share() is None


def test_an_unknown_group_is_refused(capsys):
    assert core.main(["paint"]) == 2
    assert "checks|network|cut|" in capsys.readouterr().err


def test_it_is_wanted_once(registered, tmp_path, monkeypatch):
    monkeypatch.setattr(user_cache, "find", lambda: user_cache.Cache(tmp_path))
    assert warm_up._is_wanted()
    (tmp_path / warm_up.DONE).touch()
    assert not warm_up._is_wanted()
    monkeypatch.setattr(user_cache, "find", lambda: user_cache.Cache(None, "no folder"))
    assert not warm_up._is_wanted()
