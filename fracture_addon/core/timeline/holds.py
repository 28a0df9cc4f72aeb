"""Motion of a rigid fragment in the hold of grips, and the forces of the grips on it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ..data.arrays import ReadOnlyArrays
from ..numerics.rotations import conjugate, continuous, matrices, multiply, pose_on_track

# Displacement of a spring over the extent of the held points below which it is rounding: 1 micrometre on 1 km. Rounding
# is about 1e-15 of the coordinates.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Hold(ReadOnlyArrays):
    """A rigid fragment in the hold of grips, from the start of the hold until the last grip lets go.

    Attributes:
        poses: (T, 7) pose of its centre of mass on each frame.
        pulls: (T, K, 3) N, force on each held point, orientation of the world. They balance one another.
    """

    poses: np.ndarray
    pulls: np.ndarray


def hold(
    points: np.ndarray,
    owners: np.ndarray,
    stiffness: np.ndarray,
    tracks: Sequence[np.ndarray],
    rows: range,
    pose: np.ndarray,
    center: np.ndarray,
) -> Hold:
    """Compute how a fragment follows its grips.

    A spring connects each held point with its grip. The fragment is far stiffer than the springs: it stays rigid, and
    has the pose in which their forces balance. No spring pulls at the start, nor when a grip has just let go.

    Args:
        points: (K, 3) m, held points, rest space; those of each grip are not in one line.
        owners: (K,) row of the grip of each point.
        stiffness: (K,) N/m, stiffness of each spring.
        tracks: Poses (T, 7) of each grip on the frames of the run; a grip lets go at the end of its track. A single
            pose holds still.
        rows: Frames of the hold, from the first one of the run.
        pose: (7,) pose of the fragment at the start.
        center: (3,) m, its centre of mass, rest space.

    Returns:
        The hold, up to the last frame of ``rows`` or the one on which the last grip lets go.

    Notes:
        Own model (docs/decisions/grips.md). The pose minimises the energy of the springs; its rotation is that of
        Kabsch 1976.

    Example:
        Two grips hold the ends of a bar, and one of them moves by 2 mm. The bar follows by half of it, and each grip
        pulls with 1 mm times its stiffness.

        >>> ends = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (0.0, 0.1) for z in (0.0, 0.1)])
        >>> still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1))
        >>> moving = still + [[0.0] * 7, [0.002] + [0.0] * 6]
        >>> start, center = still[0], np.zeros(3)
        >>> held = hold(ends, np.repeat([0, 1], 4), np.full(8, 250.0), [still, moving], range(2), start, center)
        >>> held.poses[:, 0].round(6).tolist(), held.pulls[1, 4:].sum(axis=0).round(6).tolist()
        ([0.0, 0.001], [1.0, 0.0, 0.0])
    """
    poses, pulls = [pose], [np.zeros_like(points)]
    base, base_row, base_pose = _placed(points, pose, center), rows.start, pose
    before, extent = _holding(tracks, rows.start)[owners], float(np.ptp(points, axis=0).max())
    for row in rows[1:]:
        holding = _holding(tracks, row)[owners]
        if not holding.any():
            break
        if (holding == before).all() and row > rows.start + 1 and all(_rests(track, row) for track in tracks):
            poses.append(poses[-1])
            pulls.append(pulls[-1])
            continue
        if (holding != before).any():
            base, base_row, base_pose, before = _placed(points, poses[-1], center), row - 1, poses[-1], holding
        motions = [_motion(track, base_row, row) for track in tracks]
        targets = base.copy()
        for grip in np.unique(owners[holding]):
            turn, shift = motions[grip]
            targets[owners == grip] = base[owners == grip] @ matrices(turn).T + shift
        if len(np.unique(owners[holding])) == 1:
            turn, shift = motions[owners[holding][0]]
            poses.append(np.concatenate([matrices(turn) @ base_pose[:3] + shift, multiply(turn, base_pose[3:])]))
        else:
            poses.append(_fitted(points[holding], targets[holding], stiffness[holding], center))
        stretch = targets - _placed(points, poses[-1], center)
        is_stretched = np.abs(stretch[holding]).max() > ROUNDING * extent
        pulls.append(stiffness[:, None] * np.where(holding[:, None] & is_stretched, stretch, 0.0))
    return Hold(continuous(np.array(poses)), np.array(pulls))


def _holding(tracks: Sequence[np.ndarray], row: int) -> np.ndarray:
    """Return (G,) bool, the grips that hold on a frame."""
    return np.array([len(track) == 1 or row < len(track) for track in tracks])


def _rests(track: np.ndarray, row: int) -> bool:
    """Return whether a grip has the same pose on a frame as on the one before."""
    last = len(track) - 1
    return np.array_equal(track[min(row, last)], track[min(row - 1, last)])


def _motion(track: np.ndarray, start: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the motion of a grip between two frames: quaternion (4,), and shift (3,) m of the rotated points."""
    first, last = (pose_on_track(track, row, track[0, :3]) for row in (start, end))
    turn = multiply(last[3:], conjugate(first[3:]))
    return turn, last[:3] - matrices(turn) @ first[:3]


def _placed(points: np.ndarray, pose: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Return points (K, 3) m of rest space in the world."""
    return pose[:3] + (points - center) @ matrices(pose[3:]).T


def _fitted(points: np.ndarray, targets: np.ndarray, weights: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Return the pose (7,) of ``center`` in which points (K, 3) are nearest to their targets, by least squares."""
    middle, goal = (weights @ places / weights.sum() for places in (points, targets))
    with warnings.catch_warnings():
        # Springs of very different stiffness leave a rotation open; any of the best will do.
        warnings.simplefilter("ignore", UserWarning)
        turn = Rotation.align_vectors(targets - goal, points - middle, weights)[0]
    return np.concatenate([goal + turn.apply(center - middle), turn.as_quat()[[3, 0, 1, 2]]])
