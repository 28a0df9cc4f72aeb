"""Order of elimination of the cells of a body: nested dissection (George 1973) by the positions of the cells.

The cells in the middle of the longest extent form a band. The smallest set of them that separates the cells below the
band from those above is eliminated last. Each side is divided in the same way. Parts of at most ``LEAF`` cells are in
minimum degree order.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow
from scipy.sparse.linalg import splu

# Number of cells up to which a part is not divided. It only affects speed.
LEAF = 400
# Share of the cells of a part that are in its band. It only affects speed: a wide band has smaller separators, which
# halve the part less evenly.
BAND = 0.3


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
        Of 500 cells in a row, one of the 150 in the middle separates both sides.

        >>> from scipy.sparse import diags_array
        >>> row = csr_array(diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(500, 500)))
        >>> order = nested_dissection(row, np.arange(500.0)[:, None] * [1.0, 0.0, 0.0])
        >>> 175 <= int(order[-1]) < 325, sorted(order.tolist()) == list(range(500))
        (True, True)
    """
    count = len(centers)
    rows = np.repeat(np.arange(count), np.diff(graph.indptr))
    lower = rows > graph.indices
    links = np.stack([rows[lower], graph.indices[lower]], axis=1)
    runs: list[np.ndarray] = []
    inside, side = np.ones(count, bool), np.empty(count, np.int64)
    waiting = [(np.arange(count), links)]
    while waiting:
        cells, links = waiting.pop()
        if len(cells) <= LEAF:
            runs.append(cells)
            continue
        arms = centers[cells] - centers[cells].mean(axis=0)
        along = arms @ np.linalg.eigh(arms.T @ arms)[1][:, -1]
        cells = cells[np.argsort(along, kind="stable")]
        side[cells] = np.arange(len(cells))
        side[cells] = _sides(len(cells), side[links])
        separator = side[cells] == 0
        inside[cells[separator]] = False
        runs.append(cells[separator])
        links = links[inside[links].all(axis=1)]
        for sign in (-1, 1):
            waiting.append((cells[side[cells] == sign], links[side[links[:, 0]] == sign]))
    # Separators are found before the parts that they separate, and are eliminated after them.
    cells = np.flatnonzero(inside)
    rank = np.arange(count)
    rank[cells] = np.argsort(cells[_minimum_degree(graph[cells][:, cells].tocsr())], kind="stable")
    return np.concatenate([run[np.argsort(rank[run], kind="stable")] for run in reversed(runs)])


def _sides(count: int, links: np.ndarray) -> np.ndarray:
    """Return the side of each cell: -1 or 1, and 0 for the smallest set in the band that separates both sides.

    Args:
        count: Number of cells, which are numbered along the longest extent.
        links: (L, 2) linked cells.

    Notes:
        Menger 1927: the set is as large as the largest flow from one side to the other, if one unit can pass each cell
        of the band. Such a cell is two nodes with an edge of capacity one.
    """
    width = int(BAND * count)
    # Number of each cell in the band; -1 before it, ``width`` after it.
    place = np.clip(np.arange(count) - (count - width) // 2, -1, width)
    band, start, end = np.arange(width), 2 * width, 2 * width + 1
    into, out = np.append(band, [end, start]), np.append(width + band, [end, start])
    ends = place[np.concatenate([links, links[:, ::-1]])]
    ends = ends[(ends[:, 0] != ends[:, 1]) & (ends[:, 0] < width) & (ends[:, 1] >= 0)]
    capacities = np.append(np.ones(width, np.int32), np.full(len(ends), width + 1, np.int32))
    nodes = np.append(band, out[ends[:, 0]]), np.append(width + band, into[ends[:, 1]])
    edges = csr_array((capacities, nodes), shape=(end + 1, end + 1))
    residual = csr_array(edges - maximum_flow(edges, start, end).flow)
    residual.eliminate_zeros()
    reached = np.zeros(end + 1, bool)
    reached[breadth_first_order(residual, start, return_predecessors=False)] = True
    sides = np.where(reached[out[place]], -1, 1)
    sides[reached[into[place]] & ~reached[out[place]]] = 0
    # Links past the whole band.
    past = links[sides[links].prod(axis=1) < 0]
    sides[past[:, 0]] = 0
    return sides


def _minimum_degree(graph: csr_array) -> np.ndarray:
    """Return the cells (C,) in multiple minimum degree order (Liu 1985), as SuperLU computes it."""
    degree = np.diff(graph.indptr)
    rows = np.repeat(np.arange(len(degree)), degree)
    values = np.where(rows == graph.indices, degree[rows] + 1.0, -1.0)
    matrix = csc_array((values, graph.indices, graph.indptr), shape=graph.shape)
    options = {"SymmetricMode": True}
    place = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).perm_c
    return np.argsort(place)
