"""Checkpoints: runs of deformable bodies that stop and continue."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Job
from fracture_addon.core.timeline.cache import Cache
from fracture_addon.core.timeline.timeline import simulate
from tests.core.soft_bricks import BELOW, CHALK, FLOOR, brick, middles


class Killed(Exception):
    """Stands for a crash of the machine."""


def killed_at(share):
    def progress(stage, done):
        if done > share:
            raise Killed

    return progress


def whole_and_resumed(job, folder):
    """Return the recording of a job of 12 frames, and that of a run that is killed after the checkpoint on frame 6."""
    whole = simulate(replace(job, checkpoint_interval=0), lambda *_: None)
    cache = Cache(folder / "cache")
    with pytest.raises(Killed):
        simulate(job, killed_at(0.3 + 0.7 * 0.8 * 8 / 12), cache)
    shares = []
    resumed = simulate(job, lambda stage, share: shares.append(share) if stage == "Simulating" else None, cache)
    assert min(shares) > 0.3 + 0.7 * 0.8 * 5 / 12
    return whole, resumed


def test_a_killed_run_continues_from_its_last_checkpoint_to_the_same_bytes(tmp_path):
    job = Job((brick((0.0, 0.0, 0.05), CHALK),), colliders=(FLOOR,), frame_end=12, checkpoint_interval=3)
    whole, resumed = whole_and_resumed(job, tmp_path)
    assert whole.deformed[0].points.tobytes() == resumed.deformed[0].points.tobytes()


def test_a_run_continues_from_any_frame_with_other_settings(tmp_path):
    cache = Cache(tmp_path / "cache")
    job = Job((brick(),), colliders=(BELOW,), frame_end=10, checkpoint_interval=2)
    first = middles(simulate(job, lambda *_: None, cache).deformed[0])[:, 2]
    up = replace(job, gravity=np.array([0.0, 0.0, 30.0]), continue_from=6)
    then = middles(simulate(up, lambda *_: None, cache).deformed[0])[:, 2]
    # The checkpoint at or before frame 6 is that of frame 5, the third from the first on.
    assert then[:5] == pytest.approx(first[:5], abs=1e-12)
    rates = np.diff(then) * 24.0
    assert np.diff(rates)[4:] == pytest.approx(30.0 / 24.0, rel=0.01)
    with pytest.raises(SettingsError, match="no checkpoint"):
        simulate(replace(up, bodies=(brick(cell_count=300),)), lambda *_: None, cache)


def test_without_a_folder_missing_checkpoints_are_reported():
    job = Job((brick(),), colliders=(BELOW,), frame_end=2, checkpoint_interval=1)
    assert "no checkpoints" in simulate(job, lambda *_: None).report["warnings"][0]
    with pytest.raises(SettingsError, match="cannot continue from frame 2"):
        simulate(replace(job, continue_from=2), lambda *_: None)


def halted(job, cache):
    """Return the checkpoints of a run that is stopped after its third one."""
    with pytest.raises(Killed):
        simulate(job, killed_at(0.3 + 0.7 * 0.8 * 10 / 12), cache)
    return sorted(cache.checkpoints.iterdir())


@pytest.mark.parametrize("damage", ["cut short", "empty", "a changed byte"])
def test_a_damaged_checkpoint_is_skipped(tmp_path, damage):
    job = Job((brick((0.0, 0.0, 0.05), CHALK),), colliders=(FLOOR,), frame_end=12, checkpoint_interval=3)
    whole = simulate(replace(job, checkpoint_interval=0), lambda *_: None)
    cache = Cache(tmp_path / "cache")
    *_, last = halted(job, cache)
    content = last.read_bytes()
    middle = len(content) // 2
    changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    last.write_bytes({"cut short": content[:middle], "empty": b"", "a changed byte": changed}[damage])
    resumed = simulate(job, lambda *_: None, cache)
    assert whole.deformed[0].points.tobytes() == resumed.deformed[0].points.tobytes()


def test_a_checkpoint_that_another_run_removes_is_no_error(tmp_path, monkeypatch):
    job = Job((brick((0.0, 0.0, 0.05), CHALK),), colliders=(FLOOR,), frame_end=12, checkpoint_interval=3)
    cache = Cache(tmp_path / "cache")
    first, *_ = halted(job, cache)
    glob = Path.glob

    def late(folder, pattern):
        found = list(glob(folder, pattern))
        if folder == cache.checkpoints:
            first.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "glob", late)
    assert simulate(job, lambda *_: None, cache).deformed
