"""Pins of rigid bodies: fragments with a pin stay, all others fall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Collider, Settings
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.recording import NEVER
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, block, run, velocities

STILL = np.array([[0.0, 0.0, 0.54, 1.0, 0.0, 0.0, 0.0]])
# m, least fall of a free fragment in eight frames.
FALLEN = 0.3


def pins(surface, chosen) -> PaintedField:
    return PaintedField(surface.points, surface.faces, np.asarray(chosen, float))


def pinned_block(chosen, depth=1, **values):
    """A block half a metre above the ground with the weights that ``chosen`` returns for its points (P, 3)."""
    body = block(0.5, **{"track": STILL, **values})
    settings = SETTINGS.changed(pinned=pins(body.surface, chosen(body.surface.points)), break_depth=depth)
    return replace(body, settings=settings)


def at_right(points):
    """A weight of 0.6 at the right points: it is above 0.5 near the right end only."""
    return 0.6 * (points[:, 0] > 0.0)


def tap(frame, point=(0.0, 0.0, 0.58), direction=DOWN, strength=3.0):
    return AuthoredImpact(frame, np.array(point), np.asarray(direction, float), strength)


def stays(fragment):
    """Whether a fragment does not move between its birth and its death."""
    poses = fragment.poses[fragment.birth_frame - 1 : fragment.death_frame - 1]
    return bool(np.abs(poses[:, :3] - poses[0, :3]).max() < 1e-6)


def place(fragment):
    """Position along X in the whole body, m."""
    return fragment.center[0]


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize("direction", [DOWN, (0.1, 0.0, -1.0)])
def test_the_pinned_half_stays_and_the_other_falls(direction):
    recording = run(pinned_block(at_right, impacts=(tap(2, direction=direction),)), frames=10)
    assert recording.bodies[0].break_frame == 2
    left, right = sorted(recording.fragments, key=place)
    assert stays(right)
    assert left.poses[0, 2] - left.poses[-1, 2] > FALLEN


@pytest.mark.usefixtures("halving")
def test_if_a_pinned_fragment_breaks_again_only_the_part_with_the_pin_stays():
    impacts = (tap(2), tap(5, (0.02, 0.0, 0.58)))
    body = pinned_block(at_right, depth=2, impacts=impacts)
    # Smooth crack faces: a fragment can stay caught on a rough vertical one.
    body = replace(body, settings=body.settings.changed(roughness=0.0))
    recording = run(body, frames=14)
    right = max(recording.fragments, key=place)
    assert len(recording.fragments) == 4
    assert [stays(fragment) for fragment in recording.fragments if fragment.death_frame != NEVER] == [True]
    assert stays(right)
    alive = [fragment for fragment in recording.fragments if fragment.death_frame == NEVER and fragment is not right]
    assert all(fragment.poses[4, 2] - fragment.poses[-1, 2] > FALLEN for fragment in alive)


@pytest.mark.usefixtures("halving")
def test_a_pinned_fragment_follows_the_track_and_falls_when_the_track_ends():
    track = np.repeat(STILL, 8, axis=0)
    track[:, 0] = 0.1 * np.arange(8)
    recording = run(pinned_block(at_right, track=track, impacts=(tap(2, (0.1, 0.0, 0.58)),)), frames=16)
    right = max(recording.fragments, key=place)
    np.testing.assert_allclose(np.diff(right.poses[1:8, 0]), 0.1, atol=1e-5)
    assert np.ptp(right.poses[1:8, 2]) < 1e-5
    assert velocities(right.poses)[-1, 0] == pytest.approx(2.4, rel=0.01)
    assert right.poses[-1, 2] < right.poses[7, 2] - FALLEN


@pytest.mark.usefixtures("halving")
def test_a_pin_smaller_than_a_cell_works():
    def corner(points):
        """A weight above 0.5 at one corner only."""
        return 0.51 * (np.linalg.norm(points - points.max(axis=0), axis=1) < 1e-6)

    recording = run(pinned_block(corner, impacts=(tap(2),)), frames=10)
    assert [stays(fragment) for fragment in recording.fragments].count(True) == 1


@pytest.mark.usefixtures("halving")
def test_without_pins_fragments_of_a_kinematic_body_fall_and_with_empty_pins_the_body_falls_at_once():
    held = run(block(0.5, track=STILL, impacts=(tap(2),)), frames=10)
    assert not any(stays(fragment) for fragment in held.fragments)
    loose = run(pinned_block(lambda points: np.zeros(len(points))), colliders=[FLOOR], frames=10)
    assert loose.bodies[0].poses[-1, 2] < loose.bodies[0].poses[0, 2] - FALLEN
    said = [any("is pinned nowhere" in line for line in run.report["bodies"][0]["warnings"]) for run in (held, loose)]
    assert said == [False, True]


@pytest.mark.parametrize("method", ["network", "lattice", "fem"])
def test_the_pinned_foot_of_a_wall_stays_when_a_ball_breaks_the_wall(method):
    surface = shapes.box((0.4, 0.04, 0.3), (0.0, 0.0, 0.65))
    foot = surface.points[:, 2] < 0.55
    # Weights fall from 1 to 0 along the sides; in the lower half they are above 0.5.
    settings = Settings.of(method=method, cell_count=400, break_depth=1, pinned=pins(surface, foot))
    ball = shapes.moved(shapes.icosphere(0.04), offset=(0.0, -0.2, 0.72))
    impactor = Collider("ball", ball, "sphere", mass=2.0, velocity=np.array([0.0, 24.0, 0.0]))
    track = np.array([[0.0, 0.0, 0.65, 1.0, 0.0, 0.0, 0.0]])
    wall = replace(block(), name="wall", surface=surface, settings=settings, track=track)
    recording = run(wall, colliders=[impactor], frames=12)
    lowest = np.array([(fragment.center + fragment.surface.points)[:, 2].min() for fragment in recording.fragments])
    still = np.array([stays(fragment) for fragment in recording.fragments])
    assert still[lowest < 0.5 + 1e-3].all()
    assert (lowest < 0.5 + 1e-3).any()
    assert not still[lowest > 0.65].any()
    assert (lowest > 0.65).any()
