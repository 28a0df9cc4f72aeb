"""A worker that is killed in the middle of a repair leaves files only in its run's folder, which goes with the run."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.storage.folders import RUN_PREFIX
from tests import shapes

ROOT = Path(__file__).resolve().parents[3]
FLOOR = Collider("floor", Surface([[-9, -9, -3], [9, -9, -3], [9, 9, -3], [-9, 9, -3]], [[0, 1, 2], [0, 2, 3]]))
# Seconds until the repair has created its folder: a cold cache compiles before.
PATIENCE = 240.0


def crossing_itself() -> Surface:
    """A ball with a spike through its far side, which only a new mesh can repair."""
    ball = shapes.icosphere(1.0, 4)
    points = ball.points.copy()
    points[np.argmax(points[:, 2]), 2] = -1.6
    return Surface(points, ball.faces)


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be killed there while it is in that folder")
def test_a_cancelled_repair_leaves_nothing_outside_its_folder(tmp_path):
    run, system = tmp_path / "run", tmp_path / "system"
    for folder in (run, system):
        folder.mkdir()
    body = Body("ball", crossing_itself(), PORCELAIN, Settings.of(method="network", cell_count=300))
    arrays.save(run / "job.npz", Job((body,), (FLOOR,), 1, 12))
    around = os.environ | {"TMPDIR": str(system), "FRACTURE_STAGES": ""}
    command = [sys.executable, "-m", "fracture_addon.worker", str(run)]
    with subprocess.Popen(command, cwd=ROOT, env=around, stdout=subprocess.DEVNULL) as child:
        end = time.monotonic() + PATIENCE
        while not (found := list(tmp_path.rglob(f"{RUN_PREFIX}*"))) and child.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        child.kill()
    assert [path.parent for path in found] == [run]
    assert list(system.iterdir()) == []
