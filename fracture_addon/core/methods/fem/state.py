"""The data of finite elements that vary in time: a mesh that cracks, with arrays that grow in place.

The same rows hold two meshes. The *mesh* is the material: the two faces of an open crack have separate nodes. The
*rest complex* has the same tetrahedra with every node replaced by its ``rest_node``. It never opens. It is refined
with the mesh and stays conforming, so that it can cut the surface into fragments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...data.arrays import ReadOnlyArrays
from ...data.mixture import Part
from ...data.solid import SolidModel, cell_edge, from_cells, shared_faces
from ...numerics.components import components
from ..method import RigidMotion

# Marks the end of a list of corners, and an index that does not exist.
NONE = -1


class Store(NamedTuple):
    """All arrays of a mesh at full capacity; kernels take this. Only the first ``counts`` rows are in use.

    Attributes:
        counts: (2,) int64, number of nodes and number of elements.
        rest: (N, 3) m, material coordinates of the nodes.
        position, velocity: (N, 3) m and m/s in world space.
        mass: (N,) kg, lumped; 0 for a node that only ghosts use.
        rest_node: (N,) int32, the node of the rest complex that a node is a copy of: the first of all its copies.
        origin: (N, 2) int32, the two ends of the edge on which a node was created; twice the same node for a copy that
            a crack made; -1 for an initial node.
        mean_stress: (N, 6) Pa, stress that elements of thin walls share at a node (xx yy zz yz xz xy), written by
            ``advance.Leapfrog.store_mean_stress``.
        first_corner: (N,) int32, head of the list of corners around a rest node; -1 for a node that is a copy.
        elements: (E, 4) int32 nodes, positively oriented in rest space. Ghosts use rest nodes.
        next_corner: (E, 4) int32, the next corner around the same rest node. A corner is ``4 * element + k``.
        parent: (E,) int32, the initial element that contains an element: a row of the solid's cells, then padding.
        ghost: (E,) bool, padding elements without mass around the body; they keep the rest complex conforming.
        density: (E,) kg/m3, 0 for ghosts.
        size: (E,) m, edge of a regular tetrahedron with the volume of the parent.
        volume: (E,) m3, in rest space.
        basis: (E, 3, 3) 1/m, inverse of the matrix whose columns are the rest edges from the first corner. The
            deformation gradient is the matrix of the same edges in world space times ``basis``
            (O'Brien and Hodgins 1999, eq. 16, without its last row and column).
        plastic_strain: (E, 3, 3), of the material in an element.
        own: (E,) share of its own stress that an element uses; less than 1 in thin walls, see ``walls``.
        skin: (E,) uint8, bit k marks the face opposite corner k if it lies on the surface of a thin wall.
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


def _rows_of(name: str, which: int) -> property:
    """Return a property: the rows in use of an array, ``which`` 0 per node and 1 per element."""
    return property(lambda mesh: getattr(mesh.store, name)[: mesh.store.counts[which]])


@dataclass(frozen=True)
class Objects(ReadOnlyArrays):
    """The objects of a body that joins several.

    Attributes:
        parts: Material and settings of each.
        of_cell: (C,) row of ``parts`` of each cell.
        moduli: (C,) stiffness and viscosity of each cell over those of the body's law.
        lightness: (C,) density of the body's law over that of each cell.
    """

    parts: tuple[Part, ...]
    of_cell: np.ndarray
    moduli: np.ndarray
    lightness: np.ndarray

    def of_element(self, parents: np.ndarray) -> np.ndarray:
        """Return the row (E,) of ``parts`` of elements with ``parents`` (E,); -1 for padding."""
        return np.append(self.of_cell, NONE)[np.minimum(parents, len(self.of_cell))]


class Mesh:
    """A mesh that cracks change in place.

    Its attributes are views of the rows in use, with the names and meanings of ``Store``. Write into them
    (``mesh.position[...] += step``). Fetch them again after a crack, because a crack may reallocate the arrays.
    """

    def __init__(self, store: Store, fibres: np.ndarray | None = None, objects: Objects | None = None):
        """Wrap a store.

        Args:
            store: All arrays.
            fibres: (C, 3) unit directions of the grain in the cells of the solid, rest space; ``None`` without grain.
            objects: The objects of a body that joins several; ``None`` for a body of one object.
        """
        self.store, self.objects = store, objects
        self.fibres = np.empty((0, 3)) if fibres is None else fibres

    def fibres_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the directions of the grain (A, 3) in the elements ``rows`` (A,); (0, 3) without grain."""
        return self.fibres[self.parent[rows]] if len(self.fibres) else self.fibres

    @property
    def node_count(self) -> int:
        """Number of nodes, including copies and nodes of ghosts."""
        return int(self.store.counts[0])

    @property
    def element_count(self) -> int:
        """Number of elements, including ghosts."""
        return int(self.store.counts[1])

    rest, position, velocity, mass, rest_node, origin, mean_stress, first_corner = (
        _rows_of(name, 0) for name in _NODE_ARRAYS
    )
    elements, next_corner, parent, ghost, density, size, volume, basis, plastic_strain, own, skin = (
        _rows_of(name, 1) for name in _ELEMENT_ARRAYS
    )

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the rows in use of all arrays; see ``restore``."""
        return {name: getattr(self, name) for name in (*_NODE_ARRAYS, *_ELEMENT_ARRAYS)}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Take the arrays of a ``snapshot``."""
        counts = np.array([len(snapshot["rest"]), len(snapshot["elements"])])
        self.store = Store(counts, **snapshot)
        self.grow()

    def grow(self) -> None:
        """Double the capacity."""
        names = ((_NODE_ARRAYS, self.node_count), (_ELEMENT_ARRAYS, self.element_count))
        grown = {name: _doubled(getattr(self.store, name), count) for group, count in names for name in group}
        self.store = self.store._replace(**grown)


def _doubled(array: np.ndarray, count: int) -> np.ndarray:
    # np.zeros takes no physical memory for the rows that are never written.
    grown = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    grown[:count] = array[:count]
    return grown


def from_solid(
    solid: SolidModel,
    density: float,
    motion: RigidMotion | None = None,
    fibres: np.ndarray | None = None,
    objects: Objects | None = None,
) -> Mesh:
    """Create an undeformed mesh, at rest or in rigid motion.

    Node rows are those of ``solid.points``. Element rows are the cells, then the padding cells as ghosts. Parts of the
    solid that touch only in an edge or a point share nodes until ``remesh.separate_all`` separates them.

    Args:
        solid: Cells and padding.
        density: kg/m3; cells of several objects have their own.
        motion: Rigid motion of the whole body about its centre of mass; ``None`` at rest.
        fibres: (C, 3) unit directions of the grain in the cells, rest space; ``None`` without grain.
        objects: The objects of a body that joins several; ``None`` for a body of one object.

    Returns:
        The mesh.

    Example:
        Each node has a quarter of the mass of an element of 1/6 m3.

        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []), 2400.0)
        >>> mesh.mass.round(6).tolist(), mesh.basis[0].tolist()
        ([100.0, 100.0, 100.0, 100.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """
    elements = np.concatenate([solid.cells, solid.padding_cells])
    ghost = np.arange(len(elements)) >= solid.cell_count
    edges = np.swapaxes(solid.points[elements[:, 1:]] - solid.points[elements[:, :1]], 1, 2)
    volume = np.linalg.det(edges) / 6.0
    densities = np.zeros(len(elements))
    densities[: solid.cell_count] = density if solid.mixture is None else solid.mixture.densities
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
        size=cell_edge(np.abs(volume)),
        volume=volume,
        basis=_inverse(edges, volume),
        plastic_strain=np.zeros((len(elements), 3, 3)),
        own=np.ones(len(elements)),
        skin=np.zeros(len(elements), np.uint8),
    )
    mesh = Mesh(store, fibres, objects)
    mesh.grow()
    return mesh


def lumped(elements: np.ndarray, masses: np.ndarray, node_count: int) -> np.ndarray:
    """Return the lumped masses of nodes: a quarter of those of the elements around.

    Args:
        elements: (E, 4) nodes.
        masses: (E,) kg.
        node_count: N.

    Returns:
        (N,) kg.

    Example:
        >>> lumped(np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), np.array([4.0, 8.0]), 5).tolist()
        [1.0, 3.0, 3.0, 3.0, 2.0]
    """
    return np.bincount(elements.ravel(), np.repeat(0.25 * masses, 4), node_count)


def _corner_lists(elements: np.ndarray, node_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return heads (N,) and links (E, 4) of the list of corners around each node, in rising order."""
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
    """Return the (E, 3, 3) inverses of the matrices of edges; zero for a ghost without positive volume."""
    a, b, c = np.moveaxis(edges, 2, 0)
    rows = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    determinant = 6.0 * volume[:, None, None]
    return np.divide(rows, determinant, out=np.zeros_like(rows), where=determinant > 0.0)


def component_of_element(mesh: Mesh, joined: np.ndarray | None = None) -> np.ndarray:
    """Label the connected parts of a mesh. Elements are connected by shared faces, and by joints between objects.

    Args:
        mesh: The mesh.
        joined: (J, 2) elements that joints connect; ``None`` for none.

    Returns:
        (E,) int32, in the order of the first elements of the parts; -1 for ghosts.

    Example:
        Two elements with a common face, and one that shares only an edge with the second.

        >>> corners = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0], [5, 5, 5]]
        >>> mesh = from_solid(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4], [0, 2, 4, 5]], []), 2400.0)
        >>> component_of_element(mesh).tolist()
        [0, 0, 1]
    """
    rows = np.flatnonzero(~mesh.ghost)
    _, pairs = shared_faces(mesh.rest, mesh.elements[rows])
    if joined is not None:
        pairs = np.concatenate([pairs, np.searchsorted(rows, joined)])
    component = np.full(mesh.element_count, -1, np.int32)
    component[rows] = components(pairs, len(rows))
    return component


def crack_faces(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Find the faces along which elements are separated, including cracks that have not opened yet.

    Returns:
        (F, 3) int32 nodes of the first element's face, wound out of it; (F, 2) rows of the elements on both sides.
    """
    rows = np.flatnonzero(~mesh.ghost)
    elements = mesh.elements[rows]
    in_complex = mesh.rest_node[elements]
    faces, pairs = shared_faces(mesh.rest, in_complex)
    face_nodes = []
    for side in pairs.T:
        corner = (in_complex[side][:, None, :] == faces[:, :, None]).argmax(axis=2)
        face_nodes.append(np.take_along_axis(elements[side], corner, axis=1))
    separated = (face_nodes[0] != face_nodes[1]).any(axis=1)
    return face_nodes[0][separated], rows[pairs[separated]].astype(np.int32)


def rest_solid(mesh: Mesh) -> SolidModel:
    """Return the refined rest complex, which cuts the artist's surface.

    Its cells are the elements with mass, in their order; label them with
    ``component_of_element(mesh)[~mesh.ghost]``. Its padding is the ghosts.
    """
    complex_elements = mesh.rest_node[mesh.elements]
    used, elements = np.unique(complex_elements, return_inverse=True)
    elements = elements.reshape(-1, 4)
    return from_cells(mesh.rest[used], elements[~mesh.ghost], elements[mesh.ghost])
