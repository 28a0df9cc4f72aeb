"""Hundreds of rigid fragments of a jar fall on a floor, and 2,000 sleep: milliseconds per frame."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import Row
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import UNPREPARED, Break
from fracture_addon.core.timeline.rigid_fragment import Breakable
from fracture_addon.core.timeline.rigid_timeline import Timeline
from tests import shapes

CELLS, FRAMES, MANY = 6000, 72, 2000
# Frames after which fragments without gravity sleep, and frames of sleep that are measured.
ASLEEP, SLEEPING = 24, 20
FLOOR = Collider("floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))


def rows() -> Iterator[Row]:
    """Yield mean, median and worst frame of fragments that fall half a metre and come to rest, and a frame of sleep."""
    for count in (100, 500, MANY):
        seconds, drift = _fall(count)
        yield Row(f"fall_{count}_mean", count, 1e3 * float(np.mean(seconds)), "ms/frame")
        yield Row(f"fall_{count}_median", count, 1e3 * float(np.median(seconds)), "ms/frame")
        yield Row(f"fall_{count}_worst", count, 1e3 * float(np.max(seconds)), "ms/frame")
        yield Row(f"drift_{count}_without_gravity", count, drift, "m/s")
    yield Row(f"sleep_{MANY}", MANY, 1e3 * _sleep(MANY), "ms/frame")


def _sleep(count: int) -> float:
    """Return the median seconds of a frame of fragments that sleep, with its record."""
    timeline, seconds = _broken(count, np.zeros(3)), []
    for frame in range(ASLEEP + SLEEPING):
        start = time.perf_counter()
        timeline.start_frame(frame)
        timeline.advance_frame()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[ASLEEP:]))


def _fall(count: int) -> tuple[list[float], float]:
    """Return the seconds of each frame of a fall, and the greatest speed after one frame without gravity, m/s."""
    weightless = _broken(count, np.zeros(3))
    weightless.advance_frame()
    world = weightless.scene.world
    speeds = [np.linalg.norm(world.velocities(piece.key)[0]) for piece in weightless.scene.fragments[1:]]
    timeline, seconds = _broken(count, np.array([0.0, 0.0, -9.81])), []
    for _ in range(FRAMES):
        start = time.perf_counter()
        timeline.advance_frame()
        seconds.append(time.perf_counter() - start)
    return seconds, float(max(speeds))


def _broken(count: int, gravity: np.ndarray) -> Timeline:
    """Return a timeline in which a jar is in ``count`` fragments, which fall by ``gravity`` (3,) m/s2."""
    surface = shapes.moved(shapes.shipped("old_jar"), offset=(0.0, 0.0, 0.5))
    body = Body("jar", surface, PORCELAIN, Settings.of(cell_count=CELLS, break_depth=1))
    solid = tetrahedralize(surface, CELLS, 0)
    job = Job((body,), (FLOOR,), 1, FRAMES + 1, gravity=gravity)
    timeline = Timeline(job, [Breakable(body, surface, solid, UNPREPARED, {})], lambda stage, share: None)
    centers = cell_centers(solid.points, solid.cells)
    seeds = centers[np.random.default_rng(0).choice(len(centers), count, replace=False)]
    label = cKDTree(seeds).query(centers)[1]
    still = np.zeros((count, 3))
    result = Break(label, still, still, 1.0, 0, 0, 0.0, np.ones(count, bool))
    pose, motion = timeline.scene.motion(timeline.scene.fragments[0])
    timeline.scene.replace(0, pose, motion, result, 0, 0.0)
    return timeline
