"""The main job without Blender: a terracotta jar falls 1 m onto a floor, from its surface to the recording."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import Row
from fracture_addon.core.data import arrays
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.recording import Recording
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline import timeline
from fracture_addon.core.timeline.cache import NO_CACHE, Cache
from tests import shapes

TERRACOTTA = Material("Terracotta", 1900.0, 12e9, 0.2, 7e6, 40e6, 0.6e6)
FLOOR = Collider("floor", Surface([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]], [[0, 1, 2], [0, 2, 3]]))
DROP, TILT, CELLS, FRAMES = 1.0, 0.25, 6000, 60
REPEATS = 3
# Second Shatter: cells, and the load over the critical load.
AGAIN_CELLS, AGAIN_STRENGTH = 10_000, 2.0
# Seconds that an artist takes at least to move an impact between two runs.
MOVING = 1.0


def rows() -> Iterator[Row]:
    """Yield the first run, which loads or compiles kernels, then the median of warm runs by stage, then second runs."""
    job = Job((Body("jar", _tilted_jar(), TERRACOTTA, Settings.of(cell_count=CELLS, seed=7)),), (FLOOR,), 1, FRAMES)
    first, _, _ = _timed(job)
    yield Row("drop_jar_first_run", CELLS, first, "s")
    runs = [_timed(job) for _ in range(REPEATS)]
    yield Row("drop_jar_warm", CELLS, float(np.median([seconds for seconds, _, _ in runs])), "s")
    for stage in runs[0][1]:
        yield Row(f"drop_jar_{stage}", CELLS, float(np.median([stages[stage] for _, stages, _ in runs])), "s")
    yield Row("drop_jar_fragments", CELLS, float(runs[0][2]), "pieces")
    yield from _again()
    yield from _session()


def _session() -> Iterator[Row]:
    """Yield two runs of one worker, from the order to the answer; the impact moves in between.

    One impact makes 17 fragments, the other 40, which takes longer by itself. So each is once the first run and once
    the second. The baseline of a second run is the same shot as a first run with an empty cache.
    """
    body = Body("jar", shapes.shipped("old_jar"), TERRACOTTA, Settings.of(cell_count=AGAIN_CELLS, seed=7))
    directions = {"side": [0.0, 1.0, 0.0], "front": [1.0, 0.3, 0.0]}
    jobs = {
        name: Job((replace(body, impacts=(_impact(body, direction),)),), (FLOOR,), 1, FRAMES)
        for name, direction in directions.items()
    }
    _seconds_of_worker(jobs["side"])  # compiles
    there, back = (
        _seconds_of_worker(*(jobs[name] for name in order)) for order in (("side", "front"), ("front", "side"))
    )
    yield Row("second_shatter_10k_moved", AGAIN_CELLS, there[1] + back[1], "s", baseline=there[0] + back[0])
    yield Row("second_shatter_10k_moved_front", AGAIN_CELLS, there[1], "s", baseline=back[0])
    yield Row("second_shatter_10k_moved_side", AGAIN_CELLS, back[1], "s", baseline=there[0])


def _seconds_of_worker(*jobs: Job) -> list[float]:
    """Return the seconds of each job in one new worker with a cache; the first job's include the worker's start.

    Between two jobs it waits MOVING seconds. By then the worker has finished what it does after its answer.
    """
    seconds, root = [], Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as name:
        around = os.environ | {"FRACTURE_STAGES": f"{name}/stages", "PYTHONPATH": str(root)}
        command = [sys.executable, "-m", "fracture_addon.worker", "-", "60"]
        start = time.perf_counter()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=around, **pipes) as child:
            for row, job in enumerate(jobs):
                if row:
                    time.sleep(MOVING)
                    start = time.perf_counter()
                folder = Path(name) / str(row)
                folder.mkdir()
                arrays.save(folder / "job.npz", job)
                child.stdin.write(json.dumps({"folder": str(folder), "task": "recording"}) + "\n")
                child.stdin.flush()
                while "code" not in json.loads(child.stdout.readline()):
                    pass
                arrays.load(folder / "recording.npz", Recording)
                seconds.append(time.perf_counter() - start)
            child.stdin.close()
    return seconds


def _again() -> Iterator[Row]:
    """Yield seconds of a second run by what changed since the first; the baseline is a run with an empty cache."""
    body = Body("jar", shapes.shipped("old_jar"), TERRACOTTA, Settings.of(cell_count=AGAIN_CELLS, seed=7))
    struck = replace(body, impacts=(_impact(body, [0.0, 1.0, 0.0]),))
    changes = {
        "impact": replace(body, impacts=(_impact(body, [1.0, 0.3, 0.0]),)),
        "violence": replace(struck, settings=body.settings.changed(violence=1.2)),
        "relief": replace(struck, settings=body.settings.changed(roughness=0.6)),
    }
    with tempfile.TemporaryDirectory() as folder:
        kept = Cache(Path(folder))
        _timed(Job((struck,), (FLOOR,), 1, FRAMES), kept)
        for name, changed in changes.items():
            job = Job((changed,), (FLOOR,), 1, FRAMES)
            (again, _, _), (alone, _, _) = _timed(job, kept), _timed(job)
            yield Row(f"reshatter_10k_{name}", AGAIN_CELLS, again, "s", baseline=alone)


def _impact(body: Body, direction) -> AuthoredImpact:
    """Return an impact on the side that faces ``direction``, at half the height."""
    low, high = body.surface.points.min(axis=0), body.surface.points.max(axis=0)
    direction = np.asarray(direction) / np.linalg.norm(direction)
    return AuthoredImpact(4, 0.5 * (low + high) - (high - low) * direction, direction, AGAIN_STRENGTH)


def _tilted_jar() -> Surface:
    cosine, sine = np.cos(TILT), np.sin(TILT)
    turned = shapes.moved(
        shapes.shipped("old_jar"), rotation=[[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]]
    )
    return shapes.moved(turned, offset=(0.0, 0.0, DROP - turned.points[:, 2].min()))


def _timed(job: Job, kept: Cache = NO_CACHE) -> tuple[float, dict[str, float], int]:
    """Return the total seconds, the seconds of each stage, and the number of fragments."""
    stages, last = {}, [None, time.perf_counter()]

    def note(stage: str, share: float) -> None:
        now = time.perf_counter()
        if last[0]:
            stages[last[0]] = stages.get(last[0], 0.0) + now - last[1]
        last[:] = [stage.replace(" ", "_"), now]

    start = time.perf_counter()
    recording = timeline.simulate(job, note, kept)
    note("", 1.0)
    return time.perf_counter() - start, stages, len(recording.fragments)
