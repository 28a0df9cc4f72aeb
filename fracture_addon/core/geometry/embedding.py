"""Embedding of points in tetrahedra, so that they move with the cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays

# Number of nearest cells among which the cell that contains a point is searched. With 6, 12 and 24, 2.3, 0.3 and 0 % of
# the points in a jar are bound to a neighbour of the cell that contains them.
TRIED = 12
# Largest distance of a point from its cell over the size of the cell. Farther points would exaggerate rotations. From
# 1.5 to 300, bricks and a torn sheet keep their bytes.
FARTHEST = 3.0


@dataclass(frozen=True)
class Embedding(ReadOnlyArrays):
    """Barycentric positions of points in cells.

    Attributes:
        corners: (P, 4) nodes of the cell of each point.
        weights: (P, 4) barycentric weights with the sum 1; below 0 or above 1 for a point outside its cell.
    """

    corners: np.ndarray
    weights: np.ndarray

    def points(self, nodes: np.ndarray) -> np.ndarray:
        """Return the positions (P, 3) of the points for positions (N, 3) of the nodes, m."""
        return np.einsum("pc,pci->pi", self.weights, nodes[self.corners])


def embed(points: np.ndarray, nodes: np.ndarray, cells: np.ndarray) -> tuple[Embedding, np.ndarray]:
    """Bind points to the cells that contain them, or to the nearest cells.

    Args:
        points: (P, 3) m, at rest.
        nodes: (N, 3) m, at rest.
        cells: (C, 4) nodes of tetrahedra with a volume; at least one.

    Returns:
        The embedding, and the cell (P,) of each point.

    Notes:
        Barycentric coordinates (Moebius 1827). The search is own: among the ``TRIED`` cells with the nearest centroids,
        the one in which the smallest coordinate is largest.

    Example:
        >>> nodes = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> embedding, _ = embed(np.array([[0.25, 0.25, 0.0]]), nodes, np.array([[0, 1, 2, 3]]))
        >>> embedding.points(2.0 * nodes).round(9).tolist()
        [[0.5, 0.5, 0.0]]
    """
    corners = nodes[cells]
    inverse = np.linalg.inv(np.moveaxis(corners[:, 1:] - corners[:, :1], 1, 2))
    tried = min(TRIED, len(cells))
    near = cKDTree(corners.mean(axis=1)).query(points, tried)[1].reshape(len(points), tried)
    best, weights = np.full(len(points), -np.inf), np.zeros((len(points), 4))
    cell = np.zeros(len(points), np.int64)
    for rows in near.T:
        inner = np.einsum("pij,pj->pi", inverse[rows], points - corners[rows, 0])
        candidate = np.concatenate([1.0 - inner.sum(axis=1, keepdims=True), inner], axis=1)
        depth = candidate.min(axis=1)
        better = depth > best
        best[better], weights[better], cell[better] = depth[better], candidate[better], rows[better]
    # A point far outside is moved towards the cell's centroid, because the cell's motion says little about it.
    share = np.minimum(1.0, (FARTHEST + 0.25) / np.maximum(0.25 - best, 1e-300))[:, None]
    return Embedding(cells[cell], 0.25 + share * (weights - 0.25)), cell
