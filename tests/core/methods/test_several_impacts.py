"""Impacts that fall on one frame act together."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.timeline_scenes import WEIGHTLESS, block, run, tap, velocities

DOWN, UP = np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0])
MIDDLE = np.array([0.0, 0.0, 0.01])


def struck(*impacts, method="network"):
    settings = Settings.of(method=method, cell_count=400, break_depth=1)
    body = Body("plank", shapes.box((0.3, 0.1, 0.02)), PORCELAIN, settings, impacts=impacts)
    recording = simulate(Job((body,), frame_end=6, gravity=np.zeros(3)), lambda stage, share: None)
    return recording.report["bodies"][0], recording


def impact(strength, frame=2, point=MIDDLE, direction=DOWN):
    return AuthoredImpact(frame, point, direction, strength)


def test_two_impacts_too_weak_alone_break_it_together():
    """Each has six tenths of the load that would break the plank: the loads add up, on one frame only."""
    assert struck(impact(0.6))[0]["breaks"] == 0
    assert struck(impact(0.6), impact(0.6, frame=4))[0]["breaks"] == 0
    report, _ = struck(impact(0.6), impact(0.6))
    assert report["breaks"] == 1
    assert report["load_factor"] == pytest.approx(1.2, rel=1e-6)
    assert report["fragments"] > 1


def test_impacts_at_both_ends_and_the_middle_bend_it_in_one_break():
    """Three impacts that balance one another, as in a bending test: it breaks in the middle, and stays where it is."""
    ends = [np.array([x, 0.0, -0.01]) for x in (-0.12, 0.12)]
    alone, _ = struck(impact(6.0))
    report, recording = struck(impact(6.0), *(impact(3.0, point=point, direction=UP) for point in ends))
    assert report["breaks"] == 1
    assert report["load_factor"] > alone["load_factor"]
    large = sorted(recording.fragments, key=lambda item: -np.prod(np.ptp(item.surface.points, axis=0)))[:2]
    assert large[0].center[0] * large[1].center[0] < 0.0


def test_the_order_of_the_impacts_does_not_matter():
    first, second = impact(4.0), replace(impact(3.0), point=np.array([0.1, 0.02, 0.01]))
    one, other = (struck(*impacts)[1] for impacts in ((first, second), (second, first)))
    assert len(one.fragments) == len(other.fragments)
    for mine, theirs in zip(one.fragments, other.fragments, strict=True):
        np.testing.assert_allclose(mine.poses, theirs.poses, atol=1e-6)


def test_an_impact_on_a_fragment_of_a_few_cells_pushes_it():
    """It has no bonds that could break."""
    settings = Settings.of(cell_count=120, dust_volume=0.0, seed=3)
    corners = block(settings=settings).surface.points
    later = tuple(AuthoredImpact(3, corner, DOWN, 2.0) for corner in corners)
    alone = block(settings=settings, impacts=(tap(30.0),))
    moved = []
    for body in (alone, replace(alone, impacts=(*alone.impacts, *later))):
        recording = run(body, gravity=WEIGHTLESS, frames=5)
        assert len(recording.fragments) > 30
        moved.append([velocities(item.poses)[-1, 2] for item in recording.fragments])
    changed = np.array(moved[1][: len(moved[0])]) - moved[0]
    assert changed.min() < -0.01
