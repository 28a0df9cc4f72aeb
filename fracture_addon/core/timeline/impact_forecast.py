"""Forecast of impact points: one run of the job in which nothing breaks, with few cells.

The cells near an impact can be finer only if its point is known before the cells are made. The points of the artist's
impacts are given. Of the collisions, the first with at least half the force of the strongest counts as the one that
breaks the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..data.errors import InvalidMeshError
from ..data.job import Body, Job
from ..data.placed_fields import Region
from ..data.progress import Progress
from ..meshing.filling.tetrahedralize import tetrahedralize
from ..meshing.repair.repair import prepare_body
from ..methods.method import UNPREPARED
from ..rigid import contacts
from ..rigid.contact_reports import Contact
from .collisions import Motions, impact_of_contact, kinematic_contacts
from .rigid_fragment import Breakable
from .rigid_scene import RigidScene

# Cells of a body in the forecast. More cells take longer. With 200, 400 and 800 a body breaks into 15, 7 and 15
# fragments; rounding alone changes the number as much.
ROUGH_CELLS = 400
# Force over that of the strongest impact above which an impact may break the body. From 0.25 to 1 all recordings keep
# their bytes.
STRONG_SHARE = 0.5


def refine_at_impacts(job: Job, progress: Progress) -> Job:
    """Add regions of finer cells at the impact points of the bodies whose settings ask for them.

    A body without an impact stays as it is.

    Args:
        job: The scene.
        progress: Called on each frame with the name of the stage and 0, because the forecast is a small part of a run.

    Raises:
        InvalidMeshError: A body's surface cannot be used.
    """
    if all(body.settings.filling.impact_fineness <= 1.0 for body in job.bodies):
        return job
    breakables = [_rough_breakable(body) for body in job.bodies]
    points_of_bodies = impact_points(job, breakables, progress)
    bodies = (
        _refined(body, item.surface.diagonal, points) if body.settings.filling.impact_fineness > 1.0 else body
        for body, item, points in zip(job.bodies, breakables, points_of_bodies, strict=True)
    )
    return replace(job, bodies=tuple(bodies))


def impact_points(job: Job, breakables: Sequence[Breakable], progress: Progress) -> list[list[np.ndarray]]:
    """Find the impact points of each body in a run in which nothing breaks.

    Args:
        job: The scene.
        breakables: Its bodies, of any cells.
        progress: As in ``refine_at_impacts``.

    Returns:
        A list for each body of points (3,) m, rest space.
    """
    scene = RigidScene(job, breakables)
    placed: list[list[np.ndarray]] = [[] for _ in breakables]
    impacts: list[list[tuple[float, np.ndarray]]] = [[] for _ in breakables]
    seconds = 1.0 / (job.frame_rate * job.substeps)
    for row in range(job.frame_end - job.frame_start + 1):
        progress("Forecasting impacts", 0.0)
        for body, fragment in enumerate(scene.fragments):
            pose = scene.world.pose(fragment.key)
            for authored in job.bodies[body].impacts:
                if authored.frame == job.frame_start + row:
                    placed[body].append(contacts.rest_point(pose, fragment.properties.center, authored.point))
        if row == job.frame_end - job.frame_start:
            break
        scene.world.calm(1.0 / job.frame_rate)
        for step in range(job.substeps):
            scene.follow_tracks(row + (step + 1) / job.substeps)
            before = scene.free_flight(seconds)
            touching = scene.world.step(seconds)
            for contact in [*touching, *kinematic_contacts(scene, before, seconds)]:
                for body, force, point in _impacts_of(scene, contact, before, breakables):
                    impacts[body].append((force, point))
    return [authored or _first_strong(found) for authored, found in zip(placed, impacts, strict=True)]


def _impacts_of(
    scene: RigidScene, contact: Contact, before: Motions, breakables: Sequence[Breakable]
) -> Iterator[tuple[int, float, np.ndarray]]:
    """Yield the impacts of a contact on its one or two bodies: row, contact force (N), point (3,) m in rest space."""
    for key, push in ((contact.first, -contact.push), (contact.second, contact.push)):
        row = scene.fragment_row(key)
        if row >= 0 and key in before and push.any():
            found = impact_of_contact(scene, row, contact, push, before, breakables[row].surface.diagonal)
            if found is not None:
                forces = np.array([impact.contact_force for impact in found.impacts])
                point = forces @ np.array([impact.point for impact in found.impacts]) / forces.sum()
                yield row, found.force, point


def _first_strong(impacts: Sequence[tuple[float, np.ndarray]]) -> list[np.ndarray]:
    strongest = max((force for force, _ in impacts), default=0.0)
    return [point for force, point in impacts if force >= STRONG_SHARE * strongest][:1]


def _rough_breakable(body: Body) -> Breakable:
    surface, _ = prepare_body(body)
    try:
        solid = tetrahedralize(surface, ROUGH_CELLS, body.settings.seed)
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{body.name}' cannot be broken: {error}") from error
    return Breakable(body, surface, solid, UNPREPARED, {})


def _refined(body: Body, diagonal: float, points: Sequence[np.ndarray]) -> Body:
    filling = body.settings.filling
    radius = filling.impact_reach * diagonal
    finer = [Region(point, radius, fineness=filling.impact_fineness, softness=1.0) for point in points]
    return replace(body, settings=body.settings.changed(fineness_regions=(*filling.fineness_regions, *finer)))
