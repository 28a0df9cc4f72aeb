"""The worker process that runs jobs. It then waits for the next job, which starts with libraries and caches loaded.

It ends when its standard input closes, for example because Blender was killed, and after ``PATIENCE`` without a job.
"""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ...core.data.errors import WorkerError
from .child_python import environment, python_program

# s, time that a worker waits for another job; and the fraction of it after which it gets no further job, because it may
# be about to end. Measured: it holds at least 140 MB, and saves the next run 1.6 s of imports.
PATIENCE, CERTAIN = 600.0, 0.9
# s, longest wait for a killed process to end.
END_SECONDS = 2.0


class Worker:
    """A worker process that is ready for a job.

    Attributes:
        lines: Lines of its standard output that nothing has read yet.
    """

    def __init__(self) -> None:
        """Start the process.

        Raises:
            WorkerError: Python cannot be found.
            OSError: The process cannot be started.
        """
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._surroundings = python_program(), environment()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end
        program, around = self._surroundings
        try:
            self._child = subprocess.Popen(
                [program, "-P", "-m", "fracture_addon.worker", "-", str(PATIENCE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=around,
                cwd=tempfile.gettempdir(),
                text=True,
                encoding="utf-8",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError:
            self._errors.close()
            raise
        self._asked = time.monotonic()
        # A thread reads the pipe, because not every system can read a pipe without blocking.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """Exit code; ``None`` while the process runs. After its end, all of its output is in ``lines``."""
        code = self._child.poll()
        if code is not None:
            self._reader.join(END_SECONDS)
        return code

    def order(self, folder: Path, task: str) -> None:
        """Send a job: its folder and its task."""
        self._asked = time.monotonic()
        with _broken_pipes_raise(), contextlib.suppress(OSError):  # it has ended; ``exit_code`` reports that
            assert self._child.stdin is not None  # a pipe
            self._child.stdin.write(json.dumps({"folder": str(folder), "task": task}) + "\n")
            self._child.stdin.flush()

    def is_ready(self) -> bool:
        """Return whether the process can take another job: it runs, and a new one would have the same environment."""
        patient = time.monotonic() - self._asked < CERTAIN * PATIENCE
        return self.exit_code is None and patient and self._surroundings == (python_program(), environment())

    def last_words(self) -> str:
        """Return the last line of its standard error; empty without one."""
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().decode("utf-8", "replace").split("\n") if line.strip()]
        return lines[-1] if lines else ""

    def end(self) -> None:
        """Kill the process. A request to end would not reach a stopped process."""
        if self._child.poll() is None:
            self._child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # it is inside a system call
                self._child.wait(END_SECONDS)
        self._reader.join(END_SECONDS)
        for stream in (self._child.stdin, self._child.stdout, self._errors):
            with _broken_pipes_raise(), contextlib.suppress(OSError):  # closing writes what the process did not read
                if stream is not None:
                    stream.close()

    def _read(self) -> None:
        assert self._child.stdout is not None  # a pipe
        for line in self._child.stdout:
            self.lines.put(line)


@contextlib.contextmanager
def _broken_pipes_raise() -> Iterator[None]:
    """Let writing to an ended process raise OSError. Inside Blender, Python does not ignore SIGPIPE, which kills it."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before or signal.SIG_DFL)


_waiting: Worker | None = None
_is_prepared = False


def prepare() -> None:
    """Start a worker ahead of the first job of this session, once. An error of the start shows with the first job."""
    global _is_prepared
    if _is_prepared:
        return
    _is_prepared = True
    if _waiting is None:
        with contextlib.suppress(WorkerError, OSError):
            leave(Worker())


def fetch() -> Worker:
    """Return the waiting worker, or a new one.

    Raises:
        WorkerError: Python cannot be found.
        OSError: The process cannot be started.
    """
    global _waiting, _is_prepared
    found, _waiting = _waiting, None
    _is_prepared = True  # a worker that has done its job waits for the next one
    if found is not None and found.is_ready():
        return found
    if found is not None:
        found.end()
    return Worker()


def leave(worker: Worker) -> None:
    """Let a worker wait for the next job."""
    global _waiting
    dismiss()
    _waiting = worker


def dismiss() -> None:
    """End the waiting worker, if there is one."""
    global _waiting
    if _waiting is not None:
        _waiting.end()
    _waiting = None
