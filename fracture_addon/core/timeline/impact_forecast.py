"""Where bodies are going to be struck: one pass through the job in which nothing breaks, on a few rough cells.

Cells can be finer there only if that is known before there are any. Blows that the artist placed are certain; of
collisions, the first that is at least half as hard as the hardest is taken for the one that breaks the body.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..data.errors import InvalidMeshError
from ..data.job import Body, Job
from ..data.places import Region
from ..meshing.filling.tetrahedralize import tetrahedralize
from ..meshing.repair.repair import prepare as repair
from ..rigid import contacts
from ..rigid.world import Contact
from .collisions import Motions, blow_of, collisions
from .piece import Breakable
from .rigid_scene import RigidScene

ROUGH_CELLS = 400
# A blow so hard, over the hardest, may be the one.
HARD = 0.5


def aimed(job: Job) -> Job:
    """The job with finer regions around where its bodies are struck, for those whose settings ask for that.

    A body that nothing strikes stays as it is.

    Raises:
        InvalidMeshError: A body's surface cannot be used.
    """
    if all(body.settings.impact_fineness <= 1.0 for body in job.bodies):
        return job
    breakables = [_rough(body) for body in job.bodies]
    points = struck_points(job, breakables)
    bodies = (
        _refined(body, item.surface.diagonal, found) if body.settings.impact_fineness > 1.0 else body
        for body, item, found in zip(job.bodies, breakables, points, strict=True)
    )
    return replace(job, bodies=tuple(bodies))


def struck_points(job: Job, breakables: list[Breakable]) -> list[list[np.ndarray]]:
    """Places (3,) in rest space where each body is struck, as long as none of them breaks.

    Args:
        job: The scene.
        breakables: Its bodies, of any cells.
    """
    scene = RigidScene(job, breakables)
    placed: list[list[np.ndarray]] = [[] for _ in breakables]
    blows: list[list[tuple[float, np.ndarray]]] = [[] for _ in breakables]
    seconds = 1.0 / (job.frame_rate * job.substeps)
    for row in range(job.frame_end - job.frame_start + 1):
        for body, piece in enumerate(scene.pieces):
            pose = scene.world.pose(piece.key)
            for authored in job.bodies[body].impacts:
                if authored.frame == job.frame_start + row:
                    placed[body].append(contacts.rest_point(pose, piece.properties.center, authored.point))
        if row == job.frame_end - job.frame_start:
            break
        scene.world.calm()
        for step in range(job.substeps):
            scene.follow_tracks(row + (step + 1) / job.substeps)
            before = scene.free_flight(seconds)
            touching = scene.world.step(seconds)
            for contact in [*touching, *collisions(scene, before, seconds)]:
                for body, force, point in _blows(scene, contact, before, breakables):
                    blows[body].append((force, point))
    return [own or _first_hard(found) for own, found in zip(placed, blows, strict=True)]


def _blows(
    scene: RigidScene, contact: Contact, before: Motions, breakables: list[Breakable]
) -> Iterator[tuple[int, float, np.ndarray]]:
    """What a contact does to the one or two bodies that are in it: body, newtons, (3,) rest space."""
    for key, push in ((contact.first, -contact.push), (contact.second, contact.push)):
        row = scene.piece_row(key)
        if row >= 0 and key in before and push.any():
            blow = blow_of(scene, row, contact, push, before, breakables[row].surface.diagonal)
            if blow is not None:
                forces = np.array([impact.peak_force for impact in blow.impacts])
                point = forces @ np.array([impact.point for impact in blow.impacts]) / forces.sum()
                yield row, blow.force, point


def _first_hard(blows: list[tuple[float, np.ndarray]]) -> list[np.ndarray]:
    hardest = max((force for force, _ in blows), default=0.0)
    return [point for force, point in blows if force >= HARD * hardest][:1]


def _rough(body: Body) -> Breakable:
    surface, _ = repair(body.surface, body.name, body.settings.repair, lambda _share: None)
    try:
        solid = tetrahedralize(surface, ROUGH_CELLS, body.settings.seed)
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{body.name}' cannot be broken: {error}") from error
    return Breakable(body, surface, solid, None, {})


def _refined(body: Body, diagonal: float, points: list[np.ndarray]) -> Body:
    settings = body.settings
    radius = settings.impact_reach * diagonal
    finer = [Region(point, radius, fineness=settings.impact_fineness, softness=1.0) for point in points]
    return replace(body, settings=replace(settings, regions=(*settings.regions, *finer)))
