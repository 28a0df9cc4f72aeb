"""Preview of the cells of bodies and of their strength, before anything breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .solid import CELL_FACES, SolidModel, cell_centers
from .surface import Surface

# Drawn size of a cell over its real size. The gaps separate the cells in the view; no result depends on it.
SHRINK = 0.85
# Names of the face attributes.
STRENGTH, CELL = "face/fracture_strength", "face/fracture_cell"


@dataclass(frozen=True)
class Preview:
    """The cells of all bodies.

    Attributes:
        bodies: One surface for each body of the job, in its order: four faces for each cell, m, in the world on the
            first frame. Face attributes are ``CELL``, the row of the cell, and ``STRENGTH``, the mean tensile strength
            of its bonds over that of the material; 0 for a cell without bonds.
    """

    bodies: tuple[Surface, ...]


def separate_cells(solid: SolidModel, bond_strengths: np.ndarray) -> Surface:
    """Return the cells of a solid as separate closed surfaces.

    Args:
        solid: Solid with C cells and F shared faces.
        bond_strengths: (F,) strength of the bond across each face, over that of the material.

    Returns:
        A surface with 4 C faces, as in ``Preview``.

    Example:
        A cell is drawn with ``SHRINK``^3 = 0.85^3 of its volume.

        >>> from .solid import from_cells
        >>> from .surface import volume
        >>> cell = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], [])
        >>> round(6.0 * volume(separate_cells(cell, np.empty(0))), 6)
        0.614125
    """
    centers = cell_centers(solid.points, solid.cells)[:, None]
    points = centers + SHRINK * (solid.points[solid.cells] - centers)
    faces = CELL_FACES + 4 * np.arange(solid.cell_count, dtype=np.int32)[:, None, None]
    rows = np.repeat(np.arange(solid.cell_count, dtype=np.int32), len(CELL_FACES))
    bonded = solid.face_cells.ravel()
    count = np.bincount(bonded, minlength=solid.cell_count)
    strength = np.bincount(bonded, np.repeat(bond_strengths, 2), solid.cell_count) / np.maximum(count, 1)
    return Surface(points.reshape(-1, 3), faces.reshape(-1, 3), face_attributes={CELL: rows, STRENGTH: strength[rows]})
