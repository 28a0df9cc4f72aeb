"""Lines along which cracks meet the surface of a body while it breaks."""

from __future__ import annotations

import numpy as np


def lines_on_surface(points: np.ndarray, cracks: np.ndarray, skin: np.ndarray) -> np.ndarray:
    """Return the edges that crack faces share with the surface.

    Args:
        points: (P, 3) m.
        cracks: (K, 3) crack faces, rows of ``points``.
        skin: (S, 3) faces of the surface.

    Returns:
        (L, 2, 3) m, the ends of each edge.

    Example:
        Two cells of a square pyramid. The edges of the crack between them are all on the surface.

        >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
        >>> skin = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
        >>> lines_on_surface(points, np.array([[0, 2, 4]]), skin).shape
        (3, 2, 3)
    """
    edges, outer = (_edge_keys(faces, len(points)) for faces in (cracks, skin))
    first, second = np.divmod(edges[np.isin(edges, outer)], len(points))
    return np.stack([points[first], points[second]], axis=1)


def _edge_keys(faces: np.ndarray, count: int) -> np.ndarray:
    """Return one integer for each distinct edge of faces (F, 3) over ``count`` points, sorted."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64), axis=1)
    return np.unique(edges[:, 0] * count + edges[:, 1])
