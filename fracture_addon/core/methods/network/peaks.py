"""Ratio of the largest burden in a network to the stress of the material. Irregular cells raise it above 1."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .model import Model

# Radius in cell sizes, and smallest cosine between normals, of the bonds whose burdens are averaged. With the default
# noise of the strength, a pipe of 10 cm radius and 1 cm wall with 2,000, 4,000 and 8,000 cells then breaks at 0.75,
# 0.76 and 0.76 of the pressure of thin-wall theory, a sphere at 0.74, 0.83 and 0.81; with 1.5 cell sizes at 0.65 to
# 0.81.
RADIUS, SAME_PLANE = 2.0, 0.8
# The same radius for a weight and for grips, which bend bodies: a larger one would average the stress over their depth.
# A hanging bar of 1,000, 2,000 and 4,000 cells then breaks at 1.00, 0.99 and 0.95 times the load of the formula, and
# with 2 cell sizes at 1.21, 1.14 and 1.11 times (docs/decisions/collapse.md).
BENDING_RADIUS = 1.0
# Number of bonds, those with the largest burdens, around which the averages are taken. It limits the time.
# Bars of 2,000 cells break under 0.99 (hanging) and 1.50 times (bent) the weight of beam theory with 500 to 8,000,
# under 1.00 and 1.50 with 100, and under 1.08 and 1.51 with 10.
MOST_BONDS = 2000


def peak_factor(model: Model, burden: np.ndarray, radius: float = RADIUS) -> float:
    """Return the largest burden over the largest mean burden of bonds near one another in about the same plane.

    Cells of irregular shape transmit the stress unevenly: a few bonds have a higher stress than their neighbours. A
    pressure or a weight loads thousands of bonds alike. Without this factor, the worst of them would decide when the
    body breaks. Ties do not count: their material differs from that of the bonds around them.

    Args:
        model: The network.
        burden: (F,) Pa or N.
        radius: Radius of the means, in cell sizes.

    Returns:
        The factor, at least 1; 1 without a load.

    Notes:
        Own rule (docs/decisions/pressures.md).

    Example:
        Two faces of 0.5 m2 side by side bear 3 and 1 Pa, in the mean 2 Pa.

        >>> from dataclasses import replace
        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> names = "face_centers", "normals", "areas"
        >>> model = replace(model, **{name: getattr(model, name).repeat(2, axis=0) for name in names})
        >>> peak_factor(model, np.array([3.0, 1.0]))
        1.5
    """
    burden, centers = burden[: model.tie_start], model.face_centers[: model.tie_start]
    rows = np.argsort(-burden, kind="stable")[:MOST_BONDS]
    pairs = cKDTree(centers[rows]).sparse_distance_matrix(
        cKDTree(centers), radius * model.cell_size, output_type="ndarray"
    )
    center, near = pairs["i"], pairs["j"]
    cosines = np.einsum("ni,ni->n", model.normals[near], model.normals[rows[center]])
    weights = model.areas[near] * (np.abs(cosines) >= SAME_PLANE)
    means = np.bincount(center, weights * burden[near]) / np.bincount(center, weights)
    largest = float(means.max(initial=0.0))
    return float(burden.max()) / largest if largest > 0.0 else 1.0
