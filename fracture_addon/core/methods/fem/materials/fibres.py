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
        (C, 3) unit vectors in rest space; zero in objects that are alike in all directions, and ``None`` if the whole
        body is.

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
    if solid.mixture is None:
        return None if _is_plain(material) else _directions(cell_centers(solid.points, solid.cells), settings)
    if all(_is_plain(part.material) for part in solid.mixture.parts):
        return None
    centers, result = cell_centers(solid.points, solid.cells), np.zeros((solid.cell_count, 3))
    for number, part in enumerate(solid.mixture.parts):
        rows = solid.mixture.part_of_cell == number
        if not _is_plain(part.material):
            result[rows] = _directions(centers[rows], part.settings)
    return result


def _is_plain(material: Material) -> bool:
    return material.stiffness_ratio == material.grain_strength_ratio == 1.0


def _directions(points: np.ndarray, settings: ModelSettings) -> np.ndarray:
    return grain_directions(points, settings.strength.grain, settings.strength.grains)
