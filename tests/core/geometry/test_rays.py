"""Rays against surfaces."""

import numpy as np
import pytest

from fracture_addon.core.geometry.rays import RayGrid
from tests import shapes


def crossings(surface, origins, directions, reach, side):
    """The readable twin: every ray against every face (Moeller and Trumbore 1997)."""
    a, b, c = np.moveaxis(surface.corners, 1, 0)
    result = np.full(len(origins), np.inf)
    for index, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        across = np.cross(direction, c - a)
        determinant = np.einsum("fi,fi->f", b - a, across)
        u = np.einsum("fi,fi->f", origin - a, across) / determinant
        turned = np.cross(origin - a, b - a)
        v = turned @ direction / determinant
        distance = np.einsum("fi,fi->f", c - a, turned) / determinant
        # A face whose normal looks along the ray has a negative determinant.
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (determinant * side < 0.0) & (distance > 0.0)
        near = distance[hit & (distance < reach)]
        result[index] = near.min(initial=np.inf)
    return result


@pytest.mark.parametrize("surface", [shapes.torus(), shapes.cup(), shapes.box((1.0, 1.0, 0.004))])
@pytest.mark.parametrize("reach", [0.1, 10.0])
def test_crossings_are_those_of_the_readable_twin(surface, reach):
    random, grid = np.random.default_rng(0), RayGrid.of(surface)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    origins = random.uniform(low - 0.1, high + 0.1, (300, 3))
    directions = random.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for way, side in ((grid.leaves, 1.0), (grid.enters, -1.0)):
        distances, faces = way(origins, directions, reach)
        expected = crossings(surface, origins, directions, reach, side)
        np.testing.assert_allclose(distances, expected, rtol=1e-9)
        assert ((faces >= 0) == np.isfinite(expected)).all()
        assert np.isfinite(expected).any()


def test_a_ray_through_a_wall_tells_its_thickness():
    pane = shapes.box((1.0, 1.0, 0.004))
    grid = RayGrid.of(pane)
    up = np.array([[0.0, 0.0, 1.0]])
    distances, faces = grid.leaves(np.array([[0.1, 0.2, -0.002]]), up, 1.0)
    assert distances[0] == pytest.approx(0.004)
    assert (pane.points[pane.faces[faces[0]], 2] == 0.002).all()
    assert grid.leaves(np.array([[0.1, 0.2, -0.002]]), up, 0.003)[0][0] == np.inf
