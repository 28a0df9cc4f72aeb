"""The worker process: its files, its output and its exit codes."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fracture_addon import worker
from fracture_addon.core.data import arrays
from fracture_addon.core.data.cell_preview import SHRINK, Preview
from fracture_addon.core.data.crack_preview import Cracks
from fracture_addon.core.data.errors import WorkerError
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import Recording
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.methods import table
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

ROOT = Path(__file__).resolve().parents[2]
FLOOR = Collider("floor", Surface([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]]))

pytestmark = pytest.mark.usefixtures("halving")


@pytest.fixture
def job() -> Job:
    surface = shapes.box((0.1, 0.06, 0.08), (0.0, 0.0, 0.5))
    return Job((Body("block", surface, PORCELAIN, Settings.of(method="halving", cell_count=300)),), (FLOOR,), 1, 12)


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_job_becomes_a_recording(job, tmp_path, capsys):
    arrays.save(tmp_path / "job.npz", job)
    assert worker.main([str(tmp_path)]) == 0
    written = (tmp_path / "recording.npz").read_bytes()
    arrays.save(tmp_path / "expected.npz", simulate(job, lambda stage, share: None))
    assert written == (tmp_path / "expected.npz").read_bytes()
    assert len(arrays.load(tmp_path / "recording.npz", Recording).fragments) >= 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["expected.npz", "job.npz", "recording.npz"]

    *progress, last = lines(capsys.readouterr().out)
    shares = [line["share"] for line in progress]
    assert shares == sorted(shares)
    assert shares[0] >= 0.0
    assert shares[-1] == 1.0
    assert last["done"] is True
    stages = {line["stage"].removesuffix(" 'block'") for line in progress}
    assert stages | {"total"} == set(last["seconds"])
    parts = sum(value for name, value in last["seconds"].items() if name != "total")
    # Each is rounded to 0.1 ms; the time before the first stage counts for none.
    assert 0.0 < parts <= last["seconds"]["total"] + 1e-4 * len(last["seconds"])


def test_a_job_becomes_a_preview_of_its_cells(job, tmp_path):
    arrays.save(tmp_path / "job.npz", job)
    assert worker.main([str(tmp_path), "preview"]) == 0
    (cells,) = arrays.load(tmp_path / "preview.npz", Preview).bodies
    assert 200 < len(cells.faces) / 4 < 400
    assert volume(cells) == pytest.approx(SHRINK**3 * volume(job.bodies[0].surface), rel=0.05)
    strength = cells.face_attributes["face/fracture_strength"].reshape(-1, 4)
    assert (strength == strength[:, :1]).all()
    assert strength.mean() == pytest.approx(1.0, abs=0.2)
    assert strength.std() > 0.01
    assert (cells.face_attributes["face/fracture_cell"] == np.arange(len(strength)).repeat(4)).all()


def test_a_sequence_of_jobs_reuses_results(job, tmp_path, capsys, monkeypatch):
    built = []
    build = table.build
    monkeypatch.setattr(table, "build", lambda *inputs: built.append(1) or build(*inputs))
    bodies = {"first": job, "later": replace(job, frame_end=14), "large": replace(job, frame_end=16)}
    for name, each in bodies.items():
        (tmp_path / name).mkdir()
        arrays.save(tmp_path / name / "job.npz", each)

    def order(name: str) -> str:
        return json.dumps({"folder": str(tmp_path / name), "task": "recording"}) + "\n"

    orders = io.StringIO(order("first") + order("later"))
    assert worker.run_all(orders, 60.0) == 0
    answers = [line for line in lines(capsys.readouterr().out) if "code" in line]
    assert answers == [{"code": 0, "waits": True}] * 2
    together = len(built)
    assert worker.main([str(tmp_path / "first")]) == 0
    arrays.save(tmp_path / "expected.npz", simulate(bodies["later"], lambda stage, share: None))
    alone = len(built) - together
    assert together < alone
    assert (tmp_path / "later" / "recording.npz").read_bytes() == (tmp_path / "expected.npz").read_bytes()


@pytest.mark.parametrize(("limit", "code"), [("MOST_CELLS", 0), ("MOST_TRIANGLES", 0), (None, 4)])
def test_after_a_large_or_failed_job_the_worker_ends(job, tmp_path, capsys, monkeypatch, limit, code):
    if limit:
        monkeypatch.setattr(worker, limit, 1)
        arrays.save(tmp_path / "job.npz", job)
    order = json.dumps({"folder": str(tmp_path), "task": "recording"}) + "\n"
    assert worker.run_all(io.StringIO(2 * order), 60.0) == 0
    answers = [line for line in lines(capsys.readouterr().out) if "code" in line]
    assert answers == [{"code": code, "waits": False}]


def test_a_worker_whose_input_ends_after_a_job_writes_all_lines_and_no_error(job, tmp_path):
    bodies = tuple(replace(body, settings=body.settings.changed(method="network")) for body in job.bodies)
    arrays.save(tmp_path / "job.npz", replace(job, bodies=bodies))
    order = json.dumps({"folder": str(tmp_path), "task": "recording"}) + "\n"
    command = [sys.executable, "-m", "fracture_addon.worker", "-", "60"]
    ended = subprocess.run(command, cwd=ROOT, input=order, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert lines(ended.stdout)[-2]["done"]
    assert lines(ended.stdout)[-1] == {"code": 0, "waits": True}


def test_a_worker_without_jobs_ends():
    command = [sys.executable, "-m", "fracture_addon.worker", "-", "0.1"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE) as child:
        assert child.wait(60.0) == 0


@pytest.mark.parametrize("arguments", [[], ["folder", "dance"], ["folder", "preview", "more"]])
def test_wrong_usage_prints_the_usage(arguments, capsys):
    assert worker.main(arguments) == 2
    assert "JOBDIR [recording|fracture|cracks|preview|stress|trials|variation]" in capsys.readouterr().err


def test_progress_lines_are_limited(capsys):
    progress = worker.ProgressLines(sys.stdout)
    for step in range(10000):
        progress("Simulating", step / 10000)
    assert len(lines(capsys.readouterr().out)) < 100


def test_compilation_is_a_sign_of_life_within_a_stage(capsys, monkeypatch):
    monkeypatch.setattr(worker, "LINE_INTERVAL", 0.0)
    progress = worker.ProgressLines(sys.stdout)
    progress.compiles(True)  # before the first stage there is nothing to say
    progress("Breaking 'Vase'", 0.5)
    progress.compiles(True)
    progress.compiles(False)
    stage = {"stage": "Breaking 'Vase'", "share": 0.5}
    assert lines(capsys.readouterr().out) == [stage, {**stage, "compiles": True}, {**stage, "compiles": False}]


@pytest.mark.parametrize(
    ("change", "kind", "code"),
    [
        ({"colliders": ()}, "SceneError", 4),
        ({"frame_end": 1}, "SettingsError", 4),
        ({"bodies": "sheet"}, "InvalidMeshError", 3),
    ],
)
def test_a_failed_job_is_one_line_and_an_exit_code(job, tmp_path, capsys, change, kind, code):
    if change.get("bodies") == "sheet":
        (body,) = job.bodies
        sheet = replace(body, surface=FLOOR.surface, settings=body.settings.changed(repair=False))
        change = {"bodies": (sheet,)}
    arrays.save(tmp_path / "job.npz", replace(job, **change))
    assert worker.main([str(tmp_path)]) == code
    error = json.loads((tmp_path / "error.json").read_text(encoding="utf-8"))
    assert error["kind"] == kind
    assert "\n" not in error["message"]
    assert error["message"] in capsys.readouterr().err
    assert not (tmp_path / "recording.npz").exists()


def test_a_missing_or_damaged_job_is_reported(tmp_path):
    assert worker.main([str(tmp_path)]) == 4
    assert json.loads((tmp_path / "error.json").read_text())["kind"] == "WorkerError"
    (tmp_path / "job.npz").write_bytes(b"not an archive")
    with pytest.raises(WorkerError, match="job"):
        worker.run(tmp_path, worker.ProgressLines(sys.stdout))


def test_a_full_disk_leaves_no_recording(job, tmp_path, monkeypatch):
    arrays.save(tmp_path / "job.npz", job)

    def full(path, value):
        Path(path).write_bytes(b"half of it")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(worker.arrays, "save", full)
    with pytest.raises(WorkerError, match=r"recording\.npz.*No space left.*free some space"):
        worker.run(tmp_path, worker.ProgressLines(sys.stdout))
    assert [path.name for path in tmp_path.iterdir()] == ["job.npz"]


def test_a_disk_that_fills_during_the_run_is_one_line(job, tmp_path, monkeypatch, capsys):
    arrays.save(tmp_path / "job.npz", job)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setitem(worker.TASKS, "recording", full)
    assert worker.main([str(tmp_path)]) == 4
    assert capsys.readouterr().err == "cannot write a file (No space left on device); free some space\n"


def test_missing_arguments_print_the_usage(capsys):
    assert worker.main([]) == 2
    assert "JOBDIR" in capsys.readouterr().err


def test_the_process_ends_at_once_on_a_signal(job, tmp_path):
    """A long job that is stopped leaves neither a recording nor an error."""
    network = replace(job.bodies[0], settings=Settings.of(method="network", cell_count=500))
    arrays.save(tmp_path / "job.npz", replace(job, bodies=(network,), frame_end=100000))
    child = subprocess.Popen(
        [sys.executable, "-m", "fracture_addon.worker", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert json.loads(child.stdout.readline())["stage"] == "Checking 'block'"
        child.send_signal(signal.SIGTERM)
        started = time.monotonic()
        assert child.wait(timeout=30) == -signal.SIGTERM
        assert time.monotonic() - started < 30
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["job.npz"]


def test_an_abandoned_job_ends_at_its_next_unfinished_result(job, tmp_path, capsys):
    impact = AuthoredImpact(1, np.array([0.0, 0.0, 0.54]), np.array([0.0, 0.0, -1.0]), 8.0)
    body = replace(job.bodies[0], settings=Settings.of(cell_count=300), impacts=(impact,))
    arrays.save(tmp_path / "job.npz", replace(job, bodies=(body,), frame_end=1))
    assert worker.main([str(tmp_path), "cracks"]) == 0
    early = [line["early"] for line in lines(capsys.readouterr().out) if "early" in line]
    assert len(arrays.load(tmp_path / early[0], Cracks).bodies[0].lines)
    (tmp_path / "cracks.npz").unlink()
    (tmp_path / worker.ABANDONED).touch()
    orders = io.StringIO(json.dumps({"folder": str(tmp_path), "task": "cracks"}) + "\n")
    assert worker.run_all(orders, 60.0) == 0
    assert lines(capsys.readouterr().out)[-1] == {"code": worker.EXIT_ABANDONED, "waits": True}
    assert not (tmp_path / "cracks.npz").exists()
