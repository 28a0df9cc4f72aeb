"""Cells of varying size, and separate random points inside."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.placed_fields import PaintedField, Region
from fracture_addon.core.data.solid import cell_centers, cell_volumes
from fracture_addon.core.data.surface import volume
from fracture_addon.core.meshing.filling import blue_noise
from fracture_addon.core.meshing.filling.cell_sizes import EVEN, FINENESS, Spread
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from tests import shapes

CUBE, PANE = shapes.cube(), shapes.box((1.0, 1.0, 0.004))


def sizes(solid, chosen):
    """Mean volume of the cells whose middles are chosen."""
    return cell_volumes(solid.points, solid.cells)[chosen(cell_centers(solid.points, solid.cells))].mean()


# A layer of cells over the whole thickness only gets shorter and narrower: its cells' volume goes with the square.
@pytest.mark.parametrize(
    ("surface", "center", "power"),
    [(CUBE, [0.5, 0.5, 0.5], 3.0), (shapes.torus(), [1.0, 0.0, 0.0], 3.0), (PANE, [0.0, 0.0, 0.0], 2.0)],
    ids=["cube", "torus", "pane"],
)
@pytest.mark.parametrize("fineness", [2.0, 4.0])
def test_cells_are_smaller_within_a_region(surface, center, power, fineness):
    region, ratios = Region(center, 0.6, fineness=fineness), []
    for seed in range(4):  # the coarse corners of the pane have 35 cells
        solid = tetrahedralize(surface, 3000, seed, Spread((region,)))
        assert abs(solid.cell_count / 3000 - 1.0) < 0.2
        assert cell_volumes(solid.points, solid.cells).sum() == pytest.approx(volume(surface), rel=0.04)
        inner = sizes(solid, lambda places: region.weight(places) > 0.99)
        outer = sizes(solid, lambda places: region.weight(places) < 0.01)
        ratios.append((outer / inner) ** (1.0 / power))
    assert np.mean(ratios) == pytest.approx(fineness, rel=0.25)


def test_cells_may_be_larger_too():
    region = Region([0.5, 0.5, 0.5], 0.8, fineness=0.5)
    solid = tetrahedralize(CUBE, 3000, 1, Spread((region,)))
    inner = sizes(solid, lambda places: region.weight(places) > 0.9)
    assert inner > 3.0 * sizes(solid, lambda places: region.weight(places) < 0.01)
    assert abs(solid.cell_count / 3000 - 1.0) < 0.2


def test_cells_follow_what_is_painted():
    painted = PaintedField(CUBE.points, CUBE.faces, CUBE.points[:, 0] + 0.5, factor=4.0)
    solid = tetrahedralize(CUBE, 3000, 1, Spread(painted=painted))
    places = cell_centers(solid.points, solid.cells)
    slope = np.polyfit(places[:, 0], np.log(cell_volumes(solid.points, solid.cells)), 1)[0]
    assert slope == pytest.approx(-3.0 * np.log(4.0), rel=0.25)
    assert abs(solid.cell_count / 3000 - 1.0) < 0.2


def test_all_places_together_stay_within_limits():
    spread = Spread(tuple(Region([0.0, 0.0, 0.0], 1.0, fineness=3.0) for _ in range(3)))
    assert (spread.least, spread.most) == (1.0, FINENESS[1])
    assert spread.at(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])).tolist() == [FINENESS[1], 1.0]


def test_a_spread_of_ones_is_even():
    """A region that changes only the strength does not change the cells, to the byte."""
    spread = Spread.of(Settings.of(regions=(Region([0.0, 0.0, 0.0], 1.0, strength=3.0),)).filling)
    assert spread == EVEN
    one, other = tetrahedralize(CUBE, 500, 1), tetrahedralize(CUBE, 500, 1, spread)
    assert one.points.tobytes() == other.points.tobytes()


def nearest_distances(points):
    return cKDTree(points).query(points, k=2)[0][:, 1]


def test_uniform_points_have_the_wanted_count_and_are_independent():
    even, uniform = (
        blue_noise.inside_surface(CUBE, 0.06, np.empty((0, 3)), np.random.default_rng(0), Spread(uniform=uniform))
        for uniform in (False, True)
    )
    assert len(uniform) == pytest.approx(len(even), rel=0.15)
    assert nearest_distances(even).min() >= 0.06
    # Of independent points, by Poisson's law, the mean distance to the nearest is 0.554 of the density's cube root.
    assert nearest_distances(uniform).mean() == pytest.approx(0.554 * len(uniform) ** (-1.0 / 3.0), rel=0.12)
    assert nearest_distances(uniform).min() < 0.03


def test_settings_reach_the_cells():
    settings = Settings.of(cell_count=1500, fineness_regions=(Region([0.5, 0.5, 0.5], 0.5, fineness=3.0),))
    for name in ("network", "fem", "lattice"):
        solid = table.discretise(CUBE, settings.changed(method=name))
        near = sizes(solid, lambda places: np.linalg.norm(places - 0.5, axis=1) < 0.25)
        assert sizes(solid, lambda places: np.linalg.norm(places - 0.5, axis=1) > 0.5) > 8.0 * near
    scattered = table.discretise(CUBE, Settings.of(cell_count=1500, interior_points="uniform"))
    regular = table.discretise(CUBE, Settings.of(cell_count=1500))
    spread = [np.std(cell_volumes(solid.points, solid.cells)) for solid in (scattered, regular)]
    assert spread[0] > 1.3 * spread[1]
