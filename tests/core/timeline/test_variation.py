"""Variations: the pieces of a simulation at low detail, shortly after the first break."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Job, Settings
from fracture_addon.core.timeline import variation
from fracture_addon.core.timeline.timeline import simulate
from fracture_addon.core.timeline.variation import run_variation
from tests.core.timeline_scenes import DOWN, block

SETTINGS = Settings.of(cell_count=400, seed=3, break_depth=1)
ABOVE = np.array([0.02, 0.0, 0.08])


def quiet(stage, share):
    """Ignore progress."""


def job(strength=8.0, frame_end=12, **options):
    body = block(settings=SETTINGS, impacts=(AuthoredImpact(3, ABOVE, DOWN, strength),))
    return Job((body,), (), 1, frame_end, gravity=np.zeros(3), **options)


def test_a_recording_that_ends_after_the_break_is_the_start_of_the_whole_one():
    whole, start = simulate(job(), quiet), simulate(job(), quiet, frames_after_break=2)
    assert len(start.bodies[0].poses) == 5  # frames 1 to 5: the break is on frame 3
    assert len(start.fragments) == len(whole.fragments) > 1
    for early, late in zip(start.fragments, whole.fragments, strict=True):
        np.testing.assert_array_equal(early.surface.points, late.surface.points)
        np.testing.assert_array_equal(early.poses, late.poses[:5])


def test_a_recording_without_a_break_has_all_frames():
    recording = simulate(job(0.01), quiet, frames_after_break=2)
    assert len(recording.bodies[0].poses) == 12


def test_the_picture_shows_each_piece_of_the_simulation():
    count = sum(piece.death_frame > 12 for piece in simulate(job(), quiet).fragments)
    found = run_variation(job(), quiet)
    assert found.piece_count == count > 1
    assert found.strengthened == 1.0
    assert found.pixels.shape == (variation.SIZE, variation.SIZE, 4)
    assert 0.05 < (found.pixels[..., 3] > 0).mean() < 0.9


def test_a_whole_body_is_one_piece_of_one_tint():
    found = run_variation(job(0.01), quiet)
    assert found.piece_count == 1
    seen = found.pixels[found.pixels[..., 3] == 255][:, :3].astype(float)
    assert np.ptp(seen / seen.max(axis=1, keepdims=True), axis=0).max() < 0.05


def test_break_anyway_gives_its_factor():
    found = run_variation(job(0.5, break_anyway=True), quiet)
    assert found.piece_count > 1
    assert found.strengthened > 1.0


def test_a_deformable_body_is_refused():
    body = job().bodies[0]
    deformable = replace(body, settings=body.settings.changed(method="lattice", dynamics="deformable"))
    with pytest.raises(SettingsError, match="deformable"):
        run_variation(replace(job(), bodies=(deformable,)), quiet)
