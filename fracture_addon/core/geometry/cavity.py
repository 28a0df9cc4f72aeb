"""Hollow of a body around a point: the faces visible from there, their solid angle, and the volume to them."""

from __future__ import annotations

import numpy as np

from ..data.arrays import lengths
from ..data.surface import Surface
from .rays import RayGrid
from .visibility import SeenFaces, seen_faces


def inner_faces(surface: Surface, point: np.ndarray) -> SeenFaces:
    """Return the faces of a body that are visible from a point; other faces of the body may hide them.

    Args:
        surface: Surface of the body.
        point: (3,) m.
    """
    return seen_faces(surface, point, RayGrid.of(surface), surface.diagonal)


def covered_share(faces: SeenFaces, point: np.ndarray) -> float:
    """Return the solid angle of visible faces over the full one, 4 pi: 1 in a closed hollow.

    The solid angle of a triangle is that of Van Oosterom and Strackee 1983.

    Args:
        faces: Faces that are visible from the point.
        point: (3,) m.

    Example:
        >>> octant = np.array([[[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]])
        >>> faces = SeenFaces(octant, np.ones(1), np.ones((1, 3)), np.ones(1), np.ones(1))
        >>> round(covered_share(faces, np.zeros(3)), 9)
        0.125
    """
    a, b, c = (faces.corners - point).transpose(1, 0, 2)
    ways = [lengths(corner) for corner in (a, b, c)]
    triple = np.abs(np.einsum("fi,fi->f", a, np.cross(b, c)))
    below = ways[0] * ways[1] * ways[2]
    for one, other, way in ((a, b, ways[2]), (a, c, ways[1]), (b, c, ways[0])):
        below = below + np.einsum("fi,fi->f", one, other) * way
    return float(2.0 * np.arctan2(triple, below).sum() / (4.0 * np.pi))


def seen_volume(faces: SeenFaces) -> float:
    """Return the volume between a point and the faces visible from it, m3: one pyramid for each face."""
    return float((faces.areas * faces.distances * faces.cosines).sum() / 3.0)
