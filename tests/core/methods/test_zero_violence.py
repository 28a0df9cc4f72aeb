"""No violence, and impacts without strength: nothing breaks, and everything stays finite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.placed_fields import GrainDirection
from fracture_addon.core.data.surface import volume
from fracture_addon.core.timeline.stress_preview import preview_stress
from tests.core import timeline_scenes as scenes

METHODS = ("network", "lattice", "fem")
WEAK = Settings.of(cell_count=120, violence=0.0)


def speeds(recording):
    return scenes.velocities(recording.bodies[0].poses)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pieces", [0, 10])
def test_without_violence_an_impact_moves_the_body_as_a_rigid_one(method, pieces):
    settings = WEAK.changed(method=method, piece_count=pieces)
    body = scenes.block(settings=settings, impacts=(scenes.tap(2.0),))
    recording = scenes.run(body, gravity=scenes.WEIGHTLESS, frames=6)
    assert not recording.fragments
    (warning,) = recording.report["bodies"][0]["warnings"]
    assert "violence is 0" in warning
    moved = speeds(recording)
    assert np.isfinite(recording.bodies[0].poses).all()
    # Straight down: the impact is above the centre of mass.
    assert moved[2, 2] < -1.0
    assert np.abs(moved[2, :2]).max() < 0.05 * -moved[2, 2]
    assert moved[-1, 2] == pytest.approx(moved[2, 2], rel=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_two_impacts_without_violence_add_up(method):
    body = scenes.block(settings=WEAK.changed(method=method), impacts=(scenes.tap(2.0), scenes.tap(2.0)))
    both = speeds(scenes.run(body, gravity=scenes.WEIGHTLESS, frames=6))
    one = speeds(scenes.run(replace(body, impacts=body.impacts[:1]), gravity=scenes.WEIGHTLESS, frames=6))
    assert both[-1, 2] == pytest.approx(2.0 * one[-1, 2], rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_an_impact_without_strength_does_nothing(method):
    body = scenes.block(settings=WEAK.changed(method=method, violence=1.0), impacts=(scenes.tap(0.0),))
    recording = scenes.run(body, gravity=scenes.WEIGHTLESS, frames=6)
    assert not recording.fragments
    assert recording.bodies[0].poses == pytest.approx(recording.bodies[0].poses[:1].repeat(6, axis=0))


@pytest.mark.parametrize("method", ["lattice", "fem"])
@pytest.mark.parametrize(("violence", "strength"), [(0.0, 4.0), (1.0, 0.0)])
def test_what_deforms_takes_no_notice_of_an_impact_without_load(method, violence, strength):
    settings = WEAK.changed(method=method, violence=violence, dynamics="deformable", softening=1e4)
    body = scenes.block(settings=settings, impacts=(scenes.tap(strength),))
    points = scenes.run(body, gravity=scenes.WEIGHTLESS, frames=4).deformed[0].points
    assert points == pytest.approx(points[:1].repeat(4, axis=0), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_without_violence_there_is_no_stress_to_show(method):
    body = scenes.block(settings=WEAK.changed(method=method), impacts=(scenes.tap(2.0),))
    found = preview_stress(Job((body,), frame_start=1, frame_end=4), lambda stage, share: None)
    assert found.bodies == (None,)


def test_finite_elements_crack_along_a_placed_grain():
    wood = replace(PORCELAIN, grain_strength_ratio=10.0)
    grain = GrainDirection([0.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    settings = Settings.of(method="fem", cell_count=120, grains=(grain,))
    body = scenes.block(settings=settings, material=wood, impacts=(scenes.tap(4.0),))
    pieces = scenes.run(body, gravity=scenes.WEIGHTLESS, frames=4).fragments
    assert len(pieces) > 1
    assert sum(volume(fragment.surface) for fragment in pieces) == pytest.approx(volume(body.surface))
