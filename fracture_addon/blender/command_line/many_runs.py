"""Common part of the commands ``wedge`` and ``dataset``: execute the open runs of a plan, and write table and page."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

import bpy

from ...core.data.errors import SettingsError, WorkerError
from ...farm import engines, page, results, table, templates
from ...farm.engines import Ended
from ...farm.plan import Plan, Run
from .. import extension
from .arguments import Parser
from .exit_codes import DONE, FAILED
from .progress_bar import ProgressBar

# Last bytes of a run's error messages that its note of failure contains.
LAST_WORDS = 2000


def add_options(parser: Parser) -> None:
    """Add the options that both commands have."""
    add = parser.add_argument
    add("--output", metavar="DIR", type=Path, required=True, help="folder for the results; new, empty, or to resume")
    add("--retry", action="store_true", help="repeat the runs that failed; otherwise they are only listed")
    engine = parser.add_argument_group("engine").add_mutually_exclusive_group()
    engine.add_argument("--jobs", metavar="N", type=_jobs, default=1, help="processes on this machine; default 1")
    engine.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster of this scheduler: tcp://HOST:8786")
    engine.add_argument("--openjd", action="store_true", help="write an Open Job Description template; run nothing")
    engine.add_argument("--flamenco", action="store_true", help="write a job for Flamenco 3; run nothing")
    single = parser.add_argument_group("for render managers").add_mutually_exclusive_group()
    single.add_argument("--run", metavar="N", type=int, help="execute only this run of the folder")
    single.add_argument("--collect", action="store_true", help="write the table and the page of the folder")


def execute(plan: Plan, arguments: argparse.Namespace, execute_run: Callable[[Path, Run], tuple[int, str]]) -> int:
    """Execute all open runs or one of them, collect results, or write a job file, as the options ask.

    Args:
        plan: The plan of the folder.
        arguments: Result of a parser with ``add_options``.
        execute_run: Executes a run in a folder; returns its exit code and error message.

    Returns:
        The exit code: 0, or 4 if a run failed.

    Raises:
        SettingsError: The folder has no run with the number of ``--run``, or the engine cannot be reached.
        WorkerError: A file cannot be written.
    """
    folder = arguments.output.resolve()
    if arguments.run is not None:
        return _execute_one(plan, folder, arguments.run, execute_run)
    if arguments.openjd or arguments.flamenco:
        write = templates.write_openjd if arguments.openjd else templates.write_flamenco
        for command in write(plan, folder, program()):
            _line(command)
        return DONE
    if not arguments.collect:
        _run_open(plan, folder, arguments)
    return _collect(plan, folder)


def program() -> list[str]:
    """Return the command line of this program up to the name of the command."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--command"]
    return [sys.executable, str(extension.ROOT / "fracture_addon")]


def _run_open(plan: Plan, folder: Path, arguments: argparse.Namespace) -> None:
    """Execute all open runs with the chosen engine, and show progress."""
    states = {run.number: results.state(folder, run.number) for run in plan.runs}
    wanted = [number for number, state in states.items() if state == "open" or (state == "failed" and arguments.retry)]
    commands = {number: [*program(), plan.command, "--output", str(folder), "--run", str(number)] for number in wanted}
    for number in wanted:
        results.forget_failure(folder, number)
    left, start = len(wanted), time.monotonic()
    with ProgressBar(sys.stdout) as bar, contextlib.closing(_ended(commands, arguments)) as ends:
        bar.show(_progress(len(plan.runs) - left, len(plan.runs), None), 1.0 - left / len(plan.runs))
        for end in ends:
            left -= 1
            _note_failure(folder, end)
            each = (time.monotonic() - start) / (len(wanted) - left)
            bar.show(_progress(len(plan.runs) - left, len(plan.runs), each * left), 1.0 - left / len(plan.runs))


def _ended(commands: Mapping[int, list[str]], arguments: argparse.Namespace) -> Generator[Ended, None, None]:
    if commands and arguments.dask is not None:
        return engines.run_on_dask(commands, arguments.dask)
    return engines.run_on_cores(commands, arguments.jobs)


def _note_failure(folder: Path, end: Ended) -> None:
    """Write a note for a run whose process ended without a report or a note."""
    if results.state(folder, end.number) == "open" and end.code != results.CANCELLED:
        lines = end.words[-LAST_WORDS:].strip().splitlines()
        how = f"was killed by signal {-end.code}" if end.code < 0 else f"ended with exit code {end.code}"
        reason = f": {lines[-1]}" if lines else ""
        results.write_failure(folder, end.number, end.code, f"The process {how}{reason}; repeat it with --retry")


def _execute_one(plan: Plan, folder: Path, number: int, execute_run: Callable[[Path, Run], tuple[int, str]]) -> int:
    if not 1 <= number <= len(plan.runs):
        raise SettingsError(f"--run {number}: the folder has the runs 1 to {len(plan.runs)}; choose one of them")
    return results.execute_once(folder, number, lambda place: execute_run(place, plan.runs[number - 1]))


def _collect(plan: Plan, folder: Path) -> int:
    """Write the table and the page, list failures, and return the exit code."""
    rows = table.rows(plan, folder)
    try:
        paths = [*table.write(rows, folder), page.write(plan, rows, folder)]
    except OSError as error:
        raise WorkerError(f"'{folder}' cannot be written ({error.strerror or error}); free some space") from error
    bad = [row for row in rows if row["state"] != "done"]
    _line(f"{len(rows) - len(bad)} of {len(rows)} runs are done")
    for path in paths:
        _line(f"Wrote {path}")
    for row in bad:
        sys.stderr.write(f"run {row['run']} {row['state']}: {row['message'] or 'it was not executed'}\n")
    if bad:
        sys.stderr.write(f"{len(bad)} runs are not done; --retry repeats those that failed\n")
    return FAILED if bad else DONE


def _progress(done: int, count: int, seconds: float | None) -> str:
    if seconds is None:
        return f"{done} of {count} runs"
    return f"{done} of {count} runs, {_duration(seconds)} left"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60.0)
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60.0:.1f} h"


def _jobs(text: str) -> int:
    most = 4 * (os.cpu_count() or 1)
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"'{text}' is out of range; choose 1 to {most} processes")
    return int(text)


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
