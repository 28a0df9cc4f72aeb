"""Thin walls that bend as they should: stress that elements share with their neighbours.

A linear tetrahedron has one strain throughout. In a wall a few cells thick that is far too little for bending: each
element has a shear that should not be there, and surface strains fill it whole. So elements of walls bear a part of
their own stress only, and instead of the rest the mean of their corners' stresses, each the mean of the elements around
it. Over a node what should not be there cancels, and so does most of the bending, to which the part of their own adds
what is missing (an alpha finite element method: Liu, Nguyen-Thoi and Lam 2008).

The energy behind it is that of the elements' own strain and of nodes with the mean strain around them: forces are its
gradient, what is strained evenly is as it was, and no vibration gets faster.

Means over fewer elements have more energy, as less cancels. So that none comes from nothing where a crack divides a
node, the sides go on with the stress that they shared (``Sharing.bias``), and elements with the share that they had.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...data.solid import CELL_FACES, SolidModel, appears_once
from ...data.surface import Surface, area_vectors
from ...geometry.rays import RayGrid
from ..method import RigidMotion
from .cracks.remesh import separate_all
from .kernels.blocks import SIX, SIX_OF, filled_up
from .mesh import Mesh, from_solid

# Areas that are told from nothing, m2.
TINY = 1e-300
# What is thinner than so many edges of its elements is a wall.
WALL = 3.0
# How much less of their own stress elements bear the wider they are over the thickness: measured, for strips to bend
# by beam theory with 1 or 2 layers of cells 0.5 to 4 times as wide as they are thick.
SHARING = 6.0
# Elements keep this share of their own stress, or nothing would hold their nodes in their places.
LEAST_OWN = 0.07
# A face is on the side of a wall if the other side is no farther than so many times the thickness around.
ACROSS = 1.5
# Cosine of the angle between the normals of the two sides of a wall at most, with its sign turned.
FACING = 0.9


class Sharing(NamedTuple):
    """What elements share, for kernels; all empty where no element does.

    Attributes:
        own: (B * LANES,) share of its own stress that an element bears.
        given: (B * LANES,) m3, how much its stress counts at each of its corners.
        taken: (B * LANES,) how much each corner's stress counts in it.
        inverse: (N,) 1/m3, over all that counts at a node.
        bias: (N, 6) Pa, what is taken off the mean stress around a node since it was divided: xx yy zz yz xz xy.
    """

    own: np.ndarray
    given: np.ndarray
    taken: np.ndarray
    inverse: np.ndarray
    bias: np.ndarray


NOTHING_SHARED = Sharing(np.empty(0), np.empty(0), np.empty(0), np.empty(0), np.empty((0, 6)))


def mesh_with_walls(solid: SolidModel, density: float, motion: RigidMotion | None = None) -> Mesh:
    """The mesh that a run begins with: of ``mesh.from_solid``, with its walls found and its loose joints parted."""
    mesh = from_solid(solid, density, motion)
    find_walls(mesh, solid.cells)
    separate_all(mesh)
    return mesh


def find_walls(mesh: Mesh, cells: np.ndarray) -> None:
    """Write the own share and the skin of elements that are the first ``cells`` (C, 4) of a mesh."""
    points = mesh.rest
    faces, across = _sides(points, cells)
    wall = _thickness(points, cells, faces, across)
    mesh.own[: len(cells)] = _own_share(points[cells], wall)
    at_face = wall[faces // 4]
    # The edges of a narrow plate see one another too.
    seen = faces[np.isfinite(at_face) & (across < ACROSS * at_face)]
    np.bitwise_or.at(mesh.skin, seen // 4, np.left_shift(1, seen % 4).astype(np.uint8))


def thickness(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(C,) m, of the wall that each cell is in; infinite for one in what is no wall.

    Args:
        points: (P, 3) m.
        cells: (C, 4).
    """
    return _thickness(points, cells, *_sides(points, cells))


def _sides(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) outer faces, ``4 * cell + corner across from it``, and (F,) m from each to the other side of its wall."""
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    outer = np.flatnonzero(appears_once(faces))
    edges = _edges(points[cells])
    surface = Surface(points, faces[outer])
    inward = -area_vectors(surface)
    inward /= np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), TINY)
    reach = WALL * edges[outer // 4]
    starts = surface.corners.mean(axis=1) + 1e-6 * reach[:, None] * inward
    across, other = RayGrid.of(surface).leaves(starts, inward, reach)
    across[np.einsum("fi,fi->f", inward, inward[other]) > -FACING] = np.inf
    return outer, across


def _thickness(points: np.ndarray, cells: np.ndarray, faces: np.ndarray, across: np.ndarray) -> np.ndarray:
    at_node = np.full(len(points), np.inf)
    np.minimum.at(at_node, cells[:, CELL_FACES].reshape(-1, 3)[faces], across[:, None])
    corner_cells = np.repeat(np.arange(len(cells)), 4)
    result = _means(at_node[cells.ravel()], corner_cells, len(cells))
    # In the middle of a wall of three layers are nodes that are not on its surface, and cells with none that are.
    around = _means(result[corner_cells], cells.ravel(), len(points))
    result = _means(np.where(np.isinf(at_node), around, at_node)[cells.ravel()], corner_cells, len(cells))
    return np.where(result < WALL * _edges(points[cells]), result, np.inf)


def _means(values: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """(count,) mean of the finite ones among some values (K,) of each group; infinite where there are none."""
    known = np.isfinite(values)
    total, found = np.bincount(groups[known], values[known], count), np.bincount(groups[known], minlength=count)
    return np.divide(total, found, out=np.full(count, np.inf), where=found > 0)


def walled_nodes(mesh: Mesh) -> np.ndarray:
    """(N,) bool, nodes that only elements of walls have, or that are on the sides of walls."""
    walled, other = np.zeros((2, mesh.node_count), bool)
    wall = mesh.own < 1.0
    other[mesh.elements[~wall & ~mesh.ghost]] = True
    walled[mesh.elements[wall & ~mesh.ghost]] = True
    walled &= ~other
    for corner, face in enumerate(CELL_FACES):
        walled[mesh.elements[(mesh.skin >> corner & 1).astype(bool)][:, face]] = True
    return walled


def _own_share(corners: np.ndarray, wall: np.ndarray) -> np.ndarray:
    """(C,) share of their own stress that cells (C, 4, 3) bear in walls ``wall`` (C,) m thick; 1 in what is none."""
    own = 1.0 / (1.0 + SHARING * (_edges(corners) / wall) ** 2)
    return np.where(np.isfinite(wall), np.maximum(own, LEAST_OWN), 1.0)


def sharing(mesh: Mesh, rows: np.ndarray, stiffness_share: np.ndarray) -> Sharing:
    """What the elements ``rows`` (A,) share, with the factors ``stiffness_share`` (A,) to their stiffness."""
    own = mesh.own[rows]
    if (own == 1.0).all():
        return NOTHING_SHARED
    given = 0.25 * (1.0 - own) * mesh.volume[rows]
    total = np.bincount(mesh.elements[rows].ravel(), np.repeat(given * stiffness_share, 4), mesh.node_count)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
    taken = 0.25 * (1.0 - own) * stiffness_share
    return Sharing(filled_up(own), filled_up(given), filled_up(taken), inverse, np.zeros((mesh.node_count, 6)))


def shared_stress(stress: np.ndarray, elements: np.ndarray, shared: Sharing) -> np.ndarray:
    """(A, 3, 3) Pa that elements (A, 4) bear whose own stress (A, 3, 3) is ``stress``."""
    if not len(shared.own):
        return stress
    count = len(elements)
    mean = mean_stress(stress, elements, shared)[:, SIX_OF].reshape(-1, 9)
    taken = shared.taken[:count, None] * mean[elements].sum(axis=1)
    return shared.own[:count, None, None] * stress + taken.reshape(-1, 3, 3)


def mean_stress(stress: np.ndarray, elements: np.ndarray, shared: Sharing) -> np.ndarray:
    """(N, 6) Pa that nodes have for elements (A, 4) whose own stress (A, 3, 3) is ``stress``."""
    given = (shared.given[: len(elements), None] * stress[:, SIX[0], SIX[1]]).repeat(4, axis=0)
    sums = [np.bincount(elements.ravel(), column, len(shared.inverse)) for column in given.T]
    return shared.inverse[:, None] * np.stack(sums, axis=1) - shared.bias


def _edges(corners: np.ndarray) -> np.ndarray:
    """(C,) m, root of the mean square of the six edges of tetrahedra (C, 4, 3)."""
    # All distances between points together are told by their distances from their centre.
    arms = corners - corners.mean(axis=1, keepdims=True)
    return np.sqrt(2.0 / 3.0 * np.einsum("cki,cki->c", arms, arms))
