"""What an artist places and paints: planes, regions, layers, weights."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.placed_fields import Alternation, CleavingPlane, PaintedField, Region, WeakSheet
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.fields.strength import bond_strengths, cell_densities
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.network.model import build
from fracture_addon.core.methods.rigid_components import find_components
from tests import shapes

EVEN = replace(PORCELAIN, strength_variation=0.0)
PLAIN = Settings.of(noise=0.0)
BOX = shapes.box((0.3, 0.1, 0.1))


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(BOX, 1200, 0)


def factors(solid, **settings):
    return bond_strengths(solid, EVEN, PLAIN.changed(**settings)) / EVEN.tensile_strength


def centers(solid):
    return solid.points[solid.faces].mean(axis=1)


def test_a_cleaving_plane_weakens_one_closed_layer(solid):
    """Without the weakened bonds the body falls into the two sides."""
    found = factors(solid, planes=(CleavingPlane([0.02, 0, 0], [1.0, 0.3, 0], 0.2),))
    assert set(np.unique(found)) == {0.2, 1.0}
    cells = build(solid, EVEN, PLAIN).cells
    parts = find_components(cells, solid.face_cells[found == 1.0])
    side = (cells.centers - [0.02, 0, 0]) @ [1.0, 0.3, 0] > 0.0
    large = parts.masses[parts.part_of_cell] > 0.1 * parts.masses.sum()
    assert len(np.unique(parts.part_of_cell[large])) == 2
    assert len(np.unique(parts.part_of_cell[large & side])) == 1


def test_a_plane_may_be_thick_and_end(solid):
    near = np.abs(centers(solid)[:, 0]) < 0.02
    thick = factors(solid, planes=(CleavingPlane([0, 0, 0], [1, 0, 0], 0.2, width=0.04),))
    assert (thick[near] == 0.2).all()
    short = factors(solid, planes=(CleavingPlane([0, 0, 0.05], [1, 0, 0], 0.2, width=0.04, reach=0.03),))
    assert 0 < (short < 1.0).sum() < 0.6 * (thick < 1.0).sum()
    assert (centers(solid)[short < 1.0, 2] > 0.0).all()


def test_crossing_joints_are_no_weaker_than_one(solid):
    planes = tuple(CleavingPlane([0, 0, 0], normal, 0.2, width=0.03) for normal in np.eye(3))
    assert factors(solid, planes=planes).min() == 0.2


def ribbon(line, depth=0.2):
    """A sheet below a line (N, 2) of x and z, along y through the box."""
    ends = [np.stack([line[:, 0], np.full(len(line), y), line[:, 1]], axis=1) for y in (-depth, depth)]
    rows = np.arange(len(line) - 1)
    lower, upper = (
        np.stack([rows, rows + 1, rows + 1 + len(line)], 1),
        np.stack([rows, rows + 1 + len(line), rows + len(line)], 1),
    )
    return np.concatenate(ends), np.concatenate([lower, upper])


def test_a_flat_sheet_is_a_cleaving_plane(solid):
    sheet = WeakSheet(*ribbon(np.array([[0.02, -1.0], [0.02, 1.0]]), 1.0), 0.2)
    plane = CleavingPlane([0.02, 0, 0], [1, 0, 0], 0.2)
    np.testing.assert_array_equal(factors(solid, sheets=(sheet,)), factors(solid, planes=(plane,)))


def test_a_bent_sheet_weakens_one_closed_layer(solid):
    """Without the weakened bonds the body falls into the two sides of a wave."""
    heights = np.linspace(-0.06, 0.06, 40)
    wave = np.stack([0.03 * np.sin(60.0 * heights), heights], axis=1)
    found = factors(solid, sheets=(WeakSheet(*ribbon(wave), 0.2),))
    assert set(np.unique(found)) == {0.2, 1.0}
    cells = build(solid, EVEN, PLAIN).cells
    parts = find_components(cells, solid.face_cells[found == 1.0])
    side = cells.centers[:, 0] > 0.03 * np.sin(60.0 * cells.centers[:, 2])
    large = parts.masses[parts.part_of_cell] > 0.1 * parts.masses.sum()
    assert len(np.unique(parts.part_of_cell[large])) == 2
    assert len(np.unique(parts.part_of_cell[large & side])) == 1


def test_a_sheet_may_be_thick_and_end(solid):
    line = np.array([[0.0, 0.0], [0.0, 0.06]])
    thin, thick = (factors(solid, sheets=(WeakSheet(*ribbon(line), 0.2, width),)) for width in (0.0, 0.04))
    near = (np.abs(centers(solid)[:, 0]) < 0.019) & (centers(solid)[:, 2] > 0.0)
    assert (thick[near] == 0.2).all()
    assert 0 < (thin < 1.0).sum() < 0.7 * (thick < 1.0).sum()
    assert (centers(solid)[thick < 1.0, 2] > -0.021).all()


@pytest.mark.parametrize("softness", [0.0, 0.5, 1.0])
def test_regions_fade_out(solid, softness):
    region = Region([0.1, 0, 0], 0.06, strength=5.0, softness=softness)
    found = factors(solid, regions=(region,))
    distance = np.linalg.norm(centers(solid) - [0.1, 0, 0], axis=1)
    np.testing.assert_allclose(found[distance < 0.06 * (1.0 - softness)], 5.0)
    np.testing.assert_allclose(found[distance > 0.06], 1.0)
    assert ((found > 1.01) & (found < 4.99)).any() == (softness > 0.0)


def test_layers_alternate(solid):
    layers = Alternation([2.0, 0, 0], 0.05, factor=0.5, offset=0.01)
    found = factors(solid, alternations=(layers,))
    phase = (centers(solid)[:, 0] - 0.01) / 0.05
    away = np.abs(phase - np.round(phase))
    assert found[away < 0.05].max() < 0.55
    assert found[away > 0.45].min() > 1.8


def test_painted_weights_are_felt_inside(solid):
    surface = BOX
    weights = (surface.points[:, 0] > 0.0).astype(float)
    painted = PaintedField(surface.points, surface.faces, weights, 0.1)
    found = factors(solid, painted_strength=painted)
    x = centers(solid)[:, 0]
    np.testing.assert_allclose(found[x > 0.13], 0.1 ** (0.5 + x[x > 0.13] / 0.3), rtol=0.25)
    np.testing.assert_allclose(found[x < -0.13], 0.1 ** (0.5 + x[x < -0.13] / 0.3), rtol=0.25)
    assert np.corrcoef(np.log(found), x)[0, 1] < -0.95
    both = factors(solid, painted_strength=painted, painted_second_strength=replace(painted, factor=5.0))
    np.testing.assert_allclose(np.log(both), np.log(found) * np.log(0.5) / np.log(0.1), atol=1e-9)


def test_sizes_weigh_by_their_exponents(solid):
    found = factors(solid, area_exponent=1.5, volume_exponent=-0.5)
    model = build(solid, EVEN, PLAIN)
    masses = model.cells.masses[solid.face_cells].mean(axis=1)
    design = np.stack([np.log(model.areas), np.log(masses), np.ones(len(found))], axis=1)
    np.testing.assert_allclose(np.linalg.lstsq(design, np.log(found), rcond=None)[0][:2], [1.5, -0.5], atol=1e-9)


@pytest.mark.parametrize(("kind", "low", "high"), [("smooth", 0.6, 1.4), ("turbulence", 0.6, 1.9)])
def test_noise_kinds(solid, kind, low, high):
    found = factors(solid, noise=0.4, noise_kind=kind)
    assert low <= found.min() < 0.9
    assert 1.1 < found.max() <= high
    assert abs(found.mean() - 1.0) < 0.1


def test_thresholded_turbulence_has_two_strengths(solid):
    shares = []
    for threshold in (0.5, 1.0, 1.5):
        found = factors(solid, noise=0.6, noise_kind="thresholded", noise_threshold=threshold)
        np.testing.assert_allclose(np.unique(found), [0.4, 1.0])
        shares.append((found < 1.0).mean())
    assert 0.05 < shares[0] < shares[1] < shares[2] < 0.95


def test_density_moves_mass_about(solid):
    settings = PLAIN.changed(density_noise=0.5, regions=(Region([0.1, 0, 0], 0.08, density=4.0),))
    density = cell_densities(solid, settings)
    cells, even = build(solid, EVEN, settings).cells, build(solid, EVEN, PLAIN).cells
    np.testing.assert_allclose(cells.masses, density * even.masses)
    np.testing.assert_allclose(cells.masses.sum(), even.masses.sum())
    np.testing.assert_allclose(cells.inertias, density[:, None, None] * even.inertias)
    inside = np.linalg.norm(cell_centers(solid.points, solid.cells) - [0.1, 0, 0], axis=1) < 0.04
    assert density[inside].mean() > 2.5 * density[~inside].mean()
    np.testing.assert_allclose(cell_densities(solid, PLAIN), 1.0)
    assert 0.05 < cell_densities(solid, PLAIN.changed(density_noise=0.5)).std() < 0.5


def test_painted_density_makes_an_end_heavier_and_the_whole_no_heavier(solid):
    weights = (BOX.points[:, 0] > 0.0).astype(float)
    settings = PLAIN.changed(painted_density=PaintedField(BOX.points, BOX.faces, weights, 8.0))
    masses, even = (build(solid, EVEN, item).cells.masses for item in (settings, PLAIN))
    np.testing.assert_allclose(masses.sum(), even.sum())
    x = cell_centers(solid.points, solid.cells)[:, 0]
    ratio = (masses / even)[x > 0.1].mean() / (masses / even)[x < -0.1].mean()
    assert ratio == pytest.approx(8.0 ** (0.25 / 0.3), rel=0.25)


@pytest.mark.parametrize(
    "make",
    [
        lambda: CleavingPlane([0, 0, 0], [0, 0, 0]),
        lambda: CleavingPlane([0, 0, 0], [0, 0, 1], factor=0.0),
        lambda: WeakSheet([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], factor=0.0),
        lambda: WeakSheet([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]),
        lambda: Region([0, 0, 0], 0.0),
        lambda: Region([0, 0, 0], 1.0, density=1e4),
        lambda: Alternation([0, 0, 1], 0.0),
        lambda: PaintedField(BOX.points, BOX.faces, [1.0]),
    ],
)
def test_senseless_places_are_refused(make):
    with pytest.raises(SettingsError):
        make()


def test_settings_survive_being_saved(tmp_path):
    painted = PaintedField(BOX.points, BOX.faces, np.arange(8) / 8.0)
    settings = Settings.of(
        planes=(CleavingPlane([1, 2, 3], [0, 0, 2]),),
        regions=(Region([1, 2, 3], 0.5, 2.0),),
        alternations=(Alternation([0, 0, 1], 0.1),),
        painted_strength=painted,
        impact_schedule=((0.0, 0.0), (1.0, 1.0)),
    )
    arrays.save(tmp_path / "settings.npz", settings)
    found = arrays.load(tmp_path / "settings.npz", Settings)
    assert found.strength.planes[0].reach == np.inf
    np.testing.assert_array_equal(found.strength.planes[0].normal, [0, 0, 1])
    assert (found.strength.regions[0].strength, found.strength.alternations[0].period) == (2.0, 0.1)
    np.testing.assert_array_equal(found.strength.painted_strength.weights, painted.weights)
    assert found.cracks.impact_schedule == settings.cracks.impact_schedule
