"""The command ``wedge``: real runs of a small box, resumed, repeated, and refused."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest

from fracture_addon.blender.command_line import many_runs, wedge
from fracture_addon.core.storage import compiled_code, folders
from fracture_addon.farm import engines, page, results, sweep_file
from tests.blender.models import BOX

# Long runs of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
# A sweep starts Blender again, where the extension that a test installed is not enabled; tests/package runs it there.
NOT_IN_BLENDER = pytest.mark.skipif(bool(bpy.app.binary_path), reason="for Pythons with the bpy module")
SWEEP = """\
model = "box.obj"
pictures = false
[options]
scenario = "impact"
frames = "1-6"
resolution = 200
[sweep]
seed = [1, 2]
"""


@pytest.fixture
def sweep(tmp_path, scene):
    (tmp_path / "box.obj").write_text(BOX)
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP)
    return path


def main(*arguments):
    return wedge.main([str(item) for item in arguments])


@NOT_IN_BLENDER
def test_a_sweep_runs_resumes_and_writes_its_table(sweep, tmp_path, capfd):
    out = tmp_path / "out"
    assert main(sweep, "--output", out, "--jobs", 2) == 0
    text = capfd.readouterr().out
    assert "2 of 2 runs, 0 s left 100%" in text
    with open(out / "table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["seed"], row["state"]) for row in rows] == [("1", "done"), ("2", "done")]
    assert all(int(row["fragments"]) > 1 for row in rows)
    assert (out / "index.html").exists()
    for number in (1, 2):
        place = results.run_folder(out, number)
        assert json.loads((place / results.REPORT).read_text())["output"] == str(place / page.SCENE)
        assert (place / page.SCENE).stat().st_size > 0

    before = (results.run_folder(out, 1) / results.REPORT).stat().st_mtime_ns
    (results.run_folder(out, 2) / results.REPORT).unlink()  # as a kill would have left it
    assert main(sweep, "--output", out) == 0
    assert (results.run_folder(out, 1) / results.REPORT).stat().st_mtime_ns == before
    assert results.state(out, 2) == "done"


@NOT_IN_BLENDER
def test_a_sweep_that_is_killed_resumes(sweep, tmp_path):
    out = tmp_path / "out"
    command = [*many_runs.program(), "wedge", str(sweep), "--output", str(out)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    while results.state(out, 1) != "done":
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    # Blender may write lines of its own first.
    first = next(line for line in ended.stdout.splitlines() if " of 2 runs" in line)
    assert first.startswith(("1 of 2 runs 50%", "2 of 2 runs 100%"))
    assert [results.state(out, number) for number in (1, 2)] == ["done", "done"]


def test_failures_are_listed_and_repeated_on_request(sweep, tmp_path, capfd, monkeypatch):
    out = tmp_path / "out"
    calls = []

    def run(commands, jobs):
        calls.append(sorted(commands))
        for number in commands:
            if number == 2 and len(calls) == 1:
                yield engines.Ended(2, -9, "")
            else:
                plan_report = results.run_folder(out, number) / results.REPORT
                plan_report.parent.mkdir(parents=True, exist_ok=True)
                plan_report.write_text('{"bodies": []}')
                yield engines.Ended(number, 0, "")

    monkeypatch.setattr(engines, "run_on_cores", run)
    assert main(sweep, "--output", out) == 4
    assert "run 2 failed: The process was killed by signal 9; repeat it with --retry" in capfd.readouterr().err
    assert main(sweep, "--output", out) == 4
    assert main(sweep, "--output", out, "--retry") == 0
    assert calls == [[1, 2], [], [2]]


def test_a_run_that_fails_leaves_its_message(sweep, tmp_path, capfd):
    out = tmp_path / "out"
    sweep.write_text(SWEEP.replace('scenario = "impact"', 'object = "box"'))
    plan = sweep_file.read(sweep)
    results.open_for(plan, out)
    (tmp_path / "box.obj").unlink()
    assert main("--output", out, "--run", 2) == 2
    assert "does not exist or cannot be read" in results.failure(out, 2)["message"]
    assert main("--output", out, "--collect") == 4
    error = capfd.readouterr().err
    assert "run 1 open: it was not executed" in error
    assert "run 2 failed: the file" in error
    (tmp_path / "box.obj").write_text(BOX)
    assert main("--output", out, "--run", 2) == 0
    assert results.state(out, 2) == "done"


@pytest.mark.parametrize(
    ("before", "after", "code", "part"),
    [
        ("seed = [1, 2]", "sede = [1, 2]", 2, "did you mean seed"),
        ("seed = [1, 2]", "seed = []", 2, "has no values"),
        ("seed = [1, 2]", "violence = [1, -3]", 2, "-3"),
        ("seed = [1, 2]", "held = [true, 7.5]", 2, "mixes"),
        ("seed = [1, 2]", 'preset = ["terracotta", "cheese"]', 2, "'cheese' does not exist"),
        ("resolution = 200", "resolution = 900000000", 2, "out of range"),
        ("resolution = 200", 'object = "Lid"', 2, "this mesh does not exist"),
        ('"box.obj"', '"gone.obj"', 2, "does not exist"),
        ('"box.obj"', '"sweep.toml"', 2, "file type"),
        ("box.obj", "flat.obj", 3, "has no faces for an impact"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(sweep, tmp_path, capfd, before, after, code, part):
    (tmp_path / "flat.obj").write_text("v 0 0 0\n")
    sweep.write_text(SWEEP.replace(before, after))
    assert main(sweep, "--output", tmp_path / "out") == code
    error = capfd.readouterr().err
    assert part in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--jobs", "0"],
        ["--jobs", "two"],
        ["--jobs", "9999"],
        ["--jobs", "2", "--openjd"],
        ["--run", "1"],
        ["--collect"],
        ["--unknown"],
    ],
)
def test_wrong_usage_is_one_line_and_code_2(sweep, tmp_path, capfd, wrong):
    assert main(sweep, "--output", tmp_path / "out", *wrong) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_folders_of_others_are_refused(sweep, tmp_path, capfd):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "holiday.jpg").write_text("x")
    assert main(sweep, "--output", tmp_path / "out") == 2
    assert main("--output", tmp_path / "out", "--collect") == 2
    assert main("--output", tmp_path / "out", "--run", 1) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 3
    assert os.listdir(tmp_path / "out") == ["holiday.jpg"]
    assert not (tmp_path / "out" / folders.MARKER).exists()


def test_help_explains_the_file(capfd, registered):
    assert main("--help") == 0
    text = capfd.readouterr().out
    for part in ("[sweep]", "--dask", "--openjd", "--retry", "exit codes"):
        assert part in text


def test_an_open_job_description_runs_the_sweep(sweep, tmp_path, capfd):
    pytest.importorskip("openjd.cli")
    out = tmp_path / "out"
    assert main(sweep, "--output", out, "--openjd") == 0
    check, run = (line.split() for line in capfd.readouterr().out.splitlines())
    check[0] = run[0] = str(Path(sys.executable).with_name("openjd"))
    assert subprocess.run(check, capture_output=True).returncode == 0
    # Actions do not inherit the environment, and would compile all kernels again in the user's own Blender folder.
    kept = {name: os.environ[name] for name in ("BLENDER_USER_RESOURCES", compiled_code.VARIABLE)}
    environment = tmp_path / "environment.json"
    environment.write_text(
        json.dumps({"specificationVersion": "environment-2023-09", "environment": {"name": "Tests", "variables": kept}})
    )
    ended = subprocess.run([*run, "--environment", environment], capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout
    assert "2 of 2 runs are done" in (out / "index.html").read_text()


def test_flamenco_gets_a_job_for_the_folder(sweep, tmp_path, capfd):
    assert main(sweep, "--output", tmp_path / "out", "--flamenco") == 0
    job = json.loads((tmp_path / "out" / "flamenco_job.json").read_text())
    assert job["settings"]["runs"] == 2
    assert json.loads(job["settings"]["program"]) == [*many_runs.program(), "wedge"]
    assert "fracture_wedge.js" in capfd.readouterr().out
