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

    Returns:
        The visible faces.
    """
    return seen_faces(surface, point, RayGrid.of(surface), surface.diagonal)


def covered_share(faces: SeenFaces, point: np.ndarray) -> float:
    """Return the solid angle of visible faces over the full one, 4 pi.

    Args:
        faces: Faces that are visible from the point.
        point: (3,) m.

    Returns:
        1 in a closed hollow.

    Notes:
        Van Oosterom and Strackee 1983, The Solid Angle of a Plane Triangle.

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
    """Return the volume between a point and the faces visible from it.

    Args:
        faces: Faces that are visible from the point.

    Returns:
        m3: one pyramid for each face, a third of its area times its height.

    Notes:
        Own: a sum over the faces instead of the divergence theorem, because the hollow need not be closed.

    Example:
        A hollow in the shape of a tetrahedron with edges of 1 m.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> hollow = Surface(corners, [[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]])
        >>> round(seen_volume(inner_faces(hollow, np.full(3, 0.2))), 9) == round(1 / 6, 9)
        True
    """
    return float((faces.areas * faces.distances * faces.cosines).sum() / 3.0)
