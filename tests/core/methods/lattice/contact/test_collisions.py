"""Test contact between fragments: pairs of nodes, breaks without energy gain, friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fracture_addon.core.methods.lattice import advance, fracture
from fracture_addon.core.methods.lattice.advance import Surroundings
from fracture_addon.core.methods.lattice.contact import collisions
from fracture_addon.core.methods.lattice.contact.neighbour_grid import find_pairs
from fracture_addon.core.methods.lattice.lattice import Lattice
from fracture_addon.core.methods.lattice.model import model_of
from tests import lattice_energy, readable_kernels
from tests.blocks import block

MODULUS, DENSITY, SPACING = 1e6, 1000.0, 0.01
FREE = Surroundings()


def combined(*lattices) -> Lattice:
    """Combine several lattices as the parts of one."""
    starts = np.cumsum([0, *(item.node_count for item in lattices)])
    bonds = np.cumsum([0, *(item.bond_count for item in lattices)])
    ends = np.cumsum([0, *(len(item.cell_bonds) for item in lattices)])

    def joined(name, offsets=None):
        values = [getattr(item, name) for item in lattices]
        return np.concatenate([v + o for v, o in zip(values, offsets, strict=False)] if offsets is not None else values)

    cell_starts = np.concatenate(
        [[0], *(item.cell_starts[1:] + end for item, end in zip(lattices, ends, strict=False))]
    )
    constant = {name: joined(name) for name in ("points", "volumes", "rest_lengths", "stiffness")}
    return Lattice(
        **constant,
        bonds=joined("bonds", starts),
        cells=joined("cells", starts),
        cell_bonds=joined("cell_bonds", bonds),
        cell_starts=cell_starts,
        part_starts=starts,
    )


def moved(lattice: Lattice, offset) -> Lattice:
    values = {name: getattr(lattice, name) for name in lattice.__dataclass_fields__}
    return Lattice(**{**values, "points": lattice.points + np.asarray(offset)})


def cut(model, state, x: float) -> None:
    """Break every bond across the plane at x, m."""
    beyond = model.lattice.points[:, 0] > x
    first, second = model.lattice.bonds.T
    fracture.fracture(model, state, np.flatnonzero(beyond[first] != beyond[second]))


def as_set(pairs) -> set:
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


@given(
    count=st.integers(2, 120), pieces=st.integers(1, 6), within=st.booleans(), seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.5, 3.0, 40.0]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_the_grid_finds_what_comparing_all_finds(count, pieces, within, seed, spread):
    random = np.random.default_rng(seed)
    positions = random.normal(0.0, spread, (count, 3))
    radii = random.uniform(0.2, 1.0, count)
    component = random.integers(0, pieces, count).astype(np.int32)
    found = find_pairs(positions, radii, component, 0.2, within)
    assert as_set(found) == as_set(readable_kernels.find_pairs(positions, radii, component, 0.2, within))
    assert len(as_set(found)) == len(found)


def test_a_break_is_quiet():
    model = model_of(block((6, 4, 4), SPACING), DENSITY, MODULUS, damping_ratio=0.0)
    state = advance.initial_state(model)
    cut(model, state, 3.5 * SPACING)
    assert state.component.max() == 1
    advance.run(model, state, FREE, 0.5 * model.largest_step, 300)
    assert sum(lattice_energy.energy(model, state)) < 1e-20


def test_a_break_explodes_with_radii_twice_as_long():
    """With the paper's "sum of the two radii" as the rest length of contacts, a break creates energy."""
    model = model_of(block((6, 4, 4), SPACING), DENSITY, MODULUS, damping_ratio=0.0)
    model = replace(model, contact_radii=2.0 * model.contact_radii)
    state = advance.initial_state(model)
    cut(model, state, 3.5 * SPACING)
    advance.run(model, state, FREE, 0.5 * model.largest_step, 300)
    assert lattice_energy.energy(model, state)[0] > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_breaking_a_shaken_body_adds_no_energy(seed):
    model = model_of(block((5, 4, 4), SPACING), DENSITY, MODULUS, damping_ratio=0.0)
    state = advance.initial_state(model)
    random = np.random.default_rng(seed)
    state.velocities += random.normal(0.0, 0.3, state.velocities.shape)
    advance.run(model, state, FREE, 0.5 * model.largest_step, 40)
    for _ in range(6):
        before = sum(lattice_energy.energy(model, state))
        fracture.fracture(model, state, random.choice(model.lattice.bond_count, 30, replace=False))
        assert sum(lattice_energy.energy(model, state)) <= before * (1.0 + 1e-12)
        advance.run(model, state, FREE, 0.5 * model.largest_step, 20)
    assert state.component.max() > 0


def test_colliding_blocks_bounce_and_conserve_momentum():
    one = block((3, 3, 3), SPACING)
    model = model_of(combined(one, moved(one, [4.5 * SPACING, 0.1 * SPACING, 0.0])), DENSITY, MODULUS)
    state = advance.initial_state(model)
    first = np.arange(len(state.positions)) < one.node_count
    state.velocities[first, 0] = 0.5
    momentum = model.masses @ state.velocities
    advance.run(model, state, FREE, 0.5 * model.largest_step, 900)
    speeds = [float(np.average(state.velocities[side, 0], weights=model.masses[side])) for side in (first, ~first)]
    assert speeds[1] > 0.3
    assert speeds[0] < 0.2
    assert np.allclose(model.masses @ state.velocities, momentum, atol=1e-12)
    gap = state.positions[~first, 0].min() - state.positions[first, 0].max()
    assert gap > 0.5 * SPACING


def test_pair_list_survives_common_motion_and_is_renewed_after_relative_motion():
    one = block((2, 2, 2), SPACING)
    model = model_of(combined(one, moved(one, [3.2 * SPACING, 0.0, 0.0])), DENSITY, MODULUS)
    state = advance.initial_state(model)
    assert len(state.contacts.pairs) > 0
    kept = state.contacts
    state.positions += [0.0, 0.0, -5.0]
    collisions.renew_if_moved(model, state)
    assert state.contacts is kept
    state.positions[one.node_count :, 0] += SPACING
    collisions.renew_if_moved(model, state)
    assert state.contacts is not kept
    assert len(state.contacts.pairs) == 0


def test_one_component_needs_no_pairs_unless_it_may_touch_itself():
    lattice = block((3, 3, 3), SPACING)
    plain = advance.initial_state(model_of(lattice, DENSITY, MODULUS))
    assert len(plain.contacts.pairs) == 0
    bent = advance.initial_state(model_of(lattice, DENSITY, MODULUS, self_collision=True))
    bent.positions[:, 0] *= 0.45
    model = model_of(lattice, DENSITY, MODULUS, self_collision=True)
    collisions.renew(model, bent)
    bonded = as_set(lattice.bonds)
    assert len(bent.contacts.pairs) > 0
    assert not as_set(bent.contacts.pairs) & bonded


def test_a_broken_bond_still_repels():
    """The corners of a broken cell inside a connected fragment still repel when pressed together."""
    lattice = block((3, 3, 3), SPACING)
    model = model_of(lattice, DENSITY, MODULUS)
    state = advance.initial_state(model)
    center = np.flatnonzero(np.all(np.isclose(lattice.points[lattice.cells].mean(axis=1), 1.5 * SPACING), axis=1))
    start = lattice.cell_starts[center[0]]
    fracture.fracture(model, state, lattice.cell_bonds[start : start + 1])
    assert state.component.max() == 0
    first, second = lattice.bonds[lattice.cell_bonds[start]]
    assert (first, second) in as_set(state.contacts.pairs)
    state.positions[second] = state.positions[first] + 0.6 * (state.positions[second] - state.positions[first])
    outer = advance.external_forces(model, state, FREE, state.positions, state.velocities)
    towards = state.positions[second] - state.positions[first]
    assert outer[second] @ towards > 0.0
    assert outer[first] @ towards < 0.0
    state.positions[second] = state.positions[first] + 3.0 * towards
    assert not advance.external_forces(model, state, FREE, state.positions, state.velocities).any()


@pytest.mark.parametrize(("sliding", "capped"), [(1e-6, True), (10.0, False)])
def test_friction_stops_slow_sliding_and_does_not_turn_it_round(sliding, capped):
    one = block((1, 1, 1), SPACING)
    model = model_of(combined(one, moved(one, [1.9 * SPACING, 0.0, 0.0])), DENSITY, MODULUS, contact_friction=0.5)
    state = advance.initial_state(model)
    state.positions[one.node_count :, 0] -= 0.1 * SPACING
    state.velocities[one.node_count :, 1] = sliding
    step = 0.5 * model.largest_step
    pushes = advance.external_forces(model, state, FREE, state.positions, state.velocities)[one.node_count :, 0]
    collisions.apply_friction(model, state, step)
    lost = sliding - state.velocities[one.node_count :, 1]
    touching = pushes > 0.0
    assert np.count_nonzero(touching) == 4
    # Both nodes of a pair have equal mass, so each takes half of the sliding.
    slowed = 0.5 * sliding if capped else 0.5 * pushes[touching] * step / model.masses[one.node_count :][touching]
    assert np.allclose(lost[touching], slowed)
    assert not lost[~touching].any()
    assert (lost[touching] < 0.49 * sliding).all() != capped


def test_a_fragment_that_slides_on_another_comes_to_rest():
    lower, upper = block((8, 2, 1), SPACING), block((2, 2, 1), SPACING)
    lattice = combined(lower, moved(upper, [1.1 * SPACING, 0.0, 1.95 * SPACING]))
    fixed = np.arange(lattice.node_count) < lower.node_count
    model = model_of(lattice, DENSITY, MODULUS, damping_ratio=0.4, fixed=fixed)
    state = advance.initial_state(model)
    state.velocities[~fixed, 0] = 0.1
    around = Surroundings(gravity=np.array([0.0, 0.0, -9.81]))
    advance.run(model, state, around, 0.8 * model.largest_step, 5000)
    assert np.abs(state.velocities).max() < 1e-4
