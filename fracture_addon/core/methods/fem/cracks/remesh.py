"""Crack a mesh through one node, or through several nodes along one plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from ....data.arrays import ReadOnlyArrays
from ..state import Mesh, Store
from .crack import NO_ROOM, OPENED, open_crack
from .star import separate


@dataclass(frozen=True)
class Crack(ReadOnlyArrays):
    """Result of cracking a node.

    Attributes:
        opened: False for a null crack: the plane does not divide the node. ``StressRelease.pause`` pauses such a node.
        nodes: (P,) int32, the node and its new copies. Another plane can crack any of them.
        front: (F,) int32, nodes on the plane where the crack ends inside the material.
    """

    opened: bool
    nodes: np.ndarray
    front: np.ndarray


class CrackPlane:
    """A crack plane in world space, with the sides of the nodes that it has met.

    An edge that crosses the plane is divided in the same proportion in rest space. Normals therefore need no mapping to
    rest space, and elements may be deformed in any way.

    Args:
        mesh: Cracks change it in place.
        node: A node of the plane.
        normal: (3,) in world space, of any length.

    Notes:
        O'Brien and Hodgins 1999, section 4.3.

    Example:
        A crack between two tetrahedra. Both get their own copy of each common node.

        >>> import numpy as np
        >>> from fracture_addon.core.data.solid import from_cells
        >>> from fracture_addon.core.methods.fem.state import from_solid
        >>> points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]], float)
        >>> solid = from_cells(points, np.array([[0, 1, 2, 3], [0, 2, 1, 4]]), np.empty((0, 4)))
        >>> mesh = from_solid(solid, density=1000.0)
        >>> CrackPlane(mesh, 0, np.array([0.0, 0.0, 1.0])).crack(0).opened
        True
        >>> mesh.node_count
        8
    """

    def __init__(self, mesh: Mesh, node: int, normal: np.ndarray):
        self.mesh = mesh
        self.point = mesh.position[node].copy()
        normal = np.asarray(normal, float)
        self.normal = normal / math.sqrt(normal @ normal)
        self.side_of_node = np.zeros(len(mesh.store.rest), np.int8)

    def crack(self, node: int) -> Crack:
        """Crack a node along the plane; enlarge the mesh if needed."""
        while True:
            status, nodes, front = open_crack(self.mesh.store, node, self.point, self.normal, self.side_of_node)
            if status != NO_ROOM:
                return Crack(status == OPENED, nodes, front)
            self.mesh.grow()
            unknown = np.zeros(len(self.mesh.store.rest) - len(self.side_of_node), np.int8)
            self.side_of_node = np.append(self.side_of_node, unknown)


def advance_crack(
    mesh: Mesh,
    node: int,
    normal: np.ndarray,
    reach: float,
    fails: Callable[[np.ndarray], np.ndarray] | None = None,
) -> list[Crack]:
    """Crack through a node, and advance the crack along the same plane over several elements.

    Args:
        mesh: Changed in place.
        node: Where the crack starts.
        normal: As for ``CrackPlane``.
        reach: Largest distance of the crack from the node in world space, m.
        fails: Maps (F,) nodes of the crack front to (F,) bool, whether they fail too; ``None`` if all do.

    Returns:
        The opened cracks in order, without null cracks.

    Notes:
        O'Brien and Hodgins 2000 (CACM).

    Example:
        A plane along X cuts a tetrahedron at half of its height. The crack is one step.

        >>> from ....data.solid import from_cells
        >>> from ..state import component_of_element, from_solid
        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 1]], [[0, 1, 2, 3]], []), 1000.0)
        >>> cracks = advance_crack(mesh, 0, np.array([0.0, 1.0, 0.0]), reach=10.0)
        >>> len(cracks), int(component_of_element(mesh).max()) + 1
        (1, 2)
    """
    plane = CrackPlane(mesh, node, normal)
    cracks, waiting, tried = [], [node], {node}
    while waiting:
        crack = plane.crack(waiting.pop(0))
        if not crack.opened:
            continue
        cracks.append(crack)
        near = np.linalg.norm(mesh.position[crack.front] - plane.point, axis=1) <= reach
        front = np.array([tip for tip in crack.front[near] if int(tip) not in tried], np.int32)
        if fails is not None and len(front):
            front = front[fails(front)]
        tried.update(front.tolist())
        waiting.extend(front.tolist())
    return cracks


def separate_all(mesh: Mesh) -> int:
    """Separate parts that touch only in an edge or a point.

    Call this once, before the first crack. Every crack keeps the mesh in that state.

    Args:
        mesh: Changed in place.

    Returns:
        Number of new nodes.

    Example:
        Two elements share an edge, but no face.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> corners = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]
        >>> separate_all(from_solid(from_cells(corners, [[0, 1, 2, 3], [0, 1, 4, 5]], []), 2400.0))
        2
    """
    before = mesh.node_count
    while mesh.node_count + 4 * mesh.element_count > len(mesh.store.rest):
        mesh.grow()
    _separate_kernel(mesh.store, np.unique(mesh.elements[~mesh.ghost]))
    return mesh.node_count - before


@njit(cache=True)
def _separate_kernel(store: Store, nodes: np.ndarray) -> None:
    """Separate the star of each of ``nodes``."""
    for node in nodes:
        separate(store, node)
