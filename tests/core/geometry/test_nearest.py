"""Nearest points on a surface, and transfer of attributes from there."""

import numpy as np
import pytest

from fracture_addon.core.data.surface import Surface, area_vectors
from fracture_addon.core.geometry.nearest import distance, nearest, with_attributes_from
from tests import shapes


def test_the_nearest_place_is_the_nearest_of_all_faces():
    torus = shapes.torus()
    points = np.random.default_rng(0).normal(size=(50, 3))
    rows, weights, distances = nearest(torus, points)
    places = np.einsum("ni,nik->nk", weights, torus.corners[rows])
    assert np.linalg.norm(places - points, axis=1) == pytest.approx(distances)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 25)] * 2), axis=-1).reshape(-1, 2)
    grid = grid[grid.sum(axis=1) <= 1.0]
    samples = np.concatenate([1.0 - grid.sum(axis=1, keepdims=True), grid], axis=1) @ torus.corners
    brute = np.linalg.norm(samples.reshape(-1, 1, 3) - points, axis=2).min(axis=0)
    assert (distances <= brute + 1e-12).all()
    assert (brute - distances < 0.02).all()


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-9, 1e-8, 1e-6])
def test_points_very_near_a_face_find_it(gap):
    """The face of the point before gives a bound that rounding must not make too small."""
    size = 0.8113213752850795
    ends = size * np.array([[-1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]])
    surface = Surface(ends, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    beside = np.random.default_rng(0).uniform(-0.8, 0.0, (1000, 2))
    points = np.column_stack([np.full(1000, -size - gap), beside])
    rows, weights, distances = nearest(surface, points)
    assert (rows == 1).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(distances, gap, atol=1e-15)


@pytest.mark.parametrize("corners", [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (0, 0, 0), (0, 2, 1)])
def test_of_a_face_without_area_the_nearest_place_is_on_its_edges(corners):
    line = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.25, 0.0, 0.0]])
    points = np.random.default_rng(0).normal(size=(50, 3))
    _, _, distances = nearest(Surface(line[list(corners)], [[0, 1, 2]]), points)
    ends = line[sorted(set(corners))]
    on_line = np.clip(points[:, 0], ends[:, 0].min(), ends[:, 0].max())
    places = np.stack([on_line, 0.0 * on_line, 0.0 * on_line], axis=1)
    assert distances == pytest.approx(np.linalg.norm(points - places, axis=1))


def test_distance_is_measured_between_surfaces():
    assert distance(shapes.icosphere(), shapes.icosphere()) < 1e-12
    assert distance(shapes.cube(1.0), shapes.cube(1.2)) == pytest.approx(0.1 * 3**0.5)


def test_made_faces_keep_to_one_uv_island():
    board = shapes.plank(1.0, 1.0, 0.1)
    upper = area_vectors(board)[:, 2] > 0.0
    uv = board.corners[..., :2] + np.where(upper, 10.0, 0.0)[:, None, None]
    board = Surface(
        board.points,
        board.faces,
        face_attributes={"material_index": upper.astype(np.int32)},
        corner_attributes={"uv/UVMap": uv},
    )
    center = np.array([[[-0.3, -0.3, 0.05], [0.5, -0.5, 0.05], [0.0, 0.2, 0.05]]])
    result = with_attributes_from(board, center.reshape(-1, 3), [[0, 1, 2]], np.array([-1]))
    assert result.face_attributes["material_index"].tolist() == [1]
    assert result.corner_attributes["uv/UVMap"] == pytest.approx(center[..., :2] + 10.0, abs=0.03)
