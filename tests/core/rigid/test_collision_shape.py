"""The balls that a fragment collides with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.cutting.fragments import cut
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.geometry.nearest import nearest
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.rigid import collision_shape
from tests import shapes
from tests.core.balls import SIZE, balls_of


@pytest.mark.parametrize("count", [40, 400])
def test_balls_lie_inside_the_surface(cup_solid, count):
    surface, centers, radii = balls_of(cup_solid, np.arange(0, 600), count)
    assert count // 3 < len(radii) <= count
    assert is_inside(surface, centers).all()
    assert (nearest(surface, centers)[2] > radii).all()


def below_the_balls(surface, count):
    """By how much a surface reaches beyond its balls, metres, in 500 directions."""
    centers, radii = collision_shape.balls(surface, np.empty((0, 3)), surface.points, count, SIZE)
    directions = np.random.default_rng(1).normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return (surface.points @ directions.T).max(axis=0) - (centers @ directions.T + radii[:, None]).max(axis=0)


SURFACES = {
    "cube": shapes.cube(0.1),
    "plate": shapes.box((0.1, 0.08, 0.004)),
    "needle": shapes.box((0.1, 0.003, 0.002)),
    "ball": shapes.icosphere(0.05),
    "cup": shapes.cup(),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_a_fragment_stands_on_balls_whichever_way_it_lies(surface):
    """In every direction the balls reach as far as the surface, but for the tolerance (twice: hull and ball)."""
    gaps = below_the_balls(surface, 600)
    assert gaps.min() > 0.0
    assert gaps.max() < 2.1 * collision_shape.TOLERANCE * SIZE


@pytest.mark.parametrize("seed", [0, 1])
def test_shards_stand_on_their_splinters(cup_solid, seed):
    """The tips of real shards are so sharp that their normals lead out of them."""
    centers = cell_centers(cup_solid.points, cup_solid.cells)
    seeds = centers[np.random.default_rng(seed).choice(len(centers), 20, replace=False)]
    label = cKDTree(seeds).query(centers)[1]
    parts = cut(shapes.cup(), cup_solid, label, Settings.of(seed=seed))
    assert len(parts) > 10
    for part in parts:
        gaps = below_the_balls(part.surface, 200)
        assert np.median(gaps) < 2.0 * collision_shape.TOLERANCE * SIZE
        # 1.5 to 17 over eight seeds.
        assert gaps.max() < 20.0 * collision_shape.TOLERANCE * SIZE


def test_wide_faces_have_balls_between_their_corners():
    cube = shapes.cube(0.1)
    solid = tetrahedralize(cube, 600, 1)
    around, outer = collision_shape.boundary(solid.points, solid.cells)
    middles, _ = collision_shape.inspheres(solid.points, solid.cells[outer])
    centers, radii = collision_shape.balls(cube, middles, around.points, 500, cube.diagonal)
    low, high = cube.points.min(axis=0), cube.points.max(axis=0)
    sites = low + np.random.default_rng(0).uniform(size=(100, 3)) * (high - low)
    sites[:, 2] = high[2]
    gap = np.linalg.norm(sites[:, None] - centers, axis=2) - radii
    assert gap.min(axis=1).max() < 0.012


def test_an_insphere_touches_all_four_faces():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    centers, radii = collision_shape.inspheres(points, np.array([[0, 1, 2, 3]]))
    expected = 1.0 / (3.0 + 3.0**0.5)
    np.testing.assert_allclose(radii, [expected])
    np.testing.assert_allclose(centers, [[expected] * 3])


def test_corners_are_those_of_the_hull_and_the_farthest_first():
    cube = np.array(np.meshgrid([-1.0, 1], [-1.0, 1], [-1.0, 1])).reshape(3, -1).T
    inside = np.random.default_rng(0).uniform(-0.9, 0.9, (50, 3))
    bump = np.array([[0.0, 0.0, 1.05]])
    points = np.concatenate([inside, cube, bump])
    assert set(collision_shape.corners(points, 0.01, 100)) == set(range(50, 59))
    assert len(collision_shape.corners(points, 0.01, 6)) == 6
    flat = inside * [1.0, 1.0, 0.0]
    assert len(collision_shape.corners(flat, 0.01, 7)) == 7
