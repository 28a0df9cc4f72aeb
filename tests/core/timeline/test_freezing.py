"""Freezes: volumes that stop moving fragments, hold them, and let them go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Collider
from fracture_addon.core.data.moving_volume import Freeze, MovingVolume
from fracture_addon.core.data.recording import NEVER
from tests import shapes
from tests.core.timeline_scenes import DOWN, SETTINGS, WEIGHTLESS, block, run

# m, more than rounding, and less than a frame of fall.
MOVED = 1e-5
FRAMES = 14


def freeze(first=5, last=FRAMES, place=(0.0, 0.0, 0.5), size=1.0):
    matrices = np.tile(np.diag([size, size, size, 1.0]), (FRAMES, 1, 1))
    matrices[:, :3, 3] = place
    return Freeze(MovingVolume("bubble", matrices), first, last)


def falling(activation="break", **values):
    """A block that falls from a height of half a metre, and breaks into two halves on frame 2."""
    settings = SETTINGS.changed(activation=activation, **values.pop("settings", {}))
    return block(0.5, settings=settings, impacts=(AuthoredImpact(2, np.array([0.0, 0.0, 0.58]), DOWN, 3.0),), **values)


def moves(fragment):
    """(T - 1,) bool: whether a fragment moves between each frame of its life and the next; by frames from the first."""
    poses = fragment.poses
    apart = np.abs(np.diff(poses[:, :3], axis=0)).max(axis=1) > MOVED
    apart[: fragment.birth_frame - 1] = True
    return apart.tolist()


@pytest.mark.usefixtures("halving")
def test_pieces_stay_where_the_freeze_reaches_them_until_its_last_frame():
    recording = run(falling(), frames=FRAMES, freezes=(freeze(5, 9),))
    assert len(recording.fragments) == 2
    for fragment in recording.fragments:
        assert moves(fragment) == [True] * 4 + [False] * 5 + [True] * 4
        # They begin to fall again from rest.
        falls = np.diff(fragment.poses[9:, 2])
        assert falls[0] == pytest.approx(-0.5 * 9.81 / 24**2, rel=0.2)


@pytest.mark.usefixtures("halving")
def test_an_unbroken_object_is_stopped_in_its_fall():
    soft = AuthoredImpact(2, np.array([0.0, 0.0, 0.58]), DOWN, 0.1)
    body = replace(falling(), impacts=(soft,))
    (track,) = run(body, frames=FRAMES, freezes=(freeze(4),)).bodies
    steps = np.abs(np.diff(track.poses[:, 2]))
    assert track.break_frame == NEVER
    assert steps[2] > MOVED > steps[3:].max()


@pytest.mark.usefixtures("halving")
def test_a_volume_stops_only_the_pieces_that_it_reaches():
    recording = run(
        falling(), frames=FRAMES, gravity=WEIGHTLESS, freezes=(freeze(3, place=(-0.56, 0.0, 0.5), size=0.53),)
    )
    left, right = sorted(recording.fragments, key=lambda fragment: fragment.center[0])
    assert not any(moves(left)[2:])
    assert all(moves(right)[2:])


def ball(*, keyed):
    """Comes along Y at 1.44 m/s to the left half, frozen with its centre at a height of 0.384 m; there on frame 8."""
    start = np.array([-0.025, -0.5, 0.384])
    surface = shapes.moved(shapes.icosphere(0.02), offset=start)
    if not keyed:
        # Gravity takes it down by 0.42 m in the 0.29 s.
        return Collider("ball", surface, "sphere", mass=1.0, velocity=np.array([0.0, 1.44, 0.5 * 9.81 * 0.29]))
    track = np.tile([*start, 1.0, 0.0, 0.0, 0.0], (FRAMES, 1))
    track[:, 1] += 0.06 * np.arange(FRAMES)
    return Collider("ball", surface, "sphere", track=track)


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize(("activation", "goes"), [("event", True), ("break", False)])
def test_an_impact_lets_go_of_frozen_pieces_of_objects_whose_pieces_go_one_by_one(activation, goes, keyed):
    body = falling(activation, settings={"activation_speed": 0.5})
    recording = run(body, colliders=(ball(keyed=keyed),), frames=FRAMES, freezes=(freeze(4),))
    left, _ = sorted(recording.fragments, key=lambda fragment: fragment.center[0])
    assert not any(moves(left)[3:6])
    assert any(moves(left)[6:]) == goes


@pytest.mark.usefixtures("halving")
def test_a_release_lets_go_of_frozen_pieces_and_the_freeze_does_not_stop_them_again():
    matrices = np.tile(np.eye(4), (FRAMES, 1, 1))
    matrices[:7, 2, 3] = 50.0
    release = MovingVolume("release", matrices)
    recording = run(falling("event"), frames=FRAMES, freezes=(freeze(4),), releases=(release,))
    for fragment in recording.fragments:
        assert moves(fragment) == [True] * 3 + [False] * 4 + [True] * 6


@pytest.mark.usefixtures("halving")
def test_a_second_freeze_stops_pieces_again():
    recording = run(falling(), frames=FRAMES, freezes=(freeze(4, 6), freeze(9, 10)))
    for fragment in recording.fragments:
        assert moves(fragment) == [True] * 3 + [False] * 3 + [True] * 2 + [False] * 2 + [True] * 3


@pytest.mark.usefixtures("halving")
def test_pieces_of_a_frozen_object_that_breaks_fall():
    body = replace(falling(), impacts=(AuthoredImpact(7, np.array([0.0, 0.0, 0.54]), DOWN, 3.0),))
    recording = run(body, frames=FRAMES, freezes=(freeze(3),))
    assert recording.bodies[0].break_frame == 7
    assert len(recording.fragments) == 2
    for fragment in recording.fragments:
        assert all(moves(fragment)[6:])


def test_a_freeze_that_ends_before_it_starts_is_an_error():
    with pytest.raises(SettingsError, match="lets go on frame 3, before it starts on frame 5; choose a later frame"):
        freeze(5, 3)
