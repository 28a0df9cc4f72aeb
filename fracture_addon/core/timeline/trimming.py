"""Trim of a recording: its motion on a range of frames, and no motion before and after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data.errors import SettingsError
from ..data.job import Job
from ..data.recording import NEVER, Debris, Fragment, Recording, Track


@dataclass(frozen=True)
class Trim:
    """Range of frames of a recording.

    Attributes:
        first: First frame that is kept.
        last: Last one.
        to_start: Whether the range moves to the first frame of the recording. Otherwise it keeps its frames, and
            everything stands still before it.
    """

    first: int
    last: int
    to_start: bool = False


def trimmed(job: Job, recording: Recording, trim: Trim) -> Recording:
    """Return a recording that moves only on a range of frames.

    Args:
        job: The job of the recording.
        recording: Poses on each frame of the job.
        trim: The range. Frames outside of the recording have the state of its nearest frame.

    Returns:
        The recording on the same frames. Fragments and debris that break off after the range are left out. Fragments
        that broke before it stay, never visible, because other fragments name them as their parents. The events are
        those of the range.

    Raises:
        SettingsError: The range has no frame of the recording; or it would move away from the keyframes of a body that
            is kinematic in the whole run and whole on the first frame of the range.

    Notes:
        Own: each new frame repeats a frame of the recording, so there is nothing to interpolate.

    Example:
        >>> from fracture_addon.core.data.job import Job
        >>> from fracture_addon.core.data.recording import NEVER, Recording, Track
        >>> poses = np.zeros((6, 7))
        >>> poses[:, 0], poses[:, 3] = np.arange(6.0), 1.0
        >>> job, recording = Job((), frame_end=6), Recording(1, (), (Track("Ball", np.zeros(3), NEVER, poses),))
        >>> trimmed(job, recording, Trim(3, 5)).projectiles[0].poses[:, 0].tolist()
        [2.0, 2.0, 2.0, 3.0, 4.0, 4.0]
        >>> trimmed(job, recording, Trim(3, 5, to_start=True)).projectiles[0].poses[:, 0].tolist()
        [2.0, 3.0, 4.0, 4.0, 4.0, 4.0]
    """
    start, end = job.frame_start, job.frame_end
    first, last = max(trim.first, start), min(trim.last, end)
    _check(job, recording, replace(trim, first=first, last=last))
    earlier = first - start if trim.to_start else 0
    rows = np.clip(np.arange(end - start + 1) + earlier, first - start, last - start)

    def frames(values: np.ndarray) -> np.ndarray:
        """Return the new frames of changes; changes up to the first frame are there from the start on."""
        found = np.where(values <= first, start, values - earlier)
        return np.where(values > last, NEVER, found).astype(values.dtype)

    def frame(value: int) -> int:
        return int(frames(np.array(value)))

    def track(item: Track) -> Track:
        return replace(item, poses=item.poses[rows], break_frame=frame(item.break_frame))

    kept = np.array([item.birth_frame <= last for item in recording.fragments], bool)
    numbers = np.cumsum(kept) - 1

    def fragment(item: Fragment) -> Fragment:
        return replace(
            item,
            parent=int(numbers[item.parent]) if item.parent >= 0 else -1,
            birth_frame=frame(item.birth_frame),
            death_frame=frame(item.death_frame),
            poses=item.poses[rows],
        )

    def debris(item: Debris) -> Debris:
        there = item.birth_frames <= last
        return replace(
            item,
            birth_frames=frames(item.birth_frames[there]),
            sizes=item.sizes[there],
            velocities=item.velocities[there],
            poses=item.poses[rows][:, there],
        )

    events = recording.events
    events = events.rows((events.frames >= first) & (events.frames <= last))
    return replace(
        recording,
        bodies=tuple(map(track, recording.bodies)),
        projectiles=tuple(map(track, recording.projectiles)),
        fragments=tuple(fragment(item) for item in recording.fragments if item.birth_frame <= last),
        deformed=tuple(replace(item, points=item.points[rows]) for item in recording.deformed),
        debris=tuple(debris(item) for item in recording.debris if np.any(item.birth_frames <= last)),
        events=replace(events, frames=events.frames - np.int32(earlier), times=events.times - earlier / job.frame_rate),
    )


def _check(job: Job, recording: Recording, trim: Trim) -> None:
    """Refuse a range without frames, and one that a kinematic body cannot follow."""
    names = ", ".join(f"'{body.name}'" for body in job.bodies)
    if job.is_at_rest:
        raise SettingsError(f"The run of {names} has no motion to trim; press Shatter to make a run that moves")
    if trim.first > trim.last:
        raise SettingsError(
            f"The run of {names} has frames {job.frame_start} to {job.frame_end}, and none from First Frame to Last "
            "Frame; choose a First Frame up to Last Frame, with frames of the run between them"
        )
    if not trim.to_start or trim.first == job.frame_start:
        return
    deforming = {item.body for item in recording.deformed}
    for row, (body, track) in enumerate(zip(job.bodies, recording.bodies, strict=True)):
        keyed = body.track is not None and len(body.track) > job.frame_end - job.frame_start
        if keyed and row not in deforming and track.break_frame > trim.first:
            raise SettingsError(
                f"'{body.name}' moves by your own keyframes and is whole on frame {trim.first}, and they keep "
                "their times; turn Move to Start off, or choose a First Frame on which it is broken"
            )
