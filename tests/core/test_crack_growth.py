"""Which bonds break next, and what a break weakens."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fracture_addon.core.network import crack_growth
from fracture_addon.core.network.crack_growth import STRENGTH_FLOOR, face_neighbours, select_breaks, weaken
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(shapes.cube(), 300, 0)


def fan(cosines):
    """Face 0 in a plane and others around it at angles of those cosines, all its neighbours."""
    normals = np.array([[0.0, 0.0, 1.0]] + [[np.sqrt(1.0 - c * c), 0.0, c] for c in cosines])
    matrix = np.zeros((len(normals), len(normals)), np.int8)
    matrix[0, 1:] = matrix[1:, 0] = 1
    return normals, csr_array(matrix)


def test_neighbours_share_an_edge(solid):
    found = face_neighbours(solid.faces, len(solid.points)).toarray()
    sets = [set(face) for face in solid.faces.tolist()]
    expected = np.array([[len(a & b) == 2 for b in sets] for a in sets])
    assert (found.astype(bool) == expected).all()


def test_a_crack_weakens_its_continuation_most():
    normals, neighbours = fan([1.0, -1.0, 0.7, 0.0])
    first = np.full(5, 10.0)
    found = weaken(first, first, np.array([0]), neighbours, normals, 0.6)
    np.testing.assert_allclose(found, 10.0 * np.array([1.0, 0.4, 0.4, 1.0 - 0.6 * 0.7**4, 1.0]))


def test_no_growth_weakens_nothing():
    normals, neighbours = fan([1.0, 0.5])
    first = np.full(3, 10.0)
    np.testing.assert_array_equal(weaken(first, first, np.array([0]), neighbours, normals, 0.0), first)


def test_weakening_adds_up_to_a_floor():
    normals, neighbours = fan([1.0, 0.3])
    first = np.array([10.0, 10.0, 20.0])
    strengths = first
    for _ in range(60):
        weaker = weaken(strengths, first, np.array([0]), neighbours, normals, 0.9)
        assert (weaker <= strengths).all()
        strengths = weaker
    np.testing.assert_allclose(strengths[1], STRENGTH_FLOOR * 10.0)
    assert strengths[2] > STRENGTH_FLOOR * 20.0
    both = weaken(first, first, np.array([0, 0]), neighbours, normals, 0.5)
    np.testing.assert_allclose(both[1], 2.5)


# Four bonds in a row in one plane, half a cell apart, and one above the second, across the plane.
CENTERS = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0], [9.0, 0, 0], [0.5, 0, 0.1]])
NORMALS = np.array([[0.0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1], [1.0, 0, 0]])
NONE = np.empty(0, np.int64)


def test_nothing_overloaded_breaks_nothing():
    assert len(select_breaks(np.array([1.0, 0.5, 0.0, 0.99, 1.0]), NONE, CENTERS, NORMALS, 1.0)) == 0


def test_the_worst_breaks_with_what_continues_its_plane():
    rows = select_breaks(np.array([1.5, 2.0, 1.6, 1.7, 1.9]), NONE, CENTERS, NORMALS, 1.0)
    assert rows.tolist() == [1, 3, 2, 0]


def test_a_crossing_worst_relieves_the_rest():
    rows = select_breaks(np.array([1.5, 1.7, 1.6, 1.5, 2.0]), NONE, CENTERS, NORMALS, 1.0)
    assert rows.tolist() == [4, 3]


def test_a_parallel_plane_is_relieved():
    """Two planes at a distance below a cell: only the worse one breaks."""
    centers = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.7]])
    rows = select_breaks(np.array([1.5, 1.4]), NONE, centers, NORMALS[:2], 1.0)
    assert rows.tolist() == [0]
    assert len(select_breaks(np.array([1.5, 1.4]), NONE, 2.0 * centers, NORMALS[:2], 1.0)) == 2


def test_what_broke_before_relieves_but_does_not_break_again():
    rows = select_breaks(np.array([1.5, 0.0, 1.5, 1.5, 1.4]), np.array([1]), CENTERS, NORMALS, 1.0)
    assert rows.tolist() == [0, 2, 3]


def test_far_less_loaded_ones_wait():
    demand = np.array([1.01, 0.0, 0.0, 10.0, 0.0])
    assert select_breaks(demand, NONE, CENTERS, NORMALS, 1.0).tolist() == [3]


def test_only_so_many_break_together():
    centers = np.arange(500.0)[:, None] * [5.0, 0.0, 0.0]
    rows = select_breaks(np.linspace(2.0, 1.9, 500), NONE, centers, np.tile([0.0, 0, 1], (500, 1)), 1.0)
    assert rows.tolist() == list(range(crack_growth.MOST_BREAKS))


@pytest.mark.parametrize("most", [3, 1000])
def test_kernel_agrees_with_the_readable_twin(most):
    random = np.random.default_rng(0)
    pairs = np.unique(np.sort(random.integers(0, 200, (300, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    accepted, relieved = [], set()
    for row in range(200):
        if row not in relieved and len(accepted) < most:
            accepted.append(row)
            relieved |= set(pairs[pairs[:, 0] == row, 1].tolist())
    assert crack_growth._unrelieved(200, pairs, most).tolist() == accepted
