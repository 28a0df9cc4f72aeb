"""Ropes, sheets and shells: a line or a surface with a thickness (Sweeney et al. 1991, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arrays import frozen
from .errors import SettingsError

# Tetrahedra that one cell replaces: a cube consists of six. The artist's cell count is a count of tetrahedra.
TETRAHEDRA = 6


@dataclass(frozen=True)
class ThinKind:
    """A kind of thin body.

    Attributes:
        width: Points of a cell: 2 of a segment, 4 of a quad.
        resists_bending: Whether it is stiff in bending.
    """

    width: int
    resists_bending: bool


# The kinds, by ``Thin.kind``.
KINDS = {"rope": ThinKind(2, False), "sheet": ThinKind(4, False), "shell": ThinKind(4, True)}


@dataclass(frozen=True)
class Thin:
    """The middle line or surface of a body that is not a solid.

    Attributes:
        kind: ``rope`` (segments without stiffness in bending), ``sheet`` (a membrane, such as cloth) or ``shell`` (one
            layer of solid cells, which resists bending).
        points: (N, 3) m, on the middle line or surface.
        cells: (K, 2) points of segments, or (K, 4) points of quads in order around them. A triangle repeats its last
            point.
        thickness: (N,) m, at each point; the diameter of a rope.

    Raises:
        SettingsError: The kind is unknown.
    """

    kind: str
    points: np.ndarray
    cells: np.ndarray
    thickness: np.ndarray

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingsError(f"'{self.kind}' is no kind of thin body; use one of {', '.join(KINDS)}")
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "cells", frozen(self.cells, np.int32, -1, KINDS[self.kind].width))
        object.__setattr__(self, "thickness", frozen(self.thickness, np.float64, len(self.points)))

    @property
    def is_line(self) -> bool:
        """Whether its cells are segments."""
        return KINDS[self.kind].width == 2

    @property
    def resists_bending(self) -> bool:
        """Whether it is stiff in bending."""
        return KINDS[self.kind].resists_bending


def point_normals(points: np.ndarray, quads: np.ndarray, weights: ArrayLike = 1.0) -> np.ndarray:
    """Return normals of points: means of the normals of their quads, weighted by area.

    Args:
        points: (N, 3) m.
        quads: (K, 4) in order around each quad; a triangle repeats its last point.
        weights: Further weights of the quads, (K,) or one for all.

    Returns:
        (N, 3) unit vectors; 0 for a point without quads.

    Notes:
        Gouraud 1971, Continuous Shading of Curved Surfaces, with areas as weights.

    Example:
        >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        >>> point_normals(square, np.array([[0, 1, 2, 3]]))[0].tolist()
        [0.0, 0.0, 1.0]
    """
    a, b, c, d = np.moveaxis(points[quads], 1, 0)
    vectors = np.repeat(np.broadcast_to(weights, len(quads))[:, None] * np.cross(c - a, d - b), 4, axis=0)
    sums = np.stack([np.bincount(quads.ravel(), column, len(points)) for column in vectors.T], axis=1)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, length, out=np.zeros_like(sums), where=length > 0.0)


def evenly_along(curve: np.ndarray, count: int) -> np.ndarray:
    """Return points at equal distances along a polyline.

    Args:
        curve: (N, D) points of the polyline.
        count: Number of points of the result, ends included.

    Returns:
        (count, D).

    Example:
        >>> evenly_along(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 3.0]]), 3).tolist()
        [[0.0, 0.0], [1.0, 1.0], [1.0, 3.0]]
    """
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    wanted = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(wanted, along, column) for column in curve.T], axis=1)
