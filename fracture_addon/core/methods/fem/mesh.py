"""The finite-element mesh while it cracks: arrays that grow in place, and who shares which node.

Two meshes live in the same rows. The *mesh* is the material: where a crack has opened, its two sides have nodes of
their own. The *rest complex* is the same tetrahedra with every node replaced by its ``rest_node``: it never opens, is
refined with the mesh, and stays conforming, so that fragments can be cut by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...data.solid import SolidModel, from_cells, shared_faces
from ...numerics.components import components
from ..method import RigidMotion

# An end of a list of corners.
NONE = -1


class Store(NamedTuple):
    """All arrays of a mesh at their full capacity; only the first rows count. Kernels take this.

    Attributes:
        counts: (2,) int64, how many nodes and elements there are.
        rest: (N, 3) metres, material coordinates of the nodes.
        position, velocity: (N, 3) metres and m/s in world space.
        mass: (N,) kilograms, lumped; 0 for a node that only ghosts have.
        rest_node: (N,) int32, the node of the rest complex that a node is a copy of: the first of all its copies.
        origin: (N, 2) int32, the two nodes that a node was put between on an edge; twice the same one for a copy of it
            that a crack made; -1 for an initial node.
        mean_stress: (N, 6) Pa, what elements of walls share at a node, as last taken down (xx yy zz yz xz xy), see
            ``integrate.Leapfrog.take_down``.
        first_corner: (N,) int32, head of the list of corners around a rest node; -1 for a node that is a copy.
        elements: (E, 4) int32 nodes, positively oriented in rest. Ghosts have rest nodes.
        next_corner: (E, 4) int32, the next corner around the same rest node. A corner is ``4 * element + k``.
        parent: (E,) int32, the initial element that an element is a part of: a row of the solid's cells, then padding.
        ghost: (E,) bool, elements without mass around the body that only keep the rest complex whole.
        density: (E,) kg/m3, 0 for ghosts.
        size: (E,) metres, edge of a regular tetrahedron as large as the parent.
        volume: (E,) m3, in rest.
        basis: (E, 3, 3) 1/m, the inverse of the matrix whose columns are the edges from the first corner in rest, so
            that the deformation gradient is the matrix of the same edges in world space times ``basis``
            (O'Brien and Hodgins 1999, eq. 16, without its last row and column).
        plastic_strain: (E, 3, 3), of the material that an element is made of.
        own: (E,) share of its own stress that an element bears; less than 1 in walls, see ``walls``.
        skin: (E,) uint8, bit k for a face across from corner k that lies on a side of a wall.
    """

    counts: np.ndarray
    rest: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    mass: np.ndarray
    rest_node: np.ndarray
    origin: np.ndarray
    mean_stress: np.ndarray
    first_corner: np.ndarray
    elements: np.ndarray
    next_corner: np.ndarray
    parent: np.ndarray
    ghost: np.ndarray
    density: np.ndarray
    size: np.ndarray
    volume: np.ndarray
    basis: np.ndarray
    plastic_strain: np.ndarray
    own: np.ndarray
    skin: np.ndarray


_NODE_ARRAYS = ("rest", "position", "velocity", "mass", "rest_node", "origin", "mean_stress", "first_corner")
_ELEMENT_ARRAYS = Store._fields[Store._fields.index("elements") :]


def _rows_of(name: str, which: int):
    return property(lambda mesh: getattr(mesh.store, name)[: mesh.store.counts[which]])


class Mesh:
    """A mesh that cracks change in place.

    Its attributes are views of the rows in use, with the names and meanings of ``Store``. Write into them
    (``mesh.position[...] += step``); fetch them again after a crack, which may have moved the arrays.
    """

    def __init__(self, store: Store):
        self.store = store

    @property
    def node_count(self) -> int:
        """Nodes, copies and those of ghosts included."""
        return int(self.store.counts[0])

    @property
    def element_count(self) -> int:
        """Elements, ghosts included."""
        return int(self.store.counts[1])

    rest, position, velocity, mass, rest_node, origin, mean_stress, first_corner = (
        _rows_of(name, 0) for name in _NODE_ARRAYS
    )
    elements, next_corner, parent, ghost, density, size, volume, basis, plastic_strain, own, skin = (
        _rows_of(name, 1) for name in _ELEMENT_ARRAYS
    )

    def grow(self) -> None:
        """Double the capacity."""
        names = ((_NODE_ARRAYS, self.node_count), (_ELEMENT_ARRAYS, self.element_count))
        grown = {name: _doubled(getattr(self.store, name), count) for group, count in names for name in group}
        self.store = self.store._replace(**grown)


def _doubled(array: np.ndarray, count: int) -> np.ndarray:
    # Memory that nobody writes to costs nothing.
    grown = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    grown[:count] = array[:count]
    return grown


def from_solid(solid: SolidModel, density: float, motion: RigidMotion | None = None) -> Mesh:
    """A mesh at rest in its material coordinates, or moving rigidly.

    Node rows are those of ``solid.points``; element rows are the cells, then the padding cells as ghosts. Parts of
    the solid that touch in an edge or a point only are no joint: ``remesh.separate_all`` gives them nodes of their own.

    Args:
        solid: Cells and padding.
        density: kg/m3.
        motion: Of the whole body about its centre of mass.
    """
    elements = np.concatenate([solid.cells, solid.padding_cells])
    ghost = np.arange(len(elements)) >= solid.cell_count
    edges = np.swapaxes(solid.points[elements[:, 1:]] - solid.points[elements[:, :1]], 1, 2)
    volume = np.linalg.det(edges) / 6.0
    densities = np.where(ghost, 0.0, density)
    mass = lumped(elements, densities * volume, len(solid.points))
    velocity = np.zeros_like(solid.points)
    if motion is not None:
        center = mass @ solid.points / mass.sum()
        velocity = motion.velocity + np.cross(motion.angular_velocity, solid.points - center)
    first_corner, next_corner = _corner_lists(elements, len(solid.points))
    store = Store(
        counts=np.array([len(solid.points), len(elements)]),
        rest=solid.points.copy(),
        position=solid.points.copy(),
        velocity=velocity,
        mass=mass,
        rest_node=np.arange(len(solid.points), dtype=np.int32),
        origin=np.full((len(solid.points), 2), NONE, np.int32),
        mean_stress=np.zeros((len(solid.points), 6)),
        first_corner=first_corner,
        elements=elements,
        next_corner=next_corner,
        parent=np.arange(len(elements), dtype=np.int32),
        ghost=ghost,
        density=densities,
        size=np.cbrt(6.0 * np.sqrt(2.0) * np.abs(volume)),
        volume=volume,
        basis=_inverse(edges, volume),
        plastic_strain=np.zeros((len(elements), 3, 3)),
        own=np.ones(len(elements)),
        skin=np.zeros(len(elements), np.uint8),
    )
    mesh = Mesh(store)
    mesh.grow()
    return mesh


def lumped(elements: np.ndarray, masses: np.ndarray, node_count: int) -> np.ndarray:
    """(N,) kg of nodes, a quarter each of the ``masses`` (E,) of the elements (E, 4) around them."""
    return np.bincount(elements.ravel(), np.repeat(0.25 * masses, 4), node_count)


def _corner_lists(elements: np.ndarray, node_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Heads and links of the list of corners around each node, in rising order."""
    corners = np.argsort(elements.ravel(), kind="stable").astype(np.int32)
    nodes = elements.ravel()[corners]
    starts = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1]))
    first = np.full(node_count, NONE, np.int32)
    first[nodes[starts]] = corners[starts]
    following = np.append(corners[1:], np.int32(NONE))
    following[starts[1:] - 1] = NONE
    links = np.empty(elements.size, np.int32)
    links[corners] = following
    return first, links.reshape(-1, 4)


def _inverse(edges: np.ndarray, volume: np.ndarray) -> np.ndarray:
    """(E, 3, 3) inverses of the matrices of edges; zero where a ghost has no volume to speak of."""
    a, b, c = np.moveaxis(edges, 2, 0)
    rows = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    determinant = 6.0 * volume[:, None, None]
    return np.divide(rows, determinant, out=np.zeros_like(rows), where=determinant > 0.0)


def component_of_element(mesh: Mesh) -> np.ndarray:
    """(E,) int32, which piece each element belongs to: pieces hang together by faces; -1 for ghosts.

    Pieces are numbered in the order of their first elements.
    """
    rows = np.flatnonzero(~mesh.ghost)
    _, pairs = shared_faces(mesh.rest, mesh.elements[rows])
    component = np.full(mesh.element_count, -1, np.int32)
    component[rows] = components(pairs, len(rows))
    return component


def crack_faces(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """The faces along which elements have come apart, also where a crack has not opened yet.

    Returns:
        (F, 3) int32 nodes of one side, wound out of the first element; (F, 2) rows of elements on both sides.
    """
    rows = np.flatnonzero(~mesh.ghost)
    elements = mesh.elements[rows]
    in_complex = mesh.rest_node[elements]
    faces, pairs = shared_faces(mesh.rest, in_complex)
    sides = []
    for side in pairs.T:
        corner = (in_complex[side][:, None, :] == faces[:, :, None]).argmax(axis=2)
        sides.append(np.take_along_axis(elements[side], corner, axis=1))
    apart = (sides[0] != sides[1]).any(axis=1)
    return sides[0][apart], rows[pairs[apart]].astype(np.int32)


def rest_solid(mesh: Mesh) -> SolidModel:
    """The refined rest complex, to cut the artist's surface by.

    Its cells are the elements that are no ghosts, in their order (label them by
    ``component_of_element(mesh)[~mesh.ghost]``); ghosts are its padding.
    """
    complex_elements = mesh.rest_node[mesh.elements]
    used, elements = np.unique(complex_elements, return_inverse=True)
    elements = elements.reshape(-1, 4)
    return from_cells(mesh.rest[used], elements[~mesh.ghost], elements[mesh.ghost])
