"""Order of elimination of the cells of a body: nested dissection (George 1973) by the positions of the cells.

A plane across the longest extent halves the cells. The smallest set of cells that separates the halves is eliminated
last. Each half is divided in the same way. Parts of at most ``LEAF`` cells are in minimum degree order. Compared with
minimum degree order alone, a factorisation takes 0.6 times the operations for a bowl of 40,000 cells, and 0.9 times for
10,000 cells.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching
from scipy.sparse.linalg import splu

# Number of cells up to which a part is not divided. It only affects speed.
LEAF = 200


def nested_dissection(graph: csr_array, centers: np.ndarray) -> np.ndarray:
    """Return the cells in the order of their elimination.

    Args:
        graph: (C, C) symmetric adjacency matrix with its diagonal.
        centers: (C, 3) m, centroids of the cells.

    Returns:
        (C,) every cell once.

    Notes:
        George 1973, Nested Dissection of a Regular Finite Element Mesh. The module describes the parts.

    Example:
        Of 500 cells in a row, the one in the middle separates the halves.

        >>> from scipy.sparse import diags_array
        >>> row = csr_array(diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(500, 500)))
        >>> order = nested_dissection(row, np.arange(500.0)[:, None] * [1.0, 0.0, 0.0])
        >>> int(order[-1]) in (249, 250), sorted(order.tolist()) == list(range(500))
        (True, True)
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
    # Separators are found before the parts that they separate, and are eliminated after them.
    cells = np.flatnonzero(inside)
    rank = np.arange(count)
    rank[cells] = np.argsort(cells[_minimum_degree(graph[cells][:, cells].tocsr())], kind="stable")
    return np.concatenate([run[np.argsort(rank[run], kind="stable")] for run in reversed(runs)])


def _cover(links: np.ndarray) -> np.ndarray:
    """Return a minimum vertex cover of links (N, 2) between two halves, from a maximum matching (Koenig's theorem)."""
    if not len(links):
        return np.empty(0, np.int64)
    near, near_of = np.unique(links[:, 0], return_inverse=True)
    far, far_of = np.unique(links[:, 1], return_inverse=True)
    graph = csr_array((np.ones(len(links), np.int8), (near_of, far_of)), shape=(len(near), len(far)))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    alone, matched = np.flatnonzero(partner < 0), np.flatnonzero(partner >= 0)
    # Alternating paths from unmatched cells: over links to the far half, over matched links back.
    start, count = len(near) + len(far), len(near)
    tails = np.concatenate([near_of, count + partner[matched], np.full(len(alone), start)])
    heads = np.concatenate([count + far_of, matched, alone])
    ways = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(start + 1, start + 1))
    reached = np.zeros(start + 1, bool)
    reached[breadth_first_order(ways, start, return_predecessors=False)] = True
    return np.concatenate([near[~reached[:count]], far[reached[count:start]]])


def _minimum_degree(graph: csr_array) -> np.ndarray:
    """Return the cells (C,) in multiple minimum degree order (Liu 1985), as SuperLU computes it."""
    degree = np.diff(graph.indptr)
    rows = np.repeat(np.arange(len(degree)), degree)
    values = np.where(rows == graph.indices, degree[rows] + 1.0, -1.0)
    matrix = csc_array((values, graph.indices, graph.indptr), shape=graph.shape)
    options = {"SymmetricMode": True}
    place = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).perm_c
    return np.argsort(place)
