"""Stress without a load: the paper's kC, used as tempering."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import accuracy
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import method, table
from fracture_addon.core.methods.network import advance, critical_load
from fracture_addon.core.methods.network.tempering import tempering
from fracture_addon.core.methods.rigid_components import find_components
from tests import readable_kernels, shapes

GLASS = replace(PORCELAIN, name="Glass", density=2500.0, tensile_strength=40e6, toughness=0.75e6)
PANE = shapes.box((0.2, 0.2, 0.008))
STILL = method.RigidMotion(np.zeros(3), np.zeros(3))
TEMPERED = Settings.of(tempering=100e6)


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(PANE, 2500, 0)


@pytest.fixture(scope="module")
def tempered(solid):
    return table.build(solid, GLASS, TEMPERED)


def impact_at(x, y, peak=1.0):
    return Impact([x, y, 0.004], [0.0, 0.0, -1.0], 0.5e-4 * peak, 1e-4, 0.0)


def unloaded(model):
    """Glue, and the normal stress (F, 3) at quadrature points, of a body that nobody touches."""
    _, state = advance.initial_state(model, [impact_at(0.0, 0.0)], TEMPERED)
    glue = state.glue
    normal, _ = glue._bonds.tractions(glue._residual_displacement)
    return glue, normal + glue._prestress


def test_the_profile_is_that_of_tempered_glass(solid):
    stress = tempering(solid, 1e8, 0.008)
    assert stress.min() >= -1e8
    assert 0.4e8 < stress.max() <= 0.5e8


def test_prestress_balances_itself(tempered):
    """Across any section the stresses add up to no force: of a hundred megapascals under three are left."""
    normal = unloaded(tempered)[1]
    for at in (-0.05, 0.0, 0.05):
        x = tempered.cells.centers[tempered.pairs, 0] - at
        crossing = (x[:, 0] > 0.0) != (x[:, 1] > 0.0)
        sign = np.sign(x[crossing, 1])
        pull = normal[crossing].mean(axis=1) * tempered.areas[crossing] * tempered.normals[crossing, 0] * sign
        assert abs(pull.sum()) < 0.03 * 1e8 * 0.2 * 0.008


def test_the_surface_is_pressed_and_the_core_pulled(tempered, solid):
    _, normal = unloaded(tempered)
    profile = tempering(solid, 1e8, tempered.wall)
    upright = np.abs(tempered.normals[:, 2]) < 0.3
    edge = np.abs(tempered.face_centers[:, :2]).max(axis=1) > 0.08
    inner = upright & ~edge
    assert normal[inner][profile[inner] > 0.4e8].mean() > 0.2e8
    assert normal[inner][profile[inner] < -0.1e8].mean() < 0.0


def test_what_stands_bears_its_own_stress(tempered):
    glue, _ = unloaded(tempered)
    assert (glue.burden(0.0) < 0.9 * tempered.strengths).all()


def test_tempering_adds_its_compression_to_the_strength(solid):
    """Without scatter of the strength, the critical load rises from 40 MPa to 140 MPa."""
    even = replace(GLASS, strength_variation=0.0)
    for place in ((0.0, 0.0), (0.085, 0.085), (-0.05, 0.08)):
        annealed, tempered = (
            table.critical_force(table.build(solid, even, settings), settings, [impact_at(*place)])
            for settings in (Settings.of(noise=0.0), TEMPERED.changed(noise=0.0))
        )
        assert 0.85 * 3.5 < tempered / annealed < 1.3 * 3.5


def test_a_break_before_the_contact_has_a_force_keeps_the_compliance(tempered):
    """A body whose prestress alone breaks a bond breaks at the first touch."""
    impact_load, state = advance.initial_state(tempered, [impact_at(0.0, 0.0)], TEMPERED)
    contact, before = advance.initial_contact(tempered, state, impact_load), state.compliance
    for _ in range(2):
        state.is_settled = False
        contact = advance.advance_contact(tempered, state, impact_load, contact, 0.0)
    assert contact.force == 0.0
    assert state.compliance == pytest.approx(before, rel=0.02)


def test_the_critical_load_adds_to_the_prestress(tempered):
    _, state = advance.initial_state(tempered, [impact_at(0.0, 0.0)], TEMPERED)
    critical = critical_load.next_failure(state)
    demand = [(state.glue.burden(critical * factor) / state.strengths).max() for factor in (0.99, 1.0, 1.01)]
    assert demand[0] < 1.0 < demand[2]
    assert demand[1] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("settings", [Settings(), TEMPERED], ids=["annealed", "tempered"])
def test_burdens_compiled_and_readable_agree(solid, settings):
    glue = table.build(solid, GLASS, settings).unloaded()
    cells = glue._bonds.cells
    glue.remove(np.arange(0, len(glue._alive), 7))
    forces = np.random.default_rng(5).normal(size=cells.centers.shape)
    glue.solve(find_components(cells, glue._bonds.pairs[glue._alive]), forces)
    for factor in (0.0, 1.0, 1e5):
        wanted = readable_kernels.burden(glue, factor)
        np.testing.assert_allclose(glue.burden(factor), wanted, atol=1e-12 * wanted.max())
        assert (glue.burden(factor)[::7] == 0.0).all()


def test_broken_bonds_release_their_stress(tempered):
    _, state = advance.initial_state(tempered, [impact_at(0.0, 0.0)], TEMPERED)
    before = state.glue.burden(0.0)
    x = tempered.cells.centers[tempered.pairs, 0]
    cut = np.flatnonzero((x[:, 0] > 0.0) != (x[:, 1] > 0.0))
    state.glue.remove(cut)
    state.parts = find_components(tempered.cells, np.delete(tempered.pairs, cut, axis=0))
    state.glue.solve(state.parts, np.ones_like(tempered.cells.centers))
    after = state.glue.burden(0.0)
    assert (after[cut] == 0.0).all()
    far = np.abs(tempered.face_centers[:, 0]) > 0.06
    assert abs(after[far].mean() / before[far].mean() - 1.0) < 0.05


def counts(model, settings):
    found = []
    for place in ((0.08, 0.07), (-0.05, 0.08), (0.03, -0.02)):
        force = 1.1 * table.critical_force(model, settings, [impact_at(*place)])
        result = table.strike(model, settings, STILL, [impact_at(*place, force)])
        masses = np.bincount(result.fragment_of_cell, model.cells.masses)
        found.append((len(masses), masses.max() / masses.sum()))
    return np.array(found).T


def test_a_tempered_pane_breaks_all_over_wherever_it_is_hit(solid, tempered):
    """P11: at least ten times the fragments of the annealed pane, and no large one left."""
    plain = Settings()
    many, largest = counts(tempered, TEMPERED)
    few, _ = counts(table.build(solid, GLASS, plain), plain)
    # Measured: 287 to 356 fragments, the largest 2 % of the pane; 3 to 17 of the annealed one
    assert largest.max() < 0.06
    assert many.mean() > 10.0 * few.mean()


def test_a_tempered_tumbler_stays_whole_where_an_annealed_one_breaks():
    surface = shapes.shipped("glass_12oz")
    solid = tetrahedralize(surface, 1500, 0)
    impacts = accuracy.fall(surface, GLASS, 3.0, accuracy.tilt(0), 0.005)
    broken = [
        table.strike(table.build(solid, GLASS, settings), settings, STILL, impacts).broken
        for settings in (Settings(), TEMPERED)
    ]
    assert broken == [True, False]
