"""The child that does the jobs. It waits for another one, which then finds everything loaded and much of it made.

It ends with its standard input, so also when Blender is killed, and when it has waited for long.
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

from .child_python import environment, python_program

# How long a child waits for another job, s: it holds memory. One that may be about to end gets no more.
PATIENCE, CERTAIN = 600.0, 0.9
# How long a killed one may take to be gone, s.
END_SECONDS = 2.0


class Worker:
    """A child, ready for a job.

    Attributes:
        lines: What it said on its standard output.
    """

    def __init__(self):
        """Start it.

        Raises:
            WorkerError: There is no Python to start.
            OSError: It cannot be started.
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
        # A thread reads, because a pipe cannot be read without blocking on every system.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """``None`` as long as it lives; everything that it ever said is in ``lines`` when it does not."""
        code = self._child.poll()
        if code is not None:
            self._reader.join(END_SECONDS)
        return code

    def order(self, folder: Path, task: str) -> None:
        """Give it a job: a folder with one, and what is wanted of it."""
        self._asked = time.monotonic()
        with _surviving(), contextlib.suppress(OSError):  # it is dead, which its exit code will tell
            self._child.stdin.write(json.dumps({"folder": str(folder), "task": task}) + "\n")
            self._child.stdin.flush()

    def is_ready(self) -> bool:
        """Whether it can be given another job: it lives, and was started as it would be now."""
        patient = time.monotonic() - self._asked < CERTAIN * PATIENCE
        return self.exit_code is None and patient and self._surroundings == (python_program(), environment())

    def last_words(self) -> str:
        """The last line that it wrote on its standard error."""
        self._errors.seek(0)
        spoken = [line.strip() for line in self._errors.read().decode("utf-8", "replace").split("\n") if line.strip()]
        return spoken[-1] if spoken else ""

    def end(self) -> None:
        """Kill it, whatever it does: a stopped process takes no request to end."""
        if self._child.poll() is None:
            self._child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # the system has yet to finish a call of its own
                self._child.wait(END_SECONDS)
        self._reader.join(END_SECONDS)
        for stream in (self._child.stdin, self._child.stdout, self._errors):
            with _surviving(), contextlib.suppress(OSError):  # what a dead child has not read
                stream.close()

    def _read(self) -> None:
        for line in self._child.stdout:
            self.lines.put(line)


@contextlib.contextmanager
def _surviving() -> Iterator[None]:
    """Makes writing to a dead child an error; Python by itself sees to that, but inside of Blender it kills Blender."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before or signal.SIG_DFL)


_waiting: Worker | None = None


def fetch() -> Worker:
    """The child that waits, or a new one.

    Raises:
        WorkerError, OSError: As of ``Worker``.
    """
    global _waiting
    found, _waiting = _waiting, None
    if found is not None and found.is_ready():
        return found
    if found is not None:
        found.end()
    return Worker()


def leave(worker: Worker) -> None:
    """Let a child that has done its job wait for the next one."""
    global _waiting
    dismiss()
    _waiting = worker


def dismiss() -> None:
    """End the child that waits, if there is one."""
    global _waiting
    if _waiting is not None:
        _waiting.end()
    _waiting = None
