"""Ropes, sheets and shells: bodies of a line or a surface and a thickness (Sweeney et al. 1991, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .errors import SettingsError

# Points of a cell, by kind: segments and quads.
WIDTHS = {"rope": 2, "sheet": 4, "shell": 4}
# Tetrahedra that one cell stands for, where an artist gives their number.
TETRAHEDRA = 6


@dataclass(frozen=True)
class Thin:
    """What a lattice is made of directly, where there is no solid to fill.

    Attributes:
        kind: ``rope`` (segments that only pull along themselves), ``sheet`` (a membrane: cloth, a leaf) or ``shell`` (a
            sheet of solid cells, which resists bending).
        points: (N, 3) m, along the middle.
        cells: (K, 2) points of segments, or (K, 4) of quads in turn; a triangle repeats its last point.
        thickness: (N,) m, through each point; of a rope, its diameter.
    """

    kind: str
    points: np.ndarray
    cells: np.ndarray
    thickness: np.ndarray

    def __post_init__(self):
        if self.kind not in WIDTHS:
            raise SettingsError(f"there is no body that is a '{self.kind}'; use one of {', '.join(WIDTHS)}")
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "cells", frozen(self.cells, np.int32, -1, WIDTHS[self.kind]))
        object.__setattr__(self, "thickness", frozen(self.thickness, np.float64, len(self.points)))


def point_normals(points: np.ndarray, quads: np.ndarray, weights=1.0) -> np.ndarray:
    """(N, 3) unit normals of points, each the mean of the quads' around it by area.

    Args:
        points: (N, 3).
        quads: (K, 4) in turn; a triangle repeats its last point.
        weights: Of the quads, (K,) or one.
    """
    a, b, c, d = np.moveaxis(points[quads], 1, 0)
    vectors = np.repeat(np.broadcast_to(weights, len(quads))[:, None] * np.cross(c - a, d - b), 4, axis=0)
    sums = np.stack([np.bincount(quads.ravel(), column, len(points)) for column in vectors.T], axis=1)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, length, out=np.zeros_like(sums), where=length > 0.0)


def evenly_along(curve: np.ndarray, count: int) -> np.ndarray:
    """(count, D) points at even distances along the straight lines between (N, D) points."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    places = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(places, along, column) for column in curve.T], axis=1)
