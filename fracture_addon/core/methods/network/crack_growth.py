"""Crack growth: a broken bond weakens the bonds beside it (Smith et al. 2001, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from ...data.arrays import ReadOnlyArrays
from ...data.settings.settings import StrikeSettings
from .glue import Glue

# Value of the setting ``crack_growth`` at which a crack continues at the stress that the material's toughness gives.
# Tuned: with 0.5 and 0.84, mean counts of fragments stay within the scatter of seeds (docs/decisions/constants.md).
NATURAL_GROWTH = 0.7
# Largest remaining share of the strength beside a crack at ``NATURAL_GROWTH``, however fine the cells are. Insensitive:
# small scenes have the same bytes with 0.35 and 0.6 (docs/decisions/constants.md).
LEAST_WEAKENING = 0.5


@dataclass(frozen=True)
class Growth(ReadOnlyArrays):
    """A crack growth function.

    Attributes:
        factor: Factor (N,) on the strength of a bond beside a broken one, as a function of the angle (N,) between their
            normals, 0 to pi/2 rad.
        floor: (F,) or one for all: smallest share of its initial strength that a bond keeps.
    """

    factor: Callable[[np.ndarray], np.ndarray]
    floor: np.ndarray | float


def _none(angle: np.ndarray) -> np.ndarray:
    return np.ones_like(angle)


def _moderate(angle: np.ndarray) -> np.ndarray:
    return 0.75 - 0.25 * np.sin(2.0 * angle + 0.5 * np.pi)


def _moderate_as_printed(angle: np.ndarray) -> np.ndarray:
    return 1.0 - np.sin(2.0 * angle + 0.5 * np.pi)


def _dramatic(angle: np.ndarray) -> np.ndarray:
    return 0.5005 - 0.4995 * np.sin(4.0 * angle + 0.5 * np.pi)


# The paper's functions by name (equations 3 and 4). The text says that equation 3 weakens "by up to a factor of two",
# but the printed equation ranges from 0 to 2. ``moderate`` has the printed shape and the stated range; ``dramatic``
# (equation 4) has the range that the text states, 1 to 1/1000.
PAPER_FUNCTIONS = {
    "none": _none,
    "moderate": _moderate,
    "moderate_as_printed": _moderate_as_printed,
    "dramatic": _dramatic,
}


def growth_of(settings: StrikeSettings, size_effect: np.ndarray, glue: Glue | type[Glue]) -> Growth:
    """Return the growth function that the settings choose.

    The ``lobe`` is 1 - amount |cos angle|^sharpness: it weakens bonds that continue a crack more than bonds that branch
    off. Bonds away from cracks keep the strength of the material. The floor is ``size_effect`` at the amount
    ``NATURAL_GROWTH``, lower for a larger amount, and 1 for the amount 0.
    With the paper's functions, full bonds have the floor of the lobe with the amount 1. With the floor of point bonds,
    a thousandth, the stress beside a crack would be hundreds of times the strength, and no other crack would start.

    Args:
        settings: ``crack_function``, ``crack_growth`` and ``crack_sharpness``.
        size_effect: (F,) sqrt(material length / cell size), at most 1.
        glue: The kind of bonds.

    Returns:
        Factor on the strength by angle, and smallest share of the strength.

    Raises:
        SettingsError: ``crack_function`` is unknown.

    Notes:
        The lobe is our own (docs/decisions/crack_growth.md). ``PAPER_FUNCTIONS``: Smith et al. 2001, section 3.4.

    Example:
        The default lobe, 1 - 0.7 |cos angle|^4, ahead of a crack, at 45 degrees, and across it.

        >>> from .full_glue import FullGlue
        >>> settings = StrikeSettings().changed(crack_growth=0.7, crack_sharpness=4.0)
        >>> growth = growth_of(settings, np.array([0.3]), FullGlue)
        >>> growth.factor(np.radians([0.0, 45.0, 90.0])).round(3).tolist(), growth.floor.round(3).tolist()
        ([0.3, 0.825, 1.0], [0.3])
    """
    lowest = np.minimum(size_effect, LEAST_WEAKENING)
    if settings.cracks.crack_function in PAPER_FUNCTIONS:
        floor = glue.paper_floor(lowest ** (1.0 / NATURAL_GROWTH))
        return Growth(PAPER_FUNCTIONS[settings.cracks.crack_function], floor)
    amount, sharpness = settings.cracks.crack_growth, settings.cracks.crack_sharpness
    floor = lowest ** (amount / NATURAL_GROWTH)
    return Growth(lambda angle: 1.0 - amount * np.abs(np.cos(angle)) ** sharpness, floor)


def face_neighbours(faces: np.ndarray, point_count: int) -> csr_array:
    """Return which faces share an edge.

    Args:
        faces: (F, 3) rows of points.
        point_count: Number of points.

    Returns:
        (F, F) adjacency, 1 for two faces with a common edge.

    Notes:
        Smith et al. 2001, section 3.4: a crack weakens these faces.

    Example:
        >>> face_neighbours(np.array([[0, 1, 2], [1, 2, 3], [3, 4, 5]]), 6).toarray().tolist()
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    _, edge = np.unique(edges[:, 0] * point_count + edges[:, 1], return_inverse=True)
    edge = edge.reshape(-1, 3).astype(np.int32)
    sizes = np.bincount(edge.ravel())
    starts = np.concatenate([[0], np.cumsum(sizes)])
    around = (np.argsort(edge.ravel(), kind="stable") // 3).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum((sizes[edge] - 1).sum(axis=1))])
    indices = _neighbours(edge, starts, around, indptr)
    return csr_array((np.ones(len(indices), np.int8), indices, indptr.astype(np.int32)), shape=2 * (len(faces),))


def joint_neighbours(pairs: np.ndarray, is_joint: np.ndarray) -> csr_array:
    """Return the neighbours of the faces between objects, which share no edge with other faces.

    Two such faces are neighbours if they share a cell. Such a face is also beside a face inside an object if both cells
    of the latter lie at the joint.

    Args:
        pairs: (F, 2) cells of each face.
        is_joint: (F,) bool, whether a face is between objects.

    Returns:
        (F, F) adjacency.

    Notes:
        Own (docs/decisions/assemblies.md).

    Example:
        Cells 0 and 1 of one object lie at the joint with the cells 2 and 3 of another one.

        >>> pairs, is_joint = np.array([[0, 1], [0, 2], [1, 2], [2, 3]]), np.array([False, True, True, False])
        >>> joint_neighbours(pairs, is_joint).toarray().tolist()
        [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    """
    count, cells = len(pairs), int(pairs.max(initial=0)) + 1
    at_joint = np.zeros(cells, bool)
    at_joint[pairs[is_joint]] = True
    inner = ~is_joint & at_joint[pairs].all(axis=1)

    def incidence(rows: np.ndarray) -> csr_array:
        places = np.repeat(rows, 2), pairs[rows].ravel()
        return csr_array((np.ones(len(places[0]), np.int8), places), shape=(count, cells))

    joints = incidence(np.flatnonzero(is_joint))
    across = joints @ incidence(np.flatnonzero(inner)).T
    result = (joints @ joints.T + across + across.T).tocoo()
    off = result.row != result.col
    values = np.ones(int(off.sum()), np.int8)
    return csr_array((values, (result.row[off], result.col[off])), shape=(count, count))


@njit(cache=True)
def _neighbours(edge: np.ndarray, starts: np.ndarray, around: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Return the other faces ``around`` the three edges of each face. Two faces share at most one edge."""
    indices = np.empty(indptr[-1], np.int32)
    for face in range(len(edge)):
        filled = indptr[face]
        for side in range(3):
            for entry in range(starts[edge[face, side]], starts[edge[face, side] + 1]):
                if around[entry] != face:
                    indices[filled] = around[entry]
                    filled += 1
    return indices


@dataclass(frozen=True)
class Tips(ReadOnlyArrays):
    """Crack tips: pairs of a bond that just broke and a bond beside it.

    Attributes:
        broken: (N,) bonds that broke.
        near: (N,) a neighbour of each.
        factor: (N,) factor of the growth function on the neighbour's strength.
        floor: See ``Growth``.
    """

    broken: np.ndarray
    near: np.ndarray
    factor: np.ndarray
    floor: np.ndarray | float

    @classmethod
    def of(cls, rows: np.ndarray, neighbours: csr_array, normals: np.ndarray, growth: Growth) -> Tips:
        """Return the tips of the broken bonds ``rows``.

        Args:
            rows: (K,) bonds that broke.
            neighbours: (F, F) faces that share an edge.
            normals: (F, 3) unit normals of the faces.
            growth: Crack growth function.
        """
        starts, counts = neighbours.indptr[rows], neighbours.indptr[rows + 1] - neighbours.indptr[rows]
        ends = np.cumsum(counts)
        near = neighbours.indices[np.repeat(starts - ends + counts, counts) + np.arange(counts.sum())]
        broken = np.repeat(rows, counts)
        # The sign of a normal does not matter: the angle is 0 to pi/2.
        cosine = np.abs(np.einsum("ni,ni->n", normals[broken], normals[near]))
        return cls(broken, near, growth.factor(np.arccos(np.minimum(cosine, 1.0))), growth.floor)


def weaken(strengths: np.ndarray, reached_strengths: np.ndarray, tips: Tips) -> np.ndarray:
    """Return the strengths after breaks: s_new = s_old f(angle) beside a broken bond.

    Args:
        strengths: (F,) present strengths, Pa or N.
        reached_strengths: (F,) strengths of bonds that a crack has reached, before it weakens them. A bond beside a
            crack starts there and keeps at least the floor's share of it.
        tips: The new crack tips.

    Returns:
        (F,) strengths.

    Notes:
        Smith et al. 2001, section 3.4.

    Example:
        >>> strengths, broken = np.full(3, 40e6), np.array([0])
        >>> ahead = Tips(broken, np.array([1]), factor=np.array([0.4]), floor=0.5)
        >>> beside = Tips(broken, np.array([2]), factor=np.array([0.9]), floor=0.5)
        >>> [weaken(strengths, strengths, tips).tolist() for tips in (ahead, beside)]
        [[40000000.0, 20000000.0, 40000000.0], [40000000.0, 40000000.0, 36000000.0]]
    """
    near, result = tips.near, strengths.copy()
    result[near] = np.minimum(result[near], reached_strengths[near])
    np.multiply.at(result, near, tips.factor)
    return np.maximum(result, tips.floor * reached_strengths)


def carry(burden: np.ndarray, tips: Tips, losses: np.ndarray) -> np.ndarray:
    """Return the burdens after cracks advanced by one face, estimated without a solve.

    The stress concentration moves with the crack tip. The burden of a bond at the new tip is a weighted geometric mean
    of its own burden and that of the broken bond; its own burden is small where the bond is not across the tension.
    The weight grows with the weakening by the growth function, and falls with ``losses``.

    Args:
        burden: (F,) Pa or N, before the breaks.
        tips: The new crack tips.
        losses: (F,) share of the concentration that a tip loses over one cell, 0 to 1.

    Returns:
        (F,) Pa or N.

    Notes:
        Own estimate; the paper solves again after each break. It gives crack advance over several faces per solve
        (O'Brien and Hodgins 2000).

    Example:
        >>> tip = Tips(np.array([0]), np.array([1]), factor=np.array([0.3]), floor=0.5)
        >>> burden = np.array([40.0, 10.0, 10.0])
        >>> [carry(burden, tip, np.full(3, loss)).round(3).tolist() for loss in (0.0, 0.5, 1.0)]
        [[40.0, 40.0, 10.0], [40.0, 20.0, 10.0], [40.0, 10.0, 10.0]]
    """
    near = tips.near
    weight = (1.0 - losses[near]) * np.clip((1.0 - tips.factor) / NATURAL_GROWTH, 0.0, 1.0)
    result = burden.copy()
    np.maximum.at(result, near, burden[near] ** (1.0 - weight) * burden[tips.broken] ** weight)
    return result
