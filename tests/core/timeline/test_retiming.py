"""Slow motion of recordings: places, breaks and events keep their order, at another time."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.events import Events
from fracture_addon.core.data.recording import NEVER, Debris, Deformed, Fragment, Recording, Track
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline.retiming import SlowMotion, retimed

TIMES = np.arange(20.0)
SURFACE = Surface(np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32))


def poses():
    """A fall with a spin of 0.3 radians a frame, and a bounce on the tenth row."""
    result = np.zeros((len(TIMES), 7))
    result[:, 2] = np.abs(10.0 - TIMES)
    result[:, 3], result[:, 6] = np.cos(0.15 * TIMES), np.sin(0.15 * TIMES)
    return result


@pytest.fixture
def recording():
    track = Track("Cup", np.zeros(3), 8, poses())
    fragment = Fragment(0, -1, SURFACE, np.zeros(1, bool), np.zeros(3), 1.0, 8, NEVER, poses())
    debris = Debris(0, np.array([8, 12], np.int32), np.ones(2), np.zeros((2, 3)), np.stack([poses()] * 2, axis=1))
    points = np.broadcast_to(TIMES[:, None, None], (20, 3, 3)).astype(np.float32)
    deformed = Deformed(0, SURFACE, np.zeros(1, bool), np.zeros(1, np.int32), points)
    events = Events(
        np.array([8, 11], np.int32),
        np.array([0.3, 0.4]),
        np.zeros((2, 3)),
        np.ones(2),
        np.zeros(2, np.int32),
        np.ones(2, np.int32),
    )
    return Recording(1, (track,), (track,), (fragment,), {}, (deformed,), (debris,), events)


def test_half_the_speed_has_the_old_frames_on_every_second_one(recording):
    made = retimed(recording, SlowMotion(1, 20, 0.5))
    for old, new in zip(
        (*recording.bodies, *recording.fragments, *recording.debris),
        (*made.bodies, *made.fragments, *made.debris),
        strict=True,
    ):
        assert len(new.poses) == 39
        assert np.allclose(new.poses[::2], old.poses)
    assert np.allclose(made.deformed[0].points[:, 0, 0], 0.5 * np.arange(39.0))
    assert made.bodies[0].break_frame == made.fragments[0].birth_frame == 15
    assert made.fragments[0].death_frame == NEVER
    assert made.debris[0].birth_frames.tolist() == [15, 23]
    assert made.events.frames.tolist() == [15, 21]


def test_a_spin_stays_even_and_a_bounce_does_not_overshoot(recording):
    found = retimed(recording, SlowMotion(1, 20, 0.125)).fragments[0].poses
    angles = np.unwrap(2.0 * np.arctan2(found[:, 6], found[:, 3]))
    assert np.allclose(np.diff(angles), 0.3 / 8)
    assert found[:, 2].min() == 0.0
    assert np.allclose(np.linalg.norm(found[:, 3:], axis=1), 1.0)


def test_only_the_chosen_frames_are_slow_and_a_ramp_changes_the_speed_gradually(recording):
    plain = np.diff(retimed(recording, SlowMotion(6, 11, 0.25)).deformed[0].points[:, 0, 0])
    assert np.allclose(plain[:4], 1.0)
    assert np.allclose(plain[6:20], 0.25)
    assert np.allclose(plain[-4:], 1.0, atol=0.2)
    ramp = np.diff(retimed(recording, SlowMotion(8, 11, 0.25, 4.0)).deformed[0].points[:, 0, 0])
    assert np.all(np.diff(ramp[:8]) < 1e-6)
    assert np.abs(np.diff(ramp)).max() < 0.25
    assert ramp.min() == pytest.approx(0.25)


def test_a_fragment_is_born_no_earlier_than_its_moment(recording):
    for speed in (0.07, 0.3, 0.9, 1.0, 1.7):
        made = retimed(recording, SlowMotion(1, 20, speed))
        row = made.fragments[0].birth_frame - 1
        moments = made.deformed[0].points[:, 0, 0]
        assert moments[row] >= 7.0 - 1e-5 > moments[row - 1]


def test_the_speed_of_the_recording_changes_nothing(recording):
    made = retimed(recording, SlowMotion(3, 9, 1.0, 2.0))
    assert np.allclose(made.bodies[0].poses, recording.bodies[0].poses)
    assert made.fragments[0].birth_frame == recording.fragments[0].birth_frame


@pytest.mark.parametrize("slow", [SlowMotion(9, 3, 0.5), SlowMotion(1, 9, 0.0)])
def test_impossible_values_name_the_remedy(recording, slow):
    with pytest.raises(SettingsError, match="choose a later last frame and a speed above 0"):
        retimed(recording, slow)
