"""Values of painted fields at any point: those of the nearest point on the painted surface."""

from __future__ import annotations

import numpy as np

from ..data.placed_fields import PaintedField
from ..data.surface import Surface
from ..geometry.nearest import nearest


def weights_at(painted: PaintedField, points: np.ndarray) -> np.ndarray:
    """Return the painted weights at points: those of the nearest point on the painted surface.

    Args:
        painted: The painted field.
        points: (N, 3) m.

    Returns:
        (N,) 0 to 1.

    Notes:
        Own: linear between the points of the nearest face, because paint is on the surface and cells are inside.

    Example:
        >>> painted = PaintedField([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], [0.0, 1.0, 0.0])
        >>> weights_at(painted, np.array([[0.25, 0.0, 0.5]])).tolist()
        [0.25]
    """
    rows, coordinates, _ = nearest(Surface(painted.points, painted.faces), points)
    return np.einsum("nk,nk->n", coordinates, painted.weights[painted.faces[rows]])


def factors_at(painted: PaintedField, points: np.ndarray) -> np.ndarray:
    """Return the factors of a painted field at points: the painted factor to the power of the weight.

    Args:
        painted: The painted field.
        points: (N, 3) m.

    Returns:
        (N,).
    """
    return painted.factor ** weights_at(painted, points)
