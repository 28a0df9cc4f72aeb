"""Fibres of materials with grain: their direction in each cell."""

from __future__ import annotations

import numpy as np

from ....data.material import Material
from ....data.settings.settings import ModelSettings
from ....data.solid import SolidModel, cell_centers
from ....fields.strength import grain_directions


def fibres(solid: SolidModel, material: Material, settings: ModelSettings) -> np.ndarray | None:
    """Return the direction of the grain in each cell.

    Args:
        solid: The body.
        material: Its ratios of strength and stiffness along the grain.
        settings: Its grain, also placed one.

    Returns:
        (C, 3) unit vectors in rest space; ``None`` for a material that is alike in all directions.

    Notes:
        Own (docs/decisions/grain.md); compare Spencer 1972, Deformations of Fibre-reinforced Materials.

    Example:
        >>> from dataclasses import replace
        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> tetrahedron = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], [])
        >>> upwards = ModelSettings().changed(grain=np.array([0.0, 0.0, 2.0]))
        >>> fibres(tetrahedron, PORCELAIN, upwards)
        >>> fibres(tetrahedron, replace(PORCELAIN, grain_stiffness_ratio=3.0), upwards).tolist()
        [[0.0, 0.0, 1.0]]
    """
    if material.stiffness_ratio == material.grain_strength_ratio == 1.0:
        return None
    grain = settings.strength
    return grain_directions(cell_centers(solid.points, solid.cells), grain.grain, grain.grains)
