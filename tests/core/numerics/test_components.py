"""Components against those of the graph."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fracture_addon.core.numerics.components import components


def by_graph(ties, count):
    ends = ties[:, :-1].ravel(), ties[:, 1:].ravel()
    return connected_components(coo_array((np.ones(len(ends[0])), ends), shape=(count, count)), directed=False)[1]


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("tie_count", [0, 1, 30, 60, 300])
def test_components_are_those_of_the_graph_in_the_order_of_their_first_items(tie_count, width):
    random = np.random.default_rng([tie_count, width])
    ties = random.integers(0, 100, (tie_count, width))
    found = components(ties, 100)
    assert (found == by_graph(ties, 100)).all()
    _, first = np.unique(found, return_index=True)
    assert (np.diff(first) > 0).all()
    holds = random.random(tie_count) < 0.5
    assert (components(ties, 100, holds) == by_graph(ties[holds], 100)).all()


def test_no_items_have_no_components():
    assert len(components(np.empty((0, 2), np.int32), 0)) == 0
