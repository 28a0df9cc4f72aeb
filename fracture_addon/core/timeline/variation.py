"""One of many variations: a run up to a moment after the first break, as a small picture."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator

import numpy as np

from ..data.job import Job
from ..data.progress import Progress
from ..data.recording import Recording
from ..data.variation import Variation
from ..geometry.picture import draw
from ..numerics.rotations import matrices
from .cache import NO_CACHE, Cache
from .crack_deviation import crack_deviation
from .fracture_only import check_rigid
from .timeline import simulate

# Latest time of the picture after the first break, s: gaps then separate the pieces. Of the 106 pieces of three dropped
# jars, 104 are in the picture at 0.04 s, 95 at 0.12 s and 88 at 0.48 s.
SHOWN_AFTER = 0.12
# Largest median distance of the pieces from their middle, over the diagonal of the bodies; else the picture shows an
# earlier frame. From 0.6 to 2.4 the frame of three dropped jars is the same; up to 0.3 it is that of the break.
FARTHEST = 0.6
# Width and height of a picture, pixels. Three dropped jars show 57, 78 and 85 pieces of 16 pixels or more at 96, 192
# and 384.
SIZE = 192
# Width of the picture over the diagonal of the bodies on the first frame. From 0.8 to 2.5, three dropped jars cover 46,
# 33, 23, 15 and 6 % of it, and 79, 87, 95, 101 and 106 of their 106 pieces are in it.
MARGIN = 1.25
# Direction to the viewer: from the front, from above and a little from the right, as in the contact sheet of a sweep.
TO_VIEWER = np.array([0.62, -1.0, 0.42])
# Colours: step between hues (the golden section of the circle), saturation outside and on crack faces, brightness.
HUE_STEP, SATURATION, CRACK_SATURATION, BRIGHTNESS = 0.618, 0.55, 0.2, 0.95


def run_variation(job: Job, progress: Progress, cache: Cache = NO_CACHE) -> Variation:
    """Run a job to ``SHOWN_AFTER`` the first break, and draw its pieces.

    Args:
        job: The scene.
        progress: Called with the name of the stage and the finished share, 0 to 1.
        cache: Results of earlier runs: variations with the same cells share them.

    Raises:
        SettingsError: A body is deformable.
        FractureError: As in ``timeline.simulate``.
    """
    check_rigid(job)
    most_frames = max(1, round(SHOWN_AFTER * job.frame_rate))
    recording = simulate(job, progress, cache, most_frames)
    row = _row(job, recording, most_frames)
    shown = list(_shown(job, recording, row))
    corners = np.concatenate([corners for corners, _ in shown])
    colors = np.concatenate([_colors(piece, is_crack) for piece, (_, is_crack) in enumerate(shown)])
    strengthened = max(report.get("strengthened", 1.0) for report in recording.report["bodies"])
    pixels = draw(_in_view(job, corners), colors, SIZE)
    return Variation(pixels, len(shown), strengthened, crack_deviation(job, recording, job.frame_start + row))


def _row(job: Job, recording: Recording, most_frames: int) -> int:
    """Return the row of the picture: the last one of so many after the break before the pieces are too far apart."""
    last = len(recording.bodies[0].poses) - 1
    first = min(min(track.break_frame for track in recording.bodies) - job.frame_start, last)
    last = min(last, first + most_frames)
    if first < last:
        centers = np.array([piece.poses[first : last + 1, :3] for piece in recording.fragments])
        distances = np.linalg.norm(centers - np.median(centers, axis=0), axis=2)
        is_near = np.median(distances, axis=0) <= FARTHEST * _size(job)
        return first + int(np.flatnonzero(is_near).max(initial=0))
    return last


def _shown(job: Job, recording: Recording, row: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the corners (F, 3, 3) of each piece on the frame of a row, and which of its faces (F,) are crack faces."""
    frame = job.frame_start + row
    for body, track in zip(job.bodies, recording.bodies, strict=True):
        if track.break_frame > frame:
            surface = body.surface
            yield _placed(surface.corners - track.center, track.poses[row]), np.zeros(len(surface.faces), bool)
    for piece in recording.fragments:
        if piece.birth_frame <= frame < piece.death_frame:
            yield _placed(piece.surface.corners, piece.poses[row]), piece.interior


def _placed(corners: np.ndarray, pose: np.ndarray) -> np.ndarray:
    return corners @ matrices(pose[3:]).T + pose[:3]


def _colors(piece: int, is_crack: np.ndarray) -> np.ndarray:
    """Return the colours (F, 3) of the faces of a piece."""
    outside, inside = (
        colorsys.hsv_to_rgb(HUE_STEP * piece % 1.0, saturation, BRIGHTNESS)
        for saturation in (SATURATION, CRACK_SATURATION)
    )
    return np.where(is_crack[:, None], inside, outside)


def _in_view(job: Job, corners: np.ndarray) -> np.ndarray:
    """Return corners in the coordinates of the picture, which shows all variations in the same size."""
    toward = TO_VIEWER / np.linalg.norm(TO_VIEWER)
    right = np.cross([0.0, 0.0, 1.0], toward)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(toward, right), toward])
    return (corners - np.median(corners.reshape(-1, 3), axis=0)) @ axes.T / (0.5 * MARGIN * _size(job))


def _size(job: Job) -> float:
    """Return the diagonal of all bodies on the first frame, m."""
    points = np.concatenate([body.surface.points for body in job.bodies])
    return float(np.linalg.norm(np.ptp(points, axis=0)))
