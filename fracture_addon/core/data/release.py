"""Volumes that let held pieces go when they reach them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays
from .surface import Surface


@dataclass(frozen=True)
class Release(ReadOnlyArrays):
    """A volume that moves and grows. Waiting fragments that it reaches are let go.

    Attributes:
        name: Name of the object.
        matrices: (T, 4, 4) from its own space to the world on each frame, m. A singular matrix: it is empty there.
        surface: Its shape in its own space. An open surface only lets go of what it passes. ``None``: the unit sphere.
    """

    name: str
    matrices: np.ndarray
    surface: Surface | None = None
