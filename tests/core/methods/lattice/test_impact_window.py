"""Test impacts on a lattice: fragments instead of dust, and conservation of momentum."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.lattice import advance, fracture, impact_window
from fracture_addon.core.methods.lattice.fragment_labels import CLUSTER_CELLS, cell_momenta, label_cells
from fracture_addon.core.methods.lattice.model import build
from fracture_addon.core.methods.lattice.tension import tension
from fracture_addon.core.methods.method import RigidMotion
from tests import readable_kernels, shapes

TERRACOTTA = Material("Terracotta", 1900.0, 12e9, 0.2, 7e6, 40e6, 0.6e6)
SETTINGS = Settings.of(method="lattice", seed=3)
STILL = RigidMotion(np.zeros(3), np.zeros(3))
DURATION = 3e-4


@pytest.fixture(scope="module")
def jar():
    return build(tetrahedralize(shapes.shipped("old_jar"), 2500, 0), TERRACOTTA, SETTINGS)


def impact_on(body, force, side=1.0) -> Impact:
    points = body.model.lattice.points
    low, high = points.min(axis=0), points.max(axis=0)
    point = [high[0] if side > 0 else low[0], 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])]
    return Impact(point, [-side, 0.0, -0.2], 0.5 * force * DURATION, DURATION, body.spacing)


@pytest.fixture(scope="module")
def critical(jar) -> float:
    return table.METHODS["lattice"].method.critical_force(jar, SETTINGS, [impact_on(jar, 1.0)])


def strike(body, force, side=1.0, motion=STILL):
    return table.METHODS["lattice"].method.strike(body, SETTINGS, motion, [impact_on(body, force, side)])


@pytest.fixture(scope="module")
def struck(jar, critical):
    return strike(jar, 5.0 * critical)


def test_nothing_breaks_below_the_critical_force(jar, critical):
    result = strike(jar, 0.9 * critical)
    assert not result.broken
    assert result.load_factor == pytest.approx(0.9, rel=1e-3)
    impact = impact_on(jar, 0.9 * critical)
    momentum = jar.cells.masses.sum() * result.velocity[0] @ impact.direction
    assert 0.5 < momentum / impact.impulse < 1.2


def test_a_strong_impact_leaves_fragments_and_little_dust(jar, struck):
    shares = np.bincount(struck.fragment_of_cell, jar.cells.masses) / jar.cells.masses.sum()
    assert np.count_nonzero(shares > 0.01) >= 4
    assert struck.dust_volume < 0.1
    assert struck.load_factor == pytest.approx(5.0, rel=0.02)


def test_an_impact_elsewhere_gives_other_cracks(jar, critical, struck):
    pairs = jar.solid.face_cells
    other = strike(jar, 5.0 * critical, side=-1.0)
    cracks = [np.diff(result.fragment_of_cell[pairs], axis=1)[:, 0] != 0 for result in (struck, other)]
    assert np.count_nonzero(cracks[0] & cracks[1]) < 0.5 * min(np.count_nonzero(crack) for crack in cracks)


def test_the_same_impact_gives_the_same_bytes_and_the_motion_of_the_body_is_added(jar, critical, struck):
    moving = RigidMotion(np.array([1.0, -2.0, 3.0]), np.zeros(3))
    again = strike(jar, 5.0 * critical, motion=moving)
    assert again.fragment_of_cell.tobytes() == struck.fragment_of_cell.tobytes()
    assert again.velocity.tobytes() == (struck.velocity + moving.velocity).tobytes()


def test_crushed_cells_form_clusters(jar):
    state = advance.initial_state(jar.model)
    state.valid[:] = False
    label = label_cells(jar, state.valid, True, 0)
    sizes = np.unique(label, return_counts=True)[1]
    assert len(sizes) == jar.solid.cell_count // CLUSTER_CELLS
    assert sizes.max() < 8 * CLUSTER_CELLS
    assert not np.array_equal(label, label_cells(jar, state.valid, True, 1))


def test_a_crushed_body_of_few_cells_comes_apart():
    body = build(tetrahedralize(shapes.box(), 100, 0), TERRACOTTA, SETTINGS)
    nothing = np.zeros(len(body.model.lattice.cells), bool)
    assert len(np.unique(label_cells(body, nothing, True, 0))) > 4


def test_a_layer_of_broken_cells_gives_two_fragments(jar):
    state = advance.initial_state(jar.model)
    heights = jar.cells.centers[:, 2] - jar.cells.centers[:, 2].mean()
    state.valid[np.abs(heights) < jar.spacing] = False
    label = label_cells(jar, state.valid, True, 0)
    assert len(np.unique(label)) == 2
    assert len(np.unique(label[heights > 2.0 * jar.spacing])) == 1
    assert len(np.unique(label[heights < -2.0 * jar.spacing])) == 1


def test_nodes_and_cells_have_the_same_momentum(jar, critical):
    found = impact_window.follow(jar, [impact_on(jar, 4.0 * critical)], breaking=True)
    impulses, spins = cell_momenta(jar, found.state, label_cells(jar, found.state.valid, True, 0))
    momenta = jar.model.masses[:, None] * found.state.velocities
    assert np.allclose(impulses.sum(axis=0), momenta.sum(axis=0), rtol=1e-9, atol=1e-12)
    turning = (spins + np.cross(jar.cells.centers, impulses)).sum(axis=0)
    expected = np.cross(jar.model.lattice.points, momenta).sum(axis=0)
    assert np.allclose(turning, expected, rtol=1e-9, atol=1e-12)


def test_kernel_and_readable_tension_agree(jar):
    state = advance.initial_state(jar.model)
    random = np.random.default_rng(0)
    state.positions += random.normal(0.0, 1e-4, state.positions.shape)
    fracture.fracture(jar.model, state, random.choice(len(state.alive), 200, replace=False))
    readable = readable_kernels.tension(jar.model, state)
    assert np.allclose(tension(jar.model, state), readable, rtol=1e-9, atol=1e-9 * np.abs(readable).max())


def test_uniaxial_compression_has_no_transverse_tension(jar):
    """Transverse bonds stretch as the body bulges, but there is no stress along them."""
    state = advance.initial_state(jar.model)
    compression, bulge = -1e-4, 0.25e-4
    state.positions *= 1.0 + np.array([bulge, bulge, compression])
    span = np.diff(jar.model.lattice.points[jar.model.lattice.bonds], axis=1)[:, 0]
    across = np.abs(span[:, 2]) < 0.2 * np.linalg.norm(span, axis=1)
    stretch = (fracture.lengths(jar.model, state) / state.rest_lengths - 1.0)[across]
    transverse = tension(jar.model, state)[across]
    assert stretch.mean() > 0.8 * bulge
    assert abs(transverse.mean()) < 0.35 * bulge


@pytest.mark.parametrize(
    ("lattice", "diagonals"), [("tetrahedra", "face"), ("cubes", "face"), ("cubes", "body"), ("cubes", "both")]
)
def test_a_surface_is_filled_and_breaks(lattice, diagonals):
    settings = Settings.of(method="lattice", lattice=lattice, diagonals=diagonals, cell_count=2500, noise=0.0)
    surface = shapes.plank(0.4, 0.1, 0.04)
    solid = table.discretise(surface, settings)
    body = table.build(solid, TERRACOTTA, settings)
    assert body.cells.masses.sum() == pytest.approx(body.model.masses.sum(), rel=1e-6)
    top = [*surface.points.mean(axis=0)[:2], surface.points[:, 2].max()]
    middle = Impact(top, [0.0, 0.0, -1.0], 1.0, DURATION, 0.02)
    force = table.critical_force(body, settings, [middle])
    hard = Impact(middle.point, middle.direction, 0.5 * 4.0 * force * DURATION, DURATION, 0.02)
    result = table.strike(body, settings, STILL, [hard])
    shares = np.bincount(result.fragment_of_cell, body.cells.masses) / body.cells.masses.sum()
    # The plank breaks in the middle, so no fragment has most of the mass.
    assert shares.max() < 0.75
    assert np.count_nonzero(shares > 0.1) >= 2
