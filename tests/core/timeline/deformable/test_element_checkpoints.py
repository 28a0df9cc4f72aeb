"""Checkpoints of deformable finite elements: state of cracks, contacts, flow, thin walls and keys."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.wind import Wind
from fracture_addon.core.timeline.cache import Cache
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.soft_bricks import BELOW, CHALK, FLOOR, RUBBER, middles

SETTINGS = Settings.of(method="fem", dynamics="deformable", softening=1.0, cell_count=60, noise=0.3, seed=2)
DOWN = np.array([0.0, 0.0, -2.0])


class Stopped(Exception):
    """Ends a run after its first checkpoint."""


def resumed_at(job, frame, folder):
    """Return the recording of a job that is stopped after a checkpoint on a frame, counted from the first."""
    cache = Cache(folder / f"cache{frame}")
    job = replace(job, checkpoint_interval=frame)

    def progress(stage, share):
        if stage == "Simulating" and cache.checkpoints.exists() and any(cache.checkpoints.iterdir()):
            raise Stopped

    with pytest.raises(Stopped):
        simulate(job, progress, cache)
    (saved,) = cache.checkpoints.iterdir()
    assert int(saved.stem.rsplit("_", 1)[1]) == frame
    return simulate(job, lambda *_: None, cache)


def check_stops(job, stops, folder):
    """Check that runs with a stop have the bytes of one without; return its numbers of fragments."""
    whole = simulate(job, lambda *_: None)
    for frame in stops:
        resumed = resumed_at(job, frame, folder)
        for expected, found in zip(whole.deformed, resumed.deformed, strict=True):
            assert expected.points.tobytes() == found.points.tobytes()
            assert expected.piece_of_face.tobytes() == found.piece_of_face.tobytes()
        assert resumed.report == whole.report
    return [body["fragments"] for body in whole.report["bodies"]], whole.report["warnings"]


def test_bodies_that_break_and_collide_continue_to_the_same_bytes(tmp_path):
    """Cracks, their fronts and waiting times, contact within and between bodies, random strengths, the work limit."""
    lower = Body("lower", shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.04)), CHALK, SETTINGS, velocity=DOWN)
    upper = replace(lower, name="upper", surface=shapes.box((0.1, 0.05, 0.05), (0.03, 0.0, 0.1)))
    counts, warnings = check_stops(Job((lower, upper), (FLOOR,), frame_end=5), (1, 3), tmp_path)
    assert min(counts) > 2
    assert "limit of small steps" in warnings[0]


def test_a_yielding_plate_with_keys_and_wind_continues_to_the_same_bytes(tmp_path):
    """Plastic strain, shared stress in thin walls, keyed stiffness, a keyed part and wind."""
    tin = replace(CHALK, tensile_strength=4e4, yield_strength=1e4, plastic_limit=2.0)
    surface = shapes.divided(shapes.box((0.2, 0.1, 0.01), (0.0, 0.0, 0.0)))
    pins = PaintedField(surface.points, surface.faces, (surface.points[:, 0] < -0.06).astype(float))
    track = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (6, 1))
    track[:, 2] = 0.05 * np.arange(6)
    keys = np.array([1.0, 1.0, 0.5, 0.3, 1.0, 1.0])
    plate = Body("plate", surface, tin, SETTINGS.changed(pinned=pins, cell_count=150), track, stiffness_track=keys)
    wind = Wind("turbulence", direction=np.array([0.0, 1.0, 0.3]), speed=4.0, size=0.1, seed=3)
    job = Job((plate,), (BELOW,), frame_end=6, winds=(wind,))
    counts, _ = check_stops(job, (1, 3), tmp_path)
    assert counts[0] > 1


def test_a_longer_shot_continues_and_pins_may_go(tmp_path):
    cache = Cache(tmp_path / "cache")
    surface = shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.1))
    pins = PaintedField(surface.points, surface.faces, np.ones(8))
    held = Body("brick", surface, RUBBER, SETTINGS.changed(pinned=pins))
    job = Job((held,), (BELOW,), frame_end=5, checkpoint_interval=2)
    simulate(job, lambda *_: None, cache)
    longer = replace(job, frame_end=12, continue_from=5)
    still = middles(simulate(longer, lambda *_: None, cache).deformed[0])
    assert np.abs(still - still[0]).max() < 1e-7
    free = replace(longer, bodies=(replace(held, settings=SETTINGS),))
    height = middles(simulate(free, lambda *_: None, cache).deformed[0])[:, 2]
    assert height[:5] == pytest.approx(height[0], abs=1e-7)
    assert height[4] - height[11] == pytest.approx(0.5 * 9.81 * (7 / 24.0) ** 2, rel=1e-3)


def test_there_is_no_checkpoint_during_an_impact(tmp_path):
    """It pushes for more than two frames from frame 2 on."""
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 0.125]), np.array([0.0, 0.0, -1.0]), 0.3)
    jelly = replace(RUBBER, young_modulus=1000.0)
    body = Body("jelly", shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.1)), jelly, SETTINGS, impacts=(impact,))
    cache = Cache(tmp_path / "cache")
    job = Job((body,), (BELOW,), frame_end=5, gravity=np.zeros(3), checkpoint_interval=1)
    simulate(job, lambda *_: None, cache)
    assert sorted(path.stem[-1] for path in cache.checkpoints.iterdir()) == ["1", "4"]
