"""Activation: fragments of a held object stay until events of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Collider
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.recording import NEVER
from tests import shapes
from tests.core.timeline_scenes import DOWN, SETTINGS, WEIGHTLESS, block, run

STILL = np.array([[0.0, 0.0, 0.54, 1.0, 0.0, 0.0, 0.0]])
# m, more than rounding, and less than any motion in these scenes.
MOVED = 1e-5


def held_block(speed=1.0, track=STILL, **values):
    """A block half a metre above the ground that lets its pieces go one by one."""
    settings = SETTINGS.changed(activation="event", activation_speed=speed, **values.pop("settings", {}))
    return block(0.5, track=track, settings=settings, **values)


def tap(frame=2, strength=3.0):
    return AuthoredImpact(frame, np.array([0.0, 0.0, 0.58]), DOWN, strength)


def ball(x, speed, mass=1.0, distance=0.2):
    """Comes along Y at a place along X of the block."""
    surface = shapes.moved(shapes.icosphere(0.02), offset=(x, -np.sign(speed) * distance, 0.54))
    return Collider("ball", surface, "sphere", mass=mass, velocity=np.array([0.0, speed, 0.0]))


def first_moves(recording):
    """Frame on which each fragment that does not break has left its place, by position along X; 0 for never."""
    frames = []
    for fragment in sorted(recording.fragments, key=lambda fragment: fragment.center[0]):
        poses = fragment.poses[fragment.birth_frame - 1 :]
        apart = np.abs(poses[:, :3] - poses[0, :3]).max(axis=1) > MOVED
        frames.append(int(apart.argmax()) + fragment.birth_frame if apart.any() else 0)
    return frames


@pytest.mark.usefixtures("halving")
def test_fragments_stay_after_the_break_if_impacts_let_none_go():
    recording = run(held_block(0.0, impacts=(tap(),)), frames=8)
    assert recording.bodies[0].break_frame == 2
    assert first_moves(recording) == [0, 0]


@pytest.mark.usefixtures("halving")
def test_without_activation_the_break_lets_go_of_all_fragments():
    body = held_block(0.0, impacts=(tap(),))
    body = replace(body, settings=body.settings.changed(activation="break"))
    assert first_moves(run(body, frames=8)) == [3, 3]


@pytest.mark.usefixtures("halving")
def test_fragments_go_on_the_frame_on_which_the_track_ends():
    body = held_block(0.0, np.repeat(STILL, 6, axis=0), impacts=(tap(),))
    assert first_moves(run(body, frames=10)) == [7, 7]


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize(("x", "speed", "moves"), [(-0.03, 1.2, [True, False]), (0.03, -1.2, [False, True])])
def test_a_ball_lets_go_of_the_fragment_that_it_hits_only(x, speed, moves):
    """The crack is smooth and oblique: the ball pushes either half away from the other.

    The halves overlap a little, so the free half still pushes the other, at up to 0.56 m/s.
    """
    body = held_block(0.7, impacts=(tap(strength=1.2),), settings={"roughness": 0.0})
    recording = run(body, colliders=(ball(x, speed),), frames=8, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == 2
    assert [frame > 0 for frame in first_moves(recording)] == moves


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize(("threshold", "goes"), [(0.7, True), (1.0, False)])
def test_an_unbroken_object_goes_if_the_impact_would_make_it_fast_enough(threshold, goes):
    """Without rebound a ball of 3 kg at 1 m/s gives a free block of 1.15 kg a speed of 3 / 4.15 = 0.72 m/s."""
    body = held_block(threshold)
    soft = replace(body.material, restitution=0.0, young_modulus=1e6)
    body = replace(body, material=soft)
    recording = run(body, colliders=(ball(0.0, 1.0, 3.0, 0.06),), frames=8, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == NEVER
    poses, shot = recording.bodies[0].poses, recording.projectiles[0].poses
    block_speed, ball_speed = (24.0 * (path[-1, 1] - path[-2, 1]) for path in (poses, shot))
    assert (block_speed > 0.0) == goes
    if goes:
        assert 3.0 * ball_speed + 1.152 * block_speed == pytest.approx(3.0, rel=0.02)


@pytest.mark.usefixtures("halving")
def test_a_pinned_fragment_stays_when_it_is_hit():
    body = held_block(0.7, impacts=(tap(strength=1.2),), settings={"roughness": 0.0})
    points = body.surface.points
    pinned = PaintedField(points, body.surface.faces, 0.6 * (points[:, 0] < 0.0))
    body = replace(body, settings=body.settings.changed(pinned=pinned))
    recording = run(body, colliders=(ball(-0.03, 1.2),), frames=8, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == 2
    assert first_moves(recording) == [0, 0]


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize(("threshold", "goes"), [(0.5, True), (1.5, False)])
def test_a_collider_with_keyframes_lets_go_of_the_fragment_that_it_reaches(threshold, goes):
    """It moves at 0.04 m a frame, 0.96 m/s."""
    body = held_block(threshold, impacts=(tap(strength=1.2),), settings={"roughness": 0.0})
    surface = shapes.box((0.03, 0.04, 0.04), (-0.03, -0.2, 0.54))
    track = np.tile([-0.03, -0.2, 0.54, 1.0, 0.0, 0.0, 0.0], (8, 1))
    track[:, 1] += 0.04 * np.arange(8)
    recording = run(body, colliders=(Collider("bar", surface, "box", track=track),), frames=8, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == 2
    assert (first_moves(recording)[0] > 0) == goes


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize(("threshold", "goes"), [(0.001, True), (100.0, False)])
def test_an_impact_of_the_artist_lets_go_of_the_fragments_that_it_makes_fast_enough(threshold, goes):
    recording = run(held_block(threshold, impacts=(tap(),)), frames=6, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == 2
    assert [frame > 0 for frame in first_moves(recording)] == [goes, goes]
