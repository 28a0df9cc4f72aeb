"""Slow motion of a recording: poses between its frames, at a speed that changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import PchipInterpolator

from ..data.errors import SettingsError
from ..data.recording import NEVER, Recording
from ..numerics.rotations import continuous

# Steps per frame with which the speed is integrated. From 20 on, new frames differ by less than 0.001 frames.
STEPS = 64
# Frames: rounding errors of the times that are compared with frames.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class SlowMotion:
    """Frames that play at another speed.

    Attributes:
        first: First frame of the recording at the full slowness.
        last: Last one.
        speed: Speed between them, over that of the recording; above 0.
        ramp: Frames of the recording over which the speed changes, before ``first`` and after ``last``.
    """

    first: float
    last: float
    speed: float
    ramp: float = 0.0


def retimed(recording: Recording, slow: SlowMotion) -> Recording:
    """Resample a recording for slow motion.

    Args:
        recording: Poses on each frame.
        slow: The slow frames.

    Returns:
        The recording with the same first frame, and with more frames if the speed is below 1.

    Raises:
        SettingsError: The speed is not positive, or the frames are in the wrong order.

    Notes:
        Own, because keyframes of linear interpolation would move pieces in a chain of straight lines. Positions are
        monotone cubic curves through the frames (Fritsch and Butland 1984), which do not overshoot at impacts.
        Rotations are spherical linear interpolations (Shoemake 1985), points of deformed bodies linear ones.

    Example:
        >>> from fracture_addon.core.data.recording import NEVER, Recording, Track
        >>> poses = np.zeros((3, 7))
        >>> poses[:, 0], poses[:, 3] = (0.0, 2.0, 4.0), 1.0
        >>> recording = Recording(1, (Track("Cup", np.zeros(3), NEVER, poses),))
        >>> retimed(recording, SlowMotion(1, 3, 0.5)).bodies[0].poses[:, 0].round(6).tolist()
        [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    if not slow.speed > 0.0 or slow.last < slow.first:
        raise SettingsError(
            f"Slow motion from frame {slow.first:g} to {slow.last:g} at a speed of {slow.speed:g} is not possible; "
            "choose a later last frame and a speed above 0"
        )
    start = recording.frame_start
    count = _frame_count(recording)
    old = np.linspace(0.0, count - 1.0, STEPS * (count - 1) + 1)
    outside = np.maximum(np.maximum(slow.first - start - old, old - (slow.last - start)), 0.0)
    share = np.clip(1.0 - outside / slow.ramp, 0.0, 1.0) if slow.ramp > 0.0 else (outside == 0.0).astype(float)
    slowness = 1.0 / (1.0 + share * (slow.speed - 1.0))
    new = np.concatenate([[0.0], np.cumsum(0.5 * (slowness[1:] + slowness[:-1]) * np.diff(old))])
    rows = np.interp(np.arange(int(new[-1] + TOLERANCE) + 1.0), new, old)

    def frames(values: np.ndarray) -> np.ndarray:
        values = np.asarray(values)
        found = start + np.ceil(np.interp(values - float(start), old, new) - TOLERANCE)
        return np.where(values == NEVER, NEVER, found).astype(values.dtype)

    def frame(value: int) -> int:
        return int(frames(np.array(value)))

    events = recording.events
    return replace(
        recording,
        bodies=tuple(
            replace(item, poses=_poses(item.poses, rows), break_frame=frame(item.break_frame))
            for item in recording.bodies
        ),
        projectiles=tuple(replace(item, poses=_poses(item.poses, rows)) for item in recording.projectiles),
        fragments=tuple(
            replace(
                item,
                poses=_poses(item.poses, rows),
                birth_frame=frame(item.birth_frame),
                death_frame=frame(item.death_frame),
            )
            for item in recording.fragments
        ),
        deformed=tuple(replace(item, points=_linear(item.points, rows)) for item in recording.deformed),
        debris=tuple(
            replace(item, poses=_poses(item.poses, rows), birth_frames=frames(item.birth_frames))
            for item in recording.debris
        ),
        events=replace(events, frames=frames(events.frames)),
    )


def _frame_count(recording: Recording) -> int:
    return max(
        (len(item.poses) for item in recording.bodies),
        default=max((len(item.points) for item in recording.deformed), default=1),
    )


def _linear(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return values (T, ...) at fractional rows (R,): (R, ...)."""
    low = np.clip(rows.astype(int), 0, max(len(values) - 2, 0))
    share = (rows - low).astype(values.dtype).reshape(-1, *[1] * (values.ndim - 1))
    high = np.minimum(low + 1, len(values) - 1)
    return values[low] + share * (values[high] - values[low])


def _poses(poses: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return poses (T, ..., 7) at fractional rows (R,): (R, ..., 7)."""
    if len(poses) < 2:
        return np.repeat(poses, len(rows), axis=0)
    positions = PchipInterpolator(np.arange(len(poses)), poses[..., :3])(rows)
    low = np.clip(rows.astype(int), 0, len(poses) - 2)
    share = (rows - low).reshape(-1, *[1] * (poses.ndim - 1))
    start, end = poses[low, ..., 3:], poses[low + 1, ..., 3:]
    cosine = np.sum(start * end, axis=-1, keepdims=True)
    end = np.where(cosine < 0.0, -end, end)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.where(angle > TOLERANCE, np.sin(angle), 1.0)
    first = np.where(angle > TOLERANCE, np.sin((1.0 - share) * angle) / sine, 1.0 - share)
    second = np.where(angle > TOLERANCE, np.sin(share * angle) / sine, share)
    result = np.concatenate([positions, first * start + second * end], axis=-1)
    shape = result.shape
    tracks = np.moveaxis(result.reshape(len(rows), -1, 7), 1, 0)
    return np.stack([continuous(track) for track in tracks], axis=1).reshape(shape) if tracks.size else result
