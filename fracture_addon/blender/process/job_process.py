"""A run in a process of its own: a job goes out in a folder, a recording or a preview comes back in it.

A child keeps the window live, can be stopped at any moment, and keeps a crash outside. It is used with and without a
window, so that both give the same bytes. It speaks JSON lines on its standard output; when this process is gone its
pipes are broken, and it ends at its next line.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...core.data import arrays, errors
from ...core.data.job import Job
from ...core.data.preview import Preview
from ...core.data.recording import Recording
from ...core.data.stress import Stresses
from ...core.data.trials import Trials
from ...core.storage.folders import RunFolder
from . import libraries, waiting_worker, watch, worker_end
from .waiting_worker import Worker

JOB_FILE = "job.npz"
# What a job can be asked for, and what it comes back as.
RESULTS: Mapping[str, type] = {"recording": Recording, "preview": Preview, "stress": Stresses, "trials": Trials}
ERROR_FILE = "error.json"

POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Attributes:
        stage: What the child does and to which object: ``Repairing 'Vase'``.
        share: The part of the whole run that is done, 0 to 1.
        note: One line about a long silence of the child; empty without one.
    """

    stage: str
    share: float
    note: str = ""


class JobProcess:
    """One run. ``start`` it, ``poll`` it until ``result`` is there, and ``cancel`` it at any time.

    Attributes:
        progress: The last that the child said.
        result: A ``Recording``, or what else was asked for; ``None`` until the run is done.
        seconds: Seconds a stage; empty until the run is done.
    """

    def __init__(self, folder: Path | None = None, task: str = "recording"):
        """Nothing runs yet.

        Args:
            folder: Where the temporary job folder is made; the system's own place when ``None``.
            task: A name in ``RESULTS``.
        """
        self.progress = Progress("Starting", 0.0)
        self.result: Recording | Preview | Stresses | Trials | None = None
        self.seconds: Mapping[str, float] = {}
        self._parent_folder, self._task = folder, task
        self._run_folder: RunFolder | None = None
        self._worker: Worker | None = None
        self._watch: watch.Watch | None = None
        # What the child said last: an exit code, and whether it may wait for another job.
        self._code: int | None = None
        self._may_wait = False

    def start(self, job: Job) -> None:
        """Write the job and hand it to the child.

        Raises:
            WorkerError: The folder cannot be written, or there is no Python to start.
            FolderError: The folder is not an absolute path.
        """
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
        self._watch = watch.Watch(self._worker.pid)

    def poll(self) -> bool:
        """Take in what the child said since the last time.

        Returns:
            Whether the run is done and ``result`` is there.

        Raises:
            FractureError: What the child ran into, how it died, or that it gave no sign of life for too long.
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

    def cancel(self) -> None:
        """Kill the child if it runs, and remove its folder."""
        self._clear()

    @property
    def pid(self) -> int | None:
        """The child's process id, ``None`` when there is no child."""
        return self._worker.pid if self._worker else None

    def _look_after(self, has_line: bool) -> None:
        """Note a silence of the child, and end the run when it lasts too long."""
        assert self._watch is not None  # there is one as long as there is a child
        self._watch.look(has_line)
        if self.progress.note != self._watch.note():
            self.progress = replace(self.progress, note=self._watch.note())
        if self._watch.lifeless >= watch.DEADLINE_SECONDS:
            self._clear()
            raise errors.WorkerError(worker_end.silence(self._watch.lifeless, self.progress.stage))

    def _take(self, line: str) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # a library printed something of its own
        if not isinstance(message, dict):
            return
        if "stage" in message:
            self.progress = Progress(str(message["stage"]), float(message.get("share", self.progress.share)))
        elif message.get("done"):
            self.seconds = message.get("seconds", {})
        elif "code" in message:
            self._code, self._may_wait = int(message["code"]), bool(message.get("waits"))

    def _finish(self, code: int, folder: Path, worker: Worker) -> None:
        error_file = folder / ERROR_FILE
        if error_file.exists():
            raise _reported(error_file)
        if code != 0 and libraries.is_lost(worker.last_words()):
            raise libraries.lost(worker.last_words())
        if code != 0:
            raise errors.WorkerError(worker_end.reason(code, self.progress.stage, worker.last_words()))
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
    job: Job, on_progress: Callable[[Progress], None] | None = None, cache_dir: Path | None = None
) -> tuple[Recording, Mapping[str, float]]:
    """Run a job to its end in a child, and wait for it.

    Args:
        job: Everything the run needs.
        on_progress: Called whenever the child said something new.
        cache_dir: Where the temporary job folder is made; the system's own place when ``None``.

    Returns:
        The recording, and the seconds that each stage took.

    Raises:
        FractureError: What the child ran into; ``WorkerError`` when it died.
    """
    process = _run(job, "recording", on_progress, cache_dir)
    assert isinstance(process.result, Recording)  # what was asked for
    return process.result, process.seconds


def look_inside(
    job: Job, on_progress: Callable[[Progress], None] | None = None, cache_dir: Path | None = None
) -> Stresses:
    """The same for what goes on inside the bodies of a job."""
    result = _run(job, "stress", on_progress, cache_dir).result
    assert isinstance(result, Stresses)  # what was asked for
    return result


def _run(job: Job, task: str, on_progress: Callable[[Progress], None] | None, folder: Path | None) -> JobProcess:
    """A process that has ended, and holds its result."""
    process = JobProcess(folder, task)
    process.start(job)
    said = None
    try:
        while not process.poll():
            if on_progress and process.progress is not said:
                said = process.progress
                on_progress(said)
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
