"""A run of many variations of the same scene, which changes nothing in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy

from ...core.data.job import Job
from .. import extension
from .job_sequence import JobSequence
from .run import Run, read


class VariationsRun(Run):
    """Jobs in a worker process, one after another."""

    def __init__(
        self,
        context: Any,
        objects: Sequence[bpy.types.Object],
        task: str,
        *,
        variants: Callable[[Job], Sequence[Job]],
        deliver: Callable[[int, Any], None],
    ):
        """Read the scene once, and start the worker.

        Args:
            context: Context of the scene.
            objects: Objects to break.
            task: A name in ``job_process.RESULTS``.
            variants: Returns the jobs of the variations.
            deliver: As for ``JobSequence``.
        """
        self.job = read(context, objects, task)
        self.process = JobSequence(extension.job_folder(), task, deliver)
        self.process.start_all(variants(self.job))

    def is_delayed(self, context: Any) -> bool:
        """Return false: the end of the run changes nothing in the scene."""
        return False
