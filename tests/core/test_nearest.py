"""The nearest place on a surface, and what is carried over from there."""

import numpy as np
import pytest

from fracture_addon.core.geometry.nearest import carried, distance, nearest
from fracture_addon.core.surface import Surface, area_vectors
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


def test_faces_without_area_have_a_nearest_place_too():
    """Doubled corners, corners on a line, and all corners at one point: repairs drop them, painted meshes have them."""
    random = np.random.default_rng(1)
    line = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    for corners in ([0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 2], [2, 0, 1], [0, 0, 0]):
        points = np.concatenate([line, random.normal(size=(50, 3)), [[0.5, 1.0, 0.0]]])
        _, weights, distances = nearest(Surface(line, [corners]), points)
        assert weights.sum(axis=1) == pytest.approx(1.0)
        ends = line[corners][:, 0]
        along = np.clip(points[:, 0], ends.min(), ends.max())
        wanted = np.linalg.norm(points - np.stack([along, 0.0 * along, 0.0 * along], axis=1), axis=1)
        assert distances == pytest.approx(wanted, abs=1e-9)


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
    result = carried(board, center.reshape(-1, 3), [[0, 1, 2]], np.array([-1]))
    assert result.face_attributes["material_index"].tolist() == [1]
    assert result.corner_attributes["uv/UVMap"] == pytest.approx(center[..., :2] + 10.0, abs=0.03)
