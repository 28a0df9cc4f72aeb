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
