"""Crack previews while the pointer moves: the newest question is answered next, and no answer is interrupted.

An interrupted worker would lose the model of the body, which makes an answer fast.
"""

from __future__ import annotations

from ...core.data.crack_preview import Cracks
from ...core.data.job import Job
from .. import extension
from .job_process import JobProcess


class LiveCracks:
    """Questions to the waiting worker, one at a time."""

    def __init__(self) -> None:
        self._process: JobProcess | None = None
        self._next: Job | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a question has no answer yet."""
        return self._process is not None

    def ask(self, job: Job) -> None:
        """Ask for the cracks of a job of one frame; a question that still waits is forgotten.

        Raises:
            FractureError: The worker cannot start.
        """
        self._next = job
        self._start()

    def poll(self) -> Cracks | None:
        """Return an answer that arrived since the last call.

        Raises:
            FractureError: The preview failed.
        """
        if self._process is None:
            return None
        process = self._process
        try:
            if not process.poll():
                return None
        except BaseException:
            self._process = None
            raise
        self._process = None
        self._start()
        return process.result_of(Cracks)

    def close(self) -> None:
        """Forget all questions; the worker ends if it still computes."""
        self._next = None
        if self._process is not None:
            self._process.cancel()
            self._process = None

    def _start(self) -> None:
        if self._process is None and self._next is not None:
            process = JobProcess(extension.job_folder(), "cracks")
            process.start(self._next)
            self._process, self._next = process, None
