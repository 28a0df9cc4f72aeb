"""The child process: a job folder in, a recording out, and progress as lines of JSON on standard output.

    python -m fracture_addon.worker JOBDIR [TASK]

or, for one job after the other, each a line of JSON (``folder`` and ``task``) on standard input,

    python -m fracture_addon.worker - SECONDS

reads ``JOBDIR/job.npz`` and writes ``JOBDIR/TASK.npz``, or ``JOBDIR/error.json`` (``kind`` and ``message``) when the
job cannot be done; a half-written result is never seen. A task is one of ``recording`` (the
default), ``preview``, ``stress`` and ``trials``.
Stages of a run are kept for later ones in the folder that the environment names in FRACTURE_STAGES, as many bytes of
them as FRACTURE_STAGES_BYTES allows, and compiled code in that which it names in FRACTURE_COMPILED. Nothing is kept
where a variable is empty or missing. Temporary files lie in the job's folder.
The exit code is 0, 3 when the input is refused, and 4 when the simulation failed.
For one job after the other a last line says it, with ``waits``: whether there may be another one. What a job made is
remembered for that, so the process waits no longer than SECONDS for another one, and not at all after a large job.
"""

# ruff: noqa: E402 - the environment has to be set before numpy is imported
from __future__ import annotations

import os

# Before numpy: its linear algebra on several threads is slower on matrices of this size, and not reproducible.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
# Compiled loops wait for one another asleep: spinning starves them when something else keeps a core busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import errno
import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from .core.data import arrays
from .core.data.errors import FractureError, InvalidMeshError, NotEnoughMemoryError, WorkerError
from .core.data.job import Job
from .core.storage.files import replacing
from .core.storage.folders import temporary_files_in
from .core.timeline import memory as memory_estimate
from .core.timeline.cache import MOST_BYTES, Memory, Stages
from .core.timeline.preparation import divide
from .core.timeline.stress_preview import look_inside
from .core.timeline.threshold_trials import try_thresholds
from .core.timeline.timeline import simulate

# What a job can be asked for.
TASKS = {"recording": simulate, "preview": divide, "stress": look_inside, "trials": try_thresholds}

# Lines of progress follow one another at least this far apart, s.
LINE_INTERVAL = 0.05
EXIT_REFUSED, EXIT_FAILED = 3, 4
# What stands for a folder when there is to be one job after the other.
ONE_AFTER_THE_OTHER = "-"
# Cells and triangles of a job that may leave what it made in memory: about 1 GB with all that is loaded.
MOST_CELLS, MOST_TRIANGLES = 20_000, 300_000


class ProgressLines:
    """Writes progress as JSON lines, not too often, and times the stages.

    Attributes:
        seconds: Seconds a stage, over all objects.
        stage: The stage and object that was reported last.
    """

    def __init__(self, stream: TextIO):
        self.seconds: dict[str, float] = {}
        self.stage = ""
        self._stream = stream
        self._started = self._stage_started = time.perf_counter()
        self._last_line, self._share = -LINE_INTERVAL, 0.0

    def __call__(self, stage: str, share: float) -> None:
        """Report progress; the share that is shown never falls.

        Args:
            stage: The stage and the object that it works on: ``Repairing 'Vase'``.
            share: The part of the run that is done, 0 to 1.
        """
        now = time.perf_counter()
        self._share = max(self._share, min(share, 1.0))
        changed = stage != self.stage
        if changed:
            self._close_stage(now)
            self.stage = stage
        if changed or now - self._last_line >= LINE_INTERVAL:
            self._last_line = now
            self._write({"stage": stage, "share": round(self._share, 4)})

    def done(self) -> None:
        """Write the last line."""
        now = time.perf_counter()
        self._close_stage(now)
        seconds = {name: round(value, 4) for name, value in self.seconds.items()}
        self._write({"done": True, "seconds": {**seconds, "total": round(now - self._started, 4)}})

    def _close_stage(self, now: float) -> None:
        if self.stage:
            name, _, _ = self.stage.partition(" '")  # a stage is timed over all objects
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._stage_started
        self._stage_started = now

    def _write(self, value: dict) -> None:
        self._stream.write(json.dumps(value) + "\n")
        self._stream.flush()


def run(folder: Path, progress: ProgressLines, task: str = "recording", memory: Memory | None = None) -> bool:
    """Do the job in a folder.

    Args:
        folder: With ``job.npz``.
        progress: Told about the stages.
        task: A name in ``TASKS``.
        memory: Of the jobs before.

    Returns:
        Whether what it made is small enough to be remembered for another job.

    Raises:
        FractureError: It cannot be done.
        WorkerError: Its files cannot be read or written.
        NotEnoughMemoryError: It needs more memory than there is.
    """
    path = folder / "job.npz"
    try:
        job = arrays.load(path, Job)
    except OSError as error:
        raise WorkerError(f"cannot read {path} ({error.strerror or error}); start the run again") from error
    except (ValueError, KeyError, TypeError) as error:
        raise WorkerError(f"{path} holds no job ({error}); start the run again") from error
    memory_estimate.check(job)
    try:
        with temporary_files_in(folder):  # they go with it, also when this process is killed
            result = TASKS[task](job, progress, _stages(memory))
    except (MemoryError, OSError, RuntimeError, ImportError) as error:
        if _is_lack_of_memory(error):
            doing = f"{progress.stage[:1].lower()}{progress.stage[1:]}"
            raise NotEnoughMemoryError(
                f"the memory ran out while {doing}; lower the detail, close other programs, or raise the limit "
                "(ulimit -v)"
            ) from error
        if not isinstance(error, OSError):
            raise
        # Compiled code is kept in files.
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
    cells = sum(body.settings.cell_count for body in job.bodies)
    triangles = sum(len(item.surface.faces) for item in (*job.bodies, *job.colliders))
    return cells <= MOST_CELLS and triangles <= MOST_TRIANGLES


def _is_lack_of_memory(error: Exception) -> bool:
    """Whether an error is one of those that a lack of memory has: also no room for a thread, a file or a library."""
    if isinstance(error, RuntimeError):
        return "start new thread" in str(error)
    if isinstance(error, ImportError):
        return "map segment" in str(error)
    return isinstance(error, MemoryError) or error.errno == errno.ENOMEM


def _stages(memory: Memory | None) -> Stages:
    folder = os.environ.get("FRACTURE_STAGES")
    return Stages(Path(folder) if folder else None, int(os.environ.get("FRACTURE_STAGES_BYTES", MOST_BYTES)), memory)


def main(arguments: list[str]) -> int:
    """Run the job in the folder named by the first argument; returns the exit code."""
    if len(arguments) == 2 and arguments[0] == ONE_AFTER_THE_OTHER:
        return run_all(sys.stdin, float(arguments[1]))
    if len(arguments) not in (1, 2) or not set(arguments[1:]) <= set(TASKS):
        sys.stderr.write(f"usage: python -m fracture_addon.worker JOBDIR [{'|'.join(TASKS)}]\n")
        return 2
    return _attempt(*arguments)[0]


def run_all(orders: TextIO, patience: float) -> int:
    """Do one job after the other, until there are no more of them, or none for long.

    Args:
        orders: A line of JSON a job.
        patience: s, after which the process ends.
    """
    memory = Memory()
    for order in _patiently(orders, patience):
        code, waits = _attempt(**json.loads(order), memory=memory)
        sys.stdout.write(json.dumps({"code": code, "waits": waits}) + "\n")
        sys.stdout.flush()
        if not waits:
            break
        memory.between_runs()
    return 0


def _patiently(lines: TextIO, patience: float) -> Iterator[str]:
    """Lines as they come; the process ends where none comes for long."""
    while True:
        alarm = threading.Timer(patience, os._exit, (0,))
        alarm.daemon = True
        alarm.start()
        line = lines.readline()
        alarm.cancel()
        if not line:
            return
        yield line


def _attempt(folder: str, task: str = "recording", memory: Memory | None = None) -> tuple[int, bool]:
    """Do a job, or leave an error in its folder; the exit code, and whether there may be another job."""
    try:
        return 0, run(Path(folder), ProgressLines(sys.stdout), task, memory)
    except FractureError as error:
        message = " ".join(str(error).split())
        sys.stderr.write(f"{message}\n")
        _leave_error(Path(folder), {"kind": type(error).__name__, "message": message})
        return EXIT_REFUSED if isinstance(error, InvalidMeshError) else EXIT_FAILED, False


def _leave_error(folder: Path, error: dict) -> None:
    try:
        with replacing(folder / "error.json") as part:
            part.write_text(json.dumps(error), encoding="utf-8")
    except OSError as failure:
        # Standard error has the message already; nothing else can be done without a disk.
        sys.stderr.write(f"cannot write {folder / 'error.json'} ({failure.strerror or failure})\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
