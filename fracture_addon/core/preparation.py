"""From an object of the job to something that can be struck: check, repair, fill with cells, build the model."""

from __future__ import annotations

from collections.abc import Callable

from . import method
from .errors import InvalidMeshError
from .job import Job
from .piece import Breakable
from .tetrahedralize import tetrahedralize


def prepare(job: Job, row: int, progress: Callable[[str, float], None]) -> Breakable:
    """Make one body of a job ready.

    Args:
        job: The scene.
        row: Of the body.
        progress: Called with the stage's name and the share of all bodies' preparation that is done.

    Raises:
        InvalidMeshError: The body's surface cannot be used.
    """
    body, count = job.bodies[row], len(job.bodies)
    progress("Checking", row / count)
    surface, repair = body.surface, {}
    progress("Filling", (row + 0.1) / count)
    try:
        solid = tetrahedralize(surface, body.settings.cell_count, body.settings.seed)
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{body.name}': {error}") from error
    progress("Building", (row + 0.6) / count)
    model = method.build(solid, body.material, body.settings)
    return Breakable(body, surface, solid, model, repair)
