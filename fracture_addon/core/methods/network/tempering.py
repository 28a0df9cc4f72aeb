"""Prestress of tempered glass: compression in the surface, tension in the core."""

from __future__ import annotations

import numpy as np

from ...data.solid import SolidModel, outer_faces
from ...data.surface import Surface
from ...geometry.nearest import nearest
from .bonds.full_bonds import QUADRATURE


def tempering(solid: SolidModel, compression: float, wall: float) -> np.ndarray:
    """Return the prestress of a tempered wall at the quadrature points of the shared faces.

    Thermal tempering gives the parabola sigma = compression (1/2 - 3/2 z^2), with z from 0 in the middle of the wall to
    1 on its surface. It is -compression on the surface and compression / 2 in the middle; its mean is zero.

    Args:
        solid: Tetrahedra of the body.
        compression: Pa, positive, compressive stress of the surface.
        wall: m, wall thickness. Points deeper than half of it have the stress of the middle.

    Returns:
        (F, 3) Pa, normal stress, tension positive.

    Notes:
        Barsom 1968, Fracture of Tempered Glass. It takes the place of the k of Smith et al. 2001, section 3.1.

    Example:
        A face deep inside a body with a wall of 0.1 m has half of the compression as tension.

        >>> from ...data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> tempering(solid, 100e6, 0.1).tolist()
        [[50000000.0, 50000000.0, 50000000.0]]
    """
    points = np.einsum("qk,fki->fqi", QUADRATURE, solid.points[solid.faces]).reshape(-1, 3)
    depth = nearest(Surface(solid.points, outer_faces(solid.cells)[0]), points)[2]
    height = 1.0 - np.minimum(depth / (0.5 * wall), 1.0)
    return compression * (0.5 - 1.5 * height**2).reshape(-1, 3)
