"""Stress, forces and the separation tensor of finite elements against closed forms, and kernels against NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import elements as fem
from fracture_addon.core.methods.fem.advance import Leapfrog, curvatures
from fracture_addon.core.methods.fem.cracks import separation as apart
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.materials.fibres import fibres
from fracture_addon.core.methods.fem.model import build
from fracture_addon.core.methods.fem.state import from_solid
from fracture_addon.core.methods.fem.walls import mesh_with_walls
from tests import readable_elements as readable
from tests import shapes
from tests.core.grid import block

E, NU = PORCELAIN.young_modulus, PORCELAIN.poisson_ratio


@pytest.fixture
def mesh():
    return from_solid(tetrahedralize(shapes.cube(0.1), 300, 0), PORCELAIN.density)


def moved(mesh, matrix, shift=(0.0, 0.0, 0.0)):
    mesh.position[:] = mesh.rest @ np.asarray(matrix).T + shift
    return mesh


@pytest.mark.parametrize("make", [from_solid, mesh_with_walls])
def test_rigid_motion_gives_no_force_and_no_separation(make):
    """A cube, and a plate whose elements share stress."""
    surface = shapes.cube(0.1) if make is from_solid else shapes.box((0.2, 0.2, 0.01))
    mesh = make(tetrahedralize(surface, 300, 0), PORCELAIN.density)
    turn = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()
    moved(mesh, turn, [0.3, 0.2, -0.5])
    mesh.velocity[:] = np.add([1.0, 2.0, 3.0], np.cross([3.0, -2.0, 5.0], mesh.position))
    motion = Leapfrog(mesh, law_of(PORCELAIN, 1e-7))
    scale = E * 0.01**2
    assert np.abs(motion.forces()).max() < 1e-12 * scale
    assert motion.separation().force.max() < 1e-12 * scale


WOODEN = replace(PORCELAIN, grain_stiffness_ratio=8.0)
GRAINED = Settings.of(grain=(1.0, -2.0, 0.5))


@pytest.mark.parametrize("material", [PORCELAIN, WOODEN], ids=["isotropic", "with grain"])
def test_force_is_the_gradient_of_the_energy(material):
    solid = tetrahedralize(shapes.cube(0.1), 60, 0)
    mesh = from_solid(solid, material.density, fibres=fibres(solid, material, GRAINED))
    law, rows = law_of(material), np.flatnonzero(~mesh.ghost)
    random = np.random.default_rng(1)
    mesh.position[:] += 0.004 * random.standard_normal(mesh.position.shape)
    mesh.plastic_strain[:] = 0.01 * np.eye(3)
    shares = random.uniform(0.2, 1.0, len(rows))
    elements, basis, volume = mesh.elements[rows], mesh.basis[rows], mesh.volume[rows]

    def energy(position):
        state = elements, basis, volume, shares, mesh.plastic_strain[rows], mesh.fibres_of(rows)
        return fem.elastic_energy(law, position, *state)

    state = mesh.position, mesh.velocity, elements, basis, shares, shares, mesh.plastic_strain[rows]
    stress, gradients = fem.stresses(law, *state, mesh.fibres_of(rows))
    forces = fem.node_sums(fem.corner_forces(stress, gradients, basis, volume), elements, mesh.node_count)
    for node in np.unique(elements)[::7]:
        for axis in range(3):
            step = np.zeros_like(mesh.position)
            step[node, axis] = 1e-7
            slope = (energy(mesh.position + step) - energy(mesh.position - step)) / 2e-7
            assert forces[node, axis] == pytest.approx(-slope, rel=1e-5, abs=1e-6 * np.abs(forces).max())


@pytest.mark.parametrize(("phi", "psi"), [(3015.0, 6030.0), (0.0, 6760.0), (1e3, 0.0)])
def test_dampings_of_a_material_are_the_viscosities_of_its_law(phi, psi):
    damped = replace(PORCELAIN, dilation_damping=phi, rigidity_damping=psi)
    for law in (law_of(damped, 1.0), build(block((2, 2, 2), np.full(3, 0.1)), damped, Settings()).law):
        assert (law.dilation_damping, law.rigidity_damping) == (phi, psi)
    automatic = law_of(PORCELAIN, 2e-6)
    assert automatic.dilation_damping == pytest.approx(2e-6 * automatic.dilation)
    assert automatic.rigidity_damping == pytest.approx(2e-6 * automatic.rigidity)


@pytest.mark.parametrize("damping_time", [0.0, 1e-6])
@pytest.mark.parametrize("material", [PORCELAIN, WOODEN], ids=["isotropic", "with grain"])
def test_kernels_agree_with_what_is_to_be_read(material, damping_time):
    random, solid = np.random.default_rng(2), tetrahedralize(shapes.cube(0.1), 300, 0)
    mesh = from_solid(solid, material.density, fibres=fibres(solid, material, GRAINED))
    moved(mesh, Rotation.from_rotvec([0.2, 0.5, -0.3]).as_matrix())
    mesh.position[:] += 1e-5 * random.standard_normal(mesh.position.shape)
    mesh.velocity[:] = random.standard_normal(mesh.velocity.shape)
    mesh.plastic_strain[:] = 1e-4 * np.eye(3)
    law = law_of(material, damping_time)
    motion = Leapfrog(mesh, law)
    rows = motion.rows
    elements, basis, volume = mesh.elements[rows], mesh.basis[rows], mesh.volume[rows]
    ones = np.ones(len(rows))
    stress, gradients = fem.stresses(
        law,
        mesh.position,
        mesh.velocity,
        elements,
        basis,
        ones,
        motion.shares[1],
        mesh.plastic_strain[rows],
        mesh.fibres_of(rows),
    )
    forces = fem.node_sums(fem.corner_forces(stress, gradients, basis, volume), elements, mesh.node_count)
    np.testing.assert_allclose(motion.forces(), forces, rtol=0.0, atol=1e-10 * np.abs(forces).max())
    tensile, compressive = (fem.corner_forces(part, gradients, basis, volume) for part in apart.split_stress(stress))
    tensors = readable.separation_tensors(tensile, compressive, elements, mesh.node_count)
    expected, found = readable.separation(tensors, elements, basis, volume, gradients), motion.separation()
    used = np.flatnonzero(expected.force > 0.01 * expected.force.max())
    np.testing.assert_allclose(found.force, expected.force, rtol=0.0, atol=1e-9 * expected.force.max())
    assert np.abs(np.einsum("ni,ni->n", found.normal, expected.normal))[used] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(found.area[used], expected.area[used], rtol=1e-6)


def test_skipped_nodes_have_little_tension(mesh):
    random = np.random.default_rng(3)
    mesh.position[:] += 1e-5 * random.standard_normal(mesh.position.shape) * (mesh.rest[:, :1] > 0.0)
    motion = Leapfrog(mesh, law_of(PORCELAIN))
    whole = motion.separation()
    stress = np.abs(whole.force / np.maximum(whole.area, 1e-12)).max()
    some = motion.separation(min_stress=np.full(mesh.node_count, 0.1 * stress))
    looked_at = some.area > 0.0
    assert 0 < looked_at.sum() < np.count_nonzero(mesh.mass)
    np.testing.assert_array_equal(some.force[looked_at], whole.force[looked_at])
    assert (whole.force / np.maximum(whole.area, 1e-12))[~looked_at].max() < 0.5 * stress


def test_an_affine_deformation_is_in_equilibrium_inside():
    mesh = from_solid(block((4, 3, 3), (0.4, 0.3, 0.3), jitter=0.25), PORCELAIN.density)
    moved(mesh, [[1.01, 0.002, 0.0], [0.0, 0.996, 0.003], [0.001, 0.0, 1.006]])
    forces = Leapfrog(mesh, law_of(PORCELAIN)).forces()
    size = mesh.rest.max(axis=0)
    inside = ((mesh.rest > 1e-9) & (mesh.rest < size - 1e-9)).all(axis=1)
    assert inside.any()
    assert np.abs(forces[inside]).max() < 1e-12 * np.abs(forces).max()


@pytest.mark.parametrize("turn", [[0.0, 0.0, 0.0], [0.4, -0.9, 0.2]])
def test_uniaxial_tension_gives_its_exact_value_inside_and_on_free_faces(turn):
    mesh = from_solid(block((5, 4, 4), (0.5, 0.4, 0.4), jitter=0.25), PORCELAIN.density)
    strain = 1e-6
    turn = Rotation.from_rotvec(turn).as_matrix()
    moved(mesh, turn @ np.diag([1.0 + strain, 1.0 - NU * strain, 1.0 - NU * strain]))
    found = Leapfrog(mesh, law_of(PORCELAIN)).separation()
    between = (mesh.rest[:, 0] > 1e-9) & (mesh.rest[:, 0] < 0.5 - 1e-9)
    np.testing.assert_allclose(found.tension(0.0)[between], E * strain, rtol=1e-5)
    np.testing.assert_allclose(np.abs(found.normal[between] @ turn[:, 0]), 1.0, atol=1e-6)
    # What is pulled at from one side only is not pulled apart: just what its elements pull at one another is left.
    assert found.force[~between].max() < 0.2 * found.force.max()


def test_compression_does_not_separate():
    mesh = from_solid(block((3, 3, 3), (0.3, 0.3, 0.3), jitter=0.25), PORCELAIN.density)
    found = Leapfrog(mesh, law_of(PORCELAIN)).separation()
    moved(mesh, np.diag([1.0 - 1e-4, 1.0 + NU * 1e-4, 1.0 + NU * 1e-4]))
    found = Leapfrog(mesh, law_of(PORCELAIN)).separation()
    assert found.tension(1e-3).max() < 1e-3 * E * 1e-4


@pytest.mark.parametrize("angle", [0.0, 30.0, 60.0, 90.0])
def test_tension_across_the_grain_follows_hankinson(angle):
    ratio, stress = 10.0, E * 1e-6
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    metric = apart.grain_metric([1.0, 0.0, 0.0], ratio)
    counted = np.linalg.eigvalsh(metric @ (stress * np.outer(direction, direction)) @ metric)[-1]
    along = direction[0] ** 2
    assert stress / counted == pytest.approx(ratio / (ratio * (1.0 - along) + along))


def test_curvature_is_the_largest_eigenvalue(mesh):
    rows = np.flatnonzero(~mesh.ghost)
    gradients = fem.shape_gradients(mesh.basis[rows])
    expected = np.linalg.eigvalsh(np.swapaxes(gradients, 1, 2) @ gradients)[:, -1]
    np.testing.assert_allclose(curvatures(mesh, rows), expected, rtol=1e-9)


def test_metrics_of_diverged_elements_stay_as_they_are():
    """The singular values of what is not finite do not exist; the check of the positions reports the divergence."""
    metric = apart.grain_metric([1.0, 0.0, 0.0], 4.0)
    quarter_turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned, kept = apart.rotated(np.stack([metric, metric]), np.stack([quarter_turn, np.full((3, 3), np.nan)]))
    np.testing.assert_allclose(turned, apart.grain_metric([0.0, 1.0, 0.0], 4.0), atol=1e-12)
    np.testing.assert_allclose(kept, metric)
