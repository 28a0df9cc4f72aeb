"""Lines along which cracks meet the surface of a body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.surface import Surface
from ..numerics.distinct_simplices import distinct_simplices

# Distance below which points of neighbouring fragments count as the same, over the size of the body. From 1e-12 to 1e-6
# three breaks of 13 to 20 fragments have the same lines; below 1e-12, rounding duplicates some lines.
SAME_PLACE = 1e-9


def crack_lines(fragments: Sequence[Surface]) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges between the body's own surface and crack faces.

    Args:
        fragments: Closed surfaces of the fragments, in one space; ``face_source`` is -1 on crack faces.

    Returns:
        Points (P, 3) m, and lines (L, 2) as rows of points. A line that two fragments share is listed once.

    Notes:
        Own: positions are rounded to ``SAME_PLACE`` of the size, because fragments do not share points.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
        >>> points, lines = crack_lines([Surface(corners, faces, face_source=[-1, 1, 2, 3])])
        >>> points.tolist(), lines.tolist()
        ([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[0, 1], [0, 2], [1, 2]])
    """
    ends = [_edges(surface) for surface in fragments]
    places = np.concatenate([*ends, np.empty((0, 2, 3))]).reshape(-1, 3)
    if not len(places):
        return np.empty((0, 3)), np.empty((0, 2), np.int32)
    size = float(np.ptp(places, axis=0).max())
    step = SAME_PLACE * size if size > 0.0 else 1.0
    _, first, row = np.unique(np.round(places / step), axis=0, return_index=True, return_inverse=True)
    pairs = row.reshape(-1, 2)
    lines = np.sort(pairs[distinct_simplices(pairs, len(first))[0]], axis=1)
    return places[first], lines[lines[:, 0] != lines[:, 1]].astype(np.int32)


def _edges(surface: Surface) -> np.ndarray:
    """Return the ends (L, 2, 3) of the edges between crack faces and other faces of one fragment."""
    edges = surface.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    inside = np.repeat(surface.face_source < 0, 3)
    first, row = distinct_simplices(edges, len(surface.points))
    both = (np.bincount(row, inside) > 0) & (np.bincount(row, ~inside) > 0)
    return surface.points[np.sort(edges[first[both]], axis=1)]
