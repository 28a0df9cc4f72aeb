"""How a break weakens the faces beside it (Smith et al. 2001, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from ...data.errors import SettingsError
from ...data.job import Settings
from .glue import Glue

# The lobe's amount of growth at which a crack needs what the material's toughness says to go on.
NATURAL_GROWTH = 0.7
# However fine the cells are, at that amount a crack's neighbours are weakened by at least this factor.
LEAST_WEAKENING = 0.5


@dataclass(frozen=True)
class Growth:
    """A crack growth function.

    Attributes:
        factor: What strength is multiplied by, from the angle (N,) in radians, 0 to pi/2, between the normals of a
            broken face and of one that shares an edge with it.
        floor: (F,) or one for all, a bond keeps this share of its first strength however many neighbours break.
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


# The paper's functions by name. Its second is said to weaken "by up to a factor of two", but as printed goes from 0 to
# 2; ``moderate`` has the printed one's shape and the stated range, as equation 4 (``dramatic``) has for a thousand.
PAPER_FUNCTIONS = {
    "none": _none,
    "moderate": _moderate,
    "moderate_as_printed": _moderate_as_printed,
    "dramatic": _dramatic,
}


def growth_of(settings: Settings, size_effect: np.ndarray, glue: Glue | type[Glue]) -> Growth:
    """The growth function that the settings ask for.

    The ``lobe`` is 1 - amount |cos angle|^sharpness: continuing a crack is easy, branching is not. Bonds that are not
    beside a crack have the material's strength; beside one they go down to what its toughness bears on cells of this
    size, ``size_effect`` times that, when the amount is natural, further when it is more, not at all when it is 0.
    Under the paper's functions full bonds go down as far as with the lobe's full amount: as weak as point bonds, one
    beside a crack would bear hundreds of times its strength, and all other cracks would wait for it.

    Args:
        settings: ``crack_function``, ``crack_growth`` and ``crack_sharpness``.
        size_effect: (F,) sqrt(material length / cell size), at most 1.
        glue: The kind of bonds.

    Raises:
        SettingsError: There is no such function.
    """
    lowest = np.minimum(size_effect, LEAST_WEAKENING)
    if settings.crack_function in PAPER_FUNCTIONS:
        floor = glue.paper_floor(lowest ** (1.0 / NATURAL_GROWTH))
        return Growth(PAPER_FUNCTIONS[settings.crack_function], floor)
    if settings.crack_function != "lobe":
        names = ", ".join(["lobe", *PAPER_FUNCTIONS])
        raise SettingsError(f"there is no crack growth function '{settings.crack_function}'; use one of {names}")
    amount, sharpness = settings.crack_growth, settings.crack_sharpness
    floor = lowest ** (amount / NATURAL_GROWTH)
    return Growth(lambda angle: 1.0 - amount * np.abs(np.cos(angle)) ** sharpness, floor)


def face_neighbours(faces: np.ndarray, point_count: int) -> csr_array:
    """(F, F) adjacency of faces that share an edge."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    _, edge = np.unique(edges[:, 0] * point_count + edges[:, 1], return_inverse=True)
    edge = edge.reshape(-1, 3).astype(np.int32)
    sizes = np.bincount(edge.ravel())
    starts = np.concatenate([[0], np.cumsum(sizes)])
    around = (np.argsort(edge.ravel(), kind="stable") // 3).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum((sizes[edge] - 1).sum(axis=1))])
    indices = _neighbours(edge, starts, around, indptr)
    return csr_array((np.ones(len(indices), np.int8), indices, indptr.astype(np.int32)), shape=2 * (len(faces),))


@njit(cache=True)
def _neighbours(edge, starts, around, indptr):
    """Faces ``around`` each edge of each face, but itself: two faces share one edge at most."""
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
class Tips:
    """Where cracks may run on: the neighbours of faces that just broke.

    Attributes:
        broken: (N,) rows that broke.
        near: (N,) a neighbour of each; all pairs.
        factor: (N,) what the growth function multiplies the neighbour's strength by.
        floor: See ``Growth``.
    """

    broken: np.ndarray
    near: np.ndarray
    factor: np.ndarray
    floor: np.ndarray | float

    @classmethod
    def of(cls, rows: np.ndarray, neighbours: csr_array, normals: np.ndarray, growth: Growth) -> Tips:
        """Those of ``rows``, by which faces (F, F) share an edge and the (F, 3) unit normals of all."""
        starts, counts = neighbours.indptr[rows], neighbours.indptr[rows + 1] - neighbours.indptr[rows]
        ends = np.cumsum(counts)
        near = neighbours.indices[np.repeat(starts - ends + counts, counts) + np.arange(counts.sum())]
        broken = np.repeat(rows, counts)
        # Between the normals, whichever way they point: 0 to pi/2.
        cosine = np.abs(np.einsum("ni,ni->n", normals[broken], normals[near]))
        return cls(broken, near, growth.factor(np.arccos(np.minimum(cosine, 1.0))), growth.floor)


def weaken(strengths: np.ndarray, reached_strengths: np.ndarray, tips: Tips) -> np.ndarray:
    """Strengths (F,) after some rows gave way: s_new = s_old f(angle) at their neighbours, down to a floor.

    A neighbour starts at ``reached_strengths`` (F,), and keeps the floor's share of that.
    """
    near, result = tips.near, strengths.copy()
    result[near] = np.minimum(result[near], reached_strengths[near])
    np.multiply.at(result, near, tips.factor)
    return np.maximum(result, tips.floor * reached_strengths)


def carry(burden: np.ndarray, tips: Tips, losses: np.ndarray) -> np.ndarray:
    """Burdens (F,) when cracks have run on by a face, before forces are found again.

    The stress at a crack's tip goes with the tip. What it meets bears a mean of its own burden and of the one that
    broke, a weighted geometric one: its own tells whether it lies across the tension. The weight goes by how much the
    growth function weakens it, and by ``losses`` (F,), 0 to 1, the share that a tip loses over one cell.
    """
    near = tips.near
    weight = (1.0 - losses[near]) * np.clip((1.0 - tips.factor) / NATURAL_GROWTH, 0.0, 1.0)
    result = burden.copy()
    np.maximum.at(result, near, burden[near] ** (1.0 - weight) * burden[tips.broken] ** weight)
    return result
