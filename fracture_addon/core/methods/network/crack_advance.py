"""Limit of the advance of cracks between two solves for the forces."""

from __future__ import annotations

import numpy as np

from ...data.arrays import lengths
from .crack_growth import Tips


class CrackAdvance:
    """Cracks that start at a bond and advance until they are ``limit`` long.

    Args:
        centers: (F, 3) m, centroids of the bonds' faces.
        limit: m, longest distance of a bond from the first bond of its crack.
    """

    def __init__(self, centers: np.ndarray, limit: float):
        self._centers, self._limit = centers, limit
        # First bond of the crack that has broken or reached each bond; -1 for none.
        self._origin = np.full(len(centers), -1)
        self.allowed = np.ones(len(centers), bool)
        self.distance = 0.0

    def add(self, rows: np.ndarray) -> None:
        """Add broken bonds (K,). A bond that no crack has reached starts a crack."""
        fresh = rows[self._origin[rows] < 0]
        self._origin[fresh] = fresh
        self.distance = max(self.distance, float(self._distances(rows).max()))

    def reach(self, tips: Tips) -> None:
        """Extend cracks to the neighbours of broken bonds. Neighbours beyond the limit may not break."""
        fresh = self._origin[tips.near] < 0
        self._origin[tips.near[fresh]] = self._origin[tips.broken[fresh]]
        self.allowed[tips.near[self._distances(tips.near) > self._limit]] = False

    def _distances(self, rows: np.ndarray) -> np.ndarray:
        return lengths(self._centers[rows] - self._centers[self._origin[rows]])
