"""The boundary of the cells against the surface that they fill."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from fracture_addon.core.data.solid import cell_volumes, oriented, outer_faces
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.geometry.rays import RayGrid
from fracture_addon.core.meshing.filling.fitting import fitted
from tests import shapes


def coarse_ball():
    """Cells with all corners on a sphere or in its middle, and padding around them."""
    ball = shapes.icosphere(1.0, 4)
    skin = shapes.icosphere(1.0, 1).points
    box = 3.0 * shapes.cube(2.0).points
    points = np.concatenate([skin, [[0.0, 0.0, 0.0]], box]) + np.random.default_rng(0).uniform(
        -1e-6, 1e-6, (len(skin) + 9, 3)
    )
    tets = oriented(points, Delaunay(points).simplices.astype(np.int32))
    inside = (tets <= len(skin)).all(axis=1)
    return ball, points, tets[inside], tets[~inside]


def test_the_boundary_of_cells_is_closed_and_has_their_volume():
    _, points, cells, _ = coarse_ball()
    assert volume(Surface(points, outer_faces(cells)[0])) == pytest.approx(cell_volumes(points, cells).sum())


def test_fitting_makes_the_volume_right_and_inverts_nothing():
    ball, points, cells, padding = coarse_ball()
    assert cell_volumes(points, cells).sum() < 0.9 * volume(ball)
    moved = fitted(ball, RayGrid.of(ball), points, cells, padding, np.full(len(points), 0.6))
    assert cell_volumes(moved, cells).sum() == pytest.approx(volume(ball), rel=0.01)
    assert cell_volumes(moved, np.concatenate([cells, padding])).min() > 0.0
    # Only the boundary's points move, and outwards.
    gone = np.linalg.norm(moved, axis=1) - np.linalg.norm(points, axis=1)
    assert (gone[:42] > 0.0).all()
    assert (moved[42:] == points[42:]).all()
