"""Search for the threshold of a deformable body by trials (Norton et al. 1991, "Breakage tuning")."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.errors import SettingsError
from ..data.job import Body, Job
from ..data.progress import Progress
from ..data.trial_results import OUTCOMES, Trial, Trials
from ..methods.lattice.cylinder_trials import drop_cylinders
from .cache import NO_CACHE, Cache

# m/s, speed of a trial if the scene does not give one: a fall from 0.46 m. A faster impact needs a higher threshold:
# chalk crumbles at 5, 6 and 7 of nine thresholds at 1.5, 3 and 6 m/s.
USUAL_SPEED = 3.0
# Radius of the trial cylinder over the diagonal of the body. 0.125 and 0.5 give the same bytes.
RADIUS_SHARE = 0.25


def try_thresholds(job: Job, progress: Progress, cache: Cache = NO_CACHE) -> Trials:
    """Drop small cylinders with the material and softening of each body, at the impact speed of the body.

    Args:
        job: The scene; its bodies, gravity and colliders are used.
        progress: Called with the name of the stage and the finished share.
        cache: Not used.

    Returns:
        Nine trials for each body; see ``cylinder_trials.drop_cylinders``.
    """
    bodies = []
    for row, body in enumerate(job.bodies):

        def report_trial(share: float, row: int = row) -> None:
            progress(f"Trying '{job.bodies[row].name}'", (row + share) / len(job.bodies))

        radius = RADIUS_SHARE * body.surface.diagonal
        material, settings = body.material, body.settings
        found = drop_cylinders(
            material, settings.motion.softening, hit_speed(job, body), radius, seed=settings.seed, progress=report_trial
        )
        bodies.append(tuple(found))
    return Trials(tuple(bodies))


def hit_speed(job: Job, body: Body) -> float:
    """Return the speed at which a falling body hits the lowest collider below it.

    Without gravity, colliders or a fall it is ``USUAL_SPEED``.

    Args:
        job: Gravity and colliders.
        body: Its surface, m, and velocity, m/s.

    Returns:
        m/s, sqrt(2 g h + v^2).

    Example:
        A fall from 0.2 m: sqrt(2 x 10 m/s2 x 0.2 m).

        >>> from ..data.job import Collider
        >>> from ..data.material import PORCELAIN
        >>> from ..data.settings.settings import Settings
        >>> from ..data.surface import Surface
        >>> low, high = (Surface([[0, 0, z], [1, 0, z], [0, 1, z]], [[0, 1, 2]]) for z in (0.0, 0.2))
        >>> body = Body("tile", high, PORCELAIN, Settings())
        >>> hit_speed(Job((body,), (Collider("floor", low),), gravity=np.array([0.0, 0.0, -10.0])), body)
        2.0
    """
    gravity = float(np.linalg.norm(job.gravity))
    if gravity == 0.0 or not job.colliders:
        return USUAL_SPEED
    down = np.asarray(job.gravity) / gravity
    floor = max(float((collider.surface.points @ down).max()) for collider in job.colliders)
    height = max(floor - float((body.surface.points @ down).max()), 0.0)
    speed = float(np.sqrt(2.0 * gravity * height + float(body.velocity @ body.velocity)))
    return speed or USUAL_SPEED


def proposal(trials: Sequence[Trial]) -> float:
    """Return the geometric mean of the smallest and the largest factor at which a cylinder breaks.

    If none breaks, it is the geometric mean of the largest factor that crumbles and the smallest that survives.

    Args:
        trials: Trials of one body.

    Returns:
        Factor of the material's threshold.

    Raises:
        SettingsError: All cylinders crumble, or all survive.

    Notes:
        Norton et al. 1991, "Breakage tuning", choose by eye between the thresholds that crumble and survive; own mean.

    Example:
        >>> ends = {0.25: "crumbles", 0.5: "breaks", 2.0: "breaks", 4.0: "survives"}
        >>> proposal([Trial(factor, outcome, largest=0.5, dust=0.0) for factor, outcome in ends.items()])
        1.0
    """
    factors = {name: [trial.factor for trial in trials if trial.outcome == name] for name in OUTCOMES}
    if factors["breaks"]:
        return float(np.sqrt(min(factors["breaks"]) * max(factors["breaks"])))
    if factors["crumbles"] and factors["survives"]:
        return float(np.sqrt(max(factors["crumbles"]) * min(factors["survives"])))
    every = "crumbles" if factors["crumbles"] else "survives"
    raise SettingsError(f"the trial cylinder {every} at every threshold; change the softening or the drop height")
