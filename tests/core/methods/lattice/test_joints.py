"""Joints of lattices: springs between the cells of two objects with the stiffness, and the stress, of the joint."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.arrays import lengths, sum_by
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.methods import table
from fracture_addon.core.methods.lattice.advance import initial_state
from fracture_addon.core.methods.lattice.critical_load import critical_force
from tests.core.methods.joined_blocks import AREA, GAP, RUBBER, STONE, joined_blocks

SETTINGS = Settings.of(method="lattice", cell_count=400)
SHIFT = 1e-7


def joined(glue=RUBBER, materials=(STONE, STONE), settings=SETTINGS):
    """Two blocks with a gap across X, and their lattice."""
    result = joined_blocks(glue, materials, settings)
    return result.prepared.model, result.solid


def moved_apart(body, solid, axis):
    """The state after the second block has moved along an axis, and the force (3,) of the bonds on it, N."""
    lattice, state = body.model.lattice, initial_state(body.model)
    second = np.zeros(lattice.node_count, bool)
    second[body.corners[solid.mixture.part_of_cell == 1]] = True
    state.positions[second, axis] += SHIFT
    one, two = lattice.bonds.T
    span = state.positions[two] - state.positions[one]
    length = lengths(span)
    pull = (state.stiffness * (length - state.rest_lengths) / length)[:, None] * span
    forces = sum_by(one, pull, lattice.node_count) - sum_by(two, pull, lattice.node_count)
    return state, forces[second].sum(axis=0)


@pytest.mark.parametrize(("axis", "modulus", "tolerance"), [(0, "young_modulus", 0.05), (1, "shear_modulus", 0.2)])
def test_a_soft_joint_has_the_stiffness_of_its_layer(axis, modulus, tolerance):
    """The blocks hardly deform: the force is E A / t along the joint's normal, and G A / t across it."""
    body, solid = joined()
    state, force = moved_apart(body, solid, axis)
    wanted = getattr(RUBBER, modulus) * AREA / GAP * SHIFT
    assert -force[axis] == pytest.approx(wanted, rel=tolerance)
    stress = body.joints.overloads(body.model.lattice, state, np.zeros(body.model.lattice.node_count))
    mean = np.average(stress * body.joints.strengths, weights=body.joints.areas)
    assert mean == pytest.approx(wanted / AREA, rel=tolerance)


def test_a_joint_holds_under_pressure_and_breaks_in_tension():
    body, solid = joined()
    state, _ = moved_apart(body, solid, 0)
    tips, lattice = np.zeros(body.model.lattice.node_count), body.model.lattice
    assert body.joints.overloads(lattice, state, tips).min() > 0.0
    state.positions[:] = 2.0 * lattice.points - state.positions
    pressed = body.joints.overloads(lattice, state, tips)
    state.positions[:] = 2.0 * lattice.points - state.positions
    assert pressed.mean() < 0.1 * body.joints.overloads(lattice, state, tips).mean()


def test_each_object_keeps_its_own_stiffness_density_and_strength():
    """A block of half the stiffness, twice the density and a third of the strength, beside the other."""
    soft = replace(
        STONE, young_modulus=35e9, density=2.0 * STONE.density, tensile_strength=STONE.tensile_strength / 3.0
    )
    body, solid = joined(materials=(STONE, soft))
    alone = table.build(solid_of(solid, 1), soft, SETTINGS)
    nodes = np.unique(body.corners[solid.mixture.part_of_cell == 1])
    inside = body.joints.inside & np.isin(body.model.lattice.bonds, nodes).all(axis=1)
    assert body.model.stiffness[inside].sum() == pytest.approx(alone.model.stiffness.sum(), rel=1e-6)
    assert body.model.masses[nodes].sum() == pytest.approx(alone.model.masses.sum(), rel=0.05)
    assert body.model.thresholds[inside].mean() == pytest.approx(alone.model.thresholds.mean(), rel=1e-6)
    assert body.cells.masses.sum() == pytest.approx(body.model.masses.sum(), rel=1e-9)


def solid_of(solid, part):
    """The cells of one object, as a solid of its own."""
    from fracture_addon.core.data.solid import compacted, extract

    alone = extract(solid, np.flatnonzero(solid.mixture.part_of_cell == part), padded=False)
    return replace(compacted(alone), mixture=None)


def test_a_weaker_joint_lowers_the_critical_load():
    """The critical load of a joint in bending is proportional to its strength, as long as it breaks first."""
    impact = Impact(np.array([0.0, 0.0, 0.03]), np.array([0.0, 0.0, -1.0]), 1.0, 1e-3, radius=0.02)
    loads = [
        critical_force(joined(replace(STONE, tensile_strength=strength))[0], SETTINGS, [impact])
        for strength in (0.2e6, 0.4e6)
    ]
    assert loads[1] == pytest.approx(2.0 * loads[0], rel=0.01)
