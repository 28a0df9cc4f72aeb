"""Engines: every run ends exactly once, also when a worker or the program itself is killed."""

import contextlib
import re
import subprocess
import sys
import time

import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.farm import engines, results
from tests.farm import plans


def ran(folder, number):
    """How many processes executed a run to its end."""
    return len(list(results.run_folder(folder, number).glob("*.ran")))


def test_all_cores_run_each_command_once(tmp_path):
    ends = list(engines.run_on_cores(plans.commands(tmp_path, 5, bad=3), jobs=2))
    assert sorted(end.number for end in ends) == [1, 2, 3, 4, 5]
    assert {end.number: end.code for end in ends} == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0}
    assert next(end.words for end in ends if end.number == 3) == "it broke\n"
    assert [ran(tmp_path, number) for number in range(1, 6)] == [1, 1, 0, 1, 1]


def test_closing_ends_all_processes(tmp_path):
    commands = plans.commands(tmp_path, 1) | {
        number: command for number, command in plans.commands(tmp_path, 4, seconds=60.0).items() if number > 1
    }
    start = time.monotonic()
    with contextlib.closing(engines.run_on_cores(commands, jobs=2)) as ends:
        assert next(ends).number == 1
    assert time.monotonic() - start < 50.0  # none of the processes that sleep came to its end
    assert [ran(tmp_path, number) for number in range(2, 5)] == [0, 0, 0]


def test_no_commands(tmp_path):
    assert list(engines.run_on_cores({}, jobs=2)) == []


@pytest.fixture
def start(tmp_path):
    """Starts commands of Dask, and ends them after the test."""
    with contextlib.ExitStack() as stack:

        def function(*arguments):
            log = open(tmp_path / f"{len(stack._exit_callbacks)}.log", "w+")  # noqa: SIM115
            command = [sys.executable, "-m", "dask", *arguments]
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process, log

        yield function


def address_in(log, process):
    """The address that a scheduler printed."""
    while process.poll() is None:
        log.seek(0)
        if found := re.search(r"tcp://127\.0\.0\.1:\d+", log.read()):
            return found[0]
        time.sleep(0.1)
    pytest.fail("the scheduler ended")


def test_dask_loses_and_repeats_no_run_when_a_worker_is_killed(tmp_path, start):
    distributed = pytest.importorskip("distributed")
    scheduler, log = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    address = address_in(log, scheduler)
    worker = ("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--host", "127.0.0.1")
    doomed, _ = start(*worker)
    start(*worker)
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2)
    out = tmp_path / "out"
    ends = []
    for end in engines.run_on_dask(plans.commands(out, 10, seconds=0.5, bad=7), address):
        ends.append(end)
        if len(ends) == 3:
            doomed.kill()
    assert sorted(end.number for end in ends) == list(range(1, 11))
    assert {end.number for end in ends if end.code != 0} == {7}
    # The process of the dead worker lives on; its successor waits for it instead of repeating the run.
    assert {number: ran(out, number) for number in range(1, 11)} == {
        number: int(number != 7) for number in range(1, 11)
    }


def test_dask_without_a_scheduler_is_refused(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 1)
    with pytest.raises(SettingsError, match=r"tcp://127.0.0.1:9: no scheduler answers"):
        next(engines.run_on_dask({1: ["true"]}, "tcp://127.0.0.1:9"))


def test_dask_that_is_not_installed_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SettingsError, match="pip install distributed"):
        next(engines.run_on_dask({1: ["true"]}, "tcp://127.0.0.1:9"))
