"""Kinematic bodies follow their keyframes, push others, break, and keep their velocity when they are released."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.job import Collider
from fracture_addon.core.data.recording import NEVER
from tests import shapes
from tests.core.timeline_scenes import FLOOR, WEIGHTLESS, block, lowest, run, tap, velocities

pytestmark = pytest.mark.usefixtures("halving")


def test_a_held_body_follows_its_track_until_it_breaks():
    height = np.linspace(0.0, 1.0, 12)
    track = np.zeros((12, 7))
    track[:, 2], track[:, 3] = height, 1.0
    recording = run(block(track=track, impacts=(tap(3.0, 7),)), colliders=[FLOOR], frames=12)
    body = recording.bodies[0]
    np.testing.assert_allclose(body.poses[:6, 2] - body.poses[0, 2], height[:6], atol=1e-5)
    assert body.break_frame == 7
    upwards = height[1] * 24.0
    for fragment in recording.fragments:
        speed = velocities(fragment.poses)[6, 2]
        assert speed < upwards


@pytest.mark.parametrize("surface", [shapes.box((0.1, 2.0, 2.0)), shapes.cup(0.3, 0.6, 0.05)], ids=["box", "cup"])
@pytest.mark.parametrize(("speed", "gap", "frame"), [(4.8, 0.45, 4), (0.2, 0.01, NEVER)])
def test_an_animated_body_breaks_on_a_wall(surface, speed, gap, frame):
    """Its animation leads into the wall, at 0.2 m a frame, or so slowly that nothing happens to it."""
    wall = Collider("wall", shapes.moved(surface, offset=(0.05 + gap - surface.points[:, 0].min(), 0.0, 0.0)))
    track = np.zeros((16, 7))
    track[:, 0], track[:, 3] = np.arange(16) * speed / 24.0, 1.0
    recording = run(block(0.1, track=track), colliders=[wall], frames=16, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == frame
    assert (len(recording.fragments) >= 2) == (frame != NEVER)
    for fragment in recording.fragments:
        assert (fragment.poses[:, 0] < 0.05 + gap).all()


def test_a_body_dragged_along_a_floor_does_not_break():
    track = np.zeros((16, 7))
    track[:, 0], track[:, 3] = np.arange(16) * 0.3, 1.0
    assert not run(block(0.0, track=track), colliders=[FLOOR], frames=16).fragments


def test_a_track_that_ends_lets_go_of_its_body():
    """Carried up and along for six frames, it flies on as it was carried, spin included."""
    track = np.zeros((6, 7))
    track[:, 0], track[:, 2] = np.linspace(0.0, 0.5, 6), np.linspace(0.0, 1.0, 6)
    angles = np.linspace(0.0, 0.5, 6)
    track[:, 3], track[:, 6] = np.cos(0.5 * angles), np.sin(0.5 * angles)
    recording = run(block(0.5, track=track), colliders=[FLOOR], frames=12)
    poses, seconds = recording.bodies[0].poses, np.arange(7) / 24.0
    assert recording.bodies[0].break_frame == NEVER
    np.testing.assert_allclose(poses[5:, 0] - poses[5, 0], 2.4 * seconds, atol=2e-3)
    np.testing.assert_allclose(poses[5:, 2] - poses[5, 2], 4.8 * seconds - 0.5 * 9.81 * seconds**2, atol=0.01)
    turned = 2.0 * np.arctan2(poses[:, 6], poses[:, 3])
    np.testing.assert_allclose(np.diff(turned), 0.1, atol=2e-3)


def test_a_projectile_whose_track_ends_flies_on_and_hits():
    """Carried towards a held body for four frames, let go half a metre in front of it."""
    track = np.zeros((4, 7))
    track[:, 0], track[:, 2], track[:, 3] = np.linspace(-1.5, -0.75, 4), 0.54, 1.0
    shot = Collider(
        "shot", shapes.moved(shapes.icosphere(0.02), offset=(-1.5, 0, 0.54)), "sphere", mass=0.5, track=track
    )
    held = block(0.5, track=np.array([[0.0, 0, 0.54, 1, 0, 0, 0]]))
    recording = run(held, colliders=[shot], frames=16, gravity=WEIGHTLESS)
    poses, broken = recording.projectiles[0].poses, recording.bodies[0].break_frame
    np.testing.assert_allclose(poses[:4, 0], track[:, 0], atol=1e-5)
    np.testing.assert_allclose(np.diff(poses[3 : broken - 1, 0]), 0.25, atol=1e-3)
    assert broken in (6, 7)
    # It pays for what the fragments took with it.
    assert poses[-1, 0] - poses[-2, 0] < 0.2
    assert all(fragment.poses[-1, 0] > fragment.poses[0, 0] for fragment in recording.fragments)


def test_a_still_held_body_does_not_fall_and_breaks_when_it_is_struck():
    held = block(0.5, track=np.array([[0.0, 0, 0.54, 1, 0, 0, 0]]))
    shot = Collider(
        "shot",
        shapes.moved(shapes.icosphere(0.02), offset=(-0.4, 0, 0.54)),
        "sphere",
        mass=0.3,
        velocity=np.array([12.0, 0, 0]),
    )
    recording = run(held, colliders=[FLOOR, shot], frames=20)
    track = recording.bodies[0]
    assert track.break_frame in (2, 3)
    assert (track.poses[: track.break_frame - 1, 2] == track.poses[0, 2]).all()
    # A quarter of a second later they have fallen by 0.3 m.
    assert all(lowest(fragment, track.break_frame + 5) < 0.35 for fragment in recording.fragments)


@pytest.mark.parametrize(
    "surface",
    # 2 cm above the floor: a box on the floor can push balls that sink into it down instead of aside.
    [
        shapes.box((0.05, 0.4, 0.2), (-0.3, 0.0, 0.12)),
        shapes.moved(shapes.cup(0.1, 0.2, 0.02), offset=(-0.3, 0.0, 0.0)),
    ],
    ids=["box", "cup"],
)
def test_an_animated_collider_moves_fragments(surface):
    track = np.zeros((16, 7))
    track[:, 0], track[:, 3] = np.linspace(-0.3, 0.6, 16), 1.0
    pusher = Collider("pusher", surface, "mesh", track=track)
    recording = run(block(impacts=(tap(1.5, 1),)), colliders=[FLOOR, pusher], frames=16)
    assert len(recording.fragments) == 2
    assert all(fragment.poses[-1, 0] > 0.6 for fragment in recording.fragments)
