"""Limit of the advance of cracks between two solves for the forces."""

from __future__ import annotations

import numpy as np

from ...data.arrays import lengths
from .crack_growth import Tips


class CrackAdvance:
    """Cracks that start at a bond and advance until they are ``limit`` long.

    ``length`` is their length, m: twice the mean distance of broken bonds from the first bond of their crack, which is
    the length of a single crack that runs straight. The longest crack would not do: on finer cells more cracks run, the
    longest of them is longer, and cracks would have less time (docs/decisions/energy_limited_force.md).

    Args:
        centers: (F, 3) m, centroids of the bonds' faces.
        limit: m, longest distance of a bond from the first bond of its crack.
    """

    def __init__(self, centers: np.ndarray, limit: float):
        self._centers, self._limit = centers, limit
        # First bond of the crack that has broken or reached each bond; -1 for none.
        self._origin = np.full(len(centers), -1)
        self.allowed = np.ones(len(centers), bool)
        self._sum, self._count = 0.0, 0

    @property
    def length(self) -> float:
        """Length of the cracks so far, m."""
        return 2.0 * self._sum / self._count

    def add(self, rows: np.ndarray) -> None:
        """Add broken bonds (K,). A bond that no crack has reached starts a crack."""
        fresh = rows[self._origin[rows] < 0]
        self._origin[fresh] = fresh
        self._sum += float(self._distances(rows).sum())
        self._count += len(rows)

    def reach(self, tips: Tips) -> None:
        """Extend cracks to the neighbours of broken bonds. Neighbours beyond the limit may not break."""
        fresh = self._origin[tips.near] < 0
        self._origin[tips.near[fresh]] = self._origin[tips.broken[fresh]]
        self.allowed[tips.near[self._distances(tips.near) > self._limit]] = False

    def _distances(self, rows: np.ndarray) -> np.ndarray:
        return lengths(self._centers[rows] - self._centers[self._origin[rows]])
