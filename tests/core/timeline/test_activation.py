"""Activation: fragments of a held object stay until events of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Bond, Collider, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.moving_volume import MovingVolume
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import Surface
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


def sweep(places, radius=0.06, frames=8):
    """A sphere that moves in a straight line from the first place to the second, in the world."""
    matrices = np.tile(np.diag([radius, radius, radius, 1.0]), (frames, 1, 1))
    matrices[:, :3, 3] = np.linspace(*np.asarray(places, float), frames)
    return MovingVolume("sphere", matrices)


def left_and_right(release, **values):
    """Frames on which the halves of a block go that impacts do not let go."""
    values = {"impacts": (tap(),), **values}
    recording = run(held_block(0.0, **values), frames=8, gravity=DOWN, releases=(release,))
    return first_moves(recording)


@pytest.mark.usefixtures("halving")
def test_a_volume_lets_go_of_the_fragments_that_it_reaches_when_it_reaches_them():
    """It moves by 0.1 m a frame; the block is 0.1 m long. It reaches its left end on frame 5."""
    assert left_and_right(sweep([(-0.5, 0, 0.54), (0.2, 0, 0.54)])) == [6, 7]


@pytest.mark.usefixtures("halving")
def test_a_volume_that_stops_in_the_middle_lets_go_of_one_fragment():
    left, right = left_and_right(sweep([(-0.5, 0, 0.54), (-0.09, 0, 0.54)], frames=5))
    assert left > 0
    assert right == 0


@pytest.mark.usefixtures("halving")
def test_a_volume_does_not_let_go_of_pinned_fragments_nor_of_those_that_it_passes_by():
    body = held_block(0.0)
    pinned = PaintedField(body.surface.points, body.surface.faces, 0.6 * (body.surface.points[:, 0] < 0.0))
    assert left_and_right(sweep([(-0.5, 0, 0.54), (0.2, 0, 0.54)]), settings={"pinned": pinned}) == [0, 7]
    assert left_and_right(sweep([(-0.5, 0, 0.8), (0.2, 0, 0.8)])) == [0, 0]


@pytest.mark.usefixtures("halving")
def test_an_unbroken_object_falls_when_a_volume_reaches_it():
    release = sweep([(0.0, 0.0, 1.0), (0.0, 0.0, 0.3)])
    still = AuthoredImpact(8, np.array([0.0, 0.0, 0.58]), DOWN, 0.1)
    recording = run(held_block(0.0, impacts=(still,)), frames=8, releases=(release,))
    poses = recording.bodies[0].poses
    assert recording.bodies[0].break_frame == NEVER
    # On frame 5 the sphere of 0.06 m is at 0.6 m, and the top of the block at 0.58 m.
    assert np.abs(poses[:5, 2] - 0.54).max() < MOVED < 0.54 - poses[5, 2]


@pytest.mark.usefixtures("halving")
def test_a_sphere_that_grows_reaches_fragments_one_after_the_other():
    matrices = np.tile(np.eye(4), (8, 1, 1))
    matrices[:, :3, 3] = (-0.1, 0.0, 0.54)
    matrices[:, [0, 1, 2], [0, 1, 2]] = 0.025 * np.arange(8)[:, None]
    left, right = left_and_right(MovingVolume("sphere", matrices))
    assert 3 < left < right


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize("is_open", [False, True])
def test_a_mesh_that_moves_farther_than_its_thickness_in_a_frame_reaches_all_in_between(is_open):
    surface = shapes.box((0.01, 0.4, 0.4), (0.0, 0.0, 0.0))
    if is_open:
        surface = Surface([[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], [[0, 1, 2], [0, 2, 3]])
    matrices = np.tile(np.eye(4), (8, 1, 1))
    matrices[:, :3, 3] = np.linspace([-0.5, 0, 0.54], [1.6, 0, 0.54], 8)
    assert left_and_right(MovingVolume("plane", matrices, surface)) == [4, 4]


@pytest.mark.usefixtures("halving")
def test_settings_without_effect_get_a_warning_with_a_remedy():
    def warnings(body, **values):
        return " ".join(run(replace(body, impacts=(tap(),)), frames=3, **values).report["bodies"][0]["warnings"])

    release = sweep([(0, 0, 0), (0, 0, 0)])
    at_the_break = block(0.5, track=STILL)
    assert "turn on Hold in Place" in warnings(held_block(track=None))
    assert "'sphere'" in warnings(at_the_break, releases=(release,))
    assert "Activation" not in warnings(at_the_break) + warnings(held_block(), releases=(release,))


def painted(body, weights_of_x):
    """The order of a body: weights that depend on the position along X."""
    points = body.surface.points
    return PaintedField(points, body.surface.faces, weights_of_x(points[:, 0]))


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize(("start", "end", "moves"), [(4, 8, [7, 5]), (8, 4, [8, 9]), (1, 2, [3, 3])])
def test_fragments_go_in_the_painted_order(start, end, moves):
    """The weight rises along X. It is 0.6 at the right end of the oblique crack: the left half goes on frame 5.6.

    A fragment moves on the frame after it goes.
    """
    body = held_block(0.0, impacts=(tap(),), settings={"order_start": start, "order_end": end})
    order = painted(body, lambda x: np.where(x > 0.0, 1.0, 0.0))
    recording = run(replace(body, settings=body.settings.changed(order=order)), frames=12)
    assert recording.bodies[0].break_frame == 2
    assert first_moves(recording) == moves


@pytest.mark.usefixtures("halving")
def test_fragments_without_paint_do_not_go():
    body = held_block(0.0, impacts=(tap(),))
    body = replace(body, settings=body.settings.changed(order=painted(body, np.zeros_like)))
    assert first_moves(run(body, frames=8)) == [0, 0]


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize("distance", [0.01, 0.1])
def test_a_fragment_goes_when_the_one_beside_it_has_moved_away(distance):
    """A sphere lets go of the left half on frame 5."""
    body = held_block(0.0, impacts=(tap(),), settings={"activation_distance": distance, "roughness": 0.0})
    release = sweep([(-0.5, 0, 0.54), (-0.1, 0, 0.54)], frames=5)
    recording = run(body, frames=14, releases=(release,))
    left = min(recording.fragments, key=lambda fragment: fragment.center[0])
    apart = np.linalg.norm(left.poses[:, :3] - left.poses[4, :3], axis=1)
    frame = int((apart[5:] >= distance).argmax()) + 6
    assert first_moves(recording) == [6, frame + 1]


@pytest.mark.usefixtures("halving")
@pytest.mark.parametrize("distance", [0.0, 5.0])
def test_a_fragment_stays_if_the_one_beside_it_is_near_or_the_distance_is_off(distance):
    body = held_block(0.0, impacts=(tap(),), settings={"activation_distance": distance, "roughness": 0.0})
    release = sweep([(-0.5, 0, 0.54), (-0.1, 0, 0.54)], frames=5)
    assert first_moves(run(body, frames=14, releases=(release,))) == [6, 0]


def test_joined_objects_go_in_the_painted_order_of_each():
    """An impact breaks the joint of two held bricks. The second one is painted and falls, the first one stays."""
    bricks = []
    for name, x, weight in (("A", -0.1025, None), ("B", 0.1025, 1.0)):
        surface = shapes.box((0.2, 0.1, 0.06), (x, 0.0, 0.5))
        order = None if weight is None else PaintedField(surface.points, surface.faces, np.full(8, weight))
        settings = Settings.of(
            cell_count=200, break_depth=1, activation="event", activation_speed=0.0, order=order, order_start=5
        )
        bricks.append(Body(name, surface, PORCELAIN, settings, track=np.array([[x, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]])))
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 0.53]), DOWN, 2.0)
    bricks[0] = replace(bricks[0], impacts=(impact,))
    mortar = replace(PORCELAIN, tensile_strength=1e5, toughness=1e5)
    recording = run(*bricks, frames=10, bonds=(Bond(0, 1, mortar, 0.02),))
    assert [track.break_frame for track in recording.bodies] == [2, 2]
    assert first_moves(recording) == [0, 6]
