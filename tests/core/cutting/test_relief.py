"""Crack faces from nearby: rough alike on both sides, closed, bounded in number, and of their kind."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.cutting import crack_face_detail, fragment_regions, fragments
from fracture_addon.core.cutting.relief import RECIPES, Relief
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.data.surface import Surface, area
from fracture_addon.core.fields import noise
from fracture_addon.core.geometry.surface_attributes import EDGE_WEAR, corner_normals
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import exactness, readable_kernels, shapes


@pytest.fixture(scope="module")
def broken_ball():
    """A ball, its cells, and labels of eight fragments, some of them small."""
    ball = shapes.icosphere(1.0, 3)
    solid = tetrahedralize(ball, 500, seed=3)
    centers = cell_centers(solid.points, solid.cells)
    seeds = np.array([[0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0], [0, -0.5, 0], [0, 0, 0.8], [0, 0, -0.5], [0.1, 0.1, 0.9]])
    return ball, solid, cKDTree(seeds).query(centers)[1]


@pytest.mark.parametrize("depth", [0, 2])
@pytest.mark.parametrize("kind", RECIPES)
def test_both_sides_fit_and_the_outside_stays(broken_ball, kind, depth):
    ball, solid, labels = broken_ball
    settings = Settings.of(seed=5, relief=kind, roughness=0.6, fractal_depth=depth, fractal_amplitude=0.2)
    pieces = fragments.cut(ball, solid, labels, settings, np.array([0.0, 0.0, 1.0]))
    assert fragments.volume_error(ball, pieces) < 1e-9
    assert all(exactness.is_closed(fragment.surface.faces) for fragment in pieces)
    outer = [Surface(fragment.surface.points, fragment.surface.faces[~fragment.interior]) for fragment in pieces]
    assert sum(area(part) for part in outer) == pytest.approx(area(ball), rel=1e-9)
    # Points of cracks, but for those on their rims, are on two fragments or more, to the last bit.
    names = []
    for fragment, outside in zip(pieces, outer, strict=True):
        within = np.setdiff1d(fragment.surface.faces[fragment.interior], outside.faces)
        names += {point.tobytes() for point in fragment.surface.points[within]}
    _, counts = np.unique(np.array(names), return_counts=True)
    assert len(counts) > 200
    assert (counts >= 2).all()


def crack_faces_of(broken, **options):
    _, solid, labels = broken
    return fragment_regions.build_crack_faces(solid, labels, Relief(amplitude=0.35, **options))


def test_each_level_makes_more_faces_until_the_budget_ends_it(broken_ball):
    counts = [len(crack_faces_of(broken_ball, depth=depth, budget=60_000).faces) for depth in (0, 1, 2)]
    assert 1.5 * counts[0] < counts[1] < counts[2] < 60_000
    assert len(crack_faces_of(broken_ball, depth=2, budget=counts[1] + 10).faces) == counts[1]


def test_small_fragments_get_less(broken_ball):
    _, solid, labels = broken_ball
    labels = np.array(labels)
    lone = int(np.argmin(np.linalg.norm(cell_centers(solid.points, solid.cells), axis=1)))
    labels[lone] = labels.max() + 1

    def faces_of_lone(depth):
        cracks = fragment_regions.build_crack_faces(solid, labels, Relief(amplitude=0.35, depth=depth, budget=200_000))
        return int((cracks.labels == labels[lone]).any(axis=1).sum()), len(cracks.faces)

    (small, everything), (small_divided, everything_divided) = faces_of_lone(0), faces_of_lone(2)
    assert small_divided / small < 0.7 * everything_divided / everything


def test_bumps_are_lower_on_small_fragments(broken_ball):
    _, _, labels = broken_ball
    cracks, counts = crack_faces_of(broken_ball), np.bincount(labels, minlength=labels.max() + 2).astype(float)
    # As large as they come, but for one of two cells.
    counts[0], small = 2.0, np.unique(cracks.faces[(cracks.labels == 0).any(axis=1)])
    heights = crack_face_detail.smallness(cracks, counts)
    assert heights[small].max() == pytest.approx(0.5)
    counts[:] = 1e3
    assert (crack_face_detail.smallness(cracks, counts) == 1.0).all()


def test_stones_are_round_and_finer_stuff_is_between_them():
    relief = Relief("stony", 0.35)
    points = np.random.default_rng(0).uniform(-9.0, 9.0, (20_000, 3))
    heights = relief.heights(points, np.tile([1.0, 0.0, 0.0], (len(points), 1)), 1.0)
    assert abs(heights.mean()) < 0.02 * np.ptp(heights)
    # Steep down into the creases, and gentle on top.
    assert heights.max() < -heights.min()


def test_the_fractal_amplitude_moves_middles_off_their_edges(broken_ball):
    plain, rough = (crack_faces_of(broken_ball, kind="granular", depth=1, fractal=amount) for amount in (0.0, 0.3))
    assert (plain.faces == rough.faces).all()
    apart = np.linalg.norm(plain.points - rough.points, axis=1)
    old = len(crack_faces_of(broken_ball, kind="granular").points)
    assert apart[:old].max() == 0.0
    assert apart[old:].max() > 0.01


def test_ripples_go_round_the_impact():
    relief = Relief("conchoidal", 0.35, origin=np.array([1.0, 0.0, 0.0]))
    away = np.linspace(0.0, 4.0, 400)
    points = np.array([1.0, 0.0, 0.0]) + away[:, None] * [0.0, 0.6, 0.8]
    waves = relief.heights(points, np.tile([1.0, 0.0, 0.0], (400, 1)), 1.0)
    assert (np.diff(np.sign(waves)) != 0).sum() > 8
    assert np.abs(waves[:50]).max() > np.abs(waves[-50:]).max()
    without = Relief("conchoidal", 0.35).heights(points, np.tile([1.0, 0.0, 0.0], (400, 1)), 1.0)
    assert (without == 0.0).all()


def test_fibres_are_long_along_the_grain():
    relief = Relief("splintered", 0.35, grain=np.array([0.0, 1.0, 0.0]))
    start = np.random.default_rng(0).uniform(-5.0, 5.0, (500, 3))
    lying = np.tile([1.0, 0.0, 0.0], (500, 1))

    def change(step):
        return np.abs(relief.heights(start + step, lying, 1.0) - relief.heights(start, lying, 1.0)).mean()

    assert change([0.0, 0.05, 0.0]) < 0.3 * change([0.0, 0.0, 0.05])


def test_cellular_noise_agrees_with_the_readable_twin():
    points = np.random.default_rng(1).uniform(-9.0, 9.0, (400, 3))
    fast = noise.cellular(points, 7, 0.8)
    np.testing.assert_allclose(fast, readable_kernels.cellular(points / 0.8, 7), atol=1e-13)
    assert 0.0 <= fast.min() < 0.2
    assert 0.6 < fast.max() < 1.3


def test_edge_wear_is_the_distance_to_the_rim(broken_ball):
    ball, solid, labels = broken_ball
    fragment = fragments.cut(ball, solid, labels, Settings())[0]
    surface = fragment.surface
    rim = np.intersect1d(surface.faces[fragment.interior], surface.faces[~fragment.interior])
    wear = surface.corner_attributes[EDGE_WEAR][..., 0]
    expected = np.linalg.norm(surface.corners[:, :, None] - surface.points[rim], axis=3).min(axis=2)
    np.testing.assert_allclose(wear, expected, atol=1e-9)


@pytest.mark.parametrize(("crease", "fans"), [(0.5, 3), (2.0, 1)])
def test_edges_that_turn_by_more_than_the_crease_are_sharp(crease, fans):
    """At a corner of a cube three faces meet: each has its own normal there, or all have one."""
    cube = shapes.cube()
    normals = corner_normals(cube.points, cube.faces, np.zeros(len(cube.faces), int), crease)
    corner = cube.faces == cube.faces[0, 0]
    assert len(np.unique(normals[corner].round(9), axis=0)) == fans
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0)
    # Faces of two groups never share a normal across their edge, however blunt it is.
    side = (cube.corners[..., 0] > 0.0).all(axis=1)
    parted = corner_normals(cube.points, cube.faces, side.astype(int), 2.0)
    assert (np.abs(parted[side][..., 0]) > 0.999).all()


def test_smoothing_takes_the_stairs_off_cubes():
    """A slanted crack through a lattice of cubes: its crack faces come to lie nearer to one plane."""
    from fracture_addon.core.methods.lattice.cells.discretise import discretise

    cube = shapes.cube()
    solid = discretise(cube, Settings.of(method="lattice", lattice="cubes", cell_count=2500))
    normal = np.array([1.0, 0.5, 0.25]) / np.linalg.norm([1.0, 0.5, 0.25])
    centers = np.zeros((len(solid.fractions), 3))
    np.add.at(centers, solid.cube_of_cell, cell_centers(solid.points, solid.cells) / 5.0)
    labels = (centers @ normal > 0.0)[solid.cube_of_cell].astype(int)

    def slant(rounds):
        cracks = fragment_regions.build_crack_faces(solid, labels, Relief(smoothing=rounds))
        a, b, c = np.moveaxis(cracks.points[cracks.faces], 1, 0)
        vectors = np.cross(b - a, c - a)
        inner = (np.abs((a + b + c) / 3.0) < 0.35).all(axis=1) & (cracks.labels[:, 1] >= 0)
        return np.abs(vectors[inner] @ normal).sum() / np.linalg.norm(vectors[inner], axis=1).sum()

    stairs, smooth = slant(0), slant(20)
    assert stairs < 0.8
    assert smooth > 0.95
