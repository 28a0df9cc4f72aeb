"""From an object of the job to something that can be struck: check, repair, fill with cells, build the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from . import method
from .errors import InvalidMeshError
from .job import Job
from .piece import Breakable
from .repair import prepare as repair
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
    start, width = row / count, 1.0 / count
    progress("Checking", start)

    def repairing(share: float) -> None:
        progress("Repairing", start + 0.3 * width * share)

    surface, report = repair(body.surface, body.name, body.settings.repair, repairing)
    progress("Filling", start + 0.3 * width)
    try:
        solid = tetrahedralize(surface, body.settings.cell_count, body.settings.seed)
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{body.name}' cannot be broken: {error}") from error
    progress("Building", start + 0.7 * width)
    model = method.build(solid, body.material, body.settings)
    summary = {**asdict(report), "done": list(report.done), "sentence": report.sentence()}
    return Breakable(body, surface, solid, model, summary)
