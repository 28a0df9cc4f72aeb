"""The edges of a surface, the shells that they tie together, and a common winding for each shell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..data.surface import Surface
from .inside import winding_numbers
from .intersections import crossing_faces


@dataclass(frozen=True)
class Edges:
    """The undirected edges of a set of triangles.

    Attributes:
        ends: (E, 2) points, the lower row first.
        forward, backward: (E,) how many faces run along the edge from its first end to its second, and against it.
        of_corner: (F, 3) the edge that starts at each corner of each face.
    """

    ends: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    of_corner: np.ndarray

    @property
    def face_count(self) -> np.ndarray:
        """(E,) faces at each edge."""
        return self.forward + self.backward


def edges(faces: np.ndarray) -> Edges:
    """The edges of (F, 3) faces."""
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    stride = int(faces.max(initial=0)) + 1
    key, of_corner = np.unique(np.minimum(start, end) * stride + np.maximum(start, end), return_inverse=True)
    of_corner = of_corner.reshape(-1)
    forward = np.bincount(of_corner[start < end], minlength=len(key))
    backward = np.bincount(of_corner[start > end], minlength=len(key))
    return Edges(np.stack([key // stride, key % stride], axis=1), forward, backward, of_corner.reshape(-1, 3))


def is_closed(faces: np.ndarray) -> bool:
    """Whether every edge of (F, 3) faces has as many faces on the one side as on the other, and there are faces."""
    table = edges(faces)
    return bool(len(faces)) and bool((table.forward == table.backward).all())


def shell_of_face(table: Edges) -> np.ndarray:
    """(F,) which connected shell each face belongs to; faces that share an edge are of one shell."""
    return _faces_over_edges(table, table.face_count > 0)[1]


def wound_alike(faces: np.ndarray) -> np.ndarray:
    """(F,) bool, faces to turn so that neighbours over an edge of two faces agree with the majority of their shell."""
    table = edges(faces)
    graph, label = _faces_over_edges(table, table.face_count == 2)
    agree = _agreement(faces, table)
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


def _faces_over_edges(table: Edges, wanted: np.ndarray):
    """The graph of faces that share one of the wanted edges, and its components."""
    face_count, edge_count = len(table.of_corner), len(table.ends)
    rows = np.repeat(np.arange(face_count), 3)
    columns = table.of_corner.ravel()
    kept = wanted[columns]
    incidence = coo_array((np.ones(kept.sum()), (rows[kept], columns[kept])), shape=(face_count, edge_count)).tocsr()
    graph = (incidence @ incidence.T).tocsr()
    return graph, connected_components(graph, directed=False)[1]


def _agreement(faces: np.ndarray, table: Edges) -> np.ndarray:
    """(F,) bool, faces none of whose two-face edges is run along twice in one direction."""
    wrong = (table.face_count == 2) & (table.forward != 1)
    return ~wrong[table.of_corner].any(axis=1)


def _half_edge_between(table: Edges) -> dict[tuple[int, int], bool]:
    """For each pair of faces over an edge of two faces: whether both run along it in the same direction."""
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
    """(S,) signed volume of each shell, m3."""
    corners = surface.corners - surface.points.mean(axis=0)
    return np.bincount(label, np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)


def containment(surface: Surface, label: np.ndarray) -> np.ndarray:
    """(S, S) bool, whether the shell of a row contains the shell of a column; for closed shells that do not cross."""
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
    """(S,) bool, closed shells that are hollows in another one: inside it, wound inwards, crossing none but themselves.

    The lining of a thick wall crosses itself in the bends of its surface.

    Args:
        surface: Closed.
        label: (F,) shell of each face.
        crossing: (F,) bool, faces that cross another.
    """
    inwards = shell_volumes(surface, label) < 0.0
    for shell in np.flatnonzero(inwards & (np.bincount(label, crossing) > 0)):
        rows = np.flatnonzero(label == shell)
        inwards[shell] = (crossing_faces(surface.points, surface.faces[rows]) == crossing[rows]).all()
    return inwards & containment(surface, label).any(axis=0)
