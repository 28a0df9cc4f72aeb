"""Division of tetrahedra into eight smaller ones, for fields that need finer cells than the cracks."""

from __future__ import annotations

import numpy as np

# Corners, or middles of edges, of the eight tetrahedra that replace one: 0 to 3 are its corners, 4 to 9 the middles of
# ``EDGES``. Four are at the corners; the other four divide the octahedron between them (Bey 1995).
EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
CHILDREN = np.array(
    [[0, 4, 5, 6], [4, 1, 7, 8], [5, 7, 2, 9], [6, 8, 9, 3], [4, 5, 6, 8], [4, 5, 7, 8], [5, 6, 8, 9], [5, 7, 8, 9]]
)


def refined(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Divide each tetrahedron into eight at the middles of its edges.

    Args:
        points: (P, 3) m.
        cells: (C, 4) rows of ``points``.

    Returns:
        Points, the given ones first, and (8C, 4) tetrahedra, the eight of each cell one after another.

    Notes:
        Bey 1995, Tetrahedral Grid Refinement.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> points, cells = refined(corners, np.array([[0, 1, 2, 3]]))
        >>> points.shape, cells.shape, points[4].tolist()
        ((10, 3), (8, 4), [0.5, 0.0, 0.0])
    """
    edges = np.sort(cells[:, EDGES].reshape(-1, 2).astype(np.int64), axis=1)
    keys, rows = np.unique(edges @ np.array([len(points), 1]), return_inverse=True)
    middles = 0.5 * (points[keys // len(points)] + points[keys % len(points)])
    nodes = np.concatenate([cells, len(points) + rows.reshape(-1, 6)], axis=1)
    return np.concatenate([points, middles]), nodes[:, CHILDREN].reshape(-1, 4)
