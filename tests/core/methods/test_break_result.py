"""From broken bonds and momenta to fragments and velocities."""

import numpy as np
import pytest

from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import break_result
from fracture_addon.core.methods.break_result import split
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.methods.network.bonds.full_bonds import build_full_bonds
from fracture_addon.core.methods.rigid_components import components_by_label
from tests import shapes

STILL = RigidMotion(np.zeros(3), np.zeros(3))
MOVING = RigidMotion(np.array([1.0, -2.0, 0.5]), np.array([3.0, 1.0, -2.0]))


@pytest.fixture(scope="module")
def bonds():
    return build_full_bonds(tetrahedralize(shapes.box((0.3, 0.1, 0.05)), 600, 0), PORCELAIN)


@pytest.fixture(scope="module")
def momenta(bonds):
    random = np.random.default_rng(0)
    return random.normal(size=(bonds.cell_count, 3)), 0.01 * random.normal(size=(bonds.cell_count, 3))


def into(bonds, label):
    """Alive bonds when each label's cells hang together."""
    return label[bonds.pairs[:, 0]] == label[bonds.pairs[:, 1]]


def splitted(bonds, alive, momenta, motion=STILL, **settings):
    settings = Settings.of(**settings)
    return split(
        bonds.cells, bonds.pairs, bonds.areas, alive, *momenta, motion, settings, load_factor=2.0, solve_count=3
    )


def halves(bonds):
    return (bonds.cells.centers[:, 0] > 0.05).astype(int)


def totals(cells, result, center):
    """Momentum, and angular momentum about ``center``, of the fragments as rigid bodies."""
    parts = components_by_label(cells, result.fragment_of_cell, len(result.velocity))
    momentum = parts.masses[:, None] * result.velocity
    spin = np.einsum("nij,nj->ni", parts.inertias, result.angular_velocity)
    return momentum.sum(axis=0), (spin + np.cross(parts.centers - center, momentum)).sum(axis=0)


def test_nothing_broken_is_one_fragment(bonds, momenta):
    result = splitted(bonds, np.ones(len(bonds.areas), bool), momenta)
    assert not result.broken
    assert (result.fragment_of_cell == 0).all()
    assert (result.load_factor, result.solve_count, result.dust_count) == (2.0, 3, 0)
    assert result.kept.all()


def test_fragments_come_by_falling_mass(bonds, momenta):
    thirds = np.digitize(bonds.cells.centers[:, 0], [-0.1, 0.05])
    result = splitted(bonds, into(bonds, thirds), momenta, dust_volume=0.02)
    masses = np.bincount(result.fragment_of_cell, bonds.cells.masses)
    assert len(masses) == 3
    assert (np.diff(masses) <= 0).all()
    for label in range(3):
        # A cell at a border that only the other side holds goes there, as dust.
        assert np.bincount(result.fragment_of_cell[thirds == label]).max() >= 0.98 * (thirds == label).sum()


@pytest.mark.parametrize("motion", [STILL, MOVING], ids=["still", "moving"])
@pytest.mark.parametrize("cuts", [[], [0.05], [-0.1, 0.0, 0.1]])
@pytest.mark.parametrize("dust", ["merge", "drop"])
def test_momentum_is_kept(bonds, momenta, motion, cuts, dust):
    """Fragments together carry what the body had and what the cells got, turning included."""
    label = np.digitize(bonds.cells.centers[:, 0], cuts)
    result = splitted(bonds, into(bonds, label), momenta, motion, dust=dust)
    cells = bonds.cells
    whole = components_by_label(cells, np.zeros(bonds.cell_count, int), 1)
    center, mass = whole.centers[0], whole.masses[0]
    momentum, spin = totals(cells, result, center)
    impulses, spins = momenta
    np.testing.assert_allclose(momentum, mass * motion.velocity + impulses.sum(axis=0), rtol=1e-9, atol=1e-9)
    angular = whole.inertias[0] @ motion.angular_velocity + (spins + np.cross(cells.centers - center, impulses)).sum(0)
    np.testing.assert_allclose(spin, angular, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("fit", ["momentum", "centroids"])
def test_a_rigid_motion_goes_on(bonds, fit):
    """Without an impact every fragment moves on as it did as a part of the whole."""
    nothing = np.zeros((bonds.cell_count, 3))
    alive = into(bonds, halves(bonds))
    result = splitted(bonds, alive, (nothing, nothing), MOVING, dust_volume=0.02, velocity_fit=fit)
    parts = components_by_label(bonds.cells, result.fragment_of_cell, len(result.velocity))
    center = np.average(bonds.cells.centers, axis=0, weights=bonds.cells.masses)
    expected = MOVING.velocity + np.cross(MOVING.angular_velocity, parts.centers - center)
    np.testing.assert_allclose(result.velocity, expected, atol=1e-12)
    np.testing.assert_allclose(result.angular_velocity, np.tile(MOVING.angular_velocity, (2, 1)), atol=1e-12)


def dust_labels(bonds):
    """A body that lost fifty single cells, two of which lie side by side, and is halved."""
    rows = np.concatenate([bonds.pairs[5], np.random.default_rng(3).choice(bonds.cell_count, 50, replace=False)])
    label = halves(bonds)
    label[rows] = 2 + np.arange(len(rows))
    return into(bonds, label)


def test_dust_merges_into_neighbours(bonds, momenta):
    result = splitted(bonds, dust_labels(bonds), momenta, dust="merge", dust_volume=0.02)
    shares = np.bincount(result.fragment_of_cell, bonds.cells.masses) / bonds.cells.masses.sum()
    assert len(shares) == 2
    assert shares.min() > 0.02
    assert result.dust_count >= 50
    assert 0.01 < result.dust_volume < 0.3
    assert result.kept.all()
    # What grew together hangs together in the whole body.
    same = into(bonds, result.fragment_of_cell)
    assert components_by_label(bonds.cells, result.fragment_of_cell, 2).masses.min() > 0.0
    assert len(splitted(bonds, same, momenta, dust_volume=0.0).velocity) == 2


def test_dust_merges_over_the_largest_shared_area(bonds, momenta):
    inner = np.flatnonzero(np.bincount(bonds.pairs.ravel(), minlength=bonds.cell_count) == 4)
    sides = halves(bonds)
    for grain in inner:
        rows = np.flatnonzero((bonds.pairs == grain).any(axis=1))
        others = bonds.pairs[rows].sum(axis=1) - grain
        areas = np.bincount(sides[others], bonds.areas[rows], 2)
        if areas.min() > 0.0:
            break
    label = sides.copy()
    label[grain] = 2
    result = splitted(bonds, into(bonds, label), momenta, dust_volume=0.02)
    companion = np.flatnonzero((sides == np.argmax(areas)) & (np.arange(bonds.cell_count) != grain))[0]
    assert result.fragment_of_cell[grain] == result.fragment_of_cell[companion]


def test_dust_to_drop_is_marked(bonds, momenta):
    result = splitted(bonds, dust_labels(bonds), momenta, dust="drop", dust_volume=0.02)
    shares = np.bincount(result.fragment_of_cell, bonds.cells.masses) / bonds.cells.masses.sum()
    assert (result.kept == (shares >= 0.02)).all()
    assert result.kept.sum() == 2
    assert (~result.kept).sum() == result.dust_count
    np.testing.assert_allclose(shares[~result.kept].sum(), result.dust_volume)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_dust_among_dust_grows_together(bonds, momenta, share):
    """Every bond broken: grains join one another until none is dust."""
    none = np.zeros(len(bonds.areas), bool)
    result = splitted(bonds, none, momenta, dust="merge", dust_volume=share)
    shares = np.bincount(result.fragment_of_cell, bonds.cells.masses) / bonds.cells.masses.sum()
    assert shares.min() >= share
    assert (np.diff(shares) <= 0).all()
    assert len(shares) > 1 or share == 0.5


@pytest.mark.parametrize("dust", ["merge", "drop"])
def test_a_cell_alone_turns_with_its_own_inertia(bonds, dust):
    """One cell broken out and spun: omega = I^-1 L of that tetrahedron."""
    grain = int(np.argmax(bonds.cells.masses))
    label = np.zeros(bonds.cell_count, int)
    label[grain] = 1
    spins = np.zeros((bonds.cell_count, 3))
    spins[grain] = [1e-6, 2e-6, -1e-6]
    result = splitted(bonds, into(bonds, label), (np.zeros_like(spins), spins), dust=dust, dust_volume=1e-9)
    found = result.angular_velocity[result.fragment_of_cell[grain]]
    np.testing.assert_allclose(found, np.linalg.solve(bonds.cells.inertias[grain], spins[grain]), rtol=1e-9)


def test_the_smallest_fragments_merge_with_their_largest_neighbour_until_the_count_is_met():
    """Five cells in a row, each its own fragment, of falling mass; dust below 2 kg stays and does not count."""
    masses, labels = np.array([9.0, 5.0, 4.0, 3.0, 1.0]), np.arange(5)
    pairs, areas = np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.array([1.0, 3.0, 2.0, 1.0])
    assert break_result.merged_to_count(labels, masses, 2, 0.0, pairs, areas).tolist() == [0, 1, 1, 1, 1]
    assert break_result.merged_to_count(labels, masses, 3, 2.0, pairs, areas).tolist() == [0, 1, 2, 2, 3]
    assert break_result.merged_to_count(labels, masses, 5, 0.0, pairs, areas).tolist() == [0, 1, 2, 3, 4]
