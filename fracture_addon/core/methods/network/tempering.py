"""Stress that a body has without a load: surface in compression, core in tension, as in tempered glass."""

from __future__ import annotations

import numpy as np

from ...data.solid import CELL_FACES, SolidModel, appears_once
from ...data.surface import Surface
from ...geometry.nearest import nearest
from .bonds.full_bonds import QUADRATURE


def tempering(solid: SolidModel, compression: float, wall: float) -> np.ndarray:
    """Normal stress (F, 3), Pa, at the quadrature points of shared faces, of a wall cooled quickly on both sides.

    The parabola of thermal tempering, sigma = compression (1/2 - 3/2 z^2), z from 0 in the middle of the wall to 1 on
    its surface: minus ``compression`` there, half of it in tension in the middle, and nothing in all.

    Args:
        solid: The body.
        compression: Of the surface, Pa, positive.
        wall: m, its thickness; deeper places are as the middle.
    """
    points = np.einsum("qk,fki->fqi", QUADRATURE, solid.points[solid.faces]).reshape(-1, 3)
    depth = nearest(_boundary(solid), points)[2]
    height = 1.0 - np.minimum(depth / (0.5 * wall), 1.0)
    return compression * (0.5 - 1.5 * height**2).reshape(-1, 3)


def _boundary(solid: SolidModel) -> Surface:
    """The cells' faces that no other cell shares."""
    faces = solid.cells[:, CELL_FACES].reshape(-1, 3)
    return Surface(solid.points, faces[appears_once(faces)])
