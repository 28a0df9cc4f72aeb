"""Which cells an impact presses on, and how the load passes on to what is behind when they come off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.arrays import lengths
from ..data.impact import Impact
from .rigid_parts import Cells, Masses

# A part below this share of the mass is crushed between the striker and what is behind it: the load passes it by.
PASSING_SHARE = 0.08
# The patch is at least this many cells in radius: less would load a single cell.
SMALLEST_PATCH = 1.3


def bearing(cells: Cells, parts: Masses) -> np.ndarray:
    """(C,) bool, cells of parts that are large enough to bear a load, or of the largest."""
    least = min(PASSING_SHARE * cells.masses.sum(), parts.masses.max())
    return (parts.masses >= least)[parts.part_of_cell]


def patch_forces(
    cells: Cells, parts: Masses, impacts: Sequence[Impact], cell_size: float, least_radius: float = 0.0
) -> np.ndarray:
    """(C, 3) forces of all impacts together, one newton of peak load in all, on cells near their points.

    Each impact has its share of the newton by its peak force. Its load falls off as exp(-(r / radius)^2) from the
    nearest point of the contact that is not crushed, in proportion to the cells' masses. ``least_radius`` (m) keeps
    the patch from shrinking with the cells, and with it the load that first breaks something.
    """
    forces = np.zeros_like(cells.centers)
    total = sum(impact.peak_force for impact in impacts)
    large = bearing(cells, parts)
    for impact in impacts:
        radius = max(impact.radius, SMALLEST_PATCH * cell_size, least_radius)
        distance = lengths(cells.centers - impact.point)
        nearest = int(np.argmin(np.where(large, distance, np.inf)))
        if distance[nearest] > radius:
            distance = lengths(cells.centers - cells.centers[nearest])
        weights = np.where(large, np.exp(-((distance / radius) ** 2)) * cells.masses, 0.0)
        forces += (impact.peak_force / total / weights.sum()) * weights[:, None] * impact.direction
    return forces
