"""Forces in a loaded network of full bonds."""

import copy

import numpy as np
import pytest

from fracture_addon.core.data.errors import SolverDivergedError
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_volumes
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.network.bonds.full_bonds import add_resistance, build_full_bonds
from fracture_addon.core.methods.network.solver import choice, equilibrium
from fracture_addon.core.methods.network.solver.equilibrium import Equilibrium, balanced
from fracture_addon.core.methods.rigid_components import find_components
from fracture_addon.core.numerics.sparse.conjugate_gradients import conjugate_gradients
from tests import readable_kernels, shapes
from tests.core.methods.network.bonds.test_full_bonds import rigid_motion


@pytest.fixture(scope="module")
def bonds():
    return build_full_bonds(tetrahedralize(shapes.torus(0.1, 0.03), 250, 0), PORCELAIN)


@pytest.fixture(scope="module")
def forces(bonds):
    return np.random.default_rng(0).normal(size=(bonds.cell_count, 3))


@pytest.fixture(scope="module")
def halved(bonds):
    """Rows of the bonds that two cuts through the ring take away, and the parts that are left."""
    side = bonds.cells.centers[:, 0] > 0.0
    rows = np.flatnonzero(side[bonds.pairs[:, 0]] != side[bonds.pairs[:, 1]])
    return rows, find_components(bonds.cells, np.delete(bonds.pairs, rows, axis=0))


def without(bonds, rows):
    kept = np.delete(np.arange(len(bonds.areas)), rows)
    names = ("pairs", "normals", "areas", "arms", "normal_stiffness", "shear_stiffness")
    result = copy.copy(bonds)
    for name in names:
        object.__setattr__(result, name, getattr(bonds, name)[kept])
    return result


def unshifted(bonds):
    """K as a dense matrix, added up bond by bond."""
    matrix = np.zeros((bonds.cell_count, 6, bonds.cell_count, 6))
    for (a, b), block in zip(bonds.pairs, readable_kernels.stiffness_blocks(bonds), strict=True):
        for row, rows in ((a, slice(0, 6)), (b, slice(6, 12))):
            for column, columns in ((a, slice(0, 6)), (b, slice(6, 12))):
                matrix[row, :, column] += block[rows, columns]
    return matrix.reshape(6 * bonds.cell_count, -1)


def test_assembled_stiffness(bonds):
    """Bond by bond the same, symmetric, never negative, and no force in the six rigid motions."""
    dense = unshifted(bonds)
    scale = np.abs(dense).max()
    np.testing.assert_allclose(Equilibrium(bonds).matrix.toarray(), dense, atol=1e-7 * scale)
    np.testing.assert_allclose(dense, dense.T, atol=1e-12 * scale)
    motion = rigid_motion(bonds, np.array([1.0, 2.0, 3.0]), np.array([3.0, -1.0, 2.0]))
    assert np.abs(dense @ motion).max() < 1e-9 * scale * np.abs(motion).max()


@pytest.mark.parametrize("fragments", [1, 2])
def test_six_free_motions_a_part(bonds, halved, fragments):
    rows, parts = halved
    matrix = unshifted(bonds if fragments == 1 else without(bonds, rows))
    values = np.linalg.eigvalsh(matrix)
    count = 1 if fragments == 1 else len(parts.masses)
    assert values[0] > -1e-10 * values[-1]
    assert (values < 1e-11 * values[-1]).sum() == 6 * count
    assert values[6 * count] > 1e-8 * values[-1]


def test_balanced_load_moves_no_part(bonds, forces, halved):
    for parts in (find_components(bonds.cells, bonds.pairs), halved[1]):
        load = balanced(bonds, parts, forces).reshape(-1, 6)
        for part in range(len(parts.masses)):
            rows = parts.part_of_cell == part
            torque = np.cross(bonds.cells.centers[rows], load[rows, :3]) + bonds.cell_size * load[rows, 3:]
            np.testing.assert_allclose(load[rows, :3].sum(axis=0), 0.0, atol=1e-9 * np.abs(forces).sum())
            np.testing.assert_allclose(torque.sum(axis=0), 0.0, atol=1e-10 * np.abs(forces).sum())


@pytest.mark.parametrize("broken", [False, True])
def test_agrees_with_the_dense_solution(bonds, forces, halved, broken):
    """The least displacement of K d = Q - M a, apart from rigid motions: the same tractions."""
    rows, parts = halved
    if not broken:
        rows, parts = rows[:0], find_components(bonds.cells, bonds.pairs)
    solver = Equilibrium(bonds)
    solver.remove(rows)
    load = balanced(bonds, parts, forces)
    displacement = solver.solve(load, 1e-10)
    expected = np.linalg.pinv(unshifted(without(bonds, rows)), rcond=1e-11, hermitian=True) @ load
    kept = without(bonds, rows)
    for found, wanted in zip(kept.tractions(displacement), kept.tractions(expected), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def test_removing_bonds_is_assembling_without_them(bonds, halved):
    rows, _ = halved
    solver = Equilibrium(bonds)
    solver.remove(rows)
    dense = unshifted(without(bonds, rows))
    np.testing.assert_allclose(solver.matrix.toarray(), dense, atol=1e-7 * np.abs(dense).max())


def test_a_copy_breaks_alone(bonds, forces, halved):
    rows, parts = halved
    whole = Equilibrium(bonds)
    load = balanced(bonds, find_components(bonds.cells, bonds.pairs), forces)
    before = whole.solve(load, 1e-8).copy()
    other = whole.copy()
    other.remove(rows)
    other.solve(balanced(bonds, parts, forces), 1e-8)
    assert (whole.displacement == before).all()
    again = Equilibrium(bonds)
    assert (whole.matrix.toarray() == again.matrix.toarray()).all()
    whole.displacement = np.zeros_like(before)
    np.testing.assert_allclose(whole.solve(load, 1e-8), again.solve(load, 1e-8), atol=1e-6 * np.abs(before).max())


@pytest.mark.parametrize("residual", [1e-2, 1e-5, 1e-9])
def test_stated_residual_is_reached_after_breaks(bonds, forces, halved, residual):
    solver = Equilibrium(bonds)
    rows, parts = halved
    for broken in (rows[::2], rows[1::2]):
        solver.remove(broken)
    load = balanced(bonds, parts, forces)
    solver.solve(load, residual)
    # The recurrence of the method drifts off the true remainder by round-off.
    remainder = np.linalg.norm(load - solver.matrix @ solver.displacement)
    assert remainder <= 1.1 * residual * np.linalg.norm(load)


@pytest.fixture(scope="module")
def bar():
    """A bar of 0.2 x 0.04 x 0.04 m along X, and the area of its section that the cells fill."""
    solid = tetrahedralize(shapes.box((0.2, 0.04, 0.04)), 1500, 0)
    return solid, build_full_bonds(solid, PORCELAIN), cell_volumes(solid.points, solid.cells).sum() / 0.2


def stress_along(bonds, load):
    """Stress along X, Pa, of each bond's traction, and which bonds face so nearly along X that it can be told."""
    displacement = Equilibrium(bonds).solve(balanced(bonds, find_components(bonds.cells, bonds.pairs), load), 1e-8)
    facing = np.abs(bonds.normals[:, 0])
    return bonds.tractions(displacement)[0].mean(axis=1) / facing**2, facing > 0.9


def test_axial_load_is_borne_as_force_over_area(bar):
    """1 N at either end: within 5 % of P/A, on the mean by area (measured: 1 to 3 % on three seeds)."""
    solid, bonds, section = bar
    x, masses, load = bonds.cells.centers[:, 0], bonds.cells.masses, np.zeros_like(bonds.cells.centers)
    for end in (-1.0, 1.0):
        rows = end * x > 0.08
        load[rows, 0] = end * masses[rows] / masses[rows].sum()
    stress, facing = stress_along(bonds, load)
    facing &= np.abs(solid.points[solid.faces].mean(axis=1)[:, 0]) < 0.05
    np.testing.assert_allclose(np.average(stress[facing], weights=bonds.areas[facing]), 1.0 / section, rtol=0.05)


def test_three_point_bend(bar):
    """1 N down in the middle, held at 0.08 m either side: -M z / I with a slope within 20 % (measured: 3 to 13 %)."""
    solid, bonds, _ = bar
    x, masses, load = bonds.cells.centers[:, 0], bonds.cells.masses, np.zeros_like(bonds.cells.centers)
    for place, force in ((0.0, -1.0), (0.08, 0.5), (-0.08, 0.5)):
        weights = masses * np.exp(-(((x - place) / 0.01) ** 2))
        load[:, 2] += force * weights / weights.sum()
    stress, facing = stress_along(bonds, load)
    centers = solid.points[solid.faces].mean(axis=1)
    facing &= (np.abs(centers[:, 0]) > 0.016) & (np.abs(centers[:, 0]) < 0.06)
    moment = 0.5 * (0.08 - np.abs(centers[:, 0]))
    expected = -moment * centers[:, 2] / (0.04**4 / 12.0)
    slope = (stress @ (expected * facing)) / (expected @ (expected * facing))
    assert abs(slope - 1.0) < 0.2
    assert np.corrcoef(stress[facing], expected[facing])[0, 1] > 0.95


@pytest.fixture
def with_two_levels(monkeypatch):
    monkeypatch.setattr(choice, "WORK_A_CELL", 0)


@pytest.mark.parametrize("broken", [False, True])
def test_both_ways_give_the_same(bonds, forces, halved, broken, monkeypatch):
    rows, parts = halved if broken else (halved[0][:0], find_components(bonds.cells, bonds.pairs))
    by_factor = Equilibrium(bonds)
    assert isinstance(by_factor._solver, choice.Factored)
    monkeypatch.setattr(choice, "WORK_A_CELL", 0)
    by_levels = Equilibrium(bonds)
    assert isinstance(by_levels._solver, choice.TwoLevels)
    found = []
    for solver in (by_factor, by_levels):
        solver.remove(rows)
        found.append(without(bonds, rows).tractions(solver.solve(balanced(bonds, parts, forces), 1e-9)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5 * np.abs(other).max())


def test_cracks_ask_for_few_more_iterations(bonds, forces, with_two_levels):
    """Of a ring in more and more sectors, two thirds of them quite apart: aggregates fall apart where it does."""
    angle = np.arctan2(*bonds.cells.centers[:, :2].T) + np.pi
    counts = []
    for sectors in (1, 3, 6, 12):
        solver = Equilibrium(bonds)
        sector = np.floor(sectors * angle / (2.0 * np.pi + 1e-9)).astype(int)[bonds.pairs]
        rows = np.flatnonzero((sector[:, 0] != sector[:, 1]) & (sector.sum(axis=1) % 3 > 0))
        solver.remove(rows)
        parts = find_components(bonds.cells, np.delete(bonds.pairs, rows, axis=0))
        solver.solve(balanced(bonds, parts, forces), 1e-4)
        counts.append(solver._iterations)
    assert max(counts) <= 2 * counts[0]


def test_aggregates_that_are_not_split_need_more_iterations(bonds, forces, halved, with_two_levels):
    rows, parts = halved
    whole, broken = Equilibrium(bonds), Equilibrium(bonds)
    broken.remove(rows)
    load = balanced(bonds, parts, forces)
    broken.solve(load, 1e-6)
    levels, old = broken._solver, whole._solver
    assert levels._labels.max() > old._labels.max()
    levels._factor, levels._labels, levels._arms = old._factor, old._labels, old._arms
    assert levels.solve(load, np.zeros_like(load), 1e-6, 200) > 1.2 * broken._iterations


def test_two_levels_are_symmetric_and_positive(bonds, halved, with_two_levels):
    solver = Equilibrium(bonds)
    solver.remove(halved[0])
    levels = solver._solver.adapted(solver.matrix)
    apply = levels._precondition()
    x, y = np.random.default_rng(0).normal(size=(2, bonds.cell_count, 6)) * levels._diagonal
    answers = apply(x).astype(float), apply(y).astype(float)
    np.testing.assert_allclose((x * answers[1]).sum(), (y * answers[0]).sum(), rtol=1e-4)
    assert min((x * answers[0]).sum(), (y * answers[1]).sum()) > 0.0


def test_two_levels_know_their_error(bonds, forces, halved, with_two_levels):
    """In energy norm, of a ring in two halves: about what was asked for. Measured: 0.61, 0.59 and 0.78 of it."""
    rows, parts = halved
    solver = Equilibrium(bonds)
    solver.remove(rows)
    load = balanced(bonds, parts, forces)
    exact = solver.solve(load, 1e-9).copy()
    for share in (1e-1, 1e-2, 1e-3):
        solver.displacement[:] = 0.0
        off = solver.solve(load, share) - exact
        error = np.sqrt((off @ (solver.matrix @ off)) / (exact @ load))
        assert 0.2 * share < error < 2.0 * share


def test_two_levels_start_at_the_last_displacement(bonds, forces, with_two_levels):
    """After one bond breaks they need fewer iterations than from zero, and are as exact.

    The scale of the last displacement does not matter, and neither do solves of the unbroken body.
    """
    parts = find_components(bonds.cells, bonds.pairs)
    load, rows = balanced(bonds, parts, forces), np.array([len(bonds.pairs) // 2])
    iterations, found = [], []
    for scale in (1.0, 30.0, 0.0):
        solver = Equilibrium(bonds)
        solver.solve(load, 1e-6)
        solver.remove(rows)
        solver.displacement *= scale
        found.append(solver.solve(load, 1e-3).copy())
        iterations.append(solver._iterations)
    assert iterations[0] == iterations[1] < iterations[2]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9 * np.abs(found[0]).max())
    exact = solver.solve(load, 1e-9)
    off = found[0] - exact
    assert np.sqrt(off @ (solver.matrix @ off) / (exact @ load)) < 2e-3
    fresh, used = Equilibrium(bonds), Equilibrium(bonds)
    used.solve(np.random.default_rng(0).permutation(load.reshape(-1, 6)).ravel(), 1e-3)
    np.testing.assert_array_equal(fresh.solve(load, 1e-3), used.solve(load, 1e-3))


def test_products_bond_by_bond(bonds, halved, with_two_levels):
    """Those with the whole matrix; in the order of the aggregates, on two threads, and without what is broken."""
    pairs, third = bonds.pairs, bonds.areas / 3.0
    motion = np.random.default_rng(0).normal(size=(bonds.cell_count, 6))
    found = np.zeros_like(motion)
    stiffness = third * bonds.normal_stiffness, third * bonds.shear_stiffness
    add_resistance(0, len(pairs), pairs, bonds.arms, bonds.normals, *stiffness, motion, found)
    expected = unshifted(bonds) @ motion.ravel()
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-12 * np.abs(expected).max())
    solver = Equilibrium(bonds)
    solver.remove(halved[0])
    levels = solver._solver.adapted(solver.matrix)
    levels._product(motion[levels._whole.order], found)
    expected = (solver.matrix @ motion.ravel()).reshape(-1, 6)[levels._whole.order]
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


def test_what_each_iteration_gains_adds_up_to_the_energy():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(30, 30))
    matrix, load = root @ root.T + np.eye(30), rng.normal(size=(5, 6))
    seen = []

    def is_settled(norm, gains):
        seen.append((norm, sum(gains)))
        return norm < 1e-9

    def product(vector, result):
        result[:] = (matrix @ vector.ravel()).reshape(5, 6)

    solution, remainder = np.zeros((5, 6)), load.copy()
    count = conjugate_gradients(product, lambda rest: rest / 10.0, solution, remainder, is_settled, 100)
    exact = np.linalg.solve(matrix, load.ravel())
    np.testing.assert_allclose(solution.ravel(), exact, atol=1e-8)
    assert count == len(seen) - 1
    np.testing.assert_allclose(seen[-1][1], load.ravel() @ exact, rtol=1e-9)
    assert conjugate_gradients(product, lambda rest: rest, solution * 0, load.copy(), lambda *_: False, 7) is None


@pytest.mark.parametrize("work", [0.0, np.inf])
def test_either_way_fits_whichever_matrix_it_is_asked_for(bonds, forces, halved, work, monkeypatch):
    """A broken copy and the whole share one, and both get the answers that they would get alone."""
    monkeypatch.setattr(choice, "WORK_A_CELL", work)
    rows, parts = halved
    whole = Equilibrium(bonds)
    broken = whole.copy()
    broken.remove(rows)
    loads = balanced(bonds, find_components(bonds.cells, bonds.pairs), forces), balanced(bonds, parts, forces)
    first = whole.solve(loads[0], 1e-6).copy(), whole._iterations
    broken.solve(loads[1], 1e-6)
    assert broken._iterations <= 2 * first[1]
    whole._answered = None
    np.testing.assert_array_equal(whole.solve(loads[0], 1e-6), first[0])
    assert whole._iterations == first[1]


def test_what_was_just_asked_of_a_whole_is_not_solved_again(bonds, forces, halved):
    whole, (rows, parts) = Equilibrium(bonds), halved
    load = balanced(bonds, find_components(bonds.cells, bonds.pairs), forces)
    wanted = whole.solve(load).copy()
    struck, whole._solver = whole.copy(), None
    whole.displacement *= 7.0
    np.testing.assert_array_equal(struck.solve(load), wanted)
    assert whole.solve(load) is whole.displacement
    np.testing.assert_array_equal(whole.displacement, wanted)
    struck.remove(rows)
    other = struck.solve(balanced(bonds, parts, forces))
    assert np.abs(other - wanted).max() > 0.1 * np.abs(wanted).max()
    assert not np.array_equal(whole.matrix.data, struck.matrix.data)


def test_not_settling_is_said(bonds, forces, monkeypatch):
    monkeypatch.setattr(equilibrium, "ITERATION_LIMIT", 3)
    load = balanced(bonds, find_components(bonds.cells, bonds.pairs), forces)
    with pytest.raises(SolverDivergedError, match="another resolution or seed"):
        Equilibrium(bonds).solve(load, 0.0)


def test_an_answer_has_nothing_of_the_last_one(bonds, forces):
    load = balanced(bonds, find_components(bonds.cells, bonds.pairs), forces)
    wanted = Equilibrium(bonds).solve(load).copy()
    spoilt = Equilibrium(bonds)
    spoilt.displacement[:] = 1e30 * np.random.default_rng(1).normal(size=len(wanted))
    np.testing.assert_array_equal(spoilt.solve(load), wanted)
