"""Values of painted fields at any point: those of the nearest point on the painted surface."""

from __future__ import annotations

import numpy as np

from ..data.placed_fields import PaintedField
from ..data.surface import Surface
from ..geometry.nearest import nearest


def weights_at(painted: PaintedField, points: np.ndarray) -> np.ndarray:
    """Return the painted weights (N,) from 0 to 1 at points (N, 3)."""
    rows, coordinates, _ = nearest(Surface(painted.points, painted.faces), points)
    return np.einsum("nk,nk->n", coordinates, painted.weights[painted.faces[rows]])


def factors_at(painted: PaintedField, points: np.ndarray) -> np.ndarray:
    """Return the factors (N,) at points (N, 3): the painted factor to the power of the weight."""
    return painted.factor ** weights_at(painted, points)
