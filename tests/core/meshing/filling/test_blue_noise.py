"""Even point sets on and in a surface."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.geometry.rays import RayGrid
from fracture_addon.core.meshing.filling import blue_noise
from fracture_addon.core.meshing.filling.boundary_candidates import candidates
from tests import shapes


def generator(seed=0):
    return np.random.default_rng(seed)


def throw_darts(points, normals, distances, partnered, accepted_count=0):
    """The readable twin: every point against all that were kept before it."""
    kept, count = [], len(distances)

    def is_free(row, share):
        apart = share * np.minimum(distances[row % count], distances[np.array(kept, int) % count])
        near = np.linalg.norm(points[kept] - points[row], axis=1) < apart
        return not (near & (normals[kept] @ normals[row] > 0.0)).any()

    for row in range(count):
        if row < accepted_count or is_free(row, 1.0):
            kept.append(row)
            if row >= accepted_count and partnered[row] and is_free(row + count, blue_noise.PARTNER_SHARE):
                kept.append(row + count)
    return np.array(kept, np.int64)


@pytest.mark.parametrize(("spacing", "accepted_count"), [(0.05, 0), (0.2, 0), (0.2, 25), (3.0, 0)])
def test_kernel_agrees_with_the_readable_twin(spacing, accepted_count):
    random = generator(1)
    points, normals = random.random((800, 3)), random.normal(size=(800, 3))
    distances, partnered = spacing * random.uniform(0.5, 1.0, 400), random.random(400) < 0.5
    fast = blue_noise._throw_darts(points, normals, distances, partnered, accepted_count)
    assert (fast == throw_darts(points, normals, distances, partnered, accepted_count)).all()
    assert len(fast) >= max(1, accepted_count)


def boundary_points(surface, spacing, seed=0):
    return blue_noise.spaced(candidates(surface, RayGrid.of(surface), spacing, generator(seed)))


@pytest.mark.parametrize("surface", [shapes.icosphere(), shapes.cup(), shapes.plank()], ids=["sphere", "cup", "plank"])
def test_points_on_a_surface_keep_their_distance(surface):
    spacing = surface.diagonal / 20
    result = boundary_points(surface, spacing)
    near = cdist(result.points, result.points) < 0.999 * blue_noise.PARTNER_SHARE * result.spacings
    assert (near & (result.normals @ result.normals.T > 0.0)).sum() == len(result.points)
    np.testing.assert_allclose(np.linalg.norm(result.normals, axis=1), 1.0, atol=1e-12)
    # Nearly maximal: hardly a place of the surface is further than a spacing from a point on its side.
    samples, _ = blue_noise.sample_surface(surface, 2000, generator(5))
    assert (cdist(samples, result.points).min(axis=1) < spacing).mean() > 0.98


def test_both_sides_of_a_thin_wall_have_points_in_pairs():
    result = boundary_points(shapes.plank(1.0, 0.5, 0.005), 0.05)
    lower, upper = (result.points[result.points[:, 2] * side > 0.00249] for side in (-1.0, 1.0))
    assert min(len(lower), len(upper)) > 100
    below = cdist(lower[:, :2], upper[:, :2]).min(axis=1)
    assert (below < 1e-9).mean() > 0.95


def test_rims_and_corners_come_first():
    """The first of the points lie at the corners and edges of a cube."""
    cube = shapes.cube()
    result = boundary_points(cube, 0.15)
    on_faces = (np.abs(result.points) > 0.45).sum(axis=1)
    assert (on_faces[:8] == 3).sum() >= 3
    assert (on_faces[:40] >= 2).mean() > 0.6
    assert (on_faces[-60:] == 1).mean() > 0.9


def test_a_stem_narrower_than_the_spacing_has_points_around_it():
    stem = shapes.box((0.04, 0.04, 1.0))
    result = boundary_points(stem, 0.3)
    assert np.median(result.spacings) < 0.05
    heights = np.sort(result.points[:, 2])
    assert np.diff(heights).max() < 0.05
    pane = boundary_points(shapes.box((1.0, 1.0, 0.04)), 0.3)
    assert np.median(pane.spacings) == 0.3


def test_points_inside_keep_their_distance():
    surface, spacing = shapes.torus(), 0.12
    boundary = boundary_points(surface, spacing).points
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
    one, same, other = (boundary_points(shapes.torus(), 0.2, seed).points for seed in (4, 4, 5))
    assert one.tobytes() == same.tobytes()
    assert one.tobytes() != other.tobytes()
