"""Check that objects still have the shape and position of an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import InvalidMeshError
from ...core.data.job import Job
from ...core.data.surface import Surface
from .job import read_job

# Largest difference of equal points, as a fraction of the diagonal: rounding on different machines.
ROUNDING = 1e-6


def check(context: Any, job: Job, objects: Sequence[bpy.types.Object]) -> None:
    """Refuse objects that were edited after a job was read, because its fragments do not fit them.

    Args:
        context: Context of the objects' scene.
        job: The job.
        objects: One object per body of the job, in its order.

    Raises:
        InvalidMeshError: An object has another shape or position on the first frame.
        FractureError: The scene cannot be read.
    """
    now = read_job(context, objects, (job.frame_start, job.frame_end))
    for obj, before, after in zip(objects, job.bodies, now.bodies, strict=True):
        if not _same(before.surface, after.surface):
            raise InvalidMeshError(
                f"'{obj.name}' was edited or moved after this run, so its pieces no longer fit; "
                "undo that change, or press Shatter"
            )


def _same(one: Surface, other: Surface) -> bool:
    if one.points.shape != other.points.shape or not np.array_equal(one.faces, other.faces):
        return False
    return np.allclose(one.points, other.points, rtol=0.0, atol=ROUNDING * one.diagonal)
