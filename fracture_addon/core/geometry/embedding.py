"""A surface that goes along with the cells it lies in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

# Cells near a point that are tried for the one it lies deepest in.
TRIED = 12
# A point outside all cells goes along with the nearest as if that went on, but no further than so many times its size.
FARTHEST = 3.0


@dataclass(frozen=True)
class Embedding:
    """Where points lie in cells.

    Attributes:
        corners: (P, 4) rows of the nodes that a point goes along with.
        weights: (P, 4) their shares, which sum to one; below 0 or above 1 for a point outside its cell.
    """

    corners: np.ndarray
    weights: np.ndarray

    def points(self, nodes: np.ndarray) -> np.ndarray:
        """(P, 3) points, of nodes that are at (N, 3) ``nodes``."""
        return np.einsum("pc,pci->pi", self.weights, nodes[self.corners])


def embed(points: np.ndarray, nodes: np.ndarray, cells: np.ndarray) -> tuple[Embedding, np.ndarray]:
    """Bind points to the cells that they lie in, or to the nearest ones.

    Args:
        points: (P, 3) m, at rest.
        nodes: (N, 3) m, at rest.
        cells: (C, 4) nodes of tetrahedra with a volume, at least one.

    Returns:
        The embedding, and (P,) the cell of each point.
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
    # Drawn in towards the cell's middle where it is far out: what a cell does says little about what is far from it.
    share = np.minimum(1.0, (FARTHEST + 0.25) / np.maximum(0.25 - best, 1e-300))[:, None]
    return Embedding(cells[cell], 0.25 + share * (weights - 0.25)), cell
