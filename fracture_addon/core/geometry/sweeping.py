"""Points that a moving volume reaches between two times, in the space of the volume."""

from __future__ import annotations

import numpy as np

from ..data.arrays import lengths
from ..data.surface import Surface
from . import shells
from .inside import is_inside
from .rays import RayGrid

# Squared length of a path below which it counts as a point, in squared units of the volume: rounding of float64.
SHORT = 1e-30


def sphere_reaches(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return which points the unit sphere reaches while they move along straight lines.

    Args:
        before: (K, 3) positions in the space of the sphere at the first time.
        after: (K, 3) positions at the second time.

    Returns:
        (K,) bool: whether the line from one position to the other has a point in the sphere.

    Notes:
        Own: the nearest point of a line to the origin.

    Example:
        >>> sphere_reaches(np.array([[-9.0, 0, 0], [-9, 2, 0]]), np.array([[9.0, 0, 0], [9, 2, 0]])).tolist()
        [True, False]
    """
    path = after - before
    square = np.maximum((path * path).sum(axis=1), SHORT)
    share = np.clip(-(before * path).sum(axis=1) / square, 0.0, 1.0)
    return lengths(before + share[:, None] * path) <= 1.0


def surface_reaches(surface: Surface, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return which points a surface reaches while they move along straight lines.

    Args:
        surface: The surface, closed or open.
        before: (K, 3) m, positions in the space of the surface at the first time.
        after: (K, 3) m, positions at the second time.

    Returns:
        (K,) bool: whether the line crosses the surface or, for a closed surface, ends inside.

    Notes:
        Own.

    Example:
        A sheet has no inside. It reaches the point that passes through it.

        >>> sheet = Surface([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> start, end = np.array([[0.2, 0.1, -1.0], [0.2, 0.1, -1.0]]), np.array([[0.2, 0.1, 1.0], [0.2, 0.1, -0.5]])
        >>> surface_reaches(sheet, start, end).tolist()
        [True, False]
    """
    reached = np.zeros(len(before), bool)
    if (shells.edges(surface.faces).face_count == 2).all():
        reached |= is_inside(surface, after)
    path = after - before
    distance = lengths(path)
    moves = np.flatnonzero(distance**2 > SHORT)
    if len(moves):
        grid, directions = RayGrid.of(surface), path[moves] / distance[moves, None]
        for find in (grid.enters, grid.leaves):
            reached[moves] |= find(before[moves], directions, distance[moves])[1] >= 0
    return reached
