"""Run draws in a child process, with a time limit."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from tests.fuzz import child

# Longest wall time of a draw over its limit of processor time, because other programs may load the machine.
PATIENCE = 8.0
# A child uses one thread. On a loaded machine, threads would mostly wait for one another.
ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# Longest time in which a child compiles what it needs, s.
STARTING = 900.0


@dataclass(frozen=True)
class Result:
    """Result of a draw.

    Attributes:
        number: Number of the draw.
        kind: ``done``, ``refused``, or a failure: ``wrong``, ``traceback``, ``slow``, ``died``.
        text: The message of the error, or the fault.
        seconds: Processor time, s.
    """

    number: int
    kind: str
    text: str
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether the draw gave neither a recording nor an error with a message."""
        return self.kind not in ("done", "refused")


class Runner:
    """Runs draws one after the other in a child process, and starts a new child when one dies.

    Args:
        limit: Most processor time of a draw, s.
        serve: Function that the child runs.
    """

    def __init__(self, limit: float, serve=child.serve):
        self._limit, self._serve = limit, serve
        self._process: multiprocessing.process.BaseProcess | None = None

    def __enter__(self) -> Runner:
        self._folder = tempfile.TemporaryDirectory()
        self._trace = Path(self._folder.name) / "trace"
        return self

    def __exit__(self, *_):
        self._stop()
        self._folder.cleanup()

    def run(self, seed: int, number: int, cells: int) -> Result:
        """Run one draw; see ``draws.draw``."""
        if self._process is None:
            self._start()
        self._orders.send((seed, number, cells))
        try:
            if self._orders.poll(PATIENCE * self._limit):
                return Result(number, *self._orders.recv())
            kind = "slow"
        except EOFError:
            self._process.join()
            kind = "slow" if self._process.exitcode == -getattr(signal, "SIGPROF", 0) else "died"
        code = self._process.exitcode
        self._stop()
        return Result(number, kind, f"exit code {code}\n{self._trace.read_text(encoding='utf-8')}", self._limit)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._orders, theirs = context.Pipe()
        self._process = context.Process(target=self._serve, args=(theirs, str(self._trace), self._limit), daemon=True)
        with mock.patch.dict(os.environ, ONE_THREAD):
            self._process.start()
        theirs.close()
        if not self._orders.poll(STARTING):
            raise TimeoutError(f"the child of the fuzz tests was not ready after {STARTING:g} s")
        self._orders.recv()

    def _stop(self) -> None:
        if self._process is not None:
            self._orders.close()
            self._process.kill()
            self._process.join()
            self._process = None
