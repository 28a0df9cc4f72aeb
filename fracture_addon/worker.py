"""The worker process: reads a job from a folder, writes its recording, and prints progress as JSON lines.

For one job:

    python -m fracture_addon.worker JOBDIR [TASK]

For a sequence of jobs, each a JSON line (``folder`` and ``task``) on standard input:

    python -m fracture_addon.worker - SECONDS

The worker reads ``JOBDIR/job.npz`` and writes ``JOBDIR/TASK.npz``. If the job fails, it writes ``JOBDIR/error.json``
(``kind`` and ``message``). A partly written result is never visible. TASK is ``recording`` (the default), ``fracture``,
``cracks``, ``preview``, ``stress``, ``trials`` or ``variation``. The exit code is 0, 3 if the input is refused, and 4
if the simulation fails.

The environment variable FRACTURE_STAGES names the folder of cached results, FRACTURE_STAGES_BYTES limits its size, and
FRACTURE_COMPILED names the folder of compiled code. Without a variable, nothing is cached there. Temporary files are
written to the job's folder.

While a body breaks, the task ``cracks`` also writes its cracks so far, and a line with ``early``, the name of that
file. A file ``abandoned`` in the job's folder then ends the job, with the exit code 130. The results in memory stay.

In a sequence, each job ends with a JSON line with ``code``, its exit code, and ``waits``, whether the worker accepts
another job. Results stay in memory for the next job. The process therefore ends after SECONDS without a job, and at
once after a large or failed one.
"""

# ruff: noqa: E402 - the environment has to be set before numpy is imported
from __future__ import annotations

import os
import sys

from . import thread_settings

thread_settings.apply()

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

# Bytes of address space below which no run starts. Measured: a first run, which compiles, takes 1.2 to 1.5 GB.
LEAST_ADDRESS_SPACE = 2_000_000_000


def _check_address_space() -> None:
    """End with a message if ``ulimit -v`` is too small. Libraries that run out of memory crash or hang."""
    limit = -1 if resource is None else resource.getrlimit(resource.RLIMIT_AS)[0]  # -1: no limit
    if 0 <= limit < LEAST_ADDRESS_SPACE:
        least = f"{LEAST_ADDRESS_SPACE / 1e9:.0f} GB"
        sys.exit(f"the memory limit (ulimit -v) is {limit / 1e9:.1f} GB; raise it to {least} or more")


_check_address_space()

import contextlib
import errno
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from .core.data import arrays
from .core.data.errors import FractureError, InvalidMeshError, NotEnoughMemoryError, WorkerError
from .core.data.job import Job
from .core.storage import compiled_code
from .core.storage.files import replacing
from .core.storage.folders import temporary_files_in
from .core.timeline import memory as memory_estimate
from .core.timeline.cache import MOST_BYTES, Cache, Memory
from .core.timeline.crack_preview import preview_cracks
from .core.timeline.fracture_only import fracture_only
from .core.timeline.preparation import preview_cells
from .core.timeline.stress_preview import preview_stress
from .core.timeline.threshold_trials import try_thresholds
from .core.timeline.timeline import simulate
from .core.timeline.variation import run_variation

# Functions of the tasks, by name.
TASKS: dict[str, Callable[..., object]] = {
    "recording": simulate,
    "fracture": fracture_only,
    "cracks": preview_cracks,
    "preview": preview_cells,
    "stress": preview_stress,
    "trials": try_thresholds,
    "variation": run_variation,
}

# Tasks that show unfinished results.
SHOWN_EARLY = ("cracks",)
# Name of the file in a job's folder that ends the job when it would show its next unfinished result.
ABANDONED = "abandoned"
# s, least time between two unfinished results, and the same in multiples of the time that the last one took: they slow
# a run by 4 % at most.
EARLY_INTERVAL, EARLY_COSTS = 0.05, 25.0

# s, least time between two lines of progress: a bar needs no more than 20 updates a second.
LINE_INTERVAL = 0.05
# Exit codes.
EXIT_REFUSED, EXIT_FAILED, EXIT_ABANDONED = 3, 4, 130
# Argument in place of a folder for a sequence of jobs.
SEQUENCE = "-"
# Largest numbers of cells and triangles of a job whose results stay in memory: about 1 GB with the loaded libraries.
MOST_CELLS, MOST_TRIANGLES = 20_000, 300_000
# Decimals of shares and of seconds in the lines of progress.
DECIMALS = 4


class ProgressLines:
    """Writes progress as JSON lines, at most one each ``LINE_INTERVAL``, and times the stages.

    Attributes:
        seconds: Time of each stage so far, s.
        stage: The stage and object reported last.
    """

    def __init__(self, stream: TextIO):
        self.seconds: dict[str, float] = {}
        self.stage = ""
        self._stream = stream
        self._started = self._stage_started = time.perf_counter()
        self._last_line, self._share = -LINE_INTERVAL, 0.0

    def __call__(self, stage: str, share: float) -> None:
        """Report progress. The written share never falls.

        Args:
            stage: Stage and object, as in ``Repairing 'Vase'``.
            share: Share of the run that is done, 0 to 1.
        """
        now = time.perf_counter()
        self._share = max(self._share, min(share, 1.0))
        changed = stage != self.stage
        if changed:
            self._close_stage(now)
            self.stage = stage
        if changed or now - self._last_line >= LINE_INTERVAL:
            self._last_line = now
            self._write({"stage": stage, "share": round(self._share, DECIMALS)})

    def compiles(self, is_compiling: bool) -> None:
        """Report that numba compiles, or that it is done: a sign of life within a stage."""
        now = time.perf_counter()
        if self.stage and (not is_compiling or now - self._last_line >= LINE_INTERVAL):
            self._last_line = now
            self._write({"stage": self.stage, "share": round(self._share, DECIMALS), "compiles": is_compiling})

    def early(self, name: str) -> None:
        """Report the file of an unfinished result."""
        self._write({"early": name})

    def done(self) -> None:
        """Write the last line."""
        now = time.perf_counter()
        self._close_stage(now)
        seconds = {name: round(value, DECIMALS) for name, value in self.seconds.items()}
        self._write({"done": True, "seconds": {**seconds, "total": round(now - self._started, DECIMALS)}})

    def _close_stage(self, now: float) -> None:
        if self.stage:
            name, _, _ = self.stage.partition(" '")  # each stage is timed over all objects
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._stage_started
        self._stage_started = now

    def _write(self, value: dict[str, object]) -> None:
        self._stream.write(json.dumps(value) + "\n")
        self._stream.flush()


class Abandoned(Exception):
    """The result of the job is no longer wanted."""


class EarlyResults:
    """Writes the unfinished results of a task to the job's folder, and reports them."""

    def __init__(self, folder: Path, task: str, progress: ProgressLines):
        self._folder, self._task, self._progress = folder, task, progress
        self._count, self._next = 0, 0.0

    def __call__(self, result: Callable[[], object | None]) -> None:
        """Write an unfinished result, unless the last one is too recent.

        Args:
            result: Function that returns it; ``None`` if there is nothing to show.

        Raises:
            Abandoned: The job is no longer wanted.
        """
        if (self._folder / ABANDONED).exists():
            raise Abandoned
        start = time.perf_counter()
        if start < self._next or (found := result()) is None:
            return
        self._count += 1
        name = f"{self._task}.{self._count}.npz"  # each has its own file, which nothing replaces while it is read
        with contextlib.suppress(OSError):  # the run goes on without it
            arrays.save(self._folder / name, found)
            self._progress.early(name)
        now = time.perf_counter()
        self._next = now + max(EARLY_INTERVAL, EARLY_COSTS * (now - start))


def run(folder: Path, progress: ProgressLines, task: str = "recording", memory: Memory | None = None) -> bool:
    """Run the job in a folder.

    Args:
        folder: Folder with ``job.npz``.
        progress: Called with stages and shares.
        task: A name in ``TASKS``.
        memory: Results of earlier jobs of this process.

    Returns:
        Whether the job is small enough that its results may stay in memory.

    Raises:
        FractureError: The job fails.
        Abandoned: Its result is no longer wanted.
        WorkerError: Its files cannot be read or written.
        NotEnoughMemoryError: It needs more memory than there is.
    """
    path = folder / "job.npz"
    try:
        job = arrays.load(path, Job)
    except OSError as error:
        raise WorkerError(f"cannot read {path} ({error.strerror or error}); start the run again") from error
    except (ValueError, KeyError, TypeError) as error:
        raise WorkerError(f"{path} is not a job ({error}); start the run again") from error
    memory_estimate.check(job)
    try:
        with temporary_files_in(folder):  # they are removed with the folder, also after a kill
            early = {"show": EarlyResults(folder, task, progress)} if task in SHOWN_EARLY else {}
            result = TASKS[task](job, progress, _cache(memory), **early)
    except (MemoryError, OSError, RuntimeError, ImportError) as error:
        if _is_lack_of_memory(error):
            doing = f"{progress.stage[:1].lower()}{progress.stage[1:]}"
            raise NotEnoughMemoryError(
                f"the memory ran out while {doing}; lower the detail, close other programs, or raise the limit "
                "(ulimit -v)"
            ) from error
        if not isinstance(error, OSError):
            raise
        # Only compiled code is written here.
        raise WorkerError(f"cannot write a file ({error.strerror or error}); free some space") from error
    progress("Writing", 1.0)
    path = folder / f"{task}.npz"
    try:
        with replacing(path) as part:
            arrays.save(part, result)
    except OSError as error:
        reason = error.strerror or error
        raise WorkerError(f"cannot write {path} ({reason}); free some space, or choose another folder") from error
    progress.done()
    cells = sum(body.settings.filling.cell_count for body in job.bodies)
    surfaces = [*(body.surface for body in job.bodies), *(collider.surface for collider in job.colliders)]
    triangles = sum(len(surface.faces) for surface in surfaces)
    return cells <= MOST_CELLS and triangles <= MOST_TRIANGLES


def _is_lack_of_memory(error: Exception) -> bool:
    """Return whether an error means that memory ran out: for arrays, a thread, a file or a library."""
    if isinstance(error, RuntimeError):
        return "start new thread" in str(error)
    if isinstance(error, ImportError):
        return "map segment" in str(error)
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def _cache(memory: Memory | None) -> Cache:
    folder = os.environ.get("FRACTURE_STAGES")
    return Cache(Path(folder) if folder else None, int(os.environ.get("FRACTURE_STAGES_BYTES", MOST_BYTES)), memory)


def main(arguments: list[str]) -> int:
    """Run the worker with command-line arguments and return the exit code."""
    if len(arguments) == 2 and arguments[0] == SEQUENCE:
        return run_all(sys.stdin, float(arguments[1]))
    if len(arguments) not in (1, 2) or not set(arguments[1:]) <= set(TASKS):
        sys.stderr.write(f"usage: python -m fracture_addon.worker JOBDIR [{'|'.join(TASKS)}]\n")
        return 2
    folder, task = arguments if len(arguments) == 2 else (arguments[0], "recording")
    return _run_safely(folder, task)[0]


def run_all(orders: TextIO, timeout: float) -> int:
    """Run a sequence of jobs until the input ends, a job is large or fails, or no job arrives in time.

    Args:
        orders: One JSON line for each job.
        timeout: Time without a job after which the process ends, s.
    """
    memory = Memory()
    for order in _lines_in_time(orders, timeout):
        code, waits = _run_safely(**json.loads(order), memory=memory)
        sys.stdout.write(json.dumps({"code": code, "waits": waits}) + "\n")
        sys.stdout.flush()
        if not waits:
            break
        memory.finish_run()
    return 0


def _lines_in_time(lines: TextIO, timeout: float) -> Iterator[str]:
    """Yield lines as they come; end the process if none comes for ``timeout`` seconds."""
    while True:
        alarm = threading.Timer(timeout, os._exit, (0,))
        alarm.daemon = True
        alarm.start()
        line = lines.readline()
        alarm.cancel()
        if not line:
            return
        yield line


def _run_safely(folder: str, task: str = "recording", memory: Memory | None = None) -> tuple[int, bool]:
    """Run a job, or write its error; return the exit code, and whether the worker accepts another job."""
    progress = ProgressLines(sys.stdout)
    try:
        with compiled_code.reported(progress.compiles):
            return 0, run(Path(folder), progress, task, memory)
    except Abandoned:
        return EXIT_ABANDONED, True
    except FractureError as error:
        message = " ".join(str(error).split())
        with contextlib.suppress(OSError):  # standard error is a file, whose disk may be full
            sys.stderr.write(f"{message}\n")
        _write_error(Path(folder), {"kind": type(error).__name__, "message": message})
        return EXIT_REFUSED if isinstance(error, InvalidMeshError) else EXIT_FAILED, False


def _write_error(folder: Path, error: dict[str, str]) -> None:
    try:
        with replacing(folder / "error.json") as part:
            part.write_text(json.dumps(error), encoding="utf-8")
    except OSError as failure:
        # The message is already on standard error.
        with contextlib.suppress(OSError):
            sys.stderr.write(f"cannot write {folder / 'error.json'} ({failure.strerror or failure})\n")


if __name__ == "__main__":
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # its reader has ended
            stream.flush()
    # Results are written. The interpreter's end takes 0.2 s, and stops the pool of a thread that prepares another run.
    os._exit(code)
