"""Finding the threshold at which a deformable body breaks as it should, by trial (Norton et al. 1991)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..data.errors import SettingsError
from ..data.job import Body, Job
from ..data.trials import OUTCOMES, Trial, Trials
from ..methods.lattice.trials import drop_cylinders
from .cache import NO_CACHE, Cache

# Speed of the fall where nothing tells it, m/s, and of the trial cylinder its radius over the body's diagonal.
USUAL_SPEED, RADIUS_SHARE = 3.0, 0.25


def try_thresholds(job: Job, progress: Callable[[str, float], None], cache: Cache = NO_CACHE) -> Trials:
    """Drop small cylinders of each body's material and softness, as fast as the body will hit the floor.

    Args:
        job: The scene; only its bodies count, and how far they will fall.
        progress: Called with the stage's name and the share that is done.
        cache: Not used.
    """
    bodies = []
    for row, body in enumerate(job.bodies):

        def trying(share: float, row: int = row) -> None:
            progress(f"Trying '{job.bodies[row].name}'", (row + share) / len(job.bodies))

        radius = RADIUS_SHARE * body.surface.diagonal
        material, settings = body.material, body.settings
        found = drop_cylinders(
            material, settings.softening, hit_speed(job, body), radius, seed=settings.seed, progress=trying
        )
        bodies.append(tuple(found))
    return Trials(tuple(bodies))


def hit_speed(job: Job, body: Body) -> float:
    """m/s at which a body will hit the lowest collider below it, falling from where it is; ``USUAL_SPEED`` else."""
    gravity = float(np.linalg.norm(job.gravity))
    if gravity == 0.0 or not job.colliders:
        return USUAL_SPEED
    down = np.asarray(job.gravity) / gravity
    floor = max(float((collider.surface.points @ down).max()) for collider in job.colliders)
    height = max(floor - float((body.surface.points @ down).max()), 0.0)
    speed = float(np.sqrt(2.0 * gravity * height + float(body.velocity @ body.velocity)))
    return speed or USUAL_SPEED


def proposal(trials: Sequence[Trial]) -> float:
    """The factor in the middle of those at which a cylinder breaks; between crumbling and surviving where none does.

    Raises:
        SettingsError: All crumble, or all survive.
    """
    factors = {name: [trial.factor for trial in trials if trial.outcome == name] for name in OUTCOMES}
    if factors["breaks"]:
        return float(np.sqrt(min(factors["breaks"]) * max(factors["breaks"])))
    if factors["crumbles"] and factors["survives"]:
        return float(np.sqrt(max(factors["crumbles"]) * min(factors["survives"])))
    every = "crumbles" if factors["crumbles"] else "survives"
    raise SettingsError(
        f"a cylinder {every} at every threshold that was tried; change the softening or the speed of the fall"
    )
