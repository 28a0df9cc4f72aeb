"""Places that are pinned, of bodies that move rigidly: what keeps one stays, the rest falls away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Collider, Settings
from fracture_addon.core.data.places import PaintedField
from fracture_addon.core.data.recording import NEVER
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, block, run, velocities

STILL = np.array([[0.0, 0.0, 0.54, 1.0, 0.0, 0.0, 0.0]])
# A falling piece is this far down after eight frames, at least, m.
FALLEN = 0.3


def pins(surface, chosen) -> PaintedField:
    return PaintedField(surface.points, surface.faces, np.asarray(chosen, float))


def pinned_block(chosen, depth=1, **values):
    """A block half a metre above the ground, pinned where ``chosen`` says of its points (P, 3)."""
    body = block(0.5, **{"track": STILL, **values})
    settings = replace(SETTINGS, pinned=pins(body.surface, chosen(body.surface.points)), break_depth=depth)
    return replace(body, settings=settings)


def at_right(points):
    """Over one half where x is above a third of the block's half."""
    return 0.6 * (points[:, 0] > 0.0)


def tap(frame, point=(0.0, 0.0, 0.58), direction=DOWN, strength=3.0):
    return AuthoredImpact(frame, np.array(point), np.asarray(direction, float), strength)


def stays(fragment):
    """Whether a fragment is where it was born for as long as it is there."""
    poses = fragment.poses[fragment.birth_frame - 1 : fragment.death_frame - 1]
    return bool(np.abs(poses[:, :3] - poses[0, :3]).max() < 1e-6)


def place(fragment):
    """m along X, where it was in the whole."""
    return fragment.center[0]


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize("direction", [DOWN, (0.1, 0.0, -1.0)])
def test_the_half_that_is_pinned_stays_and_the_other_falls(direction):
    recording = run(pinned_block(at_right, impacts=(tap(2, direction=direction),)), frames=10)
    assert recording.bodies[0].break_frame == 2
    left, right = sorted(recording.fragments, key=place)
    assert stays(right)
    assert left.poses[0, 2] - left.poses[-1, 2] > FALLEN


@pytest.mark.usefixtures("halving")
def test_of_a_pinned_piece_that_breaks_again_the_part_with_the_pin_stays():
    blows = (tap(2), tap(5, (0.02, 0.0, 0.58)))
    recording = run(pinned_block(at_right, depth=2, impacts=blows), frames=14)
    right = max(recording.fragments, key=place)
    assert len(recording.fragments) == 4
    assert [stays(fragment) for fragment in recording.fragments if fragment.death_frame != NEVER] == [True]
    assert stays(right)
    alive = [fragment for fragment in recording.fragments if fragment.death_frame == NEVER and fragment is not right]
    assert all(fragment.poses[4, 2] - fragment.poses[-1, 2] > FALLEN for fragment in alive)


@pytest.mark.usefixtures("halving")
def test_what_keeps_a_pin_goes_along_with_the_track_and_falls_when_that_ends():
    track = np.repeat(STILL, 8, axis=0)
    track[:, 0] = 0.1 * np.arange(8)
    recording = run(pinned_block(at_right, track=track, impacts=(tap(2, (0.1, 0.0, 0.58)),)), frames=16)
    right = max(recording.fragments, key=place)
    np.testing.assert_allclose(np.diff(right.poses[1:8, 0]), 0.1, atol=1e-5)
    assert np.ptp(right.poses[1:8, 2]) < 1e-5
    assert velocities(right.poses)[-1, 0] == pytest.approx(2.4, rel=0.01)
    assert right.poses[-1, 2] < right.poses[7, 2] - FALLEN


@pytest.mark.usefixtures("halving")
def test_a_pin_smaller_than_a_cell_holds():
    def corner(points):
        """Over one half within two millimetres."""
        return 0.51 * (np.linalg.norm(points - points.max(axis=0), axis=1) < 1e-6)

    recording = run(pinned_block(corner, impacts=(tap(2),)), frames=10)
    assert [stays(fragment) for fragment in recording.fragments].count(True) == 1


@pytest.mark.usefixtures("halving")
def test_a_body_held_without_pins_is_let_go_by_the_break_and_with_pins_nowhere_falls_at_once():
    held = run(block(0.5, track=STILL, impacts=(tap(2),)), frames=10)
    assert not any(stays(fragment) for fragment in held.fragments)
    loose = run(pinned_block(lambda points: np.zeros(len(points))), colliders=[FLOOR], frames=10)
    assert loose.bodies[0].poses[-1, 2] < loose.bodies[0].poses[0, 2] - FALLEN


@pytest.mark.parametrize("method", ["network", "lattice", "fem"])
def test_a_wall_that_is_pinned_by_its_foot_keeps_that_when_a_ball_breaks_it(method):
    surface = shapes.box((0.4, 0.04, 0.3), (0.0, 0.0, 0.65))
    foot = surface.points[:, 2] < 0.55
    # Weights fall from one to nothing along the sides: over one half they are in the lower half.
    settings = Settings(method=method, cell_count=400, break_depth=1, pinned=pins(surface, foot))
    ball = shapes.moved(shapes.icosphere(0.04), offset=(0.0, -0.2, 0.72))
    striker = Collider("ball", ball, "sphere", mass=2.0, velocity=np.array([0.0, 12.0, 0.0]))
    track = np.array([[0.0, 0.0, 0.65, 1.0, 0.0, 0.0, 0.0]])
    wall = replace(block(), name="wall", surface=surface, settings=settings, track=track)
    recording = run(wall, colliders=[striker], frames=12)
    lowest = np.array([(fragment.center + fragment.surface.points)[:, 2].min() for fragment in recording.fragments])
    still = np.array([stays(fragment) for fragment in recording.fragments])
    assert still[lowest < 0.5 + 1e-3].all()
    assert (lowest < 0.5 + 1e-3).any()
    assert not still[lowest > 0.65].any()
    assert (lowest > 0.65).any()
