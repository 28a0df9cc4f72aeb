"""Which bonds break next, and how a break weakens its surroundings (Smith et al. 2001, section 3.4)."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

# A bond keeps this share of its first strength however many neighbours break.
STRENGTH_FLOOR = 0.2
# Exponent of the lobe |cos(angle)|^n about the plane of the break: continuing a crack is easy, branching is not.
LOBE = 4.0
# Of the overloaded bonds only those loaded at least this much as the worst one break together.
TOGETHER = 0.6
# Within this many cells of a break that relieves them, bonds must lie in its plane to break in the same step.
RELIEVED_REACH, IN_PLANE_COSINE, IN_PLANE_OFFSET = 1.0, 0.5, 0.6
# Bonds that may break in one step, and overloaded ones that are looked at.
MOST_BREAKS, MOST_CANDIDATES = 80, 4000


def face_neighbours(faces: np.ndarray, point_count: int) -> csr_array:
    """(F, F) adjacency of faces that share an edge."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    _, edge = np.unique(edges[:, 0] * point_count + edges[:, 1], return_inverse=True)
    rows = np.repeat(np.arange(len(faces)), 3)
    incidence = csr_array((np.ones(len(rows), np.int8), (rows, edge.ravel())))
    adjacency = (incidence @ incidence.T).tocoo()
    apart = adjacency.row != adjacency.col
    pairs = (adjacency.row[apart], adjacency.col[apart])
    return csr_array((np.ones(len(pairs[0]), np.int8), pairs), shape=(len(faces), len(faces)))


def weaken(
    strengths: np.ndarray,
    first_strengths: np.ndarray,
    broken: np.ndarray,
    neighbours: csr_array,
    normals: np.ndarray,
    growth: float,
) -> np.ndarray:
    """Strengths (F,) after ``broken`` rows gave way: s_new = s_old (1 - growth |cos angle|^4), down to a floor.

    The paper's equation 4 weakens at 0 and at 90 degrees alike; one lobe along the crack is easier to control.
    """
    starts, ends = neighbours.indptr[broken], neighbours.indptr[broken + 1]
    rows = np.repeat(broken, ends - starts)
    near = np.concatenate([neighbours.indices[a:b] for a, b in zip(starts, ends, strict=True)])
    cosines = np.abs(np.einsum("ni,ni->n", normals[rows], normals[near]))
    result = strengths.copy()
    np.multiply.at(result, near, 1.0 - growth * cosines**LOBE)
    return np.maximum(result, STRENGTH_FLOOR * first_strengths)


def select_breaks(
    demand: np.ndarray, broken: np.ndarray, centers: np.ndarray, normals: np.ndarray, cell_size: float
) -> np.ndarray:
    """Rows of bonds that break next, out of those with ``demand`` (load over strength, (F,)) above 1.

    The worst one breaks and relieves what is beside it; so of its neighbours only those that continue its plane break
    with it, and elsewhere the next worst, and so on. Breaking all at once would crush everything near it to powder.
    ``broken`` are those that broke since the forces were found: they relieve in the same way.
    """
    over = np.flatnonzero(demand > 1.0)
    if not len(over):
        return over
    over = over[np.argsort(-demand[over], kind="stable")][:MOST_CANDIDATES]
    over = np.concatenate([broken, over[demand[over] >= TOGETHER * demand[over[0]]]])
    tree = cKDTree(centers[over])
    pairs = tree.query_pairs(RELIEVED_REACH * cell_size, output_type="ndarray")
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    first, second = over[pairs[:, 0]], over[pairs[:, 1]]
    offset = np.abs(np.einsum("ni,ni->n", centers[second] - centers[first], normals[first]))
    cosine = np.abs(np.einsum("ni,ni->n", normals[first], normals[second]))
    relieved = (cosine < IN_PLANE_COSINE) | (offset > IN_PLANE_OFFSET * cell_size)
    relieved &= pairs[:, 1] >= len(broken)
    return over[_unrelieved(len(over), pairs[relieved], len(broken) + MOST_BREAKS)[len(broken) :]]


@njit(cache=True)
def _unrelieved(count, pairs, most):
    """Rows in order that no accepted earlier row relieves; ``pairs`` (N, 2), earlier row first, are sorted."""
    relieved = np.zeros(count, np.bool_)
    accepted = np.empty(count, np.int64)
    accepted_count = 0
    entry = 0
    for row in range(count):
        if accepted_count == most:
            break
        if not relieved[row]:
            accepted[accepted_count] = row
            accepted_count += 1
        while entry < len(pairs) and pairs[entry, 0] == row:
            if not relieved[row]:
                relieved[pairs[entry, 1]] = True
            entry += 1
    return accepted[:accepted_count]
