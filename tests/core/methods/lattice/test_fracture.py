"""Test the cell rule, breaking under stretch, and thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import Delaunay

from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import from_cells
from fracture_addon.core.methods.lattice import advance, fracture
from fracture_addon.core.methods.lattice.advance import Surroundings
from fracture_addon.core.methods.lattice.cells import thresholds
from fracture_addon.core.methods.lattice.cells.tetrahedra import isotropic_shares, lattice_of_tetrahedra
from fracture_addon.core.methods.lattice.lattice import bond_cells
from fracture_addon.core.methods.lattice.model import model_of
from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice
from tests.blocks import block
from tests.sweeney_operators import all_intact, break_edges

MODULUS, DENSITY, SPACING = 1e6, 1000.0, 0.01


def cell_rule_readable(rows, lattice):
    """Apply the cell rule of Norton et al. 1991 as printed."""
    members = [
        set(lattice.cell_bonds[start:end].tolist())
        for start, end in zip(lattice.cell_starts[:-1], lattice.cell_starts[1:], strict=True)
    ]
    valid = np.array([not member & set(rows) for member in members])
    supported = set().union(*(member for member, intact in zip(members, valid, strict=True) if intact))
    alive = np.array([bond in supported and bond not in rows for bond in range(lattice.bond_count)])
    return alive, valid


@pytest.mark.parametrize("seed", range(4))
def test_the_cell_rule(seed):
    lattice = block((4, 3, 3), SPACING)
    rows = np.random.default_rng(seed).choice(lattice.bond_count, 12, replace=False)
    alive, valid = np.ones(lattice.bond_count, bool), np.ones(len(lattice.cells), bool)
    owners = bond_cells(lattice.cell_bonds, lattice.cell_starts, lattice.bond_count)
    # Breaking bonds one by one gives the same result as all at once.
    for row in rows:
        fracture.break_cells(np.array([row]), alive, valid, lattice.cell_bonds, lattice.cell_starts, *owners)
    expected_alive, expected_valid = cell_rule_readable(rows.tolist(), lattice)
    assert np.array_equal(valid, expected_valid)
    assert np.array_equal(alive, expected_alive)
    shape = hierarchy_of_lattice(lattice)
    intact = break_edges(shape, all_intact(shape), rows)
    assert np.array_equal(valid, intact.cells)
    assert np.array_equal(alive, intact.edges)


def test_bonds_break_when_stretched_beyond_their_threshold_and_not_when_pressed():
    lattice = block((4, 1, 1), SPACING)
    for factor, breaks in ((1.03, True), (1.015, False), (0.9, False)):
        model = model_of(lattice, DENSITY, MODULUS, thresholds=0.02)
        state = advance.initial_state(model)
        state.positions *= factor
        taken = advance.advance(model, state, Surroundings(), 0.1 * model.largest_step, 1)
        assert (taken == 0) == breaks
        assert (len(fracture.fracture(model, state)) > 0) == breaks


def test_a_bar_pulled_apart_breaks_at_its_weakest_place():
    lattice = block((12, 2, 2), SPACING)
    factors = np.ones(lattice.bond_count)
    middle = lattice.points[lattice.bonds].mean(axis=1)[:, 0]
    factors[np.abs(middle - 6.5 * SPACING) < 0.1 * SPACING] = 0.7
    ends = (lattice.points[:, 0] < 1e-9) | (lattice.points[:, 0] > 12 * SPACING - 1e-9)
    model = model_of(lattice, DENSITY, MODULUS, thresholds=0.02 * factors, fixed=ends, damping_ratio=0.5)
    state = advance.initial_state(model)
    state.positions[:, 0] *= 1.016
    assert advance.run(model, state, Surroundings(), 0.4 * model.largest_step, 400) > 0
    assert state.component.max() == 1
    assert set(np.flatnonzero(~state.valid) // 4) == {6}


def test_strength_and_toughness_laws():
    stretch = thresholds.strength_stretch(PORCELAIN)
    assert stretch * PORCELAIN.young_modulus == pytest.approx(PORCELAIN.tensile_strength)
    fine, coarse = (thresholds.toughness_stretch(PORCELAIN, spacing) for spacing in (1e-3, 4e-3))
    assert fine / coarse == pytest.approx(2.0)
    energy = 0.5 * thresholds.CRACK_SHARE * PORCELAIN.young_modulus * 1e-3 * fine**2
    assert energy == pytest.approx(PORCELAIN.toughness**2 / PORCELAIN.young_modulus)
    assert thresholds.breaking_stretch(PORCELAIN, 4e-3) == min(stretch, coarse)


def test_softening_keeps_the_energy_of_a_crack():
    stretch = thresholds.toughness_stretch(PORCELAIN, 1e-3)
    soft = thresholds.softened(stretch, 100.0)
    assert PORCELAIN.young_modulus / 100.0 * soft**2 == pytest.approx(PORCELAIN.young_modulus * stretch**2)


def test_defects():
    random = np.random.default_rng(0)
    volumes = np.where(np.arange(40_000) < 20_000, 1.0, 8.0)
    modulus = 6.0
    weibull = thresholds.weibull_defects(volumes, modulus, random)
    small, large = weibull[:20_000], weibull[20_000:]
    assert small.mean() / large.mean() == pytest.approx(8.0 ** (1.0 / modulus), rel=0.01)
    assert small.std() / small.mean() == pytest.approx(1.2 / modulus, rel=0.06)


def test_springs_of_a_regular_tetrahedron_are_alike():
    points = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    assert np.allclose(isotropic_shares(points, np.array([[0, 1, 2, 3]])), 1.0)


def test_a_lattice_of_tetrahedra_pulls_like_the_material():
    """Uniform stretch of a jittered block: energy of an isotropic solid at Poisson's ratio 1/4, along any line."""
    random = np.random.default_rng(4)
    grid = np.stack(np.meshgrid(*3 * [np.arange(7.0)], indexing="ij"), axis=-1).reshape(-1, 3)
    grid += np.where((grid > 0) & (grid < 6), random.uniform(-0.3, 0.3, grid.shape), 0.0)
    solid = from_cells(grid, Delaunay(grid).simplices, np.empty((0, 4)))
    lattice, corners = lattice_of_tetrahedra(solid)
    assert lattice.volumes.sum() == pytest.approx(216.0)
    assert np.allclose(lattice.points[corners].mean(axis=1), solid.points[solid.cells].mean(axis=1))
    directions = random.normal(size=(40, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    energies = []
    for direction in np.concatenate([np.eye(3), directions]):
        moved = lattice.points + 1e-4 * np.outer(lattice.points @ direction, direction)
        stretch = np.linalg.norm(np.diff(moved[lattice.bonds], axis=1)[:, 0], axis=1) - lattice.rest_lengths
        energies.append(0.5 * float(lattice.stiffness @ stretch**2) / 216.0)
    # Confined stretch: (lambda + 2 mu) / 2 strain^2, lambda = mu = 2 / 5 of Young's modulus.
    assert np.mean(energies) == pytest.approx(0.5 * 1.2 * 1e-8, rel=0.03)
    assert np.ptp(energies) < 0.25 * np.mean(energies)
