"""Rigid poses as rows of seven numbers: position (3) and unit quaternion w, x, y, z (4)."""

from __future__ import annotations

import math

import numpy as np

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """(..., 3, 3) rotation matrices of unit quaternions (..., 4)."""
    quaternions = np.asarray(quaternions, float)
    alone = quaternions.ndim == 1
    # Of one, Python's own numbers are several times as quick.
    w, x, y, z = quaternions.tolist() if alone else np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows) if alone else np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(3,) vector product of two vectors: as numpy's, which is several times slower on one pair."""
    (a, b, c), (x, y, z) = first.tolist(), second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def length(vector: np.ndarray) -> float:
    """Of one vector (3,): as ``numpy.linalg.norm``, in a third of the time."""
    return math.sqrt(vector @ vector)


def quaternion(axes: np.ndarray) -> tuple[float, float, float, float]:
    """Unit quaternion w, x, y, z of a rotation matrix (3, 3): the eigenvector of Bar-Itzhack's symmetric matrix."""
    m = axes
    k = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
            [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
            [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    x, y, z, w = np.linalg.eigh(k)[1][:, -1]
    return float(w), float(x), float(y), float(z)


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product (..., 4): turn by ``b`` first, then by ``a``."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, float), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(quaternions: np.ndarray) -> np.ndarray:
    """The opposite rotation of unit quaternions (..., 4)."""
    return np.asarray(quaternions, float) * [1.0, -1.0, -1.0, -1.0]


def moved(poses: np.ndarray, center: np.ndarray, new_center: np.ndarray) -> np.ndarray:
    """Poses (T, 7) of a body about another point of it.

    Args:
        poses: Of ``center``, with rest space as the orientation 1, 0, 0, 0.
        center: (3,) the point that the poses follow, rest space.
        new_center: (3,) the point that the result follows, rest space.
    """
    poses = np.asarray(poses, float).reshape(-1, 7)
    result = poses.copy()
    result[:, :3] += matrices(poses[:, 3:]) @ (np.asarray(new_center, float) - center)
    return result


def along(track: np.ndarray, row: float, center: np.ndarray) -> np.ndarray:
    """Pose (7,) of the point ``center`` of rest space, of a body that moves as ``track`` does from its first row on.

    Only the motion since the first row counts, whichever point of the body the track follows: on the first row the
    body is as in rest space. Positions are interpolated linearly, turns along the shortest arc.

    Args:
        track: (T, 7), one a frame; the last row holds from there on.
        row: Frames since the first row, fractions included.
        center: (3,) in rest space, metres.
    """
    track = np.asarray(track, float).reshape(-1, 7)
    row = min(max(row, 0.0), len(track) - 1.0)
    low = min(int(row), max(len(track) - 2, 0))
    now = between(track[low], track[min(low + 1, len(track) - 1)], row - low)
    turn = multiply(now[3:], conjugate(track[0, 3:]))
    position = now[:3] + matrices(turn) @ (center - track[0, :3])
    return np.concatenate([position, turn / np.linalg.norm(turn)])


def between(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Pose (7,) at ``share`` (0 to 1) of the way from one pose to another."""
    start, end = first[3:], second[3:]
    cosine = float(start @ end)
    if cosine < 0.0:
        end, cosine = -end, -cosine
    angle = np.arccos(min(cosine, 1.0))
    if angle < 1e-6:
        turn = start + share * (end - start)
    else:
        turn = (np.sin((1.0 - share) * angle) * start + np.sin(share * angle) * end) / np.sin(angle)
    return np.concatenate([first[:3] + share * (second[:3] - first[:3]), turn / np.linalg.norm(turn)])


def continuous(poses: np.ndarray) -> np.ndarray:
    """The same poses (T, 7) with quaternions normalised, and of the sign nearer to the one before."""
    poses = np.array(poses, float)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    flips = np.einsum("ti,ti->t", poses[1:, 3:], poses[:-1, 3:]) < 0.0
    signs = np.where(np.cumsum(flips) % 2, -1.0, 1.0)
    poses[1:, 3:] *= signs[:, None]
    return poses
