"""Cracks in a mesh: one node at a time, or running on along their plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from ..mesh import Mesh
from .crack import NO_ROOM, OPENED, open_crack
from .star import separate


@dataclass(frozen=True)
class Crack:
    """What became of a node.

    Attributes:
        opened: False for a null crack: nothing around the node lies on the other side. Lock such a node for a while.
        nodes: (P,) int32, the node and the copies that its other sides have now. A further plane can go through any.
        front: (F,) int32, the nodes on the plane at which the crack ends, inside the material.
        bisected: Whether elements were cut, which a null crack does only rarely.
    """

    opened: bool
    nodes: np.ndarray
    front: np.ndarray
    bisected: bool


def split_node(mesh: Mesh, node: int, normal: np.ndarray) -> Crack:
    """Crack the material through a node.

    The plane is given in world space, as in the paper; where it crosses an edge, the edge is divided in the same
    proportion in rest, so that no mapping of normals is needed, and elements may be deformed in any way.

    Args:
        mesh: Changed in place.
        node: One that an element with mass has.
        normal: (3,) of the plane in world space, of any length.
    """
    return _Plane(mesh, node, normal).crack(node)


class _Plane:
    """A plane in world space that cracks nodes of a mesh, and remembers which nodes are on which side of it."""

    def __init__(self, mesh: Mesh, node: int, normal: np.ndarray):
        self.mesh = mesh
        self.point = mesh.position[node].copy()
        normal = np.asarray(normal, float)
        self.normal = normal / math.sqrt(normal @ normal)
        self.side_of_node = np.zeros(len(mesh.store.rest), np.int8)

    def crack(self, node: int) -> Crack:
        before = self.mesh.element_count
        while True:
            outcome, nodes, front = open_crack(self.mesh.store, node, self.point, self.normal, self.side_of_node)
            if outcome != NO_ROOM:
                return Crack(outcome == OPENED, nodes, front, self.mesh.element_count > before)
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
    """Crack through a node, and run on along the same plane over several elements (CACM 2000).

    Args:
        mesh: Changed in place.
        node: Where it starts.
        normal: As for ``split_node``.
        reach: Metres from the node in world space, as far as the crack may have run within a time step.
        fails: Given (F,) nodes at the front, tells which of them fail too, (F,) bool, by an estimate of the stress
            there; left out, all do.

    Returns:
        The cracks, the first one first; null ones are left out.
    """
    plane = _Plane(mesh, node, normal)
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
    """Give parts that touch in an edge or a point only nodes of their own, and return how many copies that took.

    To be done once, before the first crack; every crack leaves the mesh in that state.
    """
    before = mesh.node_count
    while mesh.node_count + 4 * mesh.element_count > len(mesh.store.rest):
        mesh.grow()
    _separate_kernel(mesh.store, np.unique(mesh.elements[~mesh.ghost]))
    return mesh.node_count - before


@njit(cache=True)
def _separate_kernel(store, nodes):
    for node in nodes:
        separate(store, node)
