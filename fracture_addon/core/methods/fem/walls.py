"""Bending of thin walls: elements share stress with their neighbours.

A linear tetrahedron has constant strain. A wall a few cells thick then bends far too stiffly, because each element has
a parasitic shear and the strain of the surface fills the whole element. An element of a thin wall therefore uses a
share of its own stress, and for the rest the mean of the stresses of its corners. The stress of a corner is the mean
of the elements around it. At a node the parasitic shear cancels. Most of the bending stress cancels too, and the
element's own share restores it (an alpha finite element method: Liu, Nguyen-Thoi and Lam 2008).

The forces are the gradient of an energy: that of the elements' own strain, plus that of the mean strain at nodes.
Uniform strain is unchanged, and no vibration gets faster.

A mean over fewer elements has more energy, because less cancels. Dividing a node must add no energy. Both parts
therefore keep the stress that they shared (``Sharing.bias``), and elements keep their share.
"""

from __future__ import annotations

import numpy as np

from ...data.solid import CELL_FACES, SolidModel, appears_once
from ...data.surface import Surface, area_vectors
from ...geometry.rays import RayGrid
from ..method import RigidMotion
from .cracks.remesh import separate_all
from .kernels.blocks import SIX, SIX_OF, Sharing, filled_up
from .state import Mesh, Objects, from_solid

# Smallest area treated as nonzero, m2.
TINY = 1e-300
# A wall is thin if its thickness is less than this many edges of its elements. With 1.5, walls of two elements count
# as thick and bend too stiffly: an impact breaks a slab into 15, 19 and 18 fragments at 1.5, 3 and 6. At 3.5, walls of
# four elements are thin: a bar of four rings at 1.02 of its frequency, at 3 at 1.09.
WALL = 3.5
# Coefficient s and exponent p of the own share 1 / (1 + s (edge / thickness)^p). Fitted so that bars of 1 to 4
# elements ring at their frequency: 0.96, 1.00, 1.02, 1.02 of it; with s = 6 and p = 2, 0.89, 1.00, 1.03, 1.04
# (docs/decisions/walls_share_stress.md).
SHARING, SHARING_EXPONENT = 4.8, 1.5
# Smallest share of an element's own stress. With zero, some motions of nodes would have no stiffness; a large one
# bends walls too stiffly: a slab breaks into 19, 19 and 16 fragments at 0.035, 0.07 and 0.14.
MIN_OWN = 0.07
# A face belongs to the surface of a thin wall if the opposite face is nearer than this many thicknesses. Smaller ones
# miss faces: a dropped tile stays whole at 0.75 and breaks into 7 fragments at 1.5, 3 and 150.
ACROSS = 1.5
# Smallest cosine of the angle between the normal of a face and the reversed normal of the opposite face. A larger value
# excludes curved walls; a smaller one includes edges: a slab breaks into 20, 19 and 19 fragments at 0.72, 0.9 and
# 0.945.
FACING = 0.9
# Start of a ray behind its face, as a share of the ray's length, so that it does not hit the face itself: above
# rounding (2e-16), below a thickness. From 1e-8 to 1e-6 the numbers of fragments stay the same; at 2e-6 a slab breaks
# into 20 instead of 19.
RAY_OFFSET = 1e-6


NOTHING_SHARED = Sharing(np.empty(0), np.empty(0), np.empty(0), np.empty(0), np.empty((0, 6)))


def mesh_with_walls(
    solid: SolidModel,
    density: float,
    motion: RigidMotion | None = None,
    fibres: np.ndarray | None = None,
    objects: Objects | None = None,
) -> Mesh:
    """Create the initial mesh of a run: ``state.from_solid``, thin walls marked, parts without a shared face separated.

    Args:
        solid: Cells and padding.
        density: kg/m3; cells of several objects have their own.
        motion: Rigid motion of the whole body; ``None`` at rest.
        fibres: (C, 3) unit directions of the grain in the cells, rest space; ``None`` without grain.
        objects: The objects of a body that joins several; ``None`` for a body of one object.
    """
    mesh = from_solid(solid, density, motion, fibres, objects)
    find_walls(mesh, solid.cells)
    separate_all(mesh)
    return mesh


def find_walls(mesh: Mesh, cells: np.ndarray) -> None:
    """Write ``own`` and ``skin`` of the first elements of a mesh, whose nodes are ``cells`` (C, 4)."""
    points = mesh.rest
    faces, across = _opposite_faces(points, cells)
    wall = _thickness(points, cells, faces, across)
    mesh.own[: len(cells)] = _own_share(points[cells], wall)
    at_face = wall[faces // 4]
    # The narrow edges of a plate are opposite faces too, but farther apart.
    surface = faces[np.isfinite(at_face) & (across < ACROSS * at_face)]
    np.bitwise_or.at(mesh.skin, surface // 4, np.left_shift(1, surface % 4).astype(np.uint8))


def _opposite_faces(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (F,) outer faces, ``4 * cell + opposite corner``, and (F,) m from each to the opposite face."""
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    outer = np.flatnonzero(appears_once(faces))
    edges = _edges(points[cells])
    surface = Surface(points, faces[outer])
    inward = -area_vectors(surface)
    inward /= np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), TINY)
    reach = WALL * edges[outer // 4]
    starts = surface.corners.mean(axis=1) + RAY_OFFSET * reach[:, None] * inward
    across, other = RayGrid.of(surface).leaves(starts, inward, reach)
    across[np.einsum("fi,fi->f", inward, inward[other]) > -FACING] = np.inf
    return outer, across


def _thickness(points: np.ndarray, cells: np.ndarray, faces: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Return (C,) m, the thickness of the thin wall around each cell; infinite where the body is not a thin wall.

    It averages the distances ``across`` (F,) m of outer ``faces`` (F,) at nodes, then in cells.
    """
    at_node = np.full(len(points), np.inf)
    np.minimum.at(at_node, cells[:, CELL_FACES].reshape(-1, 3)[faces], across[:, None])
    corner_cells = np.repeat(np.arange(len(cells)), 4)
    result = _means(at_node[cells.ravel()], corner_cells, len(cells))
    # A wall of three layers has inner nodes, and cells without a node on the surface. They get neighbours' values.
    around = _means(result[corner_cells], cells.ravel(), len(points))
    result = _means(np.where(np.isinf(at_node), around, at_node)[cells.ravel()], corner_cells, len(cells))
    return np.where(result < WALL * _edges(points[cells]), result, np.inf)


def _means(values: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Return the (count,) means of the finite ``values`` (K,) in each group; infinite for a group without any."""
    known = np.isfinite(values)
    total, found = np.bincount(groups[known], values[known], count), np.bincount(groups[known], minlength=count)
    return np.divide(total, found, out=np.full(count, np.inf), where=found > 0)


def wall_nodes(mesh: Mesh) -> np.ndarray:
    """Return (N,) bool, nodes that only elements of thin walls use, or that lie on the surface of a thin wall."""
    walled, other = np.zeros((2, mesh.node_count), bool)
    wall = mesh.own < 1.0
    other[mesh.elements[~wall & ~mesh.ghost]] = True
    walled[mesh.elements[wall & ~mesh.ghost]] = True
    walled &= ~other
    for corner, face in enumerate(CELL_FACES):
        walled[mesh.elements[(mesh.skin >> corner & 1).astype(bool)][:, face]] = True
    return walled


def _own_share(corners: np.ndarray, wall: np.ndarray) -> np.ndarray:
    """Return the (C,) own share of cells (C, 4, 3) in walls of thickness ``wall`` (C,) m; 1 outside of thin walls."""
    own = 1.0 / (1.0 + SHARING * (_edges(corners) / wall) ** SHARING_EXPONENT)
    return np.where(np.isfinite(wall), np.maximum(own, MIN_OWN), 1.0)


def sharing(mesh: Mesh, rows: np.ndarray, stiffness_share: np.ndarray) -> Sharing:
    """Compute the weights of the shared stress.

    Args:
        mesh: The mesh.
        rows: (A,) active elements.
        stiffness_share: (A,) factors on their stiffness.
    """
    own = mesh.own[rows]
    if (own == 1.0).all():
        return NOTHING_SHARED
    given = 0.25 * (1.0 - own) * mesh.volume[rows]
    total = np.bincount(mesh.elements[rows].ravel(), np.repeat(given * stiffness_share, 4), mesh.node_count)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
    taken = 0.25 * (1.0 - own) * stiffness_share
    return Sharing(filled_up(own), filled_up(given), filled_up(taken), inverse, np.zeros((mesh.node_count, 6)))


def shared_stress(stress: np.ndarray, elements: np.ndarray, shared: Sharing) -> np.ndarray:
    """Return the stress of elements after sharing.

    Args:
        stress: (A, 3, 3) own stress of elements, Pa.
        elements: (A, 4) nodes.
        shared: Weights.

    Returns:
        (A, 3, 3) Pa.

    Notes:
        Liu, Nguyen-Thoi and Lam 2008, alpha finite element method. Own weights (docs/decisions/walls_share_stress.md).

    Example:
        Two elements with 0 and 6 Pa share half of their stress, weighted by their volume, 1/6 m3 each. The nodes of
        their common face have a mean of 3 Pa.

        >>> from ...data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> mesh = from_solid(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), 2400.0)
        >>> mesh.own[:] = 0.5
        >>> stress, weights = np.multiply.outer([0.0, 6.0], np.eye(3)), sharing(mesh, np.arange(2), np.ones(2))
        >>> shared_stress(stress, mesh.elements, weights)[:, 0, 0].round(9).tolist()
        [1.125, 4.875]
    """
    if not len(shared.own):
        return stress
    count = len(elements)
    mean = mean_stress(stress, elements, shared)[:, SIX_OF].reshape(-1, 9)
    taken = shared.taken[:count, None] * mean[elements].sum(axis=1)
    return shared.own[:count, None, None] * stress + taken.reshape(-1, 3, 3)


def mean_stress(stress: np.ndarray, elements: np.ndarray, shared: Sharing) -> np.ndarray:
    """Return the (N, 6) mean stress of nodes, Pa, less the bias; the arguments are those of ``shared_stress``."""
    given = (shared.given[: len(elements), None] * stress[:, SIX[0], SIX[1]]).repeat(4, axis=0)
    sums = [np.bincount(elements.ravel(), column, len(shared.inverse)) for column in given.T]
    return shared.inverse[:, None] * np.stack(sums, axis=1) - shared.bias


def _edges(corners: np.ndarray) -> np.ndarray:
    """Return the (C,) root mean square of the six edges of tetrahedra (C, 4, 3), m."""
    # The squares of all distances between points follow from their distances to the centre.
    arms = corners - corners.mean(axis=1, keepdims=True)
    return np.sqrt(2.0 / 3.0 * np.einsum("cki,cki->c", arms, arms))
