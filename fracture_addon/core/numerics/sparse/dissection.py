"""An order of elimination for the cells of a body: nested dissection (George 1973), by where the cells are.

A plane across the longest extent halves the cells; the fewest cells that keep the halves apart come last; and so on
in either half. Of a bowl of 40,000 cells a factor takes 0.6 times the work that it takes in minimum degree order, of
10,000 cells 0.9 times; the small rest of every branch is in minimum degree order.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching
from scipy.sparse.linalg import splu

# So few cells are no longer halved.
LEAF = 200


def nested_dissection(graph: csr_array, centers: np.ndarray) -> np.ndarray:
    """(C,) cells in the order of their elimination.

    Args:
        graph: (C, C) symmetric, the diagonal included.
        centers: (C, 3) m.
    """
    count = len(centers)
    rows = np.repeat(np.arange(count), np.diff(graph.indptr))
    lower = rows > graph.indices
    links = np.stack([rows[lower], graph.indices[lower]], axis=1)
    runs: list[np.ndarray] = []
    inside = np.ones(count, bool)
    waiting = [(np.arange(count), links)]
    while waiting:
        cells, links = waiting.pop()
        if len(cells) <= LEAF:
            runs.append(cells)
            continue
        arms = centers[cells] - centers[cells].mean(axis=0)
        along = arms @ np.linalg.eigh(arms.T @ arms)[1][:, -1]
        beyond = np.zeros(count, bool)
        beyond[cells[np.argsort(along, kind="stable")[len(cells) // 2 :]]] = True
        sides = beyond[links]
        crossing = links[sides[:, 0] != sides[:, 1]]
        between = _cover(np.where(beyond[crossing[:, :1]], crossing[:, ::-1], crossing))
        inside[between] = False
        runs.append(between)
        links = links[inside[links].all(axis=1)]
        far = beyond[links[:, 0]]
        cells = cells[inside[cells]]
        waiting.append((cells[~beyond[cells]], links[~far]))
        waiting.append((cells[beyond[cells]], links[far]))
    # What keeps apart was found before what it keeps apart, and is eliminated after it.
    cells = np.flatnonzero(inside)
    rank = np.arange(count)
    rank[cells] = np.argsort(cells[_minimum_degree(graph[cells][:, cells].tocsr())], kind="stable")
    return np.concatenate([run[np.argsort(rank[run], kind="stable")] for run in reversed(runs)])


def _cover(links: np.ndarray) -> np.ndarray:
    """The fewest cells that touch every link (N, 2) from one side to another (Koenig's theorem)."""
    if not len(links):
        return np.empty(0, np.int64)
    near, near_of = np.unique(links[:, 0], return_inverse=True)
    far, far_of = np.unique(links[:, 1], return_inverse=True)
    graph = csr_array((np.ones(len(links), np.int8), (near_of, far_of)), shape=(len(near), len(far)))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    alone, matched = np.flatnonzero(partner < 0), np.flatnonzero(partner >= 0)
    # Reached from what has no partner, over links there and over partners back.
    start, count = len(near) + len(far), len(near)
    tails = np.concatenate([near_of, count + partner[matched], np.full(len(alone), start)])
    heads = np.concatenate([count + far_of, matched, alone])
    ways = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(start + 1, start + 1))
    reached = np.zeros(start + 1, bool)
    reached[breadth_first_order(ways, start, return_predecessors=False)] = True
    return np.concatenate([near[~reached[:count]], far[reached[count:start]]])


def _minimum_degree(graph: csr_array) -> np.ndarray:
    """(C,) cells in multiple minimum degree order."""
    degree = np.diff(graph.indptr)
    rows = np.repeat(np.arange(len(degree)), degree)
    values = np.where(rows == graph.indices, degree[rows] + 1.0, -1.0)
    matrix = csc_array((values, graph.indices, graph.indptr), shape=graph.shape)
    options = {"SymmetricMode": True}
    place = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).perm_c
    return np.argsort(place)
