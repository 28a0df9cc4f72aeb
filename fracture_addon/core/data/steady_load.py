"""Steady load on a body that stands: its weight, and what rests on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays


@dataclass(frozen=True)
class SteadyLoad(ReadOnlyArrays):
    """Steady forces on the cells of a body, and the cells that support it.

    Attributes:
        forces: (C, 3) N, at the centroids of the cells, rest space.
        held: (H,) rows of the cells that do not move; at least one.
    """

    forces: np.ndarray
    held: np.ndarray


@dataclass(frozen=True)
class RestingLoad(ReadOnlyArrays):
    """Forces of the bodies that rest on a standing one, rest space.

    Attributes:
        points: (K, 3) m.
        forces: (K, 3) N.
    """

    points: np.ndarray
    forces: np.ndarray

    def wrench(self, center: np.ndarray, size: float) -> np.ndarray:
        """Return the force (3,) N and the moment about ``center`` (3,) m over ``size`` m, (3,) N, as one array (6,)."""
        moment = np.cross(self.points - center, self.forces).sum(axis=0)
        return np.concatenate([self.forces.sum(axis=0), moment / size])
