"""What Norton, Turk, Bacon, Gerth and Sweeney (1991) claim, and the physics that their springs are held to."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.methods.lattice import advance, fracture
from fracture_addon.core.methods.lattice.advance import Surroundings
from fracture_addon.core.methods.lattice.contact.spring_contact import SpringContact
from fracture_addon.core.methods.lattice.integrators import INTEGRATORS
from fracture_addon.core.methods.lattice.model import Model, model_of
from fracture_addon.core.methods.obstacle import Obstacle
from tests import lattice_energy, profiles
from tests.blocks import block
from tests.resolutions import missed

MODULUS, DENSITY, SPACING = 70e9, 2400.0, 0.01
BAR_SPEED = np.sqrt(MODULUS / DENSITY)
FREE = Surroundings()


def stiffness_matrix(lattice) -> np.ndarray:
    """Return the stiffness (3N, 3N) over Young's modulus of a small lattice at rest."""
    count = lattice.node_count
    span = lattice.points[lattice.bonds[:, 1]] - lattice.points[lattice.bonds[:, 0]]
    direction = span / np.linalg.norm(span, axis=1)[:, None]
    rows = np.zeros((lattice.bond_count, count, 3))
    rows[np.arange(lattice.bond_count), lattice.bonds[:, 0]] = -direction
    rows[np.arange(lattice.bond_count), lattice.bonds[:, 1]] = direction
    rows = rows.reshape(-1, 3 * count)
    return rows.T @ (lattice.stiffness[:, None] * rows)


@pytest.mark.parametrize(("kind", "mechanisms"), [("body", 3), ("face", 0)])
def test_body_diagonals_leave_three_mechanisms_and_face_diagonals_none(kind, mechanisms):
    """ "There is a 3D set of deformations of the cube vertices that is opposed quadratically but not linearly." """
    for shape in ((1, 1, 1), (2, 2, 2)):
        values = np.linalg.eigvalsh(stiffness_matrix(block(shape, 1.0, kind)))
        assert np.count_nonzero(values < 1e-9) == 6 + mechanisms


@pytest.mark.parametrize("kind", ["body", "face"])
def test_springs_make_an_isotropic_solid_with_poissons_ratio_a_quarter(kind):
    lattice = block((3, 4, 2), 1.0, kind)
    matrix, volume = stiffness_matrix(lattice), 24.0
    lame = 0.4

    def energy(strain):
        moved = (lattice.points @ np.asarray(strain, float)).ravel()
        return 0.5 * moved @ matrix @ moved / volume

    random = np.random.default_rng(0)
    for _ in range(5):
        strain = random.normal(size=(3, 3))
        strain += strain.T
        expected = 0.5 * lame * np.trace(strain) ** 2 + lame * np.einsum("ij,ij->", strain, strain)
        assert energy(strain) == pytest.approx(expected)


def test_eulers_method_as_printed():
    """V(t + dt) = V(t) + a dt and R(t + dt) = R(t) + V(t) dt."""
    model = model_of(block((2, 1, 1), SPACING), DENSITY, MODULUS)
    state = advance.initial_state(model)
    state.velocities += np.random.default_rng(0).normal(size=state.velocities.shape)
    positions, velocities = state.positions.copy(), state.velocities.copy()
    gravity, step = np.array([0.0, 0.0, -9.81]), 0.1 * model.largest_step
    advance.advance(model, state, Surroundings(gravity), step, 1, INTEGRATORS["euler"])
    assert np.allclose(state.positions, positions + step * velocities, rtol=1e-14)
    second, third = state.velocities - velocities, None
    assert np.abs(second).max() > 0.0
    advance.advance(model, state, Surroundings(gravity), step, 1, INTEGRATORS["euler"])
    third = positions + 2.0 * step * velocities + step * second
    assert np.allclose(state.positions, third, rtol=1e-14)


@pytest.mark.parametrize("cells", [40, 80, 160])
@pytest.mark.parametrize("kind", ["body", "face"])
def test_a_step_runs_along_a_bar_at_the_bars_wave_speed(kind, cells):
    """P1: arrival of a step load, sqrt(E / rho) within 10 %."""
    spacing = 0.8 / cells
    lattice = block((cells, 2, 2), spacing, kind)
    model = model_of(lattice, DENSITY, MODULUS, damping_ratio=0.02)
    state = advance.initial_state(model)
    pushes = np.zeros_like(state.positions)
    pushes[lattice.points[:, 0] < 1e-9, 0] = 1.0
    step, arrivals = 0.5 * model.largest_step, {}
    probes = {place: np.abs(lattice.points[:, 0] - place) < 1e-9 for place in (0.2, 0.6)}
    # Behind the front of a step load each section moves at F / (rho c A).
    half = 0.5 * pushes.sum() / (DENSITY * BAR_SPEED * (2 * spacing) ** 2)
    while len(arrivals) < len(probes):
        advance.advance(model, state, Surroundings(node_forces=pushes), step, 1)
        for place, probe in probes.items():
            if place not in arrivals and state.velocities[probe, 0].mean() > half:
                arrivals[place] = state.time
    assert 0.4 / (arrivals[0.6] - arrivals[0.2]) == pytest.approx(BAR_SPEED, rel=0.1)


@pytest.mark.parametrize(
    ("kind", "depth"),
    [
        missed("body", 2, figure="1.15 of the frequency"),
        ("body", 4),
        ("body", 8),
        ("face", 2),
        ("face", 4),
        ("face", 8),
    ],
)
def test_a_free_bar_rings_at_its_first_bending_frequency(kind, depth):
    """P2: (22.37 / 2 pi L^2) sqrt(E I / rho A) within 10 %, of a bar sixteen times as long as thick."""
    length = 16 * depth
    lattice = block((length, 2, depth), SPACING, kind)
    model = model_of(lattice, DENSITY, MODULUS, damping_ratio=0.0)
    state = advance.initial_state(model)
    x = lattice.points[:, 0] / (length * SPACING)
    shape = np.cosh(4.730 * x) + np.cos(4.730 * x) - 0.98250 * (np.sinh(4.730 * x) + np.sin(4.730 * x))
    state.velocities[:, 2] = 1e-3 * shape
    expected = 22.37 / (2.0 * np.pi * (length * SPACING) ** 2) * BAR_SPEED * depth * SPACING / np.sqrt(12.0)
    step, signs = 0.8 * model.largest_step, []
    times = []
    for _ in range(int(1.2 / expected / (5 * step))):
        advance.advance(model, state, FREE, step, 5)
        signs.append(float((model.masses * shape) @ state.velocities[:, 2]))
        times.append(state.time)
    # A quarter and three quarters of the period.
    crossings = [
        times[i] + (times[i + 1] - times[i]) * signs[i] / (signs[i] - signs[i + 1])
        for i in range(len(signs) - 1)
        if signs[i] * signs[i + 1] < 0.0
    ]
    assert 0.5 / (crossings[1] - crossings[0]) == pytest.approx(expected, rel=0.1)


def dropped(speed: float, seed: int) -> tuple[Model, advance.State, float]:
    """A small slab thrown edge on at an immovable floor; the energy that it had."""
    lattice = block((10, 2, 8), SPACING)
    random = np.random.default_rng(seed)
    thresholds = 2e-3 * random.uniform(0.7, 1.3, lattice.bond_count)
    model = model_of(lattice, DENSITY, MODULUS, thresholds=thresholds, damping_ratio=0.1)
    # On a corner, so that it bends.
    turn = np.array([[np.cos(0.4), 0.0, np.sin(0.4)], [0.0, 1.0, 0.0], [-np.sin(0.4), 0.0, np.cos(0.4)]])
    state = advance.initial_state(model, (0.0, 0.0, -speed))
    state.positions = np.ascontiguousarray(state.positions @ turn.T)
    floor = SpringContact(
        Obstacle.plane([0.0, 0.0, state.positions[:, 2].min() - 1e-5]), stiffness=0.1 * model.stiffness.max()
    )
    before = lattice_energy.energy(model, state)[0]
    step = 0.8 * model.largest_step
    advance.run(model, state, Surroundings(obstacles=(floor,)), step, int(6e-4 / step))
    return model, state, before


def test_harder_impacts_break_more_and_cost_energy():
    """P9: below a speed nothing breaks, the mean number of fragments rises with speed, cracks are paid for."""
    counts = []
    for speed in (2.0, 20.0, 40.0):
        fragments = []
        for seed in range(3):
            model, state, before = dropped(speed, seed)
            fragments.append(int(state.component.max()) + 1)
            broken = ~state.alive
            stored = 0.5 * model.stiffness * (model.thresholds * model.lattice.rest_lengths) ** 2
            lost = before - sum(lattice_energy.energy(model, state))
            assert lost >= -1e-9 * before
            if broken.any():
                # Each cell that failed had at least one bond drawn to its threshold.
                assert lost > np.sort(stored[broken])[: np.count_nonzero(~state.valid) // 4].sum()
        counts.append(np.mean(fragments))
    assert counts[0] == 1.0
    assert counts[0] < counts[1] < counts[2]


def test_bonds_break_on_stretching_only():
    model = model_of(block((3, 3, 3), SPACING), DENSITY, MODULUS, thresholds=1e-3)
    state = advance.initial_state(model)
    state.positions *= 0.9
    assert len(fracture.overloaded(model, state)) == 0
    state.positions /= 0.9 / 1.002
    assert len(fracture.overloaded(model, state)) == model.lattice.bond_count


@pytest.mark.parametrize(
    ("course", "leaps"),
    [
        (lambda time: (1.0, 1.0), False),
        (lambda time: (5.0 if 0.3 <= time < 0.4 else 1.0, 1.0), True),
        (lambda time: (1.0, 0.01 if 0.3 <= time < 0.46 else 1.0), True),
    ],
    ids=["nothing", "figure 5, hiccup", "figure 6, sneeze"],
)
def test_gravity_and_stiffness_that_change_let_it_leap(course, leaps):
    """Pressed down by five times its weight, or let sag by a hundredth of its stiffness, a soft cylinder leaps up."""
    levels = np.linspace(0.0, 0.2, 5)
    outer, inner = (np.stack([np.full(5, radius), levels], axis=1) for radius in (0.125, 0.085))
    lattice = profiles.revolved(outer, inner, 16, 1)
    model = model_of(lattice, DENSITY, 4e5, damping_ratio=0.3, self_collision=True)
    rate = 0.5 / model.largest_step
    floor = SpringContact(
        Obstacle.plane(np.zeros(3)), stiffness=rate**2 * model.masses, damping=0.4 * rate * model.masses
    )
    state, lowest = advance.initial_state(model), []
    while state.time < 0.7:
        gravity, stiffness = course(state.time)
        around = Surroundings(gravity * np.array([0.0, 0.0, -9.81]), (floor,), stiffness=stiffness)
        advance.run(model, state, around, advance.checked_step(model, None), 10)
        lowest.append(state.positions[:, 2].min())
    assert (max(lowest) > 5e-3) == leaps
