"""Pinned points of a rigid body. Fragments that keep one stay kinematic; all others fall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.placed_fields import PaintedField
from ..data.solid import SolidModel, outer_faces
from ..fields.painting import weights_at
from ..geometry.embedding import embed

# Painted weight above which a point is pinned, dimensionless (0 to 1): the middle of the range.
PINNED_WEIGHT = 0.5


def find_anchors(pinned: PaintedField | None, solid: SolidModel) -> np.ndarray:
    """Find the points of a surface whose painted weight is above ``PINNED_WEIGHT``.

    The points are the centres of the cells' outer faces: a fragment that touches the pinned area with a corner only
    must not count as pinned. The painted points themselves are added for areas smaller than a cell.

    Args:
        pinned: The painted field; ``None`` for none.
        solid: Cells that fill the body.

    Returns:
        (K, 3) m, rest space.

    Example:
        One corner is painted. The centres of its faces have a third of its weight.

        >>> from ..data.solid import CELL_FACES, from_cells
        >>> corners = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
        >>> solid = from_cells(corners, [[0, 1, 2, 3]], [])
        >>> pinned = PaintedField(corners, CELL_FACES, np.array([1.0, 0.0, 0.0, 0.0]))
        >>> find_anchors(pinned, solid).round(6).tolist()
        [[0.0, 0.0, 0.0]]
    """
    if pinned is None:
        return np.empty((0, 3))
    centers = solid.points[outer_faces(solid.cells)[0]].mean(axis=1)
    return np.concatenate(
        [
            centers[weights_at(pinned, centers) > PINNED_WEIGHT],
            pinned.points[pinned.weights > PINNED_WEIGHT],
        ]
    )


def assign_anchors(
    anchors: np.ndarray, points: np.ndarray, cells: np.ndarray, label: np.ndarray, count: int
) -> Sequence[np.ndarray]:
    """Assign each anchor to the fragment whose cell contains it.

    Args:
        anchors: (K, 3) m, rest space.
        points: (P, 3) m, rest space.
        cells: (C, 4) rows of the points.
        label: (C,) fragment of each cell.
        count: Number of fragments.

    Returns:
        ``count`` arrays (K', 3) m.

    Example:
        >>> points = np.array([[-1.0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
        >>> cells, anchors = np.array([[0, 2, 1, 3], [1, 4, 2, 3]]), np.array([[-0.2, 0.1, 0.1], [0.3, 0.1, 0.1]])
        >>> [found.tolist() for found in assign_anchors(anchors, points, cells, np.array([1, 0]), 2)]
        [[[0.3, 0.1, 0.1]], [[-0.2, 0.1, 0.1]]]
    """
    owner = label[embed(anchors, points, cells)[1]] if len(anchors) else np.empty(0, int)
    return [anchors[owner == fragment] for fragment in range(count)]
