"""Pairs of surfaces that touch or lie within a distance of each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.surface import Surface, area
from .facing import contact_area
from .nearest import Nearest

# Common area over the area of the smaller surface below which two surfaces only meet at an edge or a corner. From 2e-5
# to 0.004 two bricks of 20 x 10 x 6 cm touch if they overlap by 5 mm; at 0.02 they need more than 1 cm.
LEAST_SHARE = 0.002
# Margin of the box of a surface over its size: boxes of touching objects overlap only by rounding (float32: 6e-8).
MARGIN = 1e-6


def touching_pairs(surfaces: Sequence[Surface], distance: float) -> np.ndarray:
    """Return the pairs of surfaces that face each other over an area.

    Args:
        surfaces: Closed surfaces.
        distance: m, largest gap.

    Returns:
        (P, 2) int32 rows of ``surfaces``, the smaller one first.

    Notes:
        Own; see ``facing.facing``. Only surfaces with near boxes are compared.

    Example:
        Of three triangles, the first two face each other.

        >>> triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> lower, upper = Surface(triangle, [[0, 1, 2]]), Surface(triangle + [0.0, 0.0, 0.01], [[0, 2, 1]])
        >>> touching_pairs([lower, upper, Surface(triangle + 5.0, [[0, 1, 2]])], 0.02).tolist()
        [[0, 1]]
    """
    trees: dict[int, Nearest] = {}

    def tree_of(surface: Surface) -> Nearest:
        if id(surface) not in trees:
            trees[id(surface)] = Nearest(surface)
        return trees[id(surface)]

    pairs = []
    for first, second in _near_boxes(surfaces, distance):
        sides = surfaces[first], surfaces[second]
        common = contact_area(*sides, distance, tree_of=tree_of)
        if common.areas.sum() > LEAST_SHARE * area(min(sides, key=lambda surface: surface.diagonal)):
            pairs.append((first, second))
    return np.array(pairs, np.int32).reshape(-1, 2)


def _near_boxes(surfaces: Sequence[Surface], distance: float) -> np.ndarray:
    """Return the pairs (P, 2) of rows, the smaller one first, whose boxes are within a distance."""
    low = np.array([item.points.min(axis=0) for item in surfaces]) - 0.5 * distance
    high = np.array([item.points.max(axis=0) for item in surfaces]) + 0.5 * distance
    margin = MARGIN * (high - low).max(axis=1, keepdims=True)
    low, high = low - margin, high + margin
    found = []
    for row in range(len(surfaces) - 1):
        near = ((low[row + 1 :] <= high[row]) & (high[row + 1 :] >= low[row])).all(axis=1)
        found += [(row, row + 1 + int(other)) for other in np.flatnonzero(near)]
    return np.array(found, np.int32).reshape(-1, 2)
