"""Chips come off the edges, move as their fragment did, and leave it whole."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fracture_addon.core.cutting.chipping import chipped
from fracture_addon.core.data.solid import cell_centers, cell_volumes
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import Break
from tests import shapes


@pytest.fixture(scope="module")
def halves():
    solid = tetrahedralize(shapes.box((1.0, 1.0, 0.2)), 900, seed=1)
    left = cell_centers(solid.points, solid.cells)[:, 0] < 0.02
    velocity, turning = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 4.0], [1.0, 0.0, 0.0]])
    return solid, Break((~left).astype(np.int32), velocity, turning, 2.0, 3, 0, 0.0, np.ones(2, bool))


def momenta(solid, result):
    volumes, centers = cell_volumes(solid.points, solid.cells), cell_centers(solid.points, solid.cells)
    linear, angular = np.zeros(3), np.zeros(3)
    for fragment in range(len(result.velocity)):
        rows = result.fragment_of_cell == fragment
        middle = volumes[rows] @ centers[rows] / volumes[rows].sum()
        speeds = result.velocity[fragment] + np.cross(result.angular_velocity[fragment], centers[rows] - middle)
        linear += volumes[rows] @ speeds
        angular += volumes[rows] @ np.cross(centers[rows], speeds)
    return linear, angular


def test_chips_keep_the_motion_and_leave_fragments_connected(halves):
    solid, result = halves
    some = chipped(result, solid, 1.0, 5)
    count = len(some.velocity)
    assert count > 6
    assert len(some.kept) == len(some.angular_velocity) == count
    volumes = np.bincount(some.fragment_of_cell, cell_volumes(solid.points, solid.cells), count)
    assert (np.diff(volumes) <= 0.0).all()
    for before, after in zip(momenta(solid, result), momenta(solid, some), strict=True):
        np.testing.assert_allclose(before, after, rtol=1e-9)
    same = some.fragment_of_cell[solid.face_cells]
    pairs = solid.face_cells[same[:, 0] == same[:, 1]]
    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(solid.cell_count,) * 2)
    assert connected_components(graph, directed=False)[0] == count


def test_chips_lie_between_a_crack_and_the_outside(halves):
    solid, result = halves
    some = chipped(result, solid, 0.6, 5)
    lone = np.flatnonzero(np.bincount(some.fragment_of_cell)[some.fragment_of_cell] == 1)
    assert len(lone) > 4
    crossed = result.fragment_of_cell[solid.face_cells]
    for cell in lone:
        faces = (solid.face_cells == cell).any(axis=1)
        assert faces.sum() < 4
        assert (crossed[faces, 0] != crossed[faces, 1]).any()


def test_no_share_no_chips_and_the_same_seed_the_same_chips(halves):
    solid, result = halves
    assert chipped(result, solid, 0.0, 5) is result
    one, other = (chipped(result, solid, 0.5, 9) for _ in range(2))
    assert one.fragment_of_cell.tobytes() == other.fragment_of_cell.tobytes()
    assert len(one.velocity) < len(chipped(result, solid, 1.0, 9).velocity)
