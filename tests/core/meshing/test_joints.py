"""Joints between the cells of two solids."""

import numpy as np
import pytest

from fracture_addon.core.geometry.facing import facing
from fracture_addon.core.geometry.nearest import Nearest
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.meshing.joints import OuterCells, join_cells
from tests import shapes

SIZE = (0.2, 0.1, 0.06)


@pytest.mark.parametrize("height", [0.0, 0.003])
def test_the_joints_of_half_a_brick_on_another_have_the_area_of_half_a_face(height):
    surfaces = shapes.box(SIZE), shapes.box(SIZE, (0.1, 0.0, 0.06 + height))
    first, second = (tetrahedralize(surface, 100, 0) for surface in surfaces)
    area = facing(*surfaces, Nearest(surfaces[1]), 0.012, 0.004)
    joints = join_cells(first, second, (OuterCells.of(first), OuterCells.of(second)), area)
    edges = joints.triangles[:, 1:] - joints.triangles[:, :1]
    areas = 0.5 * np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    assert areas.sum() == pytest.approx(0.01, rel=0.02)
    assert joints.gaps == pytest.approx(np.full(len(joints.gaps), height), abs=1e-9)
    assert len(np.unique(joints.pairs, axis=0)) == len(joints.pairs)
    assert joints.pairs.max(axis=0)[0] < first.cell_count
