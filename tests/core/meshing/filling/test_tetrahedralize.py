"""Tetrahedra that fill a surface."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.job import Body, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import CELL_FACES, SolidModel, cell_centers, cell_volumes
from fracture_addon.core.data.surface import Surface, area_vectors, volume
from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.geometry.rays import RayGrid
from fracture_addon.core.meshing.filling import blue_noise, stiff_walls
from fracture_addon.core.meshing.filling.cell_sizes import Spread
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes

# Wanted cells, and the share of the volume that they fill at least.
SURFACES = {
    "cube": (shapes.cube(), 1500, 0.99),
    "sphere": (shapes.icosphere(), 1500, 0.99),
    "torus": (shapes.torus(), 3000, 0.99),
    "plank": (shapes.plank(), 1500, 0.98),
    "bowl": (shapes.shipped("bowl"), 1500, 0.98),
    "jar": (shapes.shipped("old_jar"), 1500, 0.97),
    "rock": (shapes.shipped("rock3"), 1500, 0.98),
    "lantern": (shapes.shipped("stoneLantern"), 3000, 0.97),
    "plate": (shapes.shipped("bread-plate"), 1500, 0.97),
    "tumbler": (shapes.shipped("glass_12oz"), 1500, 0.95),
    "cup": (shapes.cup(), 1500, 0.95),
    "cocktail glass": (shapes.shipped("cocktailGlass"), 1500, 0.96),
    "cocktail glass, fine": (shapes.shipped("cocktailGlass"), 4000, 0.98),
    "window pane": (shapes.box((1.0, 1.0, 0.004)), 1500, 0.97),
    "window pane, coarse": (shapes.box((1.0, 1.0, 0.001)), 300, 0.95),
    "foil, coarse": (shapes.box((1.0, 1.0, 1e-4)), 300, 0.95),
}


class Case(NamedTuple):
    surface: Surface
    count: int
    share: float
    solid: SolidModel


@pytest.fixture(scope="module", params=SURFACES)
def case(request):
    surface, count, share = SURFACES[request.param]
    return Case(surface, count, share, tetrahedralize(surface, count, 1))


def test_cells_are_sound_and_inside(case):
    volumes = cell_volumes(case.solid.points, case.solid.cells)
    assert volumes.min() > 0.0
    assert is_inside(case.surface, cell_centers(case.solid.points, case.solid.cells)).all()
    assert case.share < volumes.sum() / volume(case.surface) < 1.02


def test_count_is_about_the_wanted_one(case):
    assert abs(case.solid.cell_count / case.count - 1.0) < 0.2


def test_complex_is_conforming(case):
    """No face of the whole complex, padding included, belongs to more than two cells; none lie in one another."""
    cells = np.concatenate([case.solid.cells, case.solid.padding_cells])
    faces = np.sort(cells[:, CELL_FACES].reshape(-1, 3), axis=1)
    _, owners = np.unique(faces, axis=0, return_counts=True)
    assert owners.max() == 2
    hull_volume = np.prod(np.ptp(case.solid.points, axis=0))
    np.testing.assert_allclose(cell_volumes(case.solid.points, cells).sum(), hull_volume, rtol=1e-4)


def test_padding_reaches_beyond_the_surface(case):
    """The artist's points lie well inside the box that the complex fills."""
    low, high = case.surface.points.min(axis=0), case.surface.points.max(axis=0)
    margin = 0.1 * (high - low).max()
    assert (case.solid.points.min(axis=0) < low - margin).all()
    assert (case.solid.points.max(axis=0) > high + margin).all()
    assert len(case.solid.padding_cells) > 0


def test_points_are_not_the_artists(case):
    used = case.solid.points[np.unique(case.solid.cells)]
    nearest = np.array([np.linalg.norm(used - point, axis=1).min() for point in case.surface.points[:100]])
    assert (nearest > 1e-5 * case.surface.diagonal).mean() > 0.9


def test_mostly_one_body(case):
    """Bonds hold nearly all of the volume together."""
    graph = coo_array(
        (np.ones(case.solid.face_count), tuple(case.solid.face_cells.T)), shape=2 * (case.solid.cell_count,)
    )
    labels = connected_components(graph, directed=False)[1]
    volumes = np.bincount(labels, cell_volumes(case.solid.points, case.solid.cells))
    assert volumes.max() > 0.99 * volumes.sum()


def cell_of(solid, places):
    """Return the cell (N,) that contains each point, by barycentric coordinates; -1 for none."""
    corners = solid.points[solid.cells]
    inverse = np.linalg.inv(np.moveaxis(corners[:, 1:] - corners[:, :1], 1, 2))
    shares = np.einsum("cij,cnj->cni", inverse, places[None] - corners[:, :1])
    within = (shares >= 0.0).all(axis=2) & (shares.sum(axis=2) <= 1.0)
    return np.where(within.any(axis=0), within.argmax(axis=0), -1)


@pytest.mark.parametrize("surface", [shapes.cup(), shapes.box((1.0, 1.0, 0.004))], ids=["cup", "window pane"])
def test_three_cells_through_a_thin_wall(surface):
    """A line across a wall far thinner than its cells are long meets three of them: a prism is three tetrahedra."""
    solid = tetrahedralize(surface, 1500, 0)
    points, faces = blue_noise.sample_surface(surface, 60, np.random.default_rng(0))
    normals = area_vectors(surface)[faces]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    thickness, _ = RayGrid.of(surface).leaves(points, -normals, surface.diagonal)
    thin = thickness < 0.0045
    assert thin.mean() > 0.8
    depths = np.linspace(0.02, 0.98, 40) * thickness[thin, None]
    places = points[thin, None] - depths[..., None] * normals[thin, None]
    met = [len(np.unique(row[row >= 0])) for row in cell_of(solid, places.reshape(-1, 3)).reshape(-1, 40)]
    assert np.median(met) >= 3
    assert np.mean(np.array(met) >= 2) > 0.9


def test_same_seed_same_bytes():
    one, same, other = (tetrahedralize(shapes.torus(), 500, seed) for seed in (3, 3, 4))
    for name in ("points", "cells", "padding_cells", "faces", "face_cells"):
        assert getattr(one, name).tobytes() == getattr(same, name).tobytes()
    assert one.points.tobytes() != other.points.tobytes()


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_size_does_not_matter(scale):
    solid = tetrahedralize(shapes.torus(), 500, 0)
    scaled = tetrahedralize(shapes.moved(shapes.torus(), scale), 500, 0)
    np.testing.assert_array_equal(scaled.cells, solid.cells)
    np.testing.assert_allclose(scaled.points, scale * solid.points, atol=1e-9 * scale)


def test_few_slivers():
    """Blue noise: under 8 % of the cells are thinner than a twentieth of a regular one's shape."""
    solid = tetrahedralize(shapes.cube(), 3000, 0)
    corners = solid.points[solid.cells]
    edges = np.mean([np.linalg.norm(corners[:, i] - corners[:, j], axis=1) for i in range(4) for j in range(i)], axis=0)
    shape = cell_volumes(solid.points, solid.cells) / (edges**3 / (6.0 * np.sqrt(2.0)))
    assert (shape < 0.05).mean() < 0.08


def test_without_an_inside_is_refused():
    plane = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    with pytest.raises(InvalidMeshError, match="closed"):
        tetrahedralize(plane, 200, 0)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_so_many_cells_lie_through_a_thin_wall(layers):
    pane = shapes.box((0.5, 0.6, 0.004))
    solid = tetrahedralize(pane, 1500, 0, Spread(layers=layers))
    random = np.random.default_rng(0)
    starts = np.column_stack([random.uniform(-0.2, 0.2, (40, 2)), np.full(40, 0.0019)])
    depths = np.linspace(0.0, 0.0038, 60)
    places = starts[:, None] - depths[None, :, None] * [0.0, 0.0, 1.0]
    corners = solid.points[solid.cells]
    sides = np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
    owners = np.full(places.shape[:2], -1)
    for cell, (origin, side) in enumerate(zip(corners[:, 0], sides, strict=True)):
        shares = (places - origin) @ side.T
        owners[(shares > -1e-9).all(axis=2) & (shares.sum(axis=2) < 1.0 + 1e-9)] = cell
    passed = [len(np.unique(row[row >= 0])) for row in owners]
    # A layer of prisms, each of three cells: a line meets two of them, more or less.
    assert 1.4 * layers < np.median(passed) < 3.2 * layers
    assert cell_volumes(solid.points, solid.cells).sum() == pytest.approx(volume(pane), rel=0.04)
    assert solid.cell_count == pytest.approx(1500, rel=0.3)


def test_points_too_near_for_a_large_hollow_body_are_refused():
    ball = shapes.joined(shapes.icosphere(1.0, 2), shapes.flipped(shapes.icosphere(0.999, 2)))
    with pytest.raises(InvalidMeshError, match=r"too small for a body 2 m across.*memory.*--resolution"):
        blue_noise.inside_surface(ball, 1e-3, ball.points, np.random.default_rng(0))


def test_more_cells_than_any_memory_holds_are_refused():
    with pytest.raises(InvalidMeshError, match=r"2,000,000,000 cells.*at most 1,000,000.*--resolution"):
        tetrahedralize(shapes.cube(), 2_000_000_000, 0)


@pytest.mark.parametrize(
    ("size", "count", "least", "most"),
    [((0.2, 0.08, 0.004), 1600, 1.2, 1.5), ((0.2, 0.08, 0.002), 390, 5.0, 9.0), ((0.1, 0.1, 0.1), 390, 1.0, 1.0)],
)
def test_much_too_wide_cells_bend_a_wall_too_stiffly_and_that_is_said(size, count, least, most):
    pane = shapes.box(size)
    settings = Settings.of(method="fem", cell_count=count)
    assert least <= stiff_walls.bending_error(pane, settings) <= most
    told = stiff_walls.warnings(Body("Pane", pane, PORCELAIN, settings), pane)
    assert bool(told) == (least > 3.0)
    assert all("'Pane' bends about" in text and "--method network" in text for text in told)
