"""One large body: 25 to 200 thousand cells with full bonds, and scans of up to a million triangles in 300 pieces.

Each size runs in a process of its own, because its peak memory is measured. Processor time is that of all threads.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from benchmarks import Row
from benchmarks.end_to_end import FLOOR
from benchmarks.network import MODERATE, STILL, _impact
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.fields import noise
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.timeline import timeline
from tests import shapes

CELLS = (25_000, 50_000, 100_000, 200_000)
# Segments of the ring around its axis; it has half as many around its section, and their square in triangles.
SEGMENTS = (250, 500, 1000)
PIECES, DROP, FRAMES = 300, 1.0, 60
# Sizes of a first run, which loads the compiled code.
WARM_CELLS, WARM_SEGMENTS = 500, 40
Seconds = dict[str, tuple[float, float]]
T = TypeVar("T")


def rows() -> Iterator[Row]:
    """Yield seconds, processor seconds and peak memory of a struck bowl by cells, then of a dropped scan by stage."""
    for cells in CELLS:
        yield from _rows(f"bowl_{cells // 1000}k", *_alone(struck_bowl, WARM_CELLS, cells))
    for segments in SEGMENTS:
        count, *figures = _alone(dropped_scan, WARM_SEGMENTS, segments)
        yield from _rows(f"scan_{count // 1000}k_{PIECES}", count, *figures)


def struck_bowl(cells: int) -> tuple[int, Seconds, float, int]:
    """Fill a bowl and strike it at ``MODERATE`` times its critical load.

    Returns:
        The number of cells, the seconds and processor seconds of each stage, the peak memory in GB, and the solves.
    """
    bowl, settings, watch = shapes.shipped("bowl"), Settings(), _Watch()
    solid = watch.run("fill", lambda: tetrahedralize(bowl, cells, 1))
    model = watch.run("model", lambda: table.build(solid, PORCELAIN, settings))
    force = watch.run("critical_load", lambda: table.critical_force(model, settings, [_impact(solid, 1.0)]))
    impact = _impact(solid, MODERATE * force)
    result = watch.run("break", lambda: table.strike(model, settings, STILL, [impact]))
    return solid.cell_count, watch.seconds, _peak(), result.solve_count


def dropped_scan(segments: int) -> tuple[int, Seconds, float, int]:
    """Drop a scan, and break it into ``PIECES`` pieces; see ``struck_bowl``. The first number is that of triangles."""
    pieces = PIECES if segments > WARM_SEGMENTS else 0
    body = Body("scan", scan(segments), PORCELAIN, Settings.of(seed=7, piece_count=pieces))
    watch = _Watch()
    recording = timeline.simulate(Job((body,), (FLOOR,), 1, FRAMES), watch.note)
    watch.note("", 1.0)
    return len(body.surface.faces), watch.seconds, _peak(), recording.report["bodies"][0]["solve_count"]


def scan(segments: int) -> Surface:
    """Return an uneven ring of 0.5 m, with texture coordinates, tilted and ``DROP`` m above the floor."""
    ring = shapes.torus(0.2, 0.08, segments, segments // 2)
    cosine, sine = np.cos(0.25), np.sin(0.25)
    turn = np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
    points = noise.warp(ring.points, (0, 1, 2), 0.004, 0.02) @ turn.T
    points[:, 2] += DROP - points[:, 2].min()
    return Surface(points, ring.faces, corner_attributes={"uv/UVMap": ring.corners[..., :2]})


class _Watch:
    """Seconds and processor seconds by stage."""

    def __init__(self) -> None:
        self.seconds: Seconds = {}
        self._stage, self._start = "", (0.0, 0.0)

    def note(self, stage: str, share: float) -> None:
        """End the last stage, and start the next; the progress callback of a run."""
        now = time.perf_counter(), time.process_time()
        if self._stage:
            before = self.seconds.get(self._stage, (0.0, 0.0))
            wall, busy = (past + end - start for past, end, start in zip(before, now, self._start, strict=True))
            self.seconds[self._stage] = wall, busy
        self._stage, self._start = stage.split(" ")[0].lower(), now

    def run(self, stage: str, call: Callable[[], T]) -> T:
        """Run a stage."""
        self.note(stage, 0.0)
        result = call()
        self.note("", 1.0)
        return result


def _alone(
    call: Callable[[int], tuple[int, Seconds, float, int]], warm: int, size: int
) -> tuple[int, Seconds, float, int]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(call, (warm,))
        return pool.apply(call, (size,))


def _rows(name: str, count: int, stages: Seconds, peak: float, solves: int) -> Iterator[Row]:
    for stage, (wall, busy) in stages.items():
        yield Row(f"{name}_{stage}", count, wall, "s")
        yield Row(f"{name}_{stage}_processor", count, busy, "s")
    yield Row(f"{name}_all", count, sum(wall for wall, _ in stages.values()), "s")
    yield Row(f"{name}_all_processor", count, sum(busy for _, busy in stages.values()), "s")
    yield Row(f"{name}_solves", count, float(solves), "solves")
    yield Row(f"{name}_peak", count, peak, "GB")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
