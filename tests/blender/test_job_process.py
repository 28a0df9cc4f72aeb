import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fracture_addon.blender.process import child_python, job_process, waiting_worker, watchdog, worker_failure
from fracture_addon.blender.process.job_process import JobProcess, run_job
from fracture_addon.core.data.errors import SceneError, WorkerError
from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.blender.waiting import wait

NOT_ON_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")


@pytest.fixture
def job(registered) -> Job:
    """A coarse cube, struck on its second frame."""
    surface = shapes.cube()
    top = surface.points[:, 2].max()
    impact = AuthoredImpact(2, np.array([0.01, 0.02, top]), np.array([0.0, 0.0, -1.0]), 8.0)
    settings = Settings.of(cell_count=300, load_steps=4, break_depth=1)
    return Job((Body("Cube", surface, PORCELAIN, settings, impacts=(impact,)),), frame_start=1, frame_end=4)


@pytest.mark.once
def test_a_child_gives_what_the_run_gives_here(job, tmp_path):
    stages = []
    recording, seconds = run_job(job, lambda progress: stages.append(progress), tmp_path)
    here = simulate(job, lambda stage, share: None)
    assert len(recording.fragments) == len(here.fragments)
    for theirs, ours in zip(recording.fragments, here.fragments, strict=True):
        np.testing.assert_array_equal(theirs.surface.points, ours.surface.points)
        np.testing.assert_array_equal(theirs.poses, ours.poses)
    shares = [progress.share for progress in stages]
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0
    assert seconds["total"] > 0.0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.once
def test_what_the_child_refuses_comes_back_as_the_same_error(job, tmp_path):
    lonely = dataclasses.replace(job, bodies=(dataclasses.replace(job.bodies[0], impacts=()),))
    with pytest.raises(SceneError, match="Cube"):
        run_job(lonely, cache_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


@NOT_ON_WINDOWS
def test_a_killed_child_is_named_by_its_signal(job, tmp_path):
    process = JobProcess(tmp_path)
    process.start(job)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match="SIGKILL"):
        wait(process)
    assert list(tmp_path.iterdir()) == []
    assert process.result is None


def test_a_child_that_dies_says_its_exit_code_and_last_words(job, tmp_path, monkeypatch):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho first >&2\necho 'the disk is on fire' >&2\nexit 7\n")
    program.chmod(0o755)
    monkeypatch.setattr(waiting_worker, "python_program", lambda: str(program))
    with pytest.raises(WorkerError, match=r"exit code 7 while starting\. Its last message: the disk is on fire\."):
        run_job(job)


def test_a_library_that_is_gone_asks_for_a_restart(job, tmp_path, monkeypatch):
    (tmp_path / "numba.py").write_text("import removed_library\n")
    around = child_python.environment()
    around["PYTHONPATH"] = os.pathsep.join([str(tmp_path), around["PYTHONPATH"]])
    monkeypatch.setattr(waiting_worker, "environment", lambda: around)
    with pytest.raises(WorkerError, match=r"No module named 'removed_library'.*restart Blender"):
        run_job(job)


@pytest.fixture
def running(job, tmp_path):
    """A run whose child has reported a stage."""
    process = JobProcess(tmp_path)
    process.start(job)
    while process.progress.stage == "Starting":
        process.poll()
        time.sleep(0.01)
    yield process
    process.cancel()


@NOT_ON_WINDOWS
@pytest.mark.parametrize("signal_name", ["SIGSEGV", "SIGABRT", "SIGBUS"])
def test_a_crash_names_the_stage_the_object_and_the_remedy(running, signal_name):
    process = running
    os.kill(process.pid, getattr(signal, signal_name))
    with pytest.raises(
        WorkerError, match=rf"crashed \({signal_name}\) while \w+ 'Cube'.*; .*the detail|Remesh"
    ) as caught:
        wait(process)
    assert "Nothing in the scene was changed" in str(caught.value)
    assert "\n" not in str(caught.value)


@NOT_ON_WINDOWS
def test_a_killed_child_names_its_stage_and_object(running):
    os.kill(running.pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match=r"killed \(SIGKILL\) while \w+ 'Cube'.*lower the detail"):
        wait(running)


@pytest.mark.parametrize("stage", ["Starting", "Checking 'Vase'", "Repairing 'Vase'", "Cutting 'Vase'", "Writing"])
@pytest.mark.parametrize("code", [-signal.SIGTERM, -77, 1, 0xC0000005])
def test_every_end_at_every_stage_has_one_line_with_stage_and_remedy(stage, code):
    message = worker_failure.reason(code, stage, "")
    assert f"while {stage[0].lower()}{stage[1:]}." in message
    assert "; " in message
    assert "\n" not in message


@NOT_ON_WINDOWS
def test_a_stopped_child_is_noticed_and_ended_at_the_deadline(running, monkeypatch, tmp_path):
    monkeypatch.setattr(watchdog, "SILENT_SECONDS", 0)
    monkeypatch.setattr(watchdog, "DEADLINE_SECONDS", 0.4)
    worker, notes = running._worker, set()
    os.kill(running.pid, signal.SIGSTOP)
    with pytest.raises(
        WorkerError, match=r"did not respond for \d+ s while \w+ 'Cube' and was stopped.*lower the detail"
    ):
        wait(running, lambda: notes.add(running.progress.note))
    assert "The worker has not responded for 0 s" in notes
    assert worker.exit_code == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


@NOT_ON_WINDOWS
def test_a_child_that_computes_but_never_starts_the_run_is_ended(job, tmp_path, monkeypatch):
    program, folder = tmp_path / "python", tmp_path / "runs"
    program.write_text("#!/bin/sh\nwhile :; do :; done\n")
    program.chmod(0o755)
    folder.mkdir()
    monkeypatch.setattr(waiting_worker, "python_program", lambda: str(program))
    monkeypatch.setattr(watchdog, "START_SECONDS", 0.5)
    process = JobProcess(folder)
    process.start(job)
    worker = process._worker
    with pytest.raises(WorkerError, match=r"did not respond for \d+ s while starting and was stopped.*restart Blender"):
        wait(process)
    assert worker.exit_code == -signal.SIGKILL
    assert list(folder.iterdir()) == []


@NOT_ON_WINDOWS
def test_a_child_that_computes_without_a_line_is_alive(monkeypatch):
    """It holds Python's lock, as library calls do."""
    busy = subprocess.Popen([sys.executable, "-c", "sum(range(10**12))"])
    try:
        seen = watchdog.Watchdog(busy.pid)
        for _ in range(200):
            before = seen.lifeless
            seen.look(False)
            if before and not seen.lifeless:
                break
            time.sleep(0.05)
        assert seen.lifeless == 0.0
        assert seen.stalled > 0.0
        os.kill(busy.pid, signal.SIGSTOP)
        for _ in range(20):
            seen.look(False)
            time.sleep(0.02)
        assert seen.lifeless > 0.0
    finally:
        busy.kill()
        busy.wait()


def test_time_in_which_nobody_looked_is_no_silence(monkeypatch):
    clock = iter([0.0, 3600.0, 3600.5])
    monkeypatch.setattr(watchdog, "processor_time", lambda pid: 7)
    monkeypatch.setattr(watchdog, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    seen = watchdog.Watchdog(1)
    seen.look(False)
    assert seen.lifeless == watchdog.LONGEST_LOOK
    seen.look(False)
    assert seen.lifeless == watchdog.LONGEST_LOOK + 0.5
    assert seen.note() == ""


def test_without_processor_time_only_the_lack_of_progress_is_noted(monkeypatch):
    clock = iter(0.5 * step for step in range(1000))
    monkeypatch.setattr(watchdog, "processor_time", lambda pid: None)
    monkeypatch.setattr(watchdog, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    seen = watchdog.Watchdog(1)
    for _ in range(100):
        seen.look(False)
    assert seen.lifeless == 0.0
    assert seen.note() == "Still computing, no progress for 50 s"


@NOT_ON_WINDOWS
@pytest.mark.parametrize("is_stopped", [False, True])
def test_cancelling_kills_the_child_and_leaves_nothing(running, tmp_path, is_stopped):
    process, worker = running, running._worker
    if is_stopped:
        os.kill(process.pid, signal.SIGSTOP)
    process.cancel()
    assert worker.exit_code == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
    process.cancel()


def run_with_pid(job) -> tuple[int, bytes]:
    """Of the child that did a job, and the positions of the fragments on the last frame."""
    process = JobProcess()
    process.start(job)
    pid = process.pid
    wait(process)
    return pid, b"".join(fragment.poses.tobytes() for fragment in process.result.fragments)


def elsewhere(job: Job) -> Job:
    """The same, struck from another side."""
    impact = dataclasses.replace(job.bodies[0].impacts[0], point=np.array([0.5, 0.1, 0.1]), direction=[-1.0, 0.0, 0.0])
    return dataclasses.replace(job, bodies=(dataclasses.replace(job.bodies[0], impacts=(impact,)),))


@pytest.mark.once
def test_a_child_that_did_its_job_does_the_next_one_as_a_new_child_would(job):
    first, _ = run_with_pid(job)
    again, positions = run_with_pid(elsewhere(job))
    assert again == first
    waiting_worker.dismiss()
    other, expected = run_with_pid(elsewhere(job))
    assert other != first
    assert positions == expected


@pytest.mark.parametrize("change", ["none", "killed", "another environment", "long ago"])
def test_a_child_that_waits_is_taken_unless_it_cannot_be_trusted(change, registered, monkeypatch):
    waiting = waiting_worker.fetch()
    waiting_worker.leave(waiting)
    if change == "killed":
        waiting._child.kill()
        waiting._child.wait()
    elif change == "another environment":
        monkeypatch.setenv("FRACTURE_TEST", "changed")
    elif change == "long ago":
        monkeypatch.setattr(waiting_worker, "CERTAIN", 0.0)
    taken = waiting_worker.fetch()
    assert (taken is waiting) == (change == "none")
    assert (waiting.exit_code is None) == (change == "none")
    taken.end()


def test_a_child_is_started_once_before_its_first_job(registered, monkeypatch):
    waiting_worker.dismiss()
    monkeypatch.setattr(waiting_worker, "_is_prepared", False)
    waiting_worker.prepare()
    prepared = waiting_worker._waiting
    waiting_worker.prepare()
    assert waiting_worker.fetch() is prepared
    waiting_worker.prepare()
    assert waiting_worker._waiting is None
    prepared.end()


def test_no_child_is_started_beside_one_that_runs(registered, monkeypatch):
    monkeypatch.setattr(waiting_worker, "_is_prepared", False)
    taken = waiting_worker.fetch()
    waiting_worker.prepare()
    assert waiting_worker._waiting is None
    taken.end()


def test_a_child_that_cannot_start_ahead_is_no_error(registered, monkeypatch, tmp_path):
    waiting_worker.dismiss()
    monkeypatch.setattr(waiting_worker, "_is_prepared", False)
    monkeypatch.setattr(waiting_worker, "python_program", lambda: str(tmp_path / "missing"))
    waiting_worker.prepare()
    assert waiting_worker._waiting is None


def test_a_child_that_waits_ends_with_blender(registered):
    waiting = waiting_worker.fetch()
    waiting_worker.leave(waiting)
    waiting._child.stdin.close()  # as it is when Blender is gone, however that came
    assert waiting._child.wait(60.0) == 0
    waiting_worker.dismiss()
    assert waiting_worker._waiting is None


def test_a_folder_that_cannot_be_written_is_named(job):
    with pytest.raises(WorkerError, match="/no/such/folder"):
        JobProcess(Path("/no/such/folder")).start(job)


def test_lines_of_others_are_passed_over(registered):
    process = JobProcess()
    for line in ("a library says hello", "[1, 2]", '{"stage": "Cutting", "share": 0.5}', ""):
        process._take(line)
    assert process.progress == job_process.Progress("Cutting", 0.5)


def test_an_embedded_interpreter_is_replaced_by_blenders_python(tmp_path, monkeypatch):
    python = tmp_path / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    monkeypatch.setattr(sys, "executable", "/usr/bin/blender")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(WorkerError, match="reinstall Blender"):
        child_python.python_program()
    python.parent.mkdir()
    python.touch()
    assert child_python.python_program() == str(python)


class Watch:
    """A watchdog with a given note."""

    is_over, text = False, ""

    def look(self, has_line):
        pass

    def note(self):
        return self.text


def test_the_note_says_what_the_child_does_as_long_as_it_does_it(registered):
    process = JobProcess()
    process._watch = Watch()

    def note(line="", silence=""):
        process._take(line)
        process._watch.text = silence
        process._look_after(bool(line))
        return process.progress.note

    assert note('{"stage": "Breaking", "share": 0.5, "compiles": true}') == "Compiling code for this version"
    assert note(silence="Still computing") == "Still computing"
    assert note() == "Compiling code for this version"
    assert note('{"stage": "Breaking", "share": 0.5, "compiles": false}') == ""
    assert note(silence="Still computing") == "Still computing"
    assert note() == ""
