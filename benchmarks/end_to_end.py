"""The main job without Blender: a terracotta jar dropped a metre onto a floor, from its surface to the recording."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks import Row
from fracture_addon.core import timeline
from fracture_addon.core.job import Body, Collider, Job, Settings
from fracture_addon.core.material import Material
from fracture_addon.core.surface import Surface
from tests import shapes

TERRACOTTA = Material("Terracotta", 1900.0, 12e9, 0.2, 7e6, 40e6, 0.6e6)
FLOOR = Collider("floor", Surface([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]], [[0, 1, 2], [0, 2, 3]]))
DROP, TILT, CELLS, FRAMES = 1.0, 0.25, 6000, 60
REPEATS = 3


def rows() -> Iterator[Row]:
    """The first run of this process, which loads or compiles the kernels, then the median of warm ones, by stage."""
    job = Job((Body("jar", _tilted_jar(), TERRACOTTA, Settings(cell_count=CELLS, seed=7)),), (FLOOR,), 1, FRAMES)
    first, _, _ = _timed(job)
    yield Row("drop_jar_first_run", CELLS, first, "s")
    runs = [_timed(job) for _ in range(REPEATS)]
    yield Row("drop_jar_warm", CELLS, float(np.median([seconds for seconds, _, _ in runs])), "s")
    for stage in runs[0][1]:
        yield Row(f"drop_jar_{stage}", CELLS, float(np.median([stages[stage] for _, stages, _ in runs])), "s")
    yield Row("drop_jar_fragments", CELLS, float(runs[0][2]), "pieces")


def _tilted_jar() -> Surface:
    cosine, sine = np.cos(TILT), np.sin(TILT)
    turned = shapes.moved(
        shapes.shipped("old_jar"), rotation=[[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]]
    )
    return shapes.moved(turned, offset=(0.0, 0.0, DROP - turned.points[:, 2].min()))


def _timed(job: Job) -> tuple[float, dict[str, float], int]:
    """Seconds in all, seconds from each stage's word to the next one's, fragments."""
    stages, last = {}, [None, time.perf_counter()]

    def note(stage: str, share: float) -> None:
        now = time.perf_counter()
        if last[0]:
            stages[last[0]] = stages.get(last[0], 0.0) + now - last[1]
        last[:] = [stage.replace(" ", "_"), now]

    start = time.perf_counter()
    recording = timeline.simulate(job, note)
    note("", 1.0)
    return time.perf_counter() - start, stages, len(recording.fragments)
