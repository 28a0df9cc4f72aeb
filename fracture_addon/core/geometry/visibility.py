"""Faces of a surface that are visible from a point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.surface import Surface, area_vectors
from .rays import RayGrid

# Distance over the size of the scene at which a ray starts before its face, so that it does not meet that face. A pane
# and a cup in a blast break into the same fragments at 1e-8; at 1e-4 the cup loses one.
OFFSET = 1e-6


@dataclass(frozen=True)
class SeenFaces(ReadOnlyArrays):
    """Faces that are visible from a point.

    Attributes:
        corners: (F, 3, 3) m.
        areas: (F,) m2.
        normals: (F, 3) outward unit normals.
        distances: (F,) m, from the point to the centroids.
        cosines: (F,) cosine of the angle between the inward normal and the line from the point, 0 to 1.
    """

    corners: np.ndarray
    areas: np.ndarray
    normals: np.ndarray
    distances: np.ndarray
    cosines: np.ndarray

    @property
    def centers(self) -> np.ndarray:
        """Centroids (F, 3), m."""
        return self.corners.mean(axis=1)


def seen_faces(surface: Surface, point: np.ndarray, grid: RayGrid, size: float) -> SeenFaces:
    """Return the faces of a surface that face a point and whose centroid is visible from it.

    Args:
        surface: Surface with normals that point out of the solid.
        point: (3,) m.
        grid: All faces that may hide others, the surface included.
        size: m, size of the scene.

    Returns:
        The visible faces.

    Notes:
        Shadow rays (Appel 1968), one from each centroid.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> seen = seen_faces(surface, np.array([0.2, 0.2, -1.0]), RayGrid.of(surface), 1.0)
        >>> seen.normals.tolist(), seen.areas.tolist()
        ([[0.0, 0.0, -1.0]], [0.5])
    """
    start, centers, vectors = OFFSET * size, surface.corners.mean(axis=1), area_vectors(surface)
    areas, ways = lengths(vectors), centers - point
    distances = lengths(ways)
    rows = np.flatnonzero((areas > 0.0) & (distances > start))
    directions, normals = ways[rows] / distances[rows, None], vectors[rows] / areas[rows, None]
    cosines = -np.einsum("fi,fi->f", directions, normals)
    facing = cosines > 0.0
    rows, directions, normals, cosines = rows[facing], directions[facing], normals[facing], cosines[facing]
    origins, reach = centers[rows] + start * normals, distances[rows] - start
    free = np.isinf(grid.enters(origins, -directions, reach)[0]) & np.isinf(grid.leaves(origins, -directions, reach)[0])
    rows = rows[free]
    return SeenFaces(surface.corners[rows], areas[rows], normals[free], distances[rows], cosines[free])
