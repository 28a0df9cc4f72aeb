"""Drawn weak sheets: which bonds cross them, and their normals."""

from __future__ import annotations

import numpy as np

from ..data.placed_fields import WeakSheet
from ..data.surface import Surface, area_vectors
from ..geometry.nearest import Nearest
from ..geometry.rays import RayGrid

# Length below which a bond is a point, m. It only prevents a division by zero.
POINT = 1e-300


class SheetField:
    """A weak sheet in a tree of boxes and a grid, for many bonds.

    Args:
        sheet: The sheet.

    Notes:
        Own: a sheet is to a drawn line what the cleaving plane of Smith et al. 2001, section 2.1, is to a plane. The
        bonds that cross it separate all cells on its two sides.

    Example:
        The first bond crosses the triangle, the second passes beside it.

        >>> field = SheetField(WeakSheet([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], factor=0.2))
        >>> pairs = np.array([[[0.2, 0.2, -1.0], [0.2, 0.2, 1.0]], [[2.0, 0.2, -1.0], [2.0, 0.2, 1.0]]])
        >>> field.strength(pairs.mean(axis=1), pairs).tolist()
        [0.2, 1.0]
    """

    def __init__(self, sheet: WeakSheet):
        surface = Surface(sheet.points, sheet.faces)
        vectors = area_vectors(surface)
        self._sheet, self._grid, self._nearest = sheet, RayGrid.of(surface), Nearest(surface)
        self._normals = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def strength(self, centers: np.ndarray, pairs: np.ndarray, width: float | None = None) -> np.ndarray:
        """Return strength factors of bonds.

        Args:
            centers: (F, 3) m, centres of the bonds.
            pairs: (F, 2, 3) m, centroids of the two cells of each bond.
            width: m, thickness of the sheet; by default its own.

        Returns:
            (F,) the sheet's factor where a bond crosses it or lies within half the width, 1 elsewhere.
        """
        vectors = pairs[:, 1] - pairs[:, 0]
        lengths = np.linalg.norm(vectors, axis=1)
        directions = vectors / np.maximum(lengths, POINT)[:, None]
        crossings = [search(pairs[:, 0], directions, lengths)[0] for search in (self._grid.enters, self._grid.leaves)]
        crossed = np.isfinite(np.minimum(*crossings)) & (lengths > 0.0)
        half = 0.5 * (self._sheet.width if width is None else width)
        if half > 0.0:
            crossed |= self._nearest.to(centers)[2] < half
        return np.where(crossed, self._sheet.factor, 1.0)

    def normals(self, points: np.ndarray) -> np.ndarray:
        """Return the (N, 3) unit normals of the sheet at the points nearest to points (N, 3), m."""
        return self._normals[self._nearest.to(points)[0]]
