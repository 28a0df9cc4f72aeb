"""The paper's network: point masses and distance constraints."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fracture_addon.core.data.errors import SolverDivergedError
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import from_cells
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.network.bonds import point_bonds
from fracture_addon.core.methods.network.bonds.full_bonds import cells_of
from fracture_addon.core.methods.network.bonds.point_bonds import build_point_bonds
from tests import shapes


@pytest.fixture(scope="module")
def bonds():
    solid = tetrahedralize(shapes.torus(0.1, 0.03), 400, 0)
    return build_point_bonds(solid, cells_of(solid, PORCELAIN))


@pytest.fixture(scope="module")
def forces(bonds):
    return np.random.default_rng(0).normal(size=(len(bonds.inverse_masses), 3))


@pytest.fixture(params=["whole", "broken"])
def alive(request, bonds):
    random = np.random.default_rng(1).random(len(bonds.pairs))
    return random > (0.2 if request.param == "broken" else -1.0)


def conjugate_gradients(matrix, diagonal, right_side, solution, residual):
    """The readable twin of the kernel: conjugate gradients with the diagonal as preconditioner."""
    solution = solution.copy()
    remainder = right_side - matrix @ solution
    search, before, count = np.zeros_like(solution), np.inf, 0
    while np.linalg.norm(remainder) > residual * np.linalg.norm(right_side):
        product = remainder @ (remainder / diagonal)
        search = remainder / diagonal + product / before * search
        image = matrix @ search
        step = product / (search @ image)
        solution += step * search
        remainder -= step * image
        before, count = product, count + 1
    return solution, count


def ell_matrix(bonds):
    count = len(bonds.pairs)
    rows = np.repeat(np.arange(count), bonds.columns.shape[1])
    entries = csr_array((bonds.values.ravel(), (rows, bonds.columns.ravel().astype(int))), shape=(count, count))
    return entries.toarray() + np.diag(bonds.diagonal)


def test_ell_storage_is_the_jacobian_product(bonds):
    dense = bonds.matrix().toarray()[np.ix_(bonds.order, bonds.order)]
    np.testing.assert_allclose(ell_matrix(bonds), dense, atol=1e-12 * np.abs(dense).max())


def test_jacobian_is_the_derivative_of_the_distances(bonds):
    """J = dC/dp of C = |p_a - p_b| - d, by central differences along a random motion."""
    centers = np.random.default_rng(2).normal(size=(len(bonds.inverse_masses), 3))
    between = centers[bonds.pairs[:, 1]] - centers[bonds.pairs[:, 0]]
    lengths = np.linalg.norm(between, axis=1)
    turned = point_bonds.PointBonds(bonds.pairs, between / lengths[:, None], bonds.inverse_masses, *[None] * 4)
    motion = np.random.default_rng(3).normal(size=centers.shape)
    ahead, behind = centers + 1e-6 * motion, centers - 1e-6 * motion
    change = [np.linalg.norm(p[bonds.pairs[:, 1]] - p[bonds.pairs[:, 0]], axis=1) for p in (ahead, behind)]
    np.testing.assert_allclose(turned.jacobian() @ motion.ravel(), (change[0] - change[1]) / 2e-6, rtol=1e-5, atol=1e-6)


def test_right_side_is_the_jacobians(bonds, forces):
    accelerations = forces * bonds.inverse_masses[:, None]
    np.testing.assert_allclose(bonds.right_side(forces), -(bonds.jacobian() @ accelerations.ravel()), rtol=1e-9)


def test_kernel_agrees_with_the_readable_twin(bonds, forces, alive):
    alive = alive[bonds.order]
    masked = bonds.matrix().toarray()[np.ix_(bonds.order, bonds.order)] * alive[:, None] * alive
    right_side = np.where(alive, bonds.right_side(forces)[bonds.order], 0.0)
    guess = np.where(alive, np.random.default_rng(4).normal(size=len(alive)), 0.0)
    expected, count = conjugate_gradients(masked, bonds.diagonal, right_side, guess, 1e-6)
    solution = guess.copy()
    arrays = (bonds.diagonal, bonds.columns, bonds.values, alive, right_side, solution)
    assert abs(point_bonds._conjugate_gradients(*arrays, 1e-6, 5000) - count) <= 2
    np.testing.assert_allclose(solution, expected, atol=1e-4 * np.abs(expected).max())


def test_agrees_with_the_dense_minimum_norm_solution(bonds, forces, alive):
    matrix = bonds.matrix().toarray()[np.ix_(alive, alive)]
    expected = np.linalg.lstsq(matrix, bonds.right_side(forces)[alive], rcond=1e-12)[0]
    multipliers = bonds.solve(bonds.right_side(forces), alive, np.zeros(len(alive)), residual=1e-12)
    np.testing.assert_allclose(multipliers[alive], expected, atol=1e-6 * np.abs(expected).max())
    assert (multipliers[~alive] == 0.0).all()


@pytest.mark.parametrize("residual", [1e-2, 1e-4, 1e-8])
def test_stated_residual_is_reached(bonds, forces, alive, residual):
    right_side = bonds.right_side(forces)
    multipliers = bonds.solve(right_side, alive, np.zeros(len(alive)), residual)
    left = (bonds.matrix() @ multipliers - right_side)[alive]
    assert np.linalg.norm(left) <= 1.01 * residual * np.linalg.norm(right_side[alive])


def test_unbroken_constraints_keep_their_length(bonds, forces, alive):
    """With J^T lambda added to the load no unbroken pair accelerates apart or together; broken ones do."""
    multipliers = bonds.solve(bonds.right_side(forces), alive, np.zeros(len(alive)), residual=1e-12)
    total = forces + (bonds.jacobian().T @ multipliers).reshape(-1, 3)
    relative = -bonds.right_side(total)
    scale = np.abs(bonds.right_side(forces)).max()
    assert np.abs(relative[alive]).max() < 1e-9 * scale
    assert alive.all() or np.abs(relative[~alive]).max() > 1e-3 * scale


def test_constraint_forces_do_not_move_the_whole(bonds, forces, alive):
    multipliers = bonds.solve(bonds.right_side(forces), alive, np.zeros(len(alive)))
    reaction = (bonds.jacobian().T @ multipliers).reshape(-1, 3)
    np.testing.assert_allclose(reaction.sum(axis=0), 0.0, atol=1e-10 * np.abs(reaction).sum())


def test_pressing_two_masses_together_is_compression():
    """A positive multiplier pushes apart: half of what presses on either side of equal masses."""
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    solid = from_cells(np.array(points, float), [[0, 1, 2, 3], [1, 2, 3, 4]], [])
    cells = cells_of(solid, PORCELAIN)
    bonds = build_point_bonds(solid, cells)
    push = 5.0 * bonds.directions[0]
    multiplier = bonds.solve(bonds.right_side(np.array([push, -push])), np.array([True]), np.zeros(1))
    np.testing.assert_allclose(multiplier, 5.0)
    multiplier = bonds.solve(bonds.right_side(np.array([-push, push])), np.array([True]), np.zeros(1))
    np.testing.assert_allclose(multiplier, -5.0)


def test_broken_everywhere_is_nothing_to_solve(bonds, forces):
    none = np.zeros(len(bonds.pairs), bool)
    assert (bonds.solve(bonds.right_side(forces), none, np.ones(len(none))) == 0.0).all()


def test_without_a_load_what_remains_of_the_last_one_moves_nothing(bonds):
    """The residual goes to 0 here, so that its square is too small to divide by."""
    count = len(bonds.pairs)
    multipliers = bonds.solve(np.zeros(count), np.ones(count, bool), np.ones(count))
    scale = np.abs(bonds.matrix() @ np.ones(count)).max()
    assert np.abs(bonds.matrix() @ multipliers).max() < 1e-12 * scale


def test_not_settling_is_said(bonds, forces):
    load = forces.copy()
    load[3, 1] = np.nan
    with pytest.raises(SolverDivergedError, match="have not converged"):
        bonds.solve(bonds.right_side(load), np.ones(len(bonds.pairs), bool), np.zeros(len(bonds.pairs)))
