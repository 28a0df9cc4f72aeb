"""Crack previews while the pointer moves: the newest request is computed next.

The worker is not killed, because it would lose the model of the body, which makes the next preview fast.
"""

from __future__ import annotations

from ...core.data.crack_preview import Cracks
from ...core.data.job import Job
from .. import extension
from .job_process import JobProcess


class LiveCracks:
    """Requests to the waiting worker, one at a time."""

    def __init__(self) -> None:
        self._process: JobProcess | None = None
        self._next: Job | None = None
        self._shown: Cracks | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a request is being computed."""
        return self._process is not None

    def ask(self, job: Job, *, at_once: bool) -> None:
        """Request the cracks of a job of one frame; it replaces a request that has not started.

        Args:
            job: The job.
            at_once: Whether to abandon a request that is being computed.

        Raises:
            FractureError: The worker cannot start.
        """
        self._next = job
        if at_once and self._process is not None:
            self._process.abandon()
        self._start()

    def poll(self) -> Cracks | None:
        """Return the cracks, finished or not, that arrived since the last call; ``None`` if none did.

        Raises:
            FractureError: The preview failed.
        """
        if self._process is None:
            return None
        process = self._process
        try:
            is_done = process.poll()
        except BaseException:
            self._process = None
            raise
        if not is_done:
            shown, self._shown = self._shown, process.early
            return None if process.is_abandoned or shown is self._shown else self._shown
        self._process = self._shown = None
        self._start()
        return None if process.is_abandoned else process.result_of(Cracks)

    def close(self) -> None:
        """Drop all requests; the worker ends if it still computes."""
        self._next = None
        if self._process is not None:
            self._process.cancel()
            self._process = None

    def _start(self) -> None:
        if self._process is None and self._next is not None:
            process = JobProcess(extension.job_folder(), "cracks")
            process.start(self._next)
            self._process, self._next = process, None
