"""The largest stable time step, and masses that make it longer."""

import numpy as np
import pytest

from fracture_addon.core.methods.lattice.forces.stable_step import MARGIN, largest_stable_step, redistributed_masses
from fracture_addon.core.methods.lattice.model import model_of
from tests.blocks import block

MODULUS, DENSITY, SPACING = 1e6, 1000.0, 0.01


def test_redistributed_masses_raise_the_lightest_node_and_keep_the_total():
    lattice = block((3, 3, 3), SPACING)
    masses = DENSITY * lattice.volumes
    masses[0] *= 0.01
    stiffness = MODULUS * lattice.stiffness
    moved = redistributed_masses(lattice, masses, stiffness, 0.02)
    assert moved.sum() == pytest.approx(masses.sum())
    assert moved[0] > 20.0 * masses[0]
    assert np.allclose(moved[1:] / masses[1:], moved[-1] / masses[-1], rtol=0.5)


def test_the_step_of_a_single_spring_is_exact():
    """All nodes but one are fixed, and one bond pulls it: omega^2 = k / m."""
    lattice = block((2, 2, 2), SPACING)
    stiffness = np.zeros(lattice.bond_count)
    stiffness[0] = 50.0
    masses = np.full(lattice.node_count, 0.02)
    fixed = np.arange(lattice.node_count) != lattice.bonds[0, 0]
    step = largest_stable_step(lattice, masses, stiffness, fixed)
    assert step == pytest.approx(MARGIN * 2.0 / np.sqrt(50.0 / 0.02))


def test_a_lattice_of_fixed_nodes_has_no_largest_step():
    lattice = block((2, 2, 2), SPACING)
    masses, fixed = np.ones(lattice.node_count), np.ones(lattice.node_count, bool)
    assert largest_stable_step(lattice, masses, lattice.stiffness, fixed) == np.inf


@pytest.mark.parametrize("damping_time", [0.0, 1e-3])
def test_a_lattice_of_fixed_nodes_has_no_damping(damping_time):
    """Infinite damping would make the forces of a body that is let go infinite."""
    lattice = block((2, 2, 2), SPACING)
    fixed = np.ones(lattice.node_count, bool)
    model = model_of(lattice, density=DENSITY, young_modulus=MODULUS, fixed=fixed, damping_time=damping_time)
    assert not model.damping.any()
