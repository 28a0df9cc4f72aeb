"""What an object is divided into, before anything breaks: its cells, drawn apart, and how strong each is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .solid import CELL_FACES, SolidModel, cell_centers
from .surface import Surface

# Each cell is drawn in towards its centre, so that one can be told from the next.
SHRINK = 0.85
STRENGTH, CELL = "face/fracture_strength", "face/fracture_cell"


@dataclass(frozen=True)
class Preview:
    """The cells of some bodies.

    Attributes:
        bodies: One a body of the job, in its order: four faces a cell, metres, in the world on the first frame. Their
            ``face_attributes`` are ``fracture_cell``, the row of the cell, and ``fracture_strength``, the mean tensile
            strength of its bonds over the material's; 0 for a cell without bonds.
    """

    bodies: tuple[Surface, ...]


def cells_apart(solid: SolidModel, bond_strengths: np.ndarray) -> Surface:
    """The cells of a solid, each closed for itself.

    Args:
        solid: With C cells and F faces that two of them share.
        bond_strengths: (F,) of the bonds across those faces, over the material's strength.

    Returns:
        A surface of 4 C faces, as in ``Preview``.
    """
    centers = cell_centers(solid.points, solid.cells)[:, None]
    points = centers + SHRINK * (solid.points[solid.cells] - centers)
    faces = CELL_FACES + 4 * np.arange(solid.cell_count, dtype=np.int32)[:, None, None]
    rows = np.repeat(np.arange(solid.cell_count, dtype=np.int32), len(CELL_FACES))
    bonded = solid.face_cells.ravel()
    count = np.bincount(bonded, minlength=solid.cell_count)
    strength = np.bincount(bonded, np.repeat(bond_strengths, 2), solid.cell_count) / np.maximum(count, 1)
    return Surface(points.reshape(-1, 3), faces.reshape(-1, 3), face_attributes={CELL: rows, STRENGTH: strength[rows]})
