"""A run in a worker process: write the job to a folder, and read the recording or preview from it.

With a worker process, the window stays live, the run can be cancelled at any time, and a crash does not end Blender.
Runs without a window use it too, so that both give the same bytes. The worker prints progress as lines of JSON on
standard output. When Blender is gone, its pipes break, and the worker ends at its next line.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ...core.data import arrays, errors
from ...core.data.cell_preview import Preview
from ...core.data.crack_preview import Cracks
from ...core.data.job import Job
from ...core.data.recording import Recording
from ...core.data.stress_window import Stresses
from ...core.data.trial_results import Trials
from ...core.data.variation import Variation
from ...core.storage.folders import RunFolder
from . import missing_libraries, waiting_worker, watchdog, worker_failure
from .waiting_worker import Worker

JOB_FILE = "job.npz"
# Tasks of a job, and the types of their results.
RESULTS: Mapping[str, type] = {
    "recording": Recording,
    "fracture": Recording,
    "cracks": Cracks,
    "preview": Preview,
    "stress": Stresses,
    "trials": Trials,
    "variation": Variation,
}
ERROR_FILE = "error.json"
# File that ends a job, and the exit code of a job that it ended.
ABANDONED_FILE, ABANDONED_CODE = "abandoned", 130

# Note about a worker that compiles.
COMPILES = "Compiling code for this version"

# s, time between two polls of the worker.
POLL_SECONDS = 0.02

T = TypeVar("T")


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Attributes:
        stage: Current stage and object: ``Repairing 'Vase'``.
        share: Completed fraction of the run, 0 to 1.
        note: One line about a worker that compiles, or that has been silent for a long time; else empty.
    """

    stage: str
    share: float
    note: str = ""


class JobProcess:
    """One run: ``start`` it, ``poll`` it until it has a result, ``cancel`` it at any time.

    Attributes:
        progress: Last progress that the worker reported.
        result: Result of the task; ``None`` until the run is done. ``result_of`` returns it with its type.
        seconds: s, duration of each stage; empty until the run is done.
        early: Last unfinished result that the worker showed; ``None`` without one.
        is_abandoned: Whether the result is no longer wanted.
    """

    def __init__(self, folder: Path | None = None, task: str = "recording"):
        """Create a run that has not started.

        Args:
            folder: Folder for temporary files; ``None`` for the system's.
            task: A key of ``RESULTS``.
        """
        self.progress = Progress("Starting", 0.0)
        self.result: Recording | Cracks | Preview | Stresses | Trials | Variation | None = None
        self.seconds: Mapping[str, float] = {}
        self.early: Cracks | None = None
        self.is_abandoned = False
        self._parent_folder, self._task = folder, task
        self._run_folder: RunFolder | None = None
        self._worker: Worker | None = None
        self._watch: watchdog.Watchdog | None = None
        # Exit code that the worker reported, whether it can take another job, and whether it compiles.
        self._code: int | None = None
        self._may_wait = self._compiles = False

    def start(self, job: Job) -> None:
        """Write the job and pass it to the worker.

        Raises:
            WorkerError: The folder cannot be written, or Python cannot be found.
            FolderError: The folder is not an absolute path.
        """
        self.result, self.early, self.is_abandoned = None, None, False
        self._code, self._may_wait, self._compiles = None, False, False
        try:
            self._run_folder = RunFolder(self._parent_folder)
            arrays.save(self._run_folder.path / JOB_FILE, job)
            self._worker = waiting_worker.fetch()
        except errors.FractureError:
            self._clear()
            raise
        except OSError as error:
            self._clear()
            place = f"'{self._parent_folder}'" if self._parent_folder else "the system's temporary folder"
            raise errors.WorkerError(f"The run cannot start in {place}: {error.strerror or error}") from error
        self._worker.order(self._run_folder.path, self._task)
        self._watch = watchdog.Watchdog(self._worker.pid)

    def result_of(self, kind: type[T]) -> T:
        """Return the result of a run that is done. ``kind`` is the type of its task in ``RESULTS``."""
        assert isinstance(self.result, kind)
        return self.result

    def poll(self) -> bool:
        """Process the lines of the worker since the last call.

        Returns:
            Whether the run is done and has a ``result``.

        Raises:
            FractureError: The run failed, or the worker ended early or does not respond.
        """
        if self._worker is None or self._run_folder is None:
            return self.result is not None
        exit_code = self._worker.exit_code
        has_line = not self._worker.lines.empty()
        while not self._worker.lines.empty():
            self._take(self._worker.lines.get())
        code = exit_code if self._code is None else self._code
        if code is None:
            self._look_after(has_line)
            return False
        try:
            self._finish(code, self._run_folder.path, self._worker)
        finally:
            self._clear()
        return True

    def abandon(self) -> None:
        """Ask the worker to end the job soon; it keeps its results in memory. ``poll`` as before.

        Only tasks that show unfinished results end early. An abandoned job may have no ``result``.
        """
        self.is_abandoned = True
        if self._run_folder is not None:
            with contextlib.suppress(OSError):  # the job runs to its end
                (self._run_folder.path / ABANDONED_FILE).touch()

    def cancel(self) -> None:
        """Kill the worker if it runs, and remove the job's folder."""
        self._clear()

    @property
    def pid(self) -> int | None:
        """Process id of the worker, ``None`` without one."""
        return self._worker.pid if self._worker else None

    def _look_after(self, has_line: bool) -> None:
        """Report a silent worker, and end the run if it is silent for too long.

        Raises:
            WorkerError: The worker did not respond for too long (``Watchdog.is_over``).
        """
        assert self._watch is not None  # ``start`` sets it together with the worker
        self._watch.look(has_line)
        note = self._watch.note() or (COMPILES if self._compiles else "")
        if self.progress.note != note:
            self.progress = replace(self.progress, note=note)
        if self._watch.is_over:
            self._clear()
            raise errors.WorkerError(worker_failure.silence(self._watch.stalled, self.progress.stage))

    def _take(self, line: str) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # a library printed a line
        if not isinstance(message, dict):
            return
        if "stage" in message:
            self.progress = Progress(str(message["stage"]), float(message.get("share", self.progress.share)))
            self._compiles = bool(message.get("compiles"))
        elif "early" in message and self._run_folder is not None:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # the result follows anyway
                self.early = arrays.load(self._run_folder.path / str(message["early"]), Cracks)
        elif message.get("done"):
            self.seconds = message.get("seconds", {})
        elif "code" in message:
            self._code, self._may_wait = int(message["code"]), bool(message.get("waits"))

    def _finish(self, code: int, folder: Path, worker: Worker) -> None:
        error_file = folder / ERROR_FILE
        if error_file.exists():
            raise _reported(error_file)
        if code == ABANDONED_CODE and self.is_abandoned:
            return
        if code != 0 and missing_libraries.is_lost(worker.last_words()):
            raise missing_libraries.lost(worker.last_words())
        if code != 0:
            raise errors.WorkerError(worker_failure.reason(code, self.progress.stage, worker.last_words()))
        try:
            self.result = arrays.load(folder / f"{self._task}.npz", RESULTS[self._task])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise errors.WorkerError(
                f"The run ended, but its {self._task} cannot be read ({error}); run it again"
            ) from error

    def _clear(self) -> None:
        if self._worker is not None:
            if self._may_wait:
                waiting_worker.leave(self._worker)
            else:
                self._worker.end()
        self._worker = None
        if self._run_folder is not None:
            with contextlib.suppress(errors.FolderError):  # a later run removes it
                self._run_folder.remove()
        self._run_folder = None


def run_job(
    job: Job,
    on_progress: Callable[[Progress], None] | None = None,
    cache_dir: Path | None = None,
    task: str = "recording",
) -> tuple[Recording, Mapping[str, float]]:
    """Run a job in a worker process, and wait for its recording.

    Args:
        job: The job.
        on_progress: Called with each new progress.
        cache_dir: Folder for temporary files; ``None`` for the system's.
        task: ``recording``, or ``fracture`` for a job of one frame.

    Returns:
        The recording, and the duration of each stage in seconds.

    Raises:
        FractureError: The run failed; ``WorkerError`` if the worker ended early.
    """
    process = _run(job, task, on_progress, cache_dir)
    return process.result_of(Recording), process.seconds


def run_stress_preview(
    job: Job, on_progress: Callable[[Progress], None] | None = None, cache_dir: Path | None = None
) -> Stresses:
    """Run a job's stress preview in a worker process, and wait for it; arguments and errors as for ``run_job``."""
    return _run(job, "stress", on_progress, cache_dir).result_of(Stresses)


def _run(job: Job, task: str, on_progress: Callable[[Progress], None] | None, folder: Path | None) -> JobProcess:
    """Return a process that has ended, with its result."""
    process = JobProcess(folder, task)
    process.start(job)
    reported = None
    try:
        while not process.poll():
            if on_progress and process.progress is not reported:
                reported = process.progress
                on_progress(reported)
            time.sleep(POLL_SECONDS)
    finally:
        process.cancel()
    return process


def _reported(path: Path) -> errors.FractureError:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        kind, message = content["kind"], content["message"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return errors.WorkerError(f"The run failed, and its error message cannot be read ({error}); run it again")
    known = getattr(errors, kind, None)
    if isinstance(known, type) and issubclass(known, errors.FractureError):
        return known(message)
    return errors.WorkerError(f"{kind}: {message}")
