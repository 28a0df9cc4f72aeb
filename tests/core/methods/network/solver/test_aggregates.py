"""Aggregates of cells, and kernels for block matrices, compared with NumPy."""

import numpy as np
import pytest
from scipy.sparse import bsr_array

from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.network.bonds.full_bonds import build_full_bonds, cross_matrices
from fracture_addon.core.methods.network.solver import aggregates
from fracture_addon.core.methods.network.solver.aggregates import (
    aggregate,
    coarse_stiffness,
    gather,
    scatter,
    split_aggregates,
)
from fracture_addon.core.methods.network.solver.equilibrium import Equilibrium
from fracture_addon.core.methods.rigid_components import find_components
from fracture_addon.core.numerics.sparse.block_matrix import (
    inverted,
    lower_half,
    product,
    subtract_products,
    sweep,
    sweep_back,
)
from tests import shapes


@pytest.fixture(scope="module")
def bonds():
    return build_full_bonds(tetrahedralize(shapes.torus(0.1, 0.03), 150, 0), PORCELAIN)


@pytest.fixture(scope="module")
def stiffness(bonds):
    """Of a ring from which two cuts have taken bonds, in the order of its aggregates, and those aggregates."""
    solver = Equilibrium(bonds)
    whole = aggregate(solver.matrix, bonds.cells.centers)
    side = bonds.cells.centers[:, 0] > 0.002
    solver.remove(np.flatnonzero(side[bonds.pairs[:, 0]] != side[bonds.pairs[:, 1]]))
    matrix = bsr_array((solver.matrix.data[whole.entries], whole.indices, whole.indptr), shape=solver.matrix.shape)
    return matrix, whole, solver.matrix


def pattern_of(whole):
    return whole.indptr, whole.indices, whole.entries


def test_the_order_is_one_of_rows_and_columns(stiffness):
    matrix, whole, original = stiffness
    freedoms = (6 * whole.order[:, None] + np.arange(6)).ravel()
    np.testing.assert_array_equal(matrix.toarray(), original.toarray()[np.ix_(freedoms, freedoms)])


def test_aggregates_are_small_and_connected(bonds, stiffness):
    whole = stiffness[1]
    assert (np.diff(whole.labels) >= 0).all()
    sizes = np.bincount(whole.labels)
    assert sizes.min() > 0
    assert sizes.max() <= 2**aggregates.ROUNDS
    assert len(sizes) < 0.2 * bonds.cell_count
    labels = np.empty_like(whole.labels)
    labels[whole.order] = whole.labels
    inside = labels[bonds.pairs[:, 0]] == labels[bonds.pairs[:, 1]]
    assert len(find_components(bonds.cells, bonds.pairs[inside]).masses) == len(sizes)


def test_aggregates_are_split_along_broken_bonds(bonds, stiffness):
    _, whole, original = stiffness
    labels, rows, starts = split_aggregates(whole.labels, *pattern_of(whole), original.data)
    np.testing.assert_array_equal(np.sort(rows), np.arange(bonds.cell_count))
    np.testing.assert_array_equal(labels[rows], np.repeat(np.arange(len(starts) - 1), np.diff(starts)))
    assert (np.diff(whole.labels[rows]) >= 0).all()
    assert len(starts) - 1 > whole.labels.max() + 1
    side = (bonds.cells.centers[:, 0] > 0.002)[whole.order]
    for label in range(len(starts) - 1):
        assert len(set(side[labels == label])) == 1


def test_stiffness_of_aggregates(bonds, stiffness):
    matrix, whole, original = stiffness
    labels, rows, starts = split_aggregates(whole.labels, *pattern_of(whole), original.data)
    arms = np.random.default_rng(0).normal(size=(bonds.cell_count, 3))
    motions = np.zeros((bonds.cell_count, 6, len(starts) - 1, 6))
    for cell, (label, arm) in enumerate(zip(labels, cross_matrices(arms), strict=True)):
        motions[cell, :, label] = np.eye(6)
        motions[cell, :3, label, 3:] = -arm
    motions = motions.reshape(6 * bonds.cell_count, -1)
    expected = motions.T @ matrix.toarray() @ motions
    found = all_blocks(whole, original.data, labels, rows, starts, arms)
    found = bsr_array((found.blocks, found.indices, found.indptr), shape=expected.shape).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
    values = np.random.default_rng(1).normal(size=len(expected)).astype(np.float32)
    loads = np.random.default_rng(2).normal(size=(bonds.cell_count, 6)).astype(np.float32)
    cells, aggregates_of = np.empty_like(loads), np.zeros((len(starts) - 1, 6), np.float32)
    for rows in (0, 70), (70, bonds.cell_count):
        scatter(*rows, labels, arms.astype(np.float32), values.reshape(-1, 6), cells)
        gather(*rows, labels, arms.astype(np.float32), loads, aggregates_of)
    np.testing.assert_allclose(cells.ravel(), motions @ values, atol=1e-4)
    np.testing.assert_allclose(aggregates_of.ravel(), motions.T @ loads.ravel(), atol=1e-4)


def all_blocks(whole, data, labels, rows, starts, arms):
    changed = np.ones(len(labels), bool)
    return coarse_stiffness(labels, rows, starts, pattern_of(whole), data, arms, None, changed)


def test_stiffness_of_aggregates_after_breaks_and_repairs_has_the_bytes_of_a_new_one(bonds):
    """A few random bonds break, a cut splits aggregates, and then all bonds hold again."""
    solver = Equilibrium(bonds)
    whole, data, found = aggregate(solver.matrix, bonds.cells.centers), solver.matrix.data.copy(), None
    few = np.random.default_rng(0).choice(len(bonds.pairs), 8, replace=False)
    side = bonds.cells.centers[:, 0] > 0.002
    cut = np.setdiff1d(np.flatnonzero(side[bonds.pairs[:, 0]] != side[bonds.pairs[:, 1]]), few)
    last, copied = np.full_like(data, np.nan), []
    for rows in (None, few, cut, None):
        if rows is None:
            solver = Equilibrium(bonds)
        else:
            solver.remove(rows)
        data = solver.matrix.data
        labels, sorted_rows, starts = split_aggregates(whole.labels, *pattern_of(whole), data)
        middles = np.stack([np.bincount(labels, column) for column in bonds.cells.centers[whole.order].T], axis=1)
        arms = bonds.cells.centers[whole.order] - middles[labels] / np.bincount(labels)[labels, None]
        is_new = (data != last).any(axis=(1, 2))
        changed = np.logical_or.reduceat(is_new[whole.entries], whole.indptr[:-1])
        parts = labels, sorted_rows, starts
        found = coarse_stiffness(*parts, pattern_of(whole), data, arms, found, changed)
        for one, other in zip(found, all_blocks(whole, data, *parts, arms), strict=True):
            np.testing.assert_array_equal(one, other)
        last = data.copy()
        copied.append(len(starts) - 1)
    assert copied[0] == copied[3] < copied[2]


def test_products_and_inverses(stiffness):
    matrix = stiffness[0]
    vector = np.random.default_rng(0).normal(size=(len(matrix.indptr) - 1, 6))
    expected = (matrix @ vector.ravel()).reshape(-1, 6)
    np.testing.assert_allclose(product(matrix, vector), expected, atol=1e-12 * np.abs(expected).max())
    rows = np.repeat(np.arange(len(vector)), np.diff(matrix.indptr))
    blocks = matrix.data[rows == matrix.indices]
    for inverse, block in zip(inverted(blocks), blocks, strict=True):
        wanted = np.linalg.inv(block)
        np.testing.assert_allclose(inverse, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())


def test_sweeps_are_those_of_gauss_and_seidel(stiffness):
    """Over two chains side by side: (D + L) x = b in each, what that leaves, and (D + U) e = b - K s from a start."""
    _, whole, original = stiffness
    count = len(whole.order)
    freedoms = (6 * whole.order[:, None] + np.arange(6)).ravel()
    dense = original.toarray()[np.ix_(freedoms, freedoms)]
    middle = count // 3
    half = lower_half(*pattern_of(whole), np.array([0, middle, count]))
    cell = np.repeat(np.arange(count), 6)
    apart = (cell[:, None] < middle) != (cell < middle)
    lower = np.where((cell[:, None] >= cell) & ~apart, dense, 0.0)
    blocks = original.data[half.entries].astype(np.float32)
    within = half.indptr, half.columns, blocks, inverted(original.data[half.diagonal])
    across = [part[half.indptr[-1] :] for part in (half.rows, half.columns, blocks)]
    assert len(across[0]) > 10
    right, start = np.random.default_rng(0).normal(size=(2, count, 6)).astype(np.float32)
    first, left, last = np.empty((3, count, 6), np.float32)
    for chain in zip(half.ends[:-1], half.ends[1:], strict=True):
        sweep(*chain, *within, right, first, left)
    subtract_products(*across, first, left)
    expected = np.linalg.solve(lower, right.ravel())
    np.testing.assert_allclose(first.ravel(), expected, atol=1e-4 * np.abs(expected).max())
    np.testing.assert_allclose(left.ravel(), right.ravel() - dense @ expected, atol=1e-4)
    back = start.ravel() + np.linalg.solve(lower.T, left.ravel() - dense @ start.ravel())
    subtract_products(*across, start, left)
    for chain in zip(half.ends[:-1], half.ends[1:], strict=True):
        sweep_back(*chain, *within, start, left, last)
    np.testing.assert_allclose(last.ravel(), back, atol=1e-4 * np.abs(back).max())
