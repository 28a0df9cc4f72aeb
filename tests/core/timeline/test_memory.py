"""A run that does not fit into the memory is refused before it starts, and one that runs out of it ends in one line."""

import errno
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from fracture_addon import worker
from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import NotEnoughMemoryError
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.storage import free_memory
from fracture_addon.core.timeline import memory
from tests import shapes

GIGABYTE = 1e9


def job(method="network", cells=6000, frames=100, surface=None, **settings) -> Job:
    body = Body("Vase", surface or shapes.cube(), PORCELAIN, Settings.of(method=method, cell_count=cells, **settings))
    return Job((body,), (), 1, frames)


@pytest.mark.parametrize("method", ["network", "lattice", "fem", "unknown"])
@pytest.mark.parametrize("dynamics", ["rigid", "deformable"])
def test_more_of_anything_needs_more_memory(method, dynamics):
    few = memory.estimate(job(method, dynamics=dynamics))
    assert memory.estimate(job(method, cells=12_000, dynamics=dynamics)) > few
    assert memory.estimate(job(method, frames=1000, dynamics=dynamics)) > few
    assert memory.estimate(job(method, surface=shapes.icosphere(1.0, 4), dynamics=dynamics)) > few
    both = job(method, dynamics=dynamics)
    assert memory.estimate(replace(both, bodies=2 * both.bodies)) > few


@pytest.mark.parametrize(
    ("asked", "measured"),
    [
        (job("network", 24_000, 6), 0.71),
        (job("lattice", 24_000, 6), 0.49),
        (job("fem", 6000, 6), 0.78),
        (job("network", 3000, 6, shapes.torus(0.4, 0.2, 632, 316)), 1.70),
        (job("network", 3000, 2000), 0.47),
        (job("lattice", 1000, 400, dynamics="deformable"), 0.30),
    ],
)
def test_the_estimate_is_near_the_measured_peak(asked, measured):
    """Peaks of workers, which hold 0.26 GB before they begin."""
    assert 0.7 < (memory.estimate(asked) / GIGABYTE + 0.26) / measured < 2.0


def test_what_does_not_fit_is_refused_with_both_figures_and_the_remedy(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2.0 * GIGABYTE)
    memory.check(job())
    with pytest.raises(
        NotEnoughMemoryError, match=r"about 9\.2 GB .* 2\.0 GB are free; lower the detail of 'Vase' \(500,000"
    ):
        memory.check(job(cells=500_000))
    fine = shapes.torus(0.4, 0.2, 632, 316)
    with pytest.raises(NotEnoughMemoryError, match=r"decimate 'Vase' \(399,424 triangles\), lower the detail"):
        memory.check(job(surface=fine))
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    memory.check(job(cells=500_000))


def test_the_worker_refuses_before_it_begins(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(memory, "free_memory", lambda: 0.1 * GIGABYTE)
    arrays.save(tmp_path / "job.npz", job())
    assert worker.main([str(tmp_path)]) == worker.EXIT_FAILED
    error = json.loads((tmp_path / "error.json").read_text(encoding="utf-8"))
    assert error["kind"] == "NotEnoughMemoryError"
    assert "0.1 GB are free; lower the detail of 'Vase' (6,000 cells)" in error["message"]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        ImportError("x.so: failed to map segment from shared object"),
    ],
)
def test_memory_that_runs_out_is_one_line_with_the_stage(monkeypatch, tmp_path, capsys, error):
    def exhausting(job, progress, stages):
        progress("Filling 'Vase'", 0.1)
        raise error

    monkeypatch.setitem(worker.TASKS, "recording", exhausting)
    arrays.save(tmp_path / "job.npz", job())
    assert worker.main([str(tmp_path)]) == worker.EXIT_FAILED
    assert capsys.readouterr().err.startswith("the memory ran out while filling 'Vase'; lower the detail")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much of a limit is used")
@pytest.mark.parametrize("kind", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process_count(kind):
    program = (
        "import resource; from fracture_addon.core.storage.free_memory import free_memory;"
        f"resource.setrlimit(resource.{kind}, (2**30, 2**30)); print(free_memory())"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0.0 < float(found.stdout) < 2**30


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"memory.max": "1000\n", "memory.current": "700\n", "memory.stat": "anon 1\ninactive_file 200\n"}, 500.0),
        (
            {
                "memory.limit_in_bytes": "1000\n",
                "memory.usage_in_bytes": "700\n",
                "memory.stat": "inactive_file 200\ntotal_inactive_file 300\n",
            },
            500.0,
        ),
        ({"memory.max": "max\n", "memory.current": "700\n", "memory.stat": ""}, None),
        ({}, None),
    ],
    ids=["version 2", "version 1", "no limit", "no group"],
)
def test_the_limit_of_a_container_counts(tmp_path, files, left):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert free_memory.left_in_group(tmp_path) == left
