"""Clumps of cells that move as one, and kernels for matrices of blocks, against the same in NumPy."""

import numpy as np
import pytest
from scipy.sparse import bsr_array

from fracture_addon.core.material import PORCELAIN
from fracture_addon.core.network import clumps
from fracture_addon.core.network.blocks import inverted_diagonal, left_by_sweep, product, sweep, sweep_back
from fracture_addon.core.network.clumps import clump_stiffness, clumped, fallen_apart, gathered, scattered
from fracture_addon.core.network.equilibrium import Equilibrium
from fracture_addon.core.network.full_bonds import build_full_bonds, cross_matrices
from fracture_addon.core.parts import find_parts
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes


@pytest.fixture(scope="module")
def bonds():
    return build_full_bonds(tetrahedralize(shapes.torus(0.1, 0.03), 150, 0), PORCELAIN)


@pytest.fixture(scope="module")
def stiffness(bonds):
    """Of a ring from which two cuts have taken bonds, in the order of its clumps, and those clumps."""
    solver = Equilibrium(bonds)
    whole = clumped(solver.matrix, bonds.cells.centers)
    side = bonds.cells.centers[:, 0] > 0.002
    solver.remove(np.flatnonzero(side[bonds.pairs[:, 0]] != side[bonds.pairs[:, 1]]))
    matrix = bsr_array((solver.matrix.data[whole.entries], whole.indices, whole.indptr), shape=solver.matrix.shape)
    return matrix, whole, solver.matrix


def parts_of(matrix):
    return matrix.indptr, matrix.indices, matrix.data


def test_the_order_is_one_of_rows_and_columns(stiffness):
    matrix, whole, original = stiffness
    freedoms = (6 * whole.order[:, None] + np.arange(6)).ravel()
    np.testing.assert_array_equal(matrix.toarray(), original.toarray()[np.ix_(freedoms, freedoms)])


def test_clumps_are_small_and_hang_together(bonds, stiffness):
    whole = stiffness[1]
    assert (np.diff(whole.labels) >= 0).all()
    sizes = np.bincount(whole.labels)
    assert sizes.min() > 0
    assert sizes.max() <= 2**clumps.ROUNDS
    assert len(sizes) < 0.2 * bonds.cell_count
    labels = np.empty_like(whole.labels)
    labels[whole.order] = whole.labels
    inside = labels[bonds.pairs[:, 0]] == labels[bonds.pairs[:, 1]]
    assert len(find_parts(bonds.cells, bonds.pairs[inside]).masses) == len(sizes)


def test_clumps_fall_apart_where_bonds_are_gone(bonds, stiffness):
    matrix, whole, _ = stiffness
    labels, rows, starts = fallen_apart(whole.labels, *parts_of(matrix))
    np.testing.assert_array_equal(np.sort(rows), np.arange(bonds.cell_count))
    np.testing.assert_array_equal(labels[rows], np.repeat(np.arange(len(starts) - 1), np.diff(starts)))
    assert (np.diff(whole.labels[rows]) >= 0).all()
    assert len(starts) - 1 > whole.labels.max() + 1
    side = (bonds.cells.centers[:, 0] > 0.002)[whole.order]
    for clump in range(len(starts) - 1):
        assert len(set(side[labels == clump])) == 1


def test_stiffness_of_clumps(bonds, stiffness):
    matrix, whole, _ = stiffness
    labels, rows, starts = fallen_apart(whole.labels, *parts_of(matrix))
    arms = np.random.default_rng(0).normal(size=(bonds.cell_count, 3))
    motions = np.zeros((bonds.cell_count, 6, len(starts) - 1, 6))
    for cell, (label, arm) in enumerate(zip(labels, cross_matrices(arms), strict=True)):
        motions[cell, :, label] = np.eye(6)
        motions[cell, :3, label, 3:] = -arm
    motions = motions.reshape(6 * bonds.cell_count, -1)
    expected = motions.T @ matrix.toarray() @ motions
    indptr, indices, data = clump_stiffness(labels, rows, starts, *parts_of(matrix), arms)
    found = bsr_array((data, indices, indptr), shape=expected.shape).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
    values = np.random.default_rng(1).normal(size=len(expected)).astype(np.float32)
    loads = np.random.default_rng(2).normal(size=(bonds.cell_count, 6)).astype(np.float32)
    arms = arms.astype(np.float32)
    np.testing.assert_allclose(scattered(labels, arms, values.reshape(-1, 6)).ravel(), motions @ values, atol=1e-4)
    np.testing.assert_allclose(gathered(labels, arms, loads).ravel(), motions.T @ loads.ravel(), atol=1e-4)


def test_products_and_inverses(stiffness):
    matrix = stiffness[0]
    vector = np.random.default_rng(0).normal(size=matrix.shape[0])
    expected = matrix @ vector
    np.testing.assert_allclose(product(matrix, vector), expected, atol=1e-12 * np.abs(expected).max())
    blocks = matrix.toarray().reshape(-1, 6, len(vector) // 6, 6)
    inverses = inverted_diagonal(*parts_of(matrix))
    for cell, inverse in enumerate(inverses):
        wanted = np.linalg.inv(blocks[cell, :, cell])
        np.testing.assert_allclose(inverse, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())


def test_sweeps_are_those_of_gauss_and_seidel(stiffness):
    """Over two chains side by side: (D + L) x = b in each, what that leaves, and (D + U) e = b - K s from a start."""
    matrix = stiffness[0]
    dense, count = matrix.toarray(), len(matrix.indptr) - 1
    cell, middle = np.repeat(np.arange(count), 6), count // 3
    apart = (cell[:, None] < middle) != (cell < middle)
    lower = np.where((cell[:, None] >= cell) & ~apart, dense, 0.0)
    right, start = np.random.default_rng(0).normal(size=(2, count, 6)).astype(np.float32)
    single = matrix.indptr, matrix.indices, matrix.data.astype(np.float32)
    inverses = inverted_diagonal(*parts_of(matrix))
    first, left, last = np.empty((3, count, 6), np.float32)
    chains = (0, middle), (middle, count)
    for chain in chains:
        sweep(*chain, *single, inverses, right, first)
    for chain in chains:
        left_by_sweep(*chain, *single, first, left)
        sweep_back(*chain, *single, inverses, right, start, last)
    expected = np.linalg.solve(lower, right.ravel())
    np.testing.assert_allclose(first.ravel(), expected, atol=1e-4 * np.abs(expected).max())
    np.testing.assert_allclose(left.ravel(), right.ravel() - dense @ expected, atol=1e-4)
    back = start.ravel() + np.linalg.solve(lower.T, right.ravel() - dense @ start.ravel())
    np.testing.assert_allclose(last.ravel(), back, atol=1e-4 * np.abs(back).max())
