"""Leapfrog keeps energy and momentum, and its step does not shrink with slivers and viscosity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem.advance import (
    MAX_DAMPING,
    MAX_GIVEN_DAMPING,
    Leapfrog,
    automatic_step,
    curvatures,
    shares,
)
from fracture_addon.core.methods.fem.elements import elastic_energy, law_of
from fracture_addon.core.methods.fem.state import from_solid
from tests import shapes
from tests.core.grid import block

RUBBER = Material("Rubber", 1000.0, 1e6, 0.3, 1e6, 1e6, 1e4)


def total_energy(motion):
    mesh = motion.mesh
    rows = np.flatnonzero(~mesh.ghost)
    elastic = elastic_energy(
        motion.law,
        mesh.position,
        mesh.elements[rows],
        mesh.basis[rows],
        mesh.volume[rows],
        motion.shares[0],
        mesh.plastic_strain[rows],
    )
    # Velocities are half a step back: the mean of before and after is the present one.
    forward = mesh.velocity + motion.step * motion.forces() / mesh.mass[:, None]
    present = 0.5 * (mesh.velocity + forward)
    return elastic + 0.5 * float(mesh.mass @ (present**2).sum(axis=1))


def stirred(mesh, speed):
    mesh.velocity[:] = speed * np.random.default_rng(0).standard_normal(mesh.velocity.shape)
    return mesh


@pytest.mark.parametrize(("share", "scatter"), [(0.05, 1e-4), (0.5, 0.01)])
def test_leapfrog_without_damping_keeps_energy_and_momentum(share, scatter):
    """Over 4000 steps, without the energy of the body's mean velocity, which would hide errors.

    Velocities are half a step away from positions, so the energy scatters with the square of the step. A twentieth of
    the stable step keeps this below the tolerance. The mean is constant at any step.
    """
    mesh = stirred(from_solid(block((3, 3, 3), (0.3, 0.3, 0.3), jitter=0.2), RUBBER.density), 0.02)
    mesh.velocity[:] += [1.0, 2.0, -1.0]
    momentum = mesh.mass @ mesh.velocity
    flight = 0.5 * momentum @ momentum / mesh.mass.sum()
    motion = Leapfrog(mesh, law_of(RUBBER))
    motion = Leapfrog(mesh, motion.law, share * motion.step)
    energies = [total_energy(motion) - flight]
    for _ in range(200):
        motion.advance(np.zeros(20))
        energies.append(total_energy(motion) - flight)
    errors = np.array(energies) / energies[0] - 1.0
    assert np.abs(errors).max() < scatter
    assert abs(errors[-50:].mean() - errors[1:51].mean()) < 1e-4
    np.testing.assert_allclose(mesh.mass @ mesh.velocity, momentum, rtol=1e-13)


def test_axial_mode_of_a_bar():
    """A bar free at both ends: half a wave length, frequency sqrt(E / rho) / 2 L."""
    length, count = 1.0, 24
    mesh = from_solid(block((count, 1, 1), (length, 0.02, 0.02)), RUBBER.density)
    motion = Leapfrog(mesh, law_of(RUBBER))
    shape = np.cos(np.pi * mesh.rest[:, 0] / length)
    mesh.velocity[:, 0] = 1e-4 * shape
    frequency = np.sqrt(RUBBER.young_modulus / RUBBER.density) / (2.0 * length)
    amplitudes, times = [], []
    for step in range(int(2.2 / frequency / motion.step)):
        motion.advance(np.zeros(1))
        amplitudes.append(mesh.mass * shape @ (mesh.position[:, 0] - mesh.rest[:, 0]))
        times.append((step + 1) * motion.step)
    amplitudes = np.array(amplitudes)
    rising = np.flatnonzero((amplitudes[:-1] < 0.0) & (amplitudes[1:] >= 0.0))
    share = amplitudes[rising] / (amplitudes[rising] - amplitudes[rising + 1])
    crossings = np.array(times)[rising] + share * motion.step
    found = 1.0 / np.diff(crossings).mean() if len(crossings) > 1 else 1.0 / crossings[0]
    assert found == pytest.approx(frequency, rel=0.01)


def test_the_automatic_step_softens_little_and_is_stable():
    mesh = stirred(from_solid(tetrahedralize(shapes.cube(0.1), 600, 0), PORCELAIN.density), 0.1)
    rows = np.flatnonzero(~mesh.ghost)
    law, curvature = law_of(PORCELAIN), curvatures(mesh, rows)
    step = automatic_step(law, curvature, mesh.volume[rows])
    found = shares(law, curvature, step)
    assert step > 2.0 * shares(law, curvature).step
    assert mesh.volume[rows][found.stiffness < 0.8].sum() < 0.02 * mesh.volume[rows].sum()
    used = mesh.mass > 0.0
    first = mesh.mass[used] @ (mesh.velocity[used] ** 2).sum(axis=1)
    motion = Leapfrog(mesh, law, step)
    motion.advance(np.zeros(3000))
    assert mesh.mass[used] @ (mesh.velocity[used] ** 2).sum(axis=1) < 1.1 * first


def test_heavy_viscosity_is_clamped_and_takes_energy():
    mesh = stirred(from_solid(tetrahedralize(shapes.cube(0.1), 200, 0), PORCELAIN.density), 0.1)
    law, undamped = law_of(PORCELAIN, 1e-4), law_of(PORCELAIN)
    curvature = curvatures(mesh, np.flatnonzero(~mesh.ghost))
    assert shares(law, curvature).step > 0.5 * shares(undamped, curvature).step
    frequency = 2.0 * law.wave_speed * np.sqrt(curvature)
    ratio = shares(law, curvature).damping * 0.5e-4 * frequency
    np.testing.assert_allclose(ratio, MAX_DAMPING, rtol=1e-9)
    used = mesh.mass > 0.0
    momentum = mesh.mass[used] @ mesh.velocity[used]
    first = mesh.mass[used] @ (mesh.velocity[used] ** 2).sum(axis=1)
    motion = Leapfrog(mesh, law)
    motion.advance(np.zeros(2000))
    assert mesh.mass[used] @ (mesh.velocity[used] ** 2).sum(axis=1) < 0.1 * first
    np.testing.assert_allclose(mesh.mass[used] @ mesh.velocity[used], momentum, rtol=1e-10)


def test_given_viscosity_is_clamped_later_and_is_reduced_before_stiffness():
    mesh = from_solid(tetrahedralize(shapes.cube(0.1), 200, 0), PORCELAIN.density)
    law = law_of(replace(PORCELAIN, rigidity_damping=1e9))
    curvature = curvatures(mesh, np.flatnonzero(~mesh.ghost))
    viscosity, frequency = 2e9 / law.density, 2.0 * law.wave_speed * np.sqrt(curvature)
    ratio = 2.0 * viscosity * curvature / frequency
    np.testing.assert_allclose(shares(law, curvature).damping * ratio, MAX_GIVEN_DAMPING, rtol=1e-9)
    step = shares(law_of(PORCELAIN, 1e-4), curvature).step
    found = shares(law, curvature, step)
    np.testing.assert_allclose(found.stiffness, 1.0, rtol=1e-9)
    assert (found.damping * ratio).min() == pytest.approx(MAX_DAMPING)
    assert (found.damping * ratio).max() > 2.0 * MAX_DAMPING
    assert found.step == pytest.approx(step)


def test_loads_accelerate_nodes_and_idle_elements_move_freely():
    mesh = from_solid(block((2, 1, 1), (0.2, 0.1, 0.1)), RUBBER.density)
    motion = Leapfrog(mesh, law_of(RUBBER), 1e-4)
    motion.load[:, 2] = mesh.mass * 3.0
    motion.advance(np.array([1.0, 0.5, 0.0]))
    np.testing.assert_allclose(mesh.velocity, np.tile([0.0, 0.0, 4.5 * motion.step], (len(mesh.mass), 1)), atol=1e-12)
    mesh.velocity[0] += [1.0, 0.0, 0.0]
    before = mesh.velocity.copy()
    motion.refresh(np.ones(mesh.element_count, bool))
    motion.advance(np.zeros(10))
    np.testing.assert_array_equal(mesh.velocity, before)
