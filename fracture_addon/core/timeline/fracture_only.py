"""Fracture without simulation: every body breaks where it is, and its fragments stay there.

A body with impacts breaks by them as in a simulation. A body without one breaks by an impact on its front or, if a
number of fragments is wanted, by one weak impact after another on its largest fragment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..data.errors import SceneError, SettingsError
from ..data.job import AuthoredImpact, Body, Job
from ..data.progress import Progress, part_of
from ..data.recording import Recording
from ..data.surface import Surface, area_vectors, joined
from ..geometry.rays import RayGrid
from ..numerics.random_streams import rng
from . import assemblies, islands
from .assembly import RunResult, assemble
from .cache import NO_CACHE, Cache
from .deformable.run import deformable_rows
from .impact_forecast import refine_at_impacts
from .preparation import prepare_all
from .rigid_fragment import FEWEST_CELLS, RigidFragment
from .rigid_timeline import Timeline

# Direction of the impact on the front: away from the viewer of Blender's front view.
FRONT = np.array([0.0, 1.0, 0.0])
# Offset of the line of that impact from the centre, over the size: a line exactly along an edge may miss its faces.
ASIDE = np.array([1.7e-4, 0.0, 2.9e-4])
# Load of that impact over the critical load: the default of impacts that the artist adds.
STRENGTH = 4.0
# Load over the critical load of the impacts that break one fragment after another. Measured on seven shapes of 2,000
# cells (plate, bowl, jar, tumbler, cube, plank, rock), four seeds each: with 1.2, 1.6 and 2 the largest of 20 fragments
# has 13, 16 and 16 % of the mass in the mean, in 2.8, 2.2 and 2.1 s of processor time. With 3 and a ``LEAST_SHARE`` of
# 0.2 it has 17 %, in 1.8 s.
WEAK = 2.0
# Factor on the strength after an impact that broke nothing. The load that breaks is found to within this factor: a
# block that needs five times the load breaks into 3 fragments with 2 and 4, and into 13 with 200.
STRONGER = 2.0
# Most impacts on one fragment. Fewer than 4 leave that block whole; 6 and 120 give the same bytes.
MOST_TRIALS = 6
# Volume below which fragments are merged, over the volume of the struck fragment divided by the wanted number. A large
# value makes fragments even: on the same bodies the largest of 20 has 16.0 and 14.9 % at 0.1 and 0.2, and a quarter of
# them have less than 1.8 and 1.9 %.
LEAST_SHARE = 0.2
# Share of the progress after preparation, and after the break. They affect only the progress bar.
PREPARED, BROKEN = 0.5, 0.9


def fracture_only(job: Job, progress: Progress, cache: Cache = NO_CACHE) -> Recording:
    """Break all bodies of a job on its first frame, without motion.

    Args:
        job: The scene. All impacts act together; their frames, the colliders and gravity have no effect.
        progress: Called with the name of the stage and the finished share, 0 to 1.
        cache: Results of earlier runs; they do not change the recording.

    Returns:
        Fragments with one pose each. If impacts break nothing, stronger ones do, and the report says so.

    Raises:
        SceneError: There is nothing to break.
        SettingsError: A body is deformable.
        FractureError: As in ``timeline.simulate``.
    """
    original = job
    timeline, owners, rows = break_at_rest(job, progress, cache)
    timeline.scene.record(0)
    result = RunResult(timeline.scene.fragments, timeline.breaker, {}, timeline.scene.dust)
    recording = assemble(timeline.job, result, part_of(progress, BROKEN, 1.0))
    return islands.merge(assemblies.restored(recording, rows), original, owners)


def break_at_rest(
    job: Job,
    progress: Progress,
    cache: Cache = NO_CACHE,
    *,
    must_break: bool = True,
    watch: Callable[[RigidFragment, Callable[[], np.ndarray]], None] | None = None,
) -> tuple[Timeline, np.ndarray, np.ndarray]:
    """Break all bodies of a job on its first frame; arguments and errors as for ``fracture_only``.

    Args:
        job: The scene.
        progress: Called with stages and shares.
        cache: Results of earlier runs.
        must_break: Whether impacts of the artist that break nothing are made stronger.
        watch: As for ``Breaker``.

    Returns:
        The timeline with the fragments; (B,) rows of the original bodies that the bodies after the split of islands
        come from; and ``Assembled.rows`` of its bodies.
    """
    job, owners = islands.split(_at_rest(job))
    wanted_of_objects = np.array([body.settings.pieces.piece_count for body in job.bodies])
    job = refine_at_impacts(replace(job, bodies=tuple(map(_without_count, job.bodies))), progress)
    breakables = prepare_all(job, part_of(progress, 0.0, PREPARED), cache)
    assembled = assemblies.assemble_bodies(job, breakables, cache)
    job, breakables = assembled.job, list(assembled.breakables)
    first = np.cumsum([0, *(len(item.objects) for item in breakables[:-1])])
    wanted = np.add.reduceat(wanted_of_objects[assembled.rows], first).tolist()
    timeline = Timeline(job, breakables, part_of(progress, PREPARED, BROKEN), cache)
    timeline.breaker.watch = watch
    for row, body in enumerate(job.bodies):
        if body.impacts:
            _strike(timeline, row, body.impacts, MOST_TRIALS if must_break else 1)
        elif wanted[row]:
            _divide(timeline, row, wanted[row])
        else:
            _strike(timeline, row, [AuthoredImpact(job.frame_start, front_point(body.surface), FRONT, STRENGTH)])
    return timeline, owners, assembled.rows


def _at_rest(job: Job) -> Job:
    """Return a job of one frame in which nothing moves.

    Raises:
        SceneError: There is nothing to break.
        SettingsError: A body is deformable, or its method does not support its bonds.
    """
    if not job.bodies:
        raise SceneError("there is nothing to break; select a mesh object")
    check_rigid(job)
    assemblies.check(job)
    bodies = tuple(_body_at_rest(body, job.frame_start) for body in job.bodies)
    return replace(job, bodies=bodies, colliders=(), frame_end=job.frame_start, gravity=np.zeros(3), winds=())


def check_rigid(job: Job) -> None:
    """Refuse deformable bodies, which do not break at once.

    Raises:
        SettingsError: A body is deformable.
    """
    deformable = deformable_rows(job)
    if deformable:
        raise SettingsError(
            f"'{job.bodies[deformable[0]].name}' is deformable and breaks only while it moves; set Dynamics to Rigid, "
            "or press Shatter"
        )


def _body_at_rest(body: Body, frame: int) -> Body:
    still = np.zeros(3)
    impacts = tuple(replace(impact, frame=frame) for impact in body.impacts if impact.strength > 0.0)
    return replace(body, impacts=impacts, velocity=still, angular_velocity=still)


def _without_count(body: Body) -> Body:
    """Return a body without a wanted number of fragments, unless its own impacts are to give that number."""
    pieces = body.settings.pieces
    if body.impacts or not pieces.piece_count:
        return body
    dust = max(pieces.dust_volume, LEAST_SHARE / pieces.piece_count) if pieces.dust_rule.merges else pieces.dust_volume
    return replace(body, settings=body.settings.changed(piece_count=0, dust_volume=dust))


def _strike(timeline: Timeline, row: int, impacts: Sequence[AuthoredImpact], most_trials: int = MOST_TRIALS) -> bool:
    """Apply simultaneous impacts to a fragment, stronger until it breaks; return whether it broke."""
    for trial in range(most_trials):
        factor = STRONGER**trial
        if timeline.strike(row, [replace(impact, strength=factor * impact.strength) for impact in impacts]):
            if trial and not timeline.scene.fragments[row].depth:
                body = timeline.scene.fragments[row].body
                name, statistics = timeline.job.bodies[body].name, timeline.breaker.statistics[body]
                first = max(impact.strength for impact in impacts)
                statistics.warn(
                    f"'{name}' did not break at {first:.3g} times the critical load; "
                    f"the impact was raised to {factor * first:.3g} times"
                )
            return True
    return False


def _divide(timeline: Timeline, body: int, wanted: int) -> None:
    """Break the largest fragment of a body again and again until there are ``wanted`` pieces, or none can break.

    A fragment has several pieces where its cells connect parts of the surface that do not touch, as the boards of a
    crate. Then there may be more than ``wanted``.
    """
    random = rng(timeline.job.bodies[body].settings.seed, "impacts one after another")
    unbreakable: set[int] = set()
    while True:
        living = {
            row: fragment
            for row, fragment in enumerate(timeline.scene.fragments)
            if fragment.body == body and fragment.key >= 0
        }
        breakable = [
            row
            for row, fragment in living.items()
            if row not in unbreakable
            and not fragment.is_cracked
            and (len(fragment.cells) >= FEWEST_CELLS or not fragment.depth)
        ]
        count = sum(len(fragment.surfaces) for fragment in living.values())
        if count >= wanted or not breakable:
            break
        row = max(breakable, key=lambda row: living[row].volume)
        timeline.breaker.most_fragments = wanted - count + 1
        if not _strike(timeline, row, [_random_impact(living[row], timeline.job.frame_start, random)]):
            unbreakable.add(row)
    timeline.breaker.most_fragments = 0
    if count < wanted:
        timeline.breaker.statistics[body].warn(f"{count} pieces instead of {wanted}; raise the detail")


def front_point(surface: Surface) -> np.ndarray:
    """Return the point where a line along ``FRONT`` through the centre first meets a surface.

    If it misses the surface, as in a ring, it is the foremost corner.

    Args:
        surface: The surface of a body, m.

    Returns:
        (3,) m.

    Example:
        The front of a tetrahedron whose foremost face is at y = 0.

        >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
        >>> point = front_point(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))
        >>> round(float(point[1]), 6) + 0.0
        0.0
    """
    points, size = surface.points, surface.diagonal
    start = 0.5 * (points.min(axis=0) + points.max(axis=0)) + size * (ASIDE - FRONT)
    grid = RayGrid.of(surface)
    # The normals of a surface that is not repaired may point inwards.
    distance = min(
        float(crossing(start[None], FRONT[None], 2.0 * size)[0][0]) for crossing in (grid.enters, grid.leaves)
    )
    return start + distance * FRONT if np.isfinite(distance) else points[np.argmin(points @ FRONT)]


def _random_impact(fragment: RigidFragment, frame: int, random: np.random.Generator) -> AuthoredImpact:
    """Return a weak impact along the inward normal of a random face.

    It is a face of the body's original surface if the fragment has one, else any face.
    """
    surface = joined(fragment.surfaces)
    faces = np.arange(len(surface.faces))
    if fragment.depth and (surface.face_source >= 0).any():
        faces = np.flatnonzero(surface.face_source >= 0)
    vectors = area_vectors(surface)[faces]
    areas = np.linalg.norm(vectors, axis=1)
    row = random.choice(len(faces), p=areas / areas.sum())
    point = random.dirichlet(np.ones(3)) @ surface.corners[faces[row]]
    return AuthoredImpact(frame, point, -vectors[row] / areas[row], WEAK)
