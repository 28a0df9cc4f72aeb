"""Normals of the points of a surface."""

from __future__ import annotations

import numpy as np

from ..data.arrays import sum_by, unit
from ..data.surface import Surface


def point_normals(surface: Surface, of_faces: np.ndarray) -> np.ndarray:
    """Return (P, 3) unit normals of points: means over their faces by angle (Thuermer and Wuethrich 1998).

    Args:
        surface: The surface.
        of_faces: (F, 3) unit normals of its faces.
    """
    angles = corner_angles(surface.corners)
    weighted = (angles[:, :, None] * of_faces[:, None]).reshape(-1, 3)
    return unit(sum_by(surface.faces.ravel(), weighted, len(surface.points)))


def corner_angles(corners: np.ndarray) -> np.ndarray:
    """Return the angles (F, 3) of triangles (F, 3, 3), rad."""
    edges = unit(corners.take([1, 2, 0], axis=1) - corners)
    return np.arccos(np.clip(-np.einsum("fki,fki->fk", edges, edges.take([2, 0, 1], axis=1)), -1.0, 1.0))
