"""Division of tetrahedra into eight."""

import numpy as np
import pytest

from fracture_addon.core.data.solid import cell_volumes, oriented
from fracture_addon.core.geometry.refinement import refined
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes


def test_the_eight_parts_fill_their_cell_and_neighbours_share_their_points():
    solid = tetrahedralize(shapes.cube(), 200, 0)
    points, cells = refined(solid.points, solid.cells)
    parts = cell_volumes(points, oriented(points, cells)).reshape(-1, 8)
    assert parts.min() > 0.0
    assert parts.sum(axis=1) == pytest.approx(cell_volumes(solid.points, solid.cells))
    assert parts == pytest.approx(np.repeat(parts.sum(axis=1, keepdims=True) / 8.0, 8, axis=1))
    assert (points[: len(solid.points)] == solid.points).all()
    edges = np.sort(solid.cells[:, [0, 0, 0, 1, 1, 2, 1, 2, 3, 2, 3, 3]].reshape(-1, 2, 6).transpose(0, 2, 1), axis=2)
    assert len(points) - len(solid.points) == len(np.unique(edges.reshape(-1, 2), axis=0))
