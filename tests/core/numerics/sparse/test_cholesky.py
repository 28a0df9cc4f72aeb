"""The sparse Cholesky factor and the plan of its elimination."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_array, csr_array

from fracture_addon.core.data.errors import SolverDivergedError
from fracture_addon.core.numerics.components import components
from fracture_addon.core.numerics.sparse import dense_fronts, elimination
from fracture_addon.core.numerics.sparse.blas import SGEMM, multiply
from fracture_addon.core.numerics.sparse.cholesky import CholeskyFactor
from fracture_addon.core.numerics.sparse.dissection import nested_dissection
from fracture_addon.core.numerics.sparse.elimination import CHAINS, analyse


def block_matrix(count, pairs, seed):
    """A positive definite matrix of 6 x 6 blocks: springs of all freedoms between pairs, and to the ground."""
    rng = np.random.default_rng(seed)
    dense = np.kron(np.eye(count), np.eye(6) * 0.1)
    pattern = np.eye(count, dtype=bool)
    for a, b in pairs:
        freedoms = np.concatenate([6 * a + np.arange(6), 6 * b + np.arange(6)])
        jump = rng.normal(size=(6, 12))
        dense[np.ix_(freedoms, freedoms)] += jump.T @ jump
        pattern[a, b] = pattern[b, a] = True
    rows, columns = np.nonzero(pattern)
    blocks = dense.reshape(count, 6, count, 6).transpose(0, 2, 1, 3)[rows, columns]
    indptr = np.concatenate([[0], np.cumsum(pattern.sum(axis=1))])
    return bsr_array((blocks, columns, indptr), shape=dense.shape), dense


def plan_of(matrix, centers):
    count = len(centers)
    graph = csr_array((np.ones(len(matrix.indices)), matrix.indices, matrix.indptr), shape=(count, count))
    return analyse(matrix, nested_dissection(graph, centers))


def factor_of(matrix):
    return CholeskyFactor(matrix, plan_of(matrix, places(matrix)))


def places(matrix):
    """Somewhere for each cell, in the order of their numbers."""
    count = matrix.shape[0] // 6
    return np.stack([np.arange(count) % 20, np.arange(count) // 20, np.zeros(count)], axis=1)


def grid(width, height):
    cells = np.arange(width * height).reshape(height, width)
    along = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    up = np.stack([cells[:-1].ravel(), cells[1:].ravel()], axis=1)
    return np.concatenate([along, up])


@pytest.mark.parametrize(("sign", "kept"), [(1.0, 0.0), (-1.0, 1.0)])
def test_products_within_larger_matrices(sign, kept):
    whole = np.random.default_rng(0).normal(size=(20, 30)).astype(np.float32)
    expected = whole.copy()
    expected[12:17, 9:] = kept * whole[12:17, 9:] + sign * whole[2:9, 4:9].T @ whole[2:9, 9:]
    multiply(SGEMM, sign, whole[2:9, 4:9], whole[2:9, 9:], kept, whole[12:17, 9:])
    np.testing.assert_allclose(whole, expected, rtol=1e-5, atol=1e-5)


@given(st.integers(1, 40), st.integers(0, 120), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_solves_whatever_the_pattern(count, pair_count, seed):
    pairs = np.random.default_rng(seed).integers(0, count, (pair_count, 2))
    matrix, dense = block_matrix(count, pairs[pairs[:, 0] != pairs[:, 1]], seed)
    load = np.random.default_rng(seed + 1).normal(size=len(dense))
    found = factor_of(matrix).solve(load)
    assert np.linalg.norm(dense @ found - load) < 1e-3 * np.linalg.norm(load)


@pytest.mark.parametrize("seed", [0, 1])
def test_whatever_the_order(seed):
    matrix, dense = block_matrix(60, grid(10, 6), 0)
    load = np.random.default_rng(2).normal(size=len(dense))
    found = CholeskyFactor(matrix, analyse(matrix, np.random.default_rng(seed).permutation(60))).solve(load)
    assert np.linalg.norm(dense @ found - load) < 1e-3 * np.linalg.norm(load)


@pytest.fixture(scope="module")
def sheet():
    return block_matrix(400, grid(20, 20), 3)


def test_the_factor_is_that_of_the_permuted_matrix(sheet, monkeypatch):
    """Fronts wider than a panel and updates wider than a strip included."""
    matrix, dense = sheet
    factor = factor_of(matrix)
    plan = factor.plan
    order = (6 * plan.order[:, None] + np.arange(6)).ravel()
    expected = np.linalg.cholesky(dense[np.ix_(order, order)])
    found = np.zeros_like(expected)
    for front in range(len(plan.starts) - 1):
        own = np.arange(6 * plan.starts[front], 6 * plan.starts[front + 1])
        rows = plan.rows[plan.row_starts[front] : plan.row_starts[front + 1]]
        rows = np.concatenate([own, (6 * rows[:, None] + np.arange(6)).ravel()])
        panel = factor._panels[plan.panel_starts[front] : plan.panel_starts[front + 1]].reshape(len(own), len(rows))
        found[np.ix_(rows, own)] = panel.T
    widths = 6 * np.diff(plan.starts)
    assert widths.max() > dense_fronts.PANEL
    np.testing.assert_allclose(np.tril(found), expected, atol=1e-5 * np.abs(expected).max())


def test_what_keeps_halves_apart_is_small():
    """Of a strip of 100 by 8 cells, halves that meet in one column; what lies far apart needs nothing between."""
    matrix, _ = block_matrix(800, grid(100, 8), 1)
    centers = np.stack([np.arange(800) % 100, np.arange(800) // 100, np.zeros(800)], axis=1)
    plan = plan_of(matrix, centers)
    np.testing.assert_array_equal(np.sort(plan.order), np.arange(800))
    roots = np.flatnonzero(plan.parents < 0)
    assert len(roots) == 1
    assert plan.starts[-1] - plan.starts[roots[0]] <= 16
    apart, _ = block_matrix(800, np.concatenate([grid(50, 8), 400 + grid(50, 8)]), 1)
    assert np.count_nonzero(plan_of(apart, centers).parents < 0) == 2


def test_parts_meet_where_the_body_is_narrow():
    """A strip of 100 by 8 cells, cut but for two cells beside the middle, also with links past all of the middle."""
    links = grid(100, 8)
    columns = links % 100
    neck = (columns == [57, 58]).all(axis=1) & ~np.isin(links[:, 0] // 100, [3, 4])
    centers = np.stack([np.arange(800) % 100, np.arange(800) // 100, np.zeros(800)], axis=1)
    for past in ([], [[0, 99], [100, 799]]):
        pairs = np.concatenate([links[~neck], np.array(past, np.int64).reshape(-1, 2)])
        both = np.concatenate([pairs, pairs[:, ::-1], np.arange(800)[:, None] * [1, 1]])
        order = nested_dissection(csr_array((np.ones(len(both)), tuple(both.T)), shape=(800, 800)), centers)
        np.testing.assert_array_equal(np.sort(order), np.arange(800))
        last = order[-2 - len(past) :]
        rest = pairs[~np.isin(pairs, last).any(axis=1)]
        part = components(rest, 800)
        sizes = np.sort(np.bincount(part[np.setdiff1d(np.arange(800), last)]))
        assert len(sizes[sizes > 0]) == 2
        assert sizes[-2] > 300


def test_the_plan_is_a_plan(sheet):
    plan = plan_of(sheet[0], places(sheet[0]))
    np.testing.assert_array_equal(np.sort(plan.order), np.arange(400))
    assert len(plan.branch_starts) == CHAINS + 1
    # No chain of branches passes anything on to another.
    ends = plan.starts[[*plan.branch_starts[1:], len(plan.starts) - 1]]
    for chain in range(CHAINS):
        first, last = plan.branch_starts[chain], plan.branch_starts[chain + 1]
        assert first < last
        rows = plan.rows[plan.row_starts[first] : plan.row_starts[last]]
        assert ((rows < ends[chain]) | (rows >= plan.starts[plan.branch_starts[-1]])).all()
    # Every block of the lower triangle goes into exactly one front.
    assert len(np.unique(plan.entries)) == len(plan.entries) == 400 + len(grid(20, 20))


def test_another_matrix_with_the_same_pattern(sheet):
    matrix, dense = sheet
    other, other_dense = block_matrix(400, grid(20, 20), 4)
    factor = factor_of(matrix)
    load = np.random.default_rng(0).normal(size=len(dense))
    first = factor.solve(load)
    second = CholeskyFactor(other, factor.plan)
    np.testing.assert_array_equal(factor.solve(load), first)
    factor.factorise(other, np.arange(400))
    np.testing.assert_allclose(factor.solve(load), second.solve(load), atol=1e-5 * np.abs(load).max())
    assert np.linalg.norm(other_dense @ factor.solve(load) - load) < 1e-3 * np.linalg.norm(load)


@pytest.mark.parametrize("cells", [[0], [399], [7, 8, 210], [5, 300, 301]])
@pytest.mark.parametrize("at_once", [0.0, 0.05])
def test_a_local_change_gives_the_factor_of_the_whole_again(sheet, cells, at_once, monkeypatch):
    """The same bytes; where not all that fronts pass on is kept, with less memory."""
    matrix, dense = sheet
    monkeypatch.setattr(elimination, "AT_ONCE", at_once)
    factor = factor_of(matrix)
    assert factor.plan.kept.all() == (at_once == 0.0)
    other = matrix.copy()
    rows = np.repeat(np.arange(400), np.diff(matrix.indptr))
    other.data[np.isin(rows, cells) & np.isin(matrix.indices, cells)] *= 1.0 + 1e-3
    load = np.random.default_rng(0).normal(size=len(dense))
    before, again = factor.solve(load), factor_of(matrix)
    factor.factorise(other, np.array(cells))
    again.factorise(other, np.arange(400))
    np.testing.assert_array_equal(factor.solve(load), again.solve(load))
    assert (factor.solve(load) != before).any()


def test_a_load_of_nothing(sheet):
    assert not factor_of(sheet[0]).solve(np.zeros(2400)).any()


def test_a_pivot_that_rounding_took_away_is_the_lift():
    block = np.array([[4.0, 2.0], [0.0, 1.0 - 1e-6]], np.float32)
    assert dense_fronts._factorise_block(block, 1e-5)
    np.testing.assert_allclose(block, [[2.0, 1.0], [0.0, np.sqrt(1e-5)]], rtol=1e-6)
    assert not dense_fronts._factorise_block(np.array([[4.0, 2.0], [0.0, 0.5]], np.float32), 1e-5)


@pytest.mark.parametrize("sign", [-1.0, np.nan])
def test_an_indefinite_matrix_is_refused(sheet, sign):
    matrix = sheet[0].copy()
    matrix.data = sign * matrix.data
    with pytest.raises(SolverDivergedError, match="positive definite"):
        factor_of(matrix)


def test_a_matrix_that_rounding_made_indefinite_still_has_a_factor(sheet):
    """It is that of the matrix with a larger diagonal, which preconditions as well as any positive definite matrix."""
    matrix, dense = sheet[0].copy(), sheet[1]
    lost = np.linalg.eigvalsh(dense)[0] + 1e-5 * dense.diagonal().mean()
    rows = np.repeat(np.arange(400), np.diff(matrix.indptr))
    matrix.data[matrix.indices == rows] -= lost * np.eye(6)
    load = np.random.default_rng(0).normal(size=(400, 6))
    assert (load * factor_of(matrix).solve(load)).sum() > 0.0


@pytest.mark.parametrize("changed", [range(30), range(400)])
def test_fronts_left_to_all_threads_change_nothing(sheet, changed, monkeypatch):
    """The same bytes after a change on one side of a sheet or all over it, whether the fronts before changed too."""
    monkeypatch.setattr(elimination, "WORTH_ALL_THREADS", 1.0)
    matrix = sheet[0].copy()
    rows = np.repeat(np.arange(400), np.diff(matrix.indptr))
    matrix.data[np.isin(rows, changed) & np.isin(matrix.indices, changed)] *= 2.0
    found = []
    for cells in (np.array(changed), np.arange(400)):
        factor = factor_of(sheet[0])
        factor.factorise(matrix, cells)
        found.append(np.concatenate([_upper(factor, front) for front in range(len(factor.plan.parents))]))
    np.testing.assert_array_equal(*found)
    alone = factor._tails([np.arange(*factor.plan.branch_starts[:2]), np.arange(0)])
    assert alone[0] > 0
    assert alone[1] == 0
    monkeypatch.setattr(elimination, "WORTH_ALL_THREADS", np.inf)
    assert not factor_of(sheet[0])._tails([np.arange(*factor.plan.branch_starts[:2]), np.arange(0)]).any()


def _upper(factor, front):
    """The rows of L^T that a front owns, from their diagonals on."""
    own = 6 * (factor.plan.starts[front + 1] - factor.plan.starts[front])
    panel = factor._panels[factor.plan.panel_starts[front] : factor.plan.panel_starts[front + 1]].reshape(own, -1)
    return panel[np.triu(np.ones(panel.shape, bool))]


@pytest.mark.parametrize("worth", [0, dense_fronts.WORTH_A_THREAD])
@pytest.mark.parametrize("passed", [0, 4, 40])
@pytest.mark.parametrize("own", [4, 16, 33, 34, 61, 96, 101])
def test_all_threads_make_what_one_makes(own, passed, worth, monkeypatch):
    """The same bytes of a front with full panels, or with some rows more, and with much or nothing to pass on."""
    monkeypatch.setattr(dense_fronts, "WORTH_A_THREAD", worth)
    count = own + passed
    dense = np.random.default_rng(own).normal(size=(6 * count, 6 * count))
    dense = dense @ dense.T + 6 * count * np.eye(6 * count)
    blocks = dense.reshape(count, 6, count, 6).transpose(0, 2, 1, 3).reshape(-1, 6, 6)
    indices, indptr = np.tile(np.arange(count), count), count * np.arange(count + 1)
    matrix = bsr_array((blocks, indices, indptr), shape=dense.shape)
    # All in one front; then as if it owned only some of that.
    plan = analyse(matrix, np.arange(count))
    assert len(plan.parents) == 1
    first_columns = plan.entry_rows < own
    plan = plan._replace(
        starts=np.array([0, own]),
        row_starts=np.array([0, passed]),
        entries=plan.entries[first_columns],
        entry_rows=plan.entry_rows[first_columns],
        entry_columns=plan.entry_columns[first_columns],
        entry_starts=np.array([0, np.count_nonzero(first_columns)]),
        panel_starts=np.array([0, 36 * own * count]),
        update_starts=np.array([0, elimination.stored_size(6 * passed)]),
        wide=np.array([True]),
    )
    found = []
    for make in (dense_fronts.eliminate, dense_fronts.eliminate_side_by_side):
        updates, panels = (
            np.full(starts[-1], np.nan, np.float32) for starts in (plan.update_starts, plan.panel_starts)
        )
        assert make(0, matrix.data, 1e-6, plan, updates, panels, SGEMM)
        found.append((np.triu(panels.reshape(6 * own, -1)), updates))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found[0][0][:, : 6 * own], np.linalg.cholesky(dense[: 6 * own, : 6 * own]).T, atol=1e-3)
