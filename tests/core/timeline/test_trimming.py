"""Trim of recordings: the state on each frame is that of one frame of the whole run, and nothing else is kept."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.events import Events
from fracture_addon.core.data.job import Body, Job, Material, Settings
from fracture_addon.core.data.recording import NEVER, Debris, Deformed, Fragment, Recording, Track
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline.trimming import Trim, trimmed

START, END = 1, 20
SURFACE = Surface(np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32))


def poses():
    """A body that moves by a metre in each frame: its place is the frame."""
    result = np.zeros((END, 7))
    result[:, 0], result[:, 3] = np.arange(START, END + 1), 1.0
    return result


def job_of(track=None, frame_end=END):
    return Job((Body("Cup", SURFACE, Material("Clay"), Settings(), track),), frame_end=frame_end)


@pytest.fixture
def recording():
    """It breaks into two on frame 5, of which the first one breaks into two on frame 10."""
    lives = [(-1, 5, 10), (-1, 5, NEVER), (0, 10, NEVER), (0, 10, NEVER)]
    fragments = tuple(
        Fragment(0, parent, SURFACE, np.zeros(1, bool), np.zeros(3), 1.0 + row, birth, death, poses())
        for row, (parent, birth, death) in enumerate(lives)
    )
    debris = Debris(0, np.array([5, 12], np.int32), np.ones(2), np.zeros((2, 3)), np.stack([poses()] * 2, axis=1))
    points = np.broadcast_to(np.arange(1.0, END + 1)[:, None, None], (END, 3, 3)).astype(np.float32)
    deformed = Deformed(0, SURFACE, np.zeros(1, bool), np.zeros(1, np.int32), points)
    events = Events(
        np.array([5, 10, 15], np.int32),
        np.array([4.0, 9.0, 14.0]) / 24.0,
        np.zeros((3, 3)),
        np.ones(3),
        np.zeros(3, np.int32),
        np.ones(3, np.int32),
    )
    track = Track("Cup", np.zeros(3), 5, poses())
    ball = Track("Ball", np.zeros(3), NEVER, poses())
    return Recording(START, (track,), (ball,), fragments, {}, (deformed,), (debris,), events)


def shown(recording, frame):
    """What is visible on a frame: the masses of fragments, or the whole body, and the place of each."""
    row, (body,) = frame - recording.frame_start, recording.bodies
    found = {
        item.mass: item.poses[row, 0] for item in recording.fragments if item.birth_frame <= frame < item.death_frame
    }
    if frame < body.break_frame:
        found["whole"] = body.poses[row, 0]
    found["ball"] = recording.projectiles[0].poses[row, 0]
    found["points"] = recording.deformed[0].points[row, 0, 0]
    found["dust"] = [
        item.poses[row, point, 0] for item in recording.debris for point in np.flatnonzero(item.birth_frames <= frame)
    ]
    return found


@pytest.mark.parametrize("to_start", [False, True])
@pytest.mark.parametrize(("first", "last"), [(1, 20), (1, 7), (3, 3), (4, 12), (5, 20), (10, 15), (11, 20), (-50, 99)])
def test_each_frame_shows_one_frame_of_the_run(recording, first, last, to_start):
    made = trimmed(job_of(), recording, Trim(first, last, to_start))
    for frame in range(START, END + 1):
        wanted = frame + max(first, START) - START if to_start else frame
        wanted = min(max(wanted, first, START), last, END)
        assert shown(made, frame) == shown(recording, wanted)


def test_what_breaks_off_later_is_left_out_and_parents_stay_parents(recording):
    made = trimmed(job_of(), recording, Trim(1, 9))
    assert [item.mass for item in made.fragments] == [1.0, 2.0]
    assert all(item.death_frame == NEVER for item in made.fragments)
    assert [len(item.sizes) for item in made.debris] == [1]
    whole = trimmed(job_of(), recording, Trim(1, 4))
    assert (whole.fragments, whole.debris, whole.bodies[0].break_frame) == ((), (), NEVER)
    late = trimmed(job_of(), recording, Trim(15, 20))
    assert [item.parent for item in late.fragments] == [item.parent for item in recording.fragments]


def test_events_of_the_range_keep_their_motion(recording):
    assert trimmed(job_of(), recording, Trim(10, 14)).events.frames.tolist() == [10]
    moved = trimmed(job_of(), recording, Trim(10, 15, to_start=True)).events
    assert moved.frames.tolist() == [1, 6]
    assert moved.times == pytest.approx([0.0, 5.0 / 24.0])


@pytest.mark.parametrize(("first", "last"), [(9, 8), (21, 30), (-5, 0)])
def test_a_range_without_frames_of_the_run_is_refused(recording, first, last):
    with pytest.raises(SettingsError, match=r"'Cup' has frames 1 to 20.*choose a First Frame"):
        trimmed(job_of(), recording, Trim(first, last))


def test_a_run_without_motion_is_refused(recording):
    with pytest.raises(SettingsError, match=r"'Cup' has no motion.*press Shatter"):
        trimmed(job_of(frame_end=START), recording, Trim(1, 1))


def test_the_range_cannot_leave_the_keyframes_of_a_whole_body_behind(recording):
    rigid = Recording(START, recording.bodies, (), recording.fragments)
    with pytest.raises(SettingsError, match=r"'Cup' moves by your own keyframes.*turn Move to Start off"):
        trimmed(job_of(poses()), rigid, Trim(3, 20, to_start=True))
    assert trimmed(job_of(poses()), rigid, Trim(5, 20, to_start=True)).bodies[0].break_frame == START
    assert trimmed(job_of(poses()), rigid, Trim(3, 20)).bodies[0].break_frame == 5
    assert trimmed(job_of(poses()[:3]), rigid, Trim(3, 20, to_start=True)).bodies[0].break_frame == 3
