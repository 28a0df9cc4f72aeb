"""Walls of joined bricks: to the labels of the fragments after one impact, and frames of a wall that stands."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks import Row
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Bond, Job, Settings
from fracture_addon.core.data.joint_kinds import JOINT_KINDS
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.surface import center_of
from fracture_addon.core.methods import table
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.timeline.assemblies import assemble_bodies
from fracture_addon.core.timeline.preparation import prepare_all
from fracture_addon.core.timeline.rigid_timeline import Timeline
from tests import shapes

BRICK = Material("Brick", 1900.0, 15e9, 0.2, 3e6, 3e7, 0.8e6, 0.15)
# m, length, depth and height of a brick, and the gap of the mortar.
LENGTH, DEPTH, HEIGHT, GAP = 0.215, 0.1025, 0.065, 0.010
# Fewest cells with which a brick is filled: 27, if 12 are wanted.
CELLS, SEED = 12, 3
COLUMNS, COURSES = 13, 39
# Load of the impact over the critical load, and its duration, s.
STRENGTH, DURATION = 8.0, 1e-4
REPEATS = 3
# Bricks of the standing wall: 49,950 cells. Turn of the weight from frame to frame, rad, which asks for a new solve.
STANDING_COLUMNS, STANDING_COURSES, STANDING_FRAMES, TURN = 37, 50, 6, 0.02


def rows() -> Iterator[Row]:
    """Yield the seconds of a wall of 507 bricks by stage, without a cache, after one run; then a standing wall."""
    job = wall(COLUMNS, COURSES)
    runs = [_seconds(job) for _ in range(1 + REPEATS)][1:]
    count = len(job.bodies)
    for row, name in enumerate(("prepare", "join", "critical_load", "break")):
        yield Row(f"bricks_{name}", count, float(np.median([seconds[row] for seconds, _, _ in runs])), "s")
    yield Row("bricks_to_labels", count, float(np.median([seconds.sum() for seconds, _, _ in runs])), "s")
    yield Row("bricks_to_labels_processor", count, float(np.median([busy for _, busy, _ in runs])), "s")
    yield Row("bricks_solves", count, float(runs[0][2]), "solves")
    yield from _standing()


def wall(columns: int, courses: int) -> Job:
    """Return a wall of bricks in stretcher bond with mortar."""
    settings, mortar = Settings.of(cell_count=CELLS, seed=SEED), JOINT_KINDS["mortar"].material
    bodies, place = [], {}
    for course in range(courses):
        for column in range(columns):
            place[course, column] = len(bodies)
            x = (column + 0.5 * (course % 2)) * (LENGTH + GAP)
            brick = shapes.box((LENGTH, DEPTH, HEIGHT), (x, 0.0, (course + 0.5) * (HEIGHT + GAP)))
            bodies.append(Body(f"Brick {course} {column}", brick, BRICK, settings))
    bonds = []
    for (course, column), row in place.items():
        above = ((course + 1, column + course % 2 - 1), (course + 1, column + course % 2))
        others = [place[key] for key in ((course, column + 1), *above) if key in place]
        bonds += [Bond(row, other, mortar, 2.0 * GAP) for other in others]
    return Job(tuple(bodies), (), 1, 10, bonds=tuple(bonds))


def _seconds(job: Job) -> tuple[np.ndarray, float, int]:
    """Return the seconds of each stage, the processor seconds of all threads, and the number of solves."""
    busy, times = time.process_time(), [time.perf_counter()]
    breakables = prepare_all(job, lambda stage, share: None)
    times.append(time.perf_counter())
    (body,) = assemble_bodies(job, breakables).breakables
    times.append(time.perf_counter())
    settings, prepared, points = body.body.settings, body.prepared, body.surface.points
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    place = [middle[0], points[:, 1].min(), middle[2]]

    def impact(force: float) -> Impact:
        return Impact(place, [0.0, 1.0, 0.0], 0.5 * force * DURATION, DURATION, 0.0)

    force = STRENGTH * table.critical_force(prepared.model, settings, [impact(1.0)], solver=prepared.solver)
    times.append(time.perf_counter())
    still = RigidMotion(np.zeros(3), np.zeros(3))
    result = table.strike(prepared.model, settings, still, [impact(force)], solver=prepared.solver)
    times.append(time.perf_counter())
    return np.diff(times), time.process_time() - busy, result.solve_count


def _standing() -> Iterator[Row]:
    """Yield the milliseconds of a frame of a wall that stands, with the same load, and with a slightly turned one."""
    job = wall(STANDING_COLUMNS, STANDING_COURSES)
    bodies = [replace(body, settings=body.settings.changed(own_weight=True)) for body in job.bodies]
    for row, body in enumerate(bodies[:STANDING_COLUMNS]):  # the lowest course is pinned
        pinned = PaintedField(body.surface.points, body.surface.faces, np.ones(len(body.surface.points)))
        track = np.array([[*center_of(body.surface), 1.0, 0.0, 0.0, 0.0]])
        bodies[row] = replace(body, track=track, settings=body.settings.changed(pinned=pinned))
    job = replace(job, bodies=tuple(bodies), frame_end=STANDING_FRAMES)
    assembled = assemble_bodies(job, prepare_all(job, lambda stage, share: None))
    timeline = Timeline(assembled.job, assembled.breakables, lambda stage, share: None)
    timeline.start_frame(0)
    cells = assembled.breakables[0].solid.cell_count
    for name, turn in (("same_load", 0.0), ("changed_load", TURN)):
        seconds = []
        for frame in range(1, STANDING_FRAMES):
            angle = turn * (frame % 2)
            timeline._collapse._gravity = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
            start = time.perf_counter()
            timeline.advance_frame()
            timeline.start_frame(frame)
            seconds.append(time.perf_counter() - start)
        yield Row(f"standing_{name}", cells, 1e3 * float(np.median(seconds)), "ms/frame")
    yield Row("standing_breaks", cells, float(len(timeline.scene.fragments) - 1), "pieces")
