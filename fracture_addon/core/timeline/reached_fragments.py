"""Volumes that sweep through fragments: which fragments they reach on a frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.moving_volume import MovingVolume
from ..data.solid import cell_centers
from ..geometry.sweeping import sphere_reaches, surface_reaches
from ..numerics.rotations import matrices, transformed
from .rigid_fragment import RigidFragment


def reached(volume: MovingVolume, row: int, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return which points a volume reaches between a frame and the one before it.

    Args:
        volume: The volume.
        row: The frame, counted from the first one.
        before: (K, 3) m, points in the world on the frame before.
        after: (K, 3) m, the points on the frame.

    Returns:
        (K,) bool.

    Notes:
        Own: in the space of the volume, the points move along straight lines.

    Example:
        A sphere of 1 m moves by 10 m along X.

        >>> moves = np.tile(np.eye(4), (2, 1, 1))
        >>> moves[1, 0, 3] = 10.0
        >>> points = np.array([[5.0, 0.5, 0.0], [5.0, 1.5, 0.0]])
        >>> [reached(MovingVolume("sphere", moves), row, points, points).tolist() for row in (0, 1)]
        [[False, False], [True, False]]
    """
    now = _own_space(volume, row)
    if now is None:
        return np.zeros(len(after), bool)
    end = transformed(after, now)
    earlier = _own_space(volume, row - 1) if row else None
    start = end if earlier is None else transformed(before, earlier)
    return sphere_reaches(start, end) if volume.surface is None else surface_reaches(volume.surface, start, end)


def _own_space(volume: MovingVolume, row: int) -> np.ndarray | None:
    """Return the matrix (4, 4) from the world to the space of a volume on a frame; ``None`` if it has no size."""
    matrix = volume.matrices[min(row, len(volume.matrices) - 1)]
    return np.linalg.inv(matrix) if abs(np.linalg.det(matrix[:3, :3])) > 0.0 else None


def reached_fragments(
    volumes: Sequence[MovingVolume], row: int, fragments: Sequence[RigidFragment], poses: Sequence[np.ndarray]
) -> list[RigidFragment]:
    """Return the fragments of which a volume reaches the centre of a cell.

    Args:
        volumes: The volumes.
        row: The frame, counted from the first one.
        fragments: Living fragments.
        poses: (7,) pose of each on the frame.

    Returns:
        Those that a volume has reached since the frame before, or since their birth.

    Notes:
        Own.

    Example:
        >>> reached_fragments([], 0, [], [])
        []
    """
    if not volumes or not fragments:
        return []
    ends = [_centers(fragment, pose) for fragment, pose in zip(fragments, poses, strict=True)]
    starts = [
        _centers(fragment, fragment.poses[row - 1]) if row > fragment.birth_row else end
        for fragment, end in zip(fragments, ends, strict=True)
    ]
    before, after = np.concatenate(starts), np.concatenate(ends)
    hits = np.any([reached(volume, row, before, after) for volume in volumes], axis=0)
    splits = np.cumsum([len(end) for end in ends])[:-1]
    return [fragment for fragment, own in zip(fragments, np.split(hits, splits), strict=True) if own.any()]


def _centers(fragment: RigidFragment, pose: np.ndarray) -> np.ndarray:
    """Return the centres (K, 3) m of the cells of a fragment in the world."""
    centers = cell_centers(fragment.solid.points, fragment.solid.cells[fragment.cells])
    return pose[:3] + (centers - fragment.properties.center) @ matrices(pose[3:]).T
