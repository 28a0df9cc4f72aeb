"""Cells that are longer along the grain of wood than across it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...data.material import Material
from ...data.settings.settings import FillSettings
from ...data.settings.strength import StrengthSettings
from ...data.surface import Surface

# Largest length of cells along the grain over their width, and its share of the strength ratio. Of a cut along the
# grain through cells of equal length in all directions, half of the area is on faces across it. At 3, 4 and 5, cracks
# in a plank have 91, 95 and 97 % of their area along the grain, and splinters are 2.7, 3.4 and 4 times as long as wide.
# At shares of 0.4 to 0.6 bars bear strength ratios of 3 to 11 within 25 %, in the mean of three sizes
# (docs/decisions/grain.md).
MOST_STRETCH = 5.0
STRETCH_SHARE = 0.5
# Least cosine of the angle between two placed grains whose cells are stretched together, of 30 degrees.
ALIKE = 0.866


def grain_squeeze(material: Material, strength: StrengthSettings) -> np.ndarray | None:
    """Return the linear map after which stretched cells are as long as wide.

    Args:
        material: ``grain_strength_ratio`` limits the stretch.
        strength: ``grain`` and ``grains``. Cells have one direction: grains that differ by more than 30 degrees give no
            stretch.

    Returns:
        (3, 3), symmetric; ``None`` for cells without stretch.

    Notes:
        Own (docs/decisions/grain.md).

    Example:
        >>> from dataclasses import replace
        >>> from ...data.material import PORCELAIN
        >>> wood = replace(PORCELAIN, grain_strength_ratio=20.0)
        >>> grain_squeeze(wood, StrengthSettings(grain=np.array([0.0, 0.0, 2.0]))).round(3).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.2]]
    """
    stretch = min(STRETCH_SHARE * material.grain_strength_ratio, MOST_STRETCH)
    if stretch <= 1.0:
        return None
    directions = np.array([item.direction for item in strength.grains] or [strength.grain])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    axis = np.linalg.eigh(directions.T @ directions)[1][:, 2]
    if (np.abs(directions @ axis) < ALIKE).any():
        return None
    return np.eye(3) - (1.0 - 1.0 / stretch) * np.outer(axis, axis)


def squeezed(surface: Surface, settings: FillSettings, squeeze: np.ndarray) -> tuple[Surface, FillSettings]:
    """Return a surface and the places in its settings after the map ``squeeze`` (3, 3)."""
    filling = settings.filling
    regions = tuple(replace(item, center=squeeze @ item.center) for item in filling.fineness_regions)
    painted = filling.painted_fineness
    if painted is not None:
        painted = replace(painted, points=painted.points @ squeeze)
    return (
        replace(surface, points=surface.points @ squeeze),
        settings.changed(fineness_regions=regions, painted_fineness=painted),
    )
