"""Jobs that run one after another in the same worker process, which keeps the results that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.data.errors import FractureError
from ...core.data.job import Job
from .job_process import JobProcess


class JobSequence(JobProcess):
    """Several jobs of one task. A job that fails does not end the others."""

    def __init__(self, folder: Path | None, task: str, deliver: Callable[[int, Any], None]):
        """Create a sequence that has not started.

        Args:
            folder: As for ``JobProcess``.
            task: As for ``JobProcess``.
            deliver: Called with the number of a job, from 0, and its result or its ``FractureError``.
        """
        super().__init__(folder, task)
        self._deliver = deliver
        self._jobs: Sequence[Job] = ()
        self._outcomes: list[Any] = []

    def start_all(self, jobs: Sequence[Job]) -> None:
        """Start the first of the jobs; errors as for ``start``."""
        self._jobs = jobs
        self.start(jobs[0])

    def poll(self) -> bool:
        """Process the lines of the worker, and start the next job after the end of one.

        Returns:
            Whether all jobs have ended. ``result`` is then the last one.

        Raises:
            FractureError: All jobs failed, or the next one cannot start.
        """
        try:
            if not super().poll():
                return False
            outcome: Any = self.result
        except FractureError as error:
            outcome = error
        self._deliver(len(self._outcomes), outcome)
        self._outcomes.append(outcome)
        if len(self._outcomes) < len(self._jobs):
            self.start(self._jobs[len(self._outcomes)])
            return False
        results = [item for item in self._outcomes if not isinstance(item, FractureError)]
        if not results:
            raise self._outcomes[0]
        self.result = results[-1]
        return True

    def _take(self, line: str) -> None:
        before = self.progress
        super()._take(line)
        if self.progress is not before:
            share = (len(self._outcomes) + self.progress.share) / len(self._jobs)
            self.progress = replace(self.progress, share=share)
