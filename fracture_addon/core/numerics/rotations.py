"""Rotations and rigid poses. A pose has seven numbers: position (3, m) and unit quaternion w, x, y, z (4)."""

from __future__ import annotations

import math

import numpy as np

# Angle below which the spherical interpolation is linear, rad. Both agree there to float64: they differ by less than
# angle^3.
SMALL_ANGLE = 1e-6

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of unit quaternions.

    Args:
        quaternions: (..., 4) w, x, y, z.

    Returns:
        (..., 3, 3).

    Notes:
        Shoemake 1985, Animating Rotation with Quaternion Curves.

    Example:
        >>> matrices(np.array([0.0, 0.0, 0.0, 1.0])).diagonal().tolist()
        [-1.0, -1.0, 1.0]
    """
    quaternions = np.asarray(quaternions, float)
    alone = quaternions.ndim == 1
    # For one quaternion, Python's numbers are several times as fast as arrays.
    w, x, y, z = quaternions.tolist() if alone else np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows) if alone else np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cross product (3,) of two vectors; ``np.cross`` is several times slower for one pair."""
    (a, b, c), (x, y, z) = first.tolist(), second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def length(vector: np.ndarray) -> float:
    """Return the length of one vector (3,) in a third of the time of ``np.linalg.norm``."""
    return math.sqrt(vector @ vector)


def quaternion(axes: np.ndarray) -> tuple[float, float, float, float]:
    """Return the unit quaternion of a rotation matrix.

    Args:
        axes: (3, 3) rotation matrix.

    Returns:
        w, x, y, z. Either sign is possible.

    Notes:
        Bar-Itzhack 2000, Journal of Guidance, Control, and Dynamics 23: the eigenvector of the largest eigenvalue of a
        symmetric matrix.

    Example:
        >>> [abs(round(value, 6)) for value in quaternion(np.diag([1.0, -1.0, -1.0]))]
        [0.0, 1.0, 0.0, 0.0]
    """
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
    """Return the quaternion product: the rotation by ``b``, followed by the rotation by ``a``.

    Args:
        a: (..., 4) w, x, y, z.
        b: (..., 4) likewise.

    Returns:
        (..., 4).

    Notes:
        Hamilton 1843: i^2 = j^2 = k^2 = ijk = -1.

    Example:
        >>> i, j = np.eye(4)[1:3]
        >>> multiply(i, j).tolist(), multiply(i, i).tolist()
        ([0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 0.0])
    """
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
    """Return the inverse rotations of unit quaternions (..., 4)."""
    return np.asarray(quaternions, float) * [1.0, -1.0, -1.0, -1.0]


def transformed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return points (N, 3) after an affine map, the upper rows of a (4, 4) matrix."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def moved(poses: np.ndarray, center: np.ndarray, new_center: np.ndarray) -> np.ndarray:
    """Return the poses of another point of a body.

    Args:
        poses: (T, 7) poses of ``center``. The orientation 1, 0, 0, 0 is rest space.
        center: (3,) m, point that the poses follow, in rest space.
        new_center: (3,) m, point that the result follows, in rest space.

    Returns:
        (T, 7).

    Example:
        >>> half_turn = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
        >>> moved(half_turn, np.zeros(3), np.array([1.0, 0.0, 0.0]))[:, :3].tolist()
        [[-1.0, 0.0, 0.0]]
    """
    poses = np.asarray(poses, float).reshape(-1, 7)
    result = poses.copy()
    result[:, :3] += matrices(poses[:, 3:]) @ (np.asarray(new_center, float) - center)
    return result


def pose_on_track(track: np.ndarray, row: float, center: np.ndarray) -> np.ndarray:
    """Return the pose of a point of a kinematic body at a time.

    The body is in rest space on the first row. The track may follow any point of the body.

    Args:
        track: (T, 7) pose on each frame. The first one also holds before the track, and the last one after it.
        row: Frames since the first row; may be fractional.
        center: (3,) m, the point in rest space.

    Returns:
        (7,); between frames, that of ``interpolated_pose``.

    Example:
        >>> track = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
        >>> pose_on_track(track, 0.5, np.array([0.0, 0.0, 1.0]))[:3].tolist()
        [1.0, 0.0, 1.0]
    """
    track = np.asarray(track, float).reshape(-1, 7)
    row = min(max(row, 0.0), len(track) - 1.0)
    low = min(int(row), max(len(track) - 2, 0))
    now = interpolated_pose(track[low], track[min(low + 1, len(track) - 1)], row - low)
    turn = multiply(now[3:], conjugate(track[0, 3:]))
    position = now[:3] + matrices(turn) @ (center - track[0, :3])
    return np.concatenate([position, turn / np.linalg.norm(turn)])


def interpolated_pose(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Interpolate between two poses: linear in position, along the shortest arc in rotation.

    Args:
        first: (7,) pose at ``share`` 0.
        second: (7,) pose at ``share`` 1.
        share: Position between them, 0 to 1.

    Returns:
        (7,).

    Notes:
        Spherical linear interpolation (Shoemake 1985, Animating Rotation with Quaternion Curves).

    Example:
        >>> half_turn = np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        >>> interpolated_pose(IDENTITY, half_turn, 0.5).round(3).tolist()
        [1.0, 0.0, 0.0, 0.707, 0.0, 0.0, 0.707]
    """
    start, end = first[3:], second[3:]
    cosine = float(start @ end)
    if cosine < 0.0:
        end, cosine = -end, -cosine
    angle = np.arccos(min(cosine, 1.0))
    if angle < SMALL_ANGLE:
        turn = start + share * (end - start)
    else:
        turn = (np.sin((1.0 - share) * angle) * start + np.sin(share * angle) * end) / np.sin(angle)
    return np.concatenate([first[:3] + share * (second[:3] - first[:3]), turn / np.linalg.norm(turn)])


def continuous(poses: np.ndarray) -> np.ndarray:
    """Return poses (T, 7) with unit quaternions, each with the sign that is nearer to the previous one.

    Example:
        >>> continuous(np.array([[0.0, 0, 0, 1, 0, 0, 0], [1, 0, 0, -2, 0, 0, 0]]))[:, 3:].tolist()
        [[1.0, 0.0, 0.0, 0.0], [1.0, -0.0, -0.0, -0.0]]
    """
    poses = np.array(poses, float)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    flips = np.einsum("ti,ti->t", poses[1:, 3:], poses[:-1, 3:]) < 0.0
    signs = np.where(np.cumsum(flips) % 2, -1.0, 1.0)
    poses[1:, 3:] *= signs[:, None]
    return poses
