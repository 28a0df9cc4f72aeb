"""Where the artist pinned a body that moves rigidly: pieces that keep such a place stay put, the rest falls away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.places import PaintedField
from ..data.solid import CELL_FACES, SolidModel, appears_once
from ..fields.painting import weights_at
from ..geometry.embedding import embed


def anchors_of(pinned: PaintedField | None, solid: SolidModel) -> np.ndarray:
    """(K, 3) m, rest space: places on the surface where weights are over one half.

    Middles of the cells' outer faces, as a piece that touches what is pinned with a corner alone does not stand on it;
    and points of the painted mesh, for what is pinned in places smaller than cells.

    Args:
        pinned: What is painted; ``None`` for nothing.
        solid: Cells that fill the body.
    """
    if pinned is None:
        return np.empty((0, 3))
    faces = solid.cells[:, CELL_FACES].reshape(-1, 3)
    middles = solid.points[faces[appears_once(faces)]].mean(axis=1)
    return np.concatenate([middles[weights_at(pinned, middles) > 0.5], pinned.points[pinned.weights > 0.5]])


def shared_out(
    anchors: np.ndarray, points: np.ndarray, cells: np.ndarray, label: np.ndarray, count: int
) -> Sequence[np.ndarray]:
    """Which fragment keeps which anchors: each goes with the cell that it is in.

    Args:
        anchors: (K, 3) m, rest space.
        points: (P, 3) m, rest space.
        cells: (C, 4) rows of the points.
        label: (C,) the fragment of each cell.
        count: Of fragments.

    Returns:
        ``count`` arrays (K', 3).
    """
    owner = label[embed(anchors, points, cells)[1]] if len(anchors) else np.empty(0, int)
    return [anchors[owner == fragment] for fragment in range(count)]
