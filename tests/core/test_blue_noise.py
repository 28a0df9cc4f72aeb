"""Even point sets on and in a surface."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from fracture_addon.core import blue_noise
from fracture_addon.core.inside import is_inside
from tests import shapes


def generator(seed=0):
    return np.random.default_rng(seed)


def throw_darts(points, normals, spacing, accepted_count=0):
    """The readable twin: every point against all that were kept before it."""
    kept = []
    for row, (point, normal) in enumerate(zip(points, normals, strict=True)):
        near = np.linalg.norm(points[kept] - point, axis=1) < spacing
        if row < accepted_count or not (near & (normals[kept] @ normal > 0.0)).any():
            kept.append(row)
    return np.array(kept, np.int64)


@pytest.mark.parametrize(("spacing", "accepted_count"), [(0.05, 0), (0.2, 0), (0.2, 25), (3.0, 0)])
def test_kernel_agrees_with_the_readable_twin(spacing, accepted_count):
    random = generator(1)
    points, normals = random.random((600, 3)), random.normal(size=(600, 3))
    fast = blue_noise._throw_darts(points, normals, spacing, accepted_count)
    assert (fast == throw_darts(points, normals, spacing, accepted_count)).all()
    assert len(fast) >= max(1, accepted_count)


@pytest.mark.parametrize("surface", [shapes.icosphere(), shapes.cup(), shapes.plank()], ids=["sphere", "cup", "plank"])
def test_points_on_a_surface_keep_their_distance(surface):
    spacing = surface.diagonal / 20
    points, normals = blue_noise.on_surface(surface, spacing, generator())
    near = (cdist(points, points) < spacing) & (normals @ normals.T > 0.0)
    assert near.sum() == len(points)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    # Nearly maximal: hardly a place of the surface is further than a spacing from a point on its side.
    samples, _ = blue_noise.sample_surface(surface, 2000, generator(5))
    assert (cdist(samples, points).min(axis=1) < spacing).mean() > 0.98


def test_both_sides_of_a_thin_wall_have_points():
    points, _ = blue_noise.on_surface(shapes.plank(1.0, 0.5, 0.005), 0.05, generator())
    lower, upper = (points[:, 2] < -0.00249).sum(), (points[:, 2] > 0.00249).sum()
    assert 0.8 < lower / upper < 1.25
    assert min(lower, upper) > 100


def test_points_inside_keep_their_distance():
    surface, spacing = shapes.torus(), 0.12
    boundary, _ = blue_noise.on_surface(surface, spacing, generator())
    points = blue_noise.inside_surface(surface, spacing, boundary, generator(2))
    assert len(points) > 100
    assert is_inside(surface, points).all()
    assert (cdist(points, points) + 9.0 * np.eye(len(points))).min() >= spacing
    assert cdist(points, boundary).min() >= spacing


def test_samples_are_spread_by_area_and_lie_on_their_faces():
    surface = shapes.box((1.0, 2.0, 3.0))
    points, rows = blue_noise.sample_surface(surface, 20_000, generator())
    on_top = (points[:, 2] > 1.5 - 1e-9).mean()
    assert abs(on_top - 2.0 / 22.0) < 0.01
    a, b, c = np.moveaxis(surface.corners[rows], 1, 0)
    normal = np.cross(b - a, c - a)
    np.testing.assert_allclose(np.einsum("ni,ni->n", points - a, normal), 0.0, atol=1e-12)


def test_same_seed_same_points():
    one, same, other = (blue_noise.on_surface(shapes.torus(), 0.2, generator(seed))[0] for seed in (4, 4, 5))
    assert one.tobytes() == same.tobytes()
    assert one.tobytes() != other.tobytes()
