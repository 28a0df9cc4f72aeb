"""Which bonds break next."""

import numpy as np
import pytest

from fracture_addon.core.methods.network import selection
from fracture_addon.core.methods.network.selection import select_breaks

# Four bonds in a row in one plane, half a cell apart, and one above the second, across the plane.
CENTERS = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0], [9.0, 0, 0], [0.5, 0, 0.1]])
NORMALS = np.array([[0.0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1], [1.0, 0, 0]])
NONE = np.empty(0, np.int64)
SIZES = np.ones(500)


def test_nothing_overloaded_breaks_nothing():
    assert len(select_breaks(np.array([1.0, 0.5, 0.0, 0.99, 1.0]), NONE, CENTERS, NORMALS, SIZES, 1.0)) == 0


def test_the_worst_breaks_with_what_continues_its_plane():
    rows = select_breaks(np.array([1.5, 2.0, 1.6, 1.7, 1.9]), NONE, CENTERS, NORMALS, SIZES, 1.0)
    assert rows.tolist() == [1, 3, 2, 0]


def test_a_crossing_worst_bond_unloads_the_rest():
    rows = select_breaks(np.array([1.5, 1.7, 1.6, 1.5, 2.0]), NONE, CENTERS, NORMALS, SIZES, 1.0)
    assert rows.tolist() == [4, 3]


def test_a_parallel_plane_is_unloaded():
    """Two planes at a distance below a cell: only the worse one breaks."""
    centers = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.7]])
    rows = select_breaks(np.array([1.5, 1.4]), NONE, centers, NORMALS[:2], SIZES, 1.0)
    assert rows.tolist() == [0]
    assert len(select_breaks(np.array([1.5, 1.4]), NONE, 2.0 * centers, NORMALS[:2], SIZES, 1.0)) == 2


def test_a_break_unloads_bonds_within_the_reach():
    """A parallel plane three cells away breaks too, unless the reach is larger."""
    centers = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 3.0]])
    demand = np.array([1.5, 1.4])
    assert len(select_breaks(demand, NONE, centers, NORMALS[:2], SIZES, 2.0)) == 2
    assert select_breaks(demand, NONE, centers, NORMALS[:2], SIZES, 4.0).tolist() == [0]


def test_a_bond_that_broke_before_unloads_others_and_does_not_break_again():
    rows = select_breaks(np.array([1.5, 0.0, 1.5, 1.5, 1.4]), np.array([1]), CENTERS, NORMALS, SIZES, 1.0)
    assert rows.tolist() == [0, 2, 3]


@pytest.mark.parametrize(("worst", "rows"), [(20.0, [3, 0]), (21.0, [3])])
def test_only_what_is_loaded_nearly_as_much_as_the_worst_one_breaks_with_it(worst, rows):
    demand = np.array([1.01, 0.0, 0.0, worst, 0.0])
    assert select_breaks(demand, NONE, CENTERS, NORMALS, SIZES, 1.0).tolist() == rows


def test_small_cells_are_relieved_within_less():
    centers, demand = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.5]]), np.array([1.5, 1.4])
    assert select_breaks(demand, NONE, centers, NORMALS[:2], SIZES, 1.0).tolist() == [0, 1]
    assert select_breaks(demand, NONE, centers, NORMALS[:2], 0.5 * SIZES, 1.0).tolist() == [0]


def test_only_so_many_break_together():
    centers = np.arange(500.0)[:, None] * [5.0, 0.0, 0.0]
    rows = select_breaks(np.linspace(2.0, 1.9, 500), NONE, centers, np.tile([0.0, 0, 1], (500, 1)), SIZES, 1.0)
    assert rows.tolist() == list(range(selection.MOST_BREAKS))


@pytest.mark.parametrize(("known", "most"), [(0, 1000), (30, 1000), (30, 5)])
def test_kernel_agrees_with_the_readable_twin(known, most):
    random = np.random.default_rng(0)
    centers, sizes = random.random((200, 3)), random.uniform(0.1, 0.3, 200)
    normals = random.normal(size=(200, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    accepted, relieved = [], np.zeros(200, bool)
    for row in range(200):
        if relieved[row] or len(accepted) == most:
            continue
        if row >= known:
            accepted.append(row)
        between = centers - centers[row]
        distance = np.linalg.norm(between, axis=1)
        allowed = np.maximum(selection.IN_PLANE_OFFSET * sizes[row], selection.IN_PLANE_SLOPE * distance)
        turned = np.abs(normals @ normals[row]) < selection.IN_PLANE_COSINE
        here = (distance <= 0.3) & (turned | (np.abs(between @ normals[row]) > allowed))
        here[: max(row + 1, known)] = False
        relieved |= here
    assert 0 < len(accepted) < 200 - known
    assert selection._still_loaded(centers, normals, sizes, 0.3, known, most).tolist() == accepted


def test_the_same_bonds_break_as_when_all_are_compared():
    """Whatever is beside whatever: against every pair, one after the other."""
    rng = np.random.default_rng(2)
    centers, normals = rng.random((300, 3)) * [3.0, 1.0, 0.0], rng.normal(size=(300, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    sizes, demand, broken = 0.1 + 0.1 * rng.random(300), 1.5 + 0.5 * rng.random(300), np.arange(5)
    demand[broken] = 0.0
    for reach in (0.05, 0.3, 10.0):
        expected: list[int] = []
        for row in np.argsort(-demand)[: -len(broken)]:
            between = centers[row] - centers[[*broken, *expected]]
            of_plane = normals[[*broken, *expected]]
            distance = np.linalg.norm(between, axis=1)
            offset = np.abs(np.einsum("ni,ni->n", between, of_plane))
            allowed = np.maximum(
                selection.IN_PLANE_OFFSET * sizes[[*broken, *expected]], selection.IN_PLANE_SLOPE * distance
            )
            across = np.abs(of_plane @ normals[row]) < selection.IN_PLANE_COSINE
            if not ((distance <= reach) & (across | (offset > allowed))).any():
                expected.append(int(row))
        assert select_breaks(demand, broken, centers, normals, sizes, reach).tolist() == expected
