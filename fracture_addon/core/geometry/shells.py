"""Edges of a surface, its connected shells, and a consistent winding for each shell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..data.arrays import ReadOnlyArrays
from ..data.surface import Surface
from .inside import winding_numbers
from .intersections import crossing_faces


@dataclass(frozen=True)
class Edges(ReadOnlyArrays):
    """The undirected edges of a set of triangles.

    Attributes:
        ends: (E, 2) points, the lower row first.
        forward: (E,) number of faces that run along the edge from its first end to its second.
        backward: (E,) number of faces that run in the opposite direction.
        of_corner: (F, 3) edge that starts at each corner of each face.
    """

    ends: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    of_corner: np.ndarray

    @property
    def face_count(self) -> np.ndarray:
        """Number (E,) of faces at each edge."""
        return self.forward + self.backward


def edges(faces: np.ndarray) -> Edges:
    """Return the edges of faces.

    Args:
        faces: (F, 3) points.

    Returns:
        The edges, sorted by their ends.

    Notes:
        Own: the two ends of an edge become one number, and NumPy's sort finds the distinct numbers.

    Example:
        >>> table = edges(np.array([[0, 1, 2], [2, 1, 3]]))
        >>> table.ends.tolist(), table.face_count.tolist()
        ([[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]], [1, 1, 2, 1, 1])
    """
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    stride = int(faces.max(initial=0)) + 1
    key, of_corner = np.unique(np.minimum(start, end) * stride + np.maximum(start, end), return_inverse=True)
    of_corner = of_corner.reshape(-1)
    forward = np.bincount(of_corner[start < end], minlength=len(key))
    backward = np.bincount(of_corner[start > end], minlength=len(key))
    return Edges(np.stack([key // stride, key % stride], axis=1), forward, backward, of_corner.reshape(-1, 3))


def is_closed(faces: np.ndarray) -> bool:
    """Return whether faces bound a solid.

    Args:
        faces: (F, 3) points.

    Returns:
        Whether each edge has as many faces in one direction as in the other, and there are faces.

    Example:
        A tetrahedron, and one without a face.

        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> is_closed(faces), is_closed(faces[1:])
        (True, False)
    """
    table = edges(faces)
    return bool(len(faces)) and bool((table.forward == table.backward).all())


def shell_of_face(table: Edges) -> np.ndarray:
    """Return the connected shell of each face. Faces with a common edge are in the same shell.

    Args:
        table: Edges of the faces.

    Returns:
        (F,) numbers from 0.

    Example:
        >>> shell_of_face(edges(np.array([[0, 1, 2], [2, 1, 3], [4, 5, 6]]))).tolist()
        [0, 0, 1]
    """
    return _faces_over_edges(table, table.face_count > 0)[1]


def faces_to_flip(faces: np.ndarray) -> np.ndarray:
    """Return the faces whose winding must change so that each shell has a consistent winding.

    Only edges of two faces connect a shell here. The winding of the majority of the shell is kept.

    Args:
        faces: (F, 3) points.

    Returns:
        (F,) bool.

    Notes:
        A flood over the faces, breadth first (Moore 1959).

    Example:
        >>> faces_to_flip(np.array([[0, 2, 1], [0, 1, 3], [1, 3, 2], [0, 3, 2]])).tolist()
        [False, False, True, False]
    """
    table = edges(faces)
    graph, label = _faces_over_edges(table, table.face_count == 2)
    agree = _agreement(table)
    turn = np.zeros(len(faces), bool)
    if agree.all():
        return turn
    half_edges = _half_edge_between(table)
    for shell in np.flatnonzero(np.bincount(label[~agree], minlength=label.max(initial=0) + 1)):
        rows = np.flatnonzero(label == shell)
        part = graph[rows][:, rows]
        order, before = breadth_first_order(part, 0, directed=False)
        for row in order[1:]:
            one, other = int(rows[before[row]]), int(rows[row])
            same_way = half_edges[min(one, other), max(one, other)]
            turn[other] = turn[one] ^ same_way
        if 2 * turn[rows].sum() > len(rows):
            turn[rows] = ~turn[rows]
    return turn


def _faces_over_edges(table: Edges, wanted: np.ndarray) -> tuple[csr_array, np.ndarray]:
    """Return the graph (F, F) of faces that share one of the wanted edges, and its components (F,)."""
    face_count, edge_count = len(table.of_corner), len(table.ends)
    rows = np.repeat(np.arange(face_count), 3)
    columns = table.of_corner.ravel()
    kept = wanted[columns]
    incidence = coo_array((np.ones(kept.sum()), (rows[kept], columns[kept])), shape=(face_count, edge_count)).tocsr()
    graph = (incidence @ incidence.T).tocsr()
    return graph, connected_components(graph, directed=False)[1]


def _agreement(table: Edges) -> np.ndarray:
    """Return the faces (F,) bool whose winding agrees with all neighbours over edges of two faces."""
    wrong = (table.face_count == 2) & (table.forward != 1)
    return ~wrong[table.of_corner].any(axis=1)


def _half_edge_between(table: Edges) -> dict[tuple[int, int], bool]:
    """Return, for each pair of faces at an edge of two faces, whether both run along it in the same direction."""
    order = np.argsort(table.of_corner.ravel(), kind="stable")
    faces = np.repeat(np.arange(len(table.of_corner)), 3)[order]
    first = np.concatenate([[0], np.cumsum(table.face_count)[:-1]])
    two = np.flatnonzero(table.face_count == 2)
    pairs = np.stack([faces[first[two]], faces[first[two] + 1]], axis=1)
    return {
        (int(low), int(high)): bool(same)
        for (low, high), same in zip(np.sort(pairs, axis=1), table.forward[two] != 1, strict=True)
    }


def shell_volumes(surface: Surface, label: np.ndarray) -> np.ndarray:
    """Return the signed volume of each shell.

    Args:
        surface: Closed surface.
        label: (F,) shell of each face, 0 to S - 1.

    Returns:
        (S,) m3; positive for outward normals.

    Notes:
        The divergence theorem, as in Mirtich 1996, Fast and Accurate Computation of Polyhedral Mass Properties.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> (6.0 * shell_volumes(surface, np.zeros(4, int))).round(9).tolist()
        [1.0]
    """
    corners = surface.corners - surface.points.mean(axis=0)
    return np.bincount(label, np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)


def containment(surface: Surface, label: np.ndarray) -> np.ndarray:
    """Return which closed shells contain which others.

    Args:
        surface: Closed surface whose shells do not cross.
        label: (F,) shell of each face, 0 to S - 1.

    Returns:
        (S, S) bool: whether the shell of a row contains that of a column.

    Notes:
        Own: the winding number at the centroid of one face of each shell.

    Example:
        A tetrahedron in another one.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> two = Surface(np.vstack([corners, 0.2 + 0.2 * corners]), np.vstack([faces, faces + 4]))
        >>> containment(two, np.repeat([0, 1], 4)).tolist()
        [[False, True], [False, False]]
    """
    shell_count = int(label.max(initial=-1)) + 1
    first_face = np.unique(label, return_index=True)[1]
    probes = surface.corners[first_face].mean(axis=1)
    inside = np.zeros((shell_count, shell_count), bool)
    corners = surface.corners
    for shell in range(shell_count):
        rows = np.flatnonzero(label == shell)
        low, high = corners[rows].min(axis=(0, 1)), corners[rows].max(axis=(0, 1))
        near = ((probes > low) & (probes < high)).all(axis=1)
        near[shell] = False
        if near.any():
            inside[shell, near] = winding_numbers(Surface(surface.points, surface.faces[rows]), probes[near]) != 0
    return inside


def cavities(surface: Surface, label: np.ndarray, crossing: np.ndarray) -> np.ndarray:
    """Find the shells that bound a cavity: inside another shell, with inward normals, and without crossing others.

    A cavity may cross itself, as the inner surface of a thick wall does in bends.

    Args:
        surface: Closed surface.
        label: (F,) shell of each face.
        crossing: (F,) bool, faces that cross another face.

    Returns:
        (S,) bool.

    Notes:
        Own: the sign of the volume and ``containment``.

    Example:
        A tetrahedron with a hollow.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> hollow = Surface(np.vstack([corners, 0.2 + 0.2 * corners]), np.vstack([faces, faces[:, ::-1] + 4]))
        >>> cavities(hollow, np.repeat([0, 1], 4), np.zeros(8, bool)).tolist()
        [False, True]
    """
    inwards = shell_volumes(surface, label) < 0.0
    for shell in np.flatnonzero(inwards & (np.bincount(label, crossing) > 0)):
        rows = np.flatnonzero(label == shell)
        inwards[shell] = (crossing_faces(surface.points, surface.faces[rows]) == crossing[rows]).all()
    return inwards & containment(surface, label).any(axis=0)
