"""Thin walls: detection, stress sharing, and bending like beams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.cell_sizes import Spread
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import elements as fem
from fracture_addon.core.methods.fem import walls
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.cracks.separation import direction_metric
from fracture_addon.core.methods.fem.elements import law_of
from tests import shapes
from tests.core.grid import block
from tests.cracks import split_node


def thickness(points, cells):
    return walls._thickness(points, cells, *walls._opposite_faces(points, cells))


def plate():
    """A wall of one layer, 20 mm thick."""
    return walls.mesh_with_walls(block((4, 3, 1), (0.2, 0.15, 0.02)), PORCELAIN.density)


@pytest.mark.parametrize(
    ("counts", "size", "expected"),
    [
        ((4, 4, 1), (0.4, 0.4, 0.05), 0.05),
        ((6, 6, 3), (0.6, 0.6, 0.3), 0.3),
        ((6, 6, 6), (0.6, 0.6, 0.6), np.inf),
    ],
)
def test_a_wall_is_thin_if_its_two_surfaces_are_near(counts, size, expected):
    solid = block(counts, size)
    np.testing.assert_allclose(thickness(solid.points, solid.cells), expected, rtol=1e-5)


def test_a_cup_is_all_wall_and_a_ball_is_none():
    cup = tetrahedralize(shapes.cup(), 1500, 0)
    thick = thickness(cup.points, cup.cells)
    assert np.isfinite(thick).all()
    assert np.median(thick) == pytest.approx(0.003, rel=0.1)
    ball = tetrahedralize(shapes.icosphere(), 1000, 0)
    assert np.isinf(thickness(ball.points, ball.cells)).all()


def test_forces_are_the_gradient_of_the_energy_that_elements_and_nodes_have():
    mesh, law = plate(), law_of(PORCELAIN)
    random = np.random.default_rng(1)
    mesh.position[:] += 0.001 * random.standard_normal(mesh.position.shape)
    rows, volume, elements = np.arange(mesh.element_count), mesh.volume, mesh.elements
    share = random.uniform(0.2, 1.0, len(rows))
    shared, own = walls.sharing(mesh, rows, share), mesh.own
    assert (own < 0.5).all()

    def energy(position):
        strain = fem.strains(fem.deformation_gradients(position, elements, mesh.basis))
        weight = 0.25 * (1.0 - own) * volume * share
        mean, total = np.zeros((mesh.node_count, 3, 3)), np.zeros(mesh.node_count)
        np.add.at(mean, elements, (weight[:, None, None] * strain)[:, None])
        np.add.at(total, elements, weight[:, None])
        mean /= total[:, None, None]
        return sum(
            0.5 * np.einsum("e,eij,eij->", amount, fem.linear_stress(strained, law.dilation, law.rigidity), strained)
            for amount, strained in ((own * volume * share, strain), (total, mean))
        )

    nothing = np.zeros((len(rows), 3, 3))
    stress, gradients = fem.stresses(law, mesh.position, mesh.velocity, elements, mesh.basis, share, share, nothing)
    borne = walls.shared_stress(stress, elements, shared)
    forces = fem.node_sums(fem.corner_forces(borne, gradients, mesh.basis, volume), elements, mesh.node_count)
    for node in range(0, mesh.node_count, 5):
        for axis in range(3):
            step = np.zeros_like(mesh.position)
            step[node, axis] = 1e-7
            slope = (energy(mesh.position + step) - energy(mesh.position - step)) / 2e-7
            assert forces[node, axis] == pytest.approx(-slope, rel=1e-5, abs=1e-6 * np.abs(forces).max())


def test_kernels_agree_with_numpy_and_keep_momentum():
    mesh, law = plate(), law_of(PORCELAIN, 1e-6)
    random = np.random.default_rng(2)
    mesh.position[:] = mesh.rest @ Rotation.from_rotvec([0.2, 0.5, -0.3]).as_matrix().T
    mesh.position[:] += 1e-5 * random.standard_normal(mesh.position.shape)
    mesh.velocity[:] = random.standard_normal(mesh.velocity.shape)
    mesh.plastic_strain[:] = 1e-4 * np.eye(3)
    # A step at which some have to be softened.
    motion = Leapfrog(mesh, law, 1.05 * Leapfrog(mesh, law).step)
    stiffness, damping = motion.shares
    assert stiffness.min() < 1.0
    motion.shared = motion.shared._replace(bias=1e4 * random.standard_normal((mesh.node_count, 6)))
    elements, basis, volume = mesh.elements[motion.rows], mesh.basis[motion.rows], mesh.volume[motion.rows]
    state = mesh.position, mesh.velocity, elements, basis
    stress, gradients = fem.stresses(law, *state, stiffness, damping, mesh.plastic_strain[motion.rows])
    borne = walls.shared_stress(stress, elements, motion.shared)
    expected = fem.node_sums(fem.corner_forces(borne, gradients, basis, volume), elements, mesh.node_count)
    found, size = motion.forces(), np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * size)
    np.testing.assert_allclose(found.sum(axis=0), 0.0, atol=1e-10 * size)
    np.testing.assert_allclose(np.cross(mesh.position, found).sum(axis=0), 0.0, atol=1e-10 * size)


def test_a_mesh_that_loses_its_last_wall_element_shares_no_stress():
    mesh, law = plate(), law_of(PORCELAIN, 1e-6)
    mesh.own[mesh.rest[mesh.elements].mean(axis=1)[:, 0] > np.median(mesh.rest[:, 0])] = 1.0
    motion = Leapfrog(mesh, law)
    walled = mesh.own < 1.0
    motion.store_mean_stress()
    motion.refresh(walled)
    assert 0 < len(motion.rows) < len(walled)
    assert not len(motion.shared.own)
    mesh.position[:] *= 1.001
    assert np.isfinite(motion.forces()).all()


def test_uniform_strain_is_unchanged_by_sharing():
    mesh, law = plate(), law_of(PORCELAIN)
    mesh.position[:] = mesh.rest @ (np.eye(3) + 1e-4 * np.random.default_rng(3).standard_normal((3, 3))).T
    found = Leapfrog(mesh, law).forces()
    mesh.own[:] = 1.0
    expected = Leapfrog(mesh, law).forces()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def test_surface_tension_of_a_wall_is_exact_for_uniform_strain():
    """A plate in plane stress, and zero tension for a plate that only rotates."""
    mesh, law = plate(), law_of(PORCELAIN)
    turn = Rotation.from_rotvec([0.2, 0.5, -0.3]).as_matrix()
    strain = np.array([[2e-6, 5e-7, 0.0], [5e-7, -1e-6, 0.0], [0.0, 0.0, 0.0]])
    along = 2.0 * law.dilation * law.rigidity / (law.dilation + 2.0 * law.rigidity)
    stress = along * np.trace(strain) * np.diag([1.0, 1.0, 0.0]) + 2.0 * law.rigidity * strain
    values, vectors = np.linalg.eigh(stress)
    mesh.position[:] = mesh.rest @ (turn @ (np.eye(3) + strain)).T
    found = Leapfrog(mesh, law).skin()
    # All nodes of one layer are on a side, and sides have all of its surface but the edges.
    assert (found.area > 0.0).all()
    assert found.area.sum() == pytest.approx(3.0 * 2.0 * 0.2 * 0.15)
    np.testing.assert_allclose(found.tension, values[2], rtol=1e-4)
    np.testing.assert_allclose(np.abs(found.normal @ (turn @ vectors[:, 2])), 1.0, rtol=1e-6)
    mesh.position[:] = mesh.rest @ turn.T
    assert Leapfrog(mesh, law).skin().tension.max() < 1e-12 * law.rigidity


def test_surface_tension_falls_with_strength_and_plastic_flow():
    mesh, law = plate(), law_of(PORCELAIN)
    strain = np.diag([1e-6, 0.9e-6, 0.0])
    mesh.position[:] = mesh.rest @ (np.eye(3) + strain)
    even = Leapfrog(mesh, law).skin()
    metric = np.broadcast_to(direction_metric(np.array([1.0, 0.0, 0.0]), 4.0), (mesh.node_count, 3, 3))
    found = Leapfrog(mesh, law).skin(metric)
    np.testing.assert_allclose(np.abs(even.normal), [[1.0, 0.0, 0.0]] * mesh.node_count, atol=1e-6)
    np.testing.assert_allclose(np.abs(found.normal), [[0.0, 1.0, 0.0]] * mesh.node_count, atol=1e-6)
    assert (found.tension < even.tension).all()
    mesh.plastic_strain[:] = strain
    assert Leapfrog(mesh, law).skin().tension.max() < 1e-5 * even.tension.max()


def test_divided_elements_keep_their_surface_faces():
    mesh, law = plate(), law_of(PORCELAIN)
    node = int(np.argmin(np.linalg.norm(mesh.rest[:, :2] - [0.1, 0.05], axis=1)))
    assert split_node(mesh, node, [0.8, 0.6, 0.1]).opened
    assert Leapfrog(mesh, law).skin().area.sum() == pytest.approx(3.0 * 2.0 * 0.2 * 0.15)


def bent(mesh, length, width, depth):
    """Return bending stiffness over the beam's, and over 6 M / w t^2 the tension on the stretched side and its rim."""
    motion, law = Leapfrog(mesh, law_of(PORCELAIN)), law_of(PORCELAIN)
    used, moment, step = mesh.mass > 0.0, 1e-3, 1e-9
    load = np.zeros_like(mesh.rest)
    for side in (-1.0, 1.0):
        end = np.where(side * mesh.rest[:, 0] > 0.46 * length, mesh.mass, 0.0)
        force = end * (mesh.rest[:, 2] - end @ mesh.rest[:, 2] / end.sum())
        load[:, 0] += side * moment / (force @ mesh.rest[:, 2]) * force
    scale = law.rigidity * depth

    def stiffness(values):
        size = max(np.abs(values).max(), 1e-300)
        mesh.position[:] = mesh.rest + step * values.reshape(-1, 3) / size
        # Rigid motions, which nothing holds, are held by next to nothing.
        return np.where(np.repeat(used, 3), -motion.forces().ravel() * size / step + 1e-7 * scale * values, values)

    found, failed = cg(LinearOperator((load.size, load.size), matvec=stiffness), load.ravel(), rtol=1e-5, maxiter=20000)
    assert not failed
    moves = found.reshape(-1, 3)
    mesh.position[:] = mesh.rest + step * moves / np.abs(moves).max()
    x, y, z = mesh.rest.T
    middle = used & (np.abs(x) < 0.35 * length)
    terms = np.stack([x**2, y**2, x * y, x, y, np.ones_like(x)], axis=1)[middle]
    curvature = 2.0 * abs(np.linalg.lstsq(terms, moves[middle, 2], rcond=None)[0][0])
    inertia = width * depth**3 / 12.0
    tension = motion.skin().tension * np.abs(moves).max() / step * inertia / (0.5 * depth * moment)
    # The stretched side is found by its tension.
    outer = middle & (np.abs(z) > 0.45 * depth)
    up = outer & (z > 0.0)
    stretched = up if tension[up].mean() > tension[outer & ~up].mean() else outer & ~up
    rim = np.abs(y) > 0.49 * width
    stiffness = moment / (PORCELAIN.young_modulus * inertia * curvature)
    return stiffness, tension[stretched & ~rim], tension[stretched & rim]


@pytest.mark.parametrize(
    ("depth", "count", "layers"), [(0.004, 600, 1), (0.008, 600, 1), (0.008, 900, 2), (0.016, 900, 1)]
)
def test_a_strip_of_few_layers_bends_like_a_beam(depth, count, layers):
    """Cells are 2.7, 1.4, 1.6 and 0.6 strip thicknesses wide; see docs/equations.md."""
    length, width = 0.16, 0.06
    solid = tetrahedralize(shapes.box((length, width, depth)), count, 0, Spread(layers=layers))
    stiffness, inside, rim = bent(walls.mesh_with_walls(solid, PORCELAIN.density), length, width, depth)
    assert 0.7 < stiffness < 1.7
    for tension in (inside, rim):
        assert 0.6 < tension.mean() < 1.25
        assert np.percentile(tension, 95) < 1.5 * tension.mean()
