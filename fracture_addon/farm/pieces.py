"""Pieces of a break: their contacts, and an exact number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..core.data.arrays import ReadOnlyArrays
from ..core.data.recording import NEVER, Recording
from ..core.data.surface import Surface, center_of_volume, volume
from ..core.numerics.rotations import matrices

# Distance over the diagonal of all pieces below which points of two pieces are the same. The two sides of a crack have
# the same points, up to the rounding of their positions relative to the piece.
SAME_POINT = 1e-9


@dataclass(frozen=True)
class Piece(ReadOnlyArrays):
    """A piece at the end of a run.

    Attributes:
        surface: Closed surface at rest, where all pieces fit together, m.
        interior: (F,) bool, faces of cracks.
        center: (3,) m, centre of mass at rest.
        mass: kg.
        pose: (7,) position of the centre of mass (m) and quaternion (w, x, y, z) on the last frame. A point p
            at rest is at R (p - center) + position.
    """

    surface: Surface
    interior: np.ndarray
    center: np.ndarray
    mass: float
    pose: np.ndarray


@dataclass(frozen=True)
class Contacts(ReadOnlyArrays):
    """Pairs of crack faces that coincide.

    Attributes:
        faces: (K, 2) rows of faces, counted over all pieces.
        corners: (K, 2, 3) rows of points, counted over all pieces; the columns of a row coincide.
        owners: (K, 2) pieces of the faces.
        areas: (K,) m2.
    """

    faces: np.ndarray
    corners: np.ndarray
    owners: np.ndarray
    areas: np.ndarray


def pieces_of(recording: Recording) -> list[Piece]:
    """Return the fragments that exist on the last frame."""
    return [
        Piece(
            Surface(item.surface.points + item.center, item.surface.faces),
            np.asarray(item.interior),
            np.asarray(item.center),
            item.mass,
            np.asarray(item.poses[-1]),
        )
        for item in recording.fragments
        if item.death_frame == NEVER
    ]


def contacts_of(pieces: Sequence[Piece]) -> Contacts:
    """Find the crack faces that two pieces share."""
    points, faces, interior, owners = _joined(pieces)
    tree = cKDTree(points)
    near = tree.query_pairs(SAME_POINT * float(np.linalg.norm(np.ptp(points, axis=0))), output_type="ndarray")
    ones = np.ones(len(near), np.int8)
    graph = coo_matrix((ones, (near[:, 0], near[:, 1])), (len(points), len(points)))
    same = connected_components(graph, directed=False)[1]
    rows = np.flatnonzero(interior)
    order = np.argsort(same[faces[rows]], axis=1)
    corners = np.take_along_axis(faces[rows], order, axis=1)
    _, group, count = np.unique(same[corners], axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    paired = np.flatnonzero(count[group] == 2)
    paired = paired[np.argsort(group[paired], kind="stable")].reshape(-1, 2)
    a, b, c = (points[faces[rows[paired[:, 0]]][:, corner]] for corner in range(3))
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return Contacts(rows[paired], corners[paired], owners[rows[paired]], areas)


def adjacency(contacts: Contacts) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of pieces that share crack faces, (K, 2) in ascending order, and the shared areas (K,), m2."""
    pairs = np.sort(contacts.owners, axis=1)
    between = pairs[:, 0] != pairs[:, 1]
    found, group = np.unique(pairs[between], axis=0, return_inverse=True)
    return found, np.bincount(group.reshape(-1), contacts.areas[between], len(found))


def merged(pieces: Sequence[Piece], count: int) -> list[Piece]:
    """Merge the smallest piece with the neighbour that shares most area, until ``count`` pieces are left.

    A merged piece moves with its heaviest part. Fewer merges are made where pieces have no neighbours.
    """
    if len(pieces) <= count:
        return list(pieces)
    contacts = contacts_of(pieces)
    pairs, areas = adjacency(contacts)
    shared = np.zeros((len(pieces), len(pieces)))
    shared[pairs[:, 0], pairs[:, 1]] = shared[pairs[:, 1], pairs[:, 0]] = areas
    masses, group = np.array([piece.mass for piece in pieces]), np.arange(len(pieces))
    for _ in range(len(pieces) - count):
        mergeable = np.flatnonzero(shared.any(axis=1))
        if not len(mergeable):
            break
        small = mergeable[np.argmin(masses[mergeable])]
        large = int(np.argmax(shared[small]))
        group[group == small] = large
        masses[large] += masses[small]
        shared[large] += shared[small]
        shared[:, large] += shared[:, small]
        shared[small] = shared[:, small] = 0.0
        shared[large, large] = 0.0
    return [_union(pieces, contacts, group == label) for label in np.unique(group)]


def _joined(pieces: Sequence[Piece]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return points, faces, interior faces and the piece of each face, over all pieces."""
    starts = np.cumsum([0, *(len(piece.surface.points) for piece in pieces)])
    faces = [piece.surface.faces + start for piece, start in zip(pieces, starts, strict=False)]
    owners = np.repeat(np.arange(len(pieces)), [len(piece.interior) for piece in pieces])
    points = np.concatenate([piece.surface.points for piece in pieces])
    return points, np.concatenate(faces), np.concatenate([piece.interior for piece in pieces]), owners


def _union(pieces: Sequence[Piece], contacts: Contacts, chosen: np.ndarray) -> Piece:
    """Return the union of the chosen pieces, without the crack faces between them."""
    heaviest = max((pieces[row] for row in np.flatnonzero(chosen)), key=lambda piece: piece.mass)
    if chosen.sum() == 1:
        return heaviest
    points, faces, interior, owners = _joined(pieces)
    inside = chosen[contacts.owners].all(axis=1)
    keep = chosen[owners]
    keep[contacts.faces[inside].reshape(-1)] = False
    # Only points of removed faces are joined: other points that coincide belong to different sides of the surface.
    joined = contacts.corners[inside].transpose(0, 2, 1).reshape(-1, 2)
    graph = coo_matrix((np.ones(len(joined), np.int8), (joined[:, 0], joined[:, 1])), (len(points), len(points)))
    label = connected_components(graph, directed=False)[1]
    _, first = np.unique(label, return_index=True)
    used, rows = np.unique(first[label][faces[keep]], return_inverse=True)
    surface = Surface(points[used], rows.reshape(-1, 3))
    center = center_of_volume(surface)
    position = heaviest.pose[:3] + matrices(heaviest.pose[3:]) @ (center - heaviest.center)
    mass = sum(pieces[row].mass for row in np.flatnonzero(chosen))
    return Piece(surface, interior[keep], center, mass, np.concatenate([position, heaviest.pose[3:]]))


def total_volume(pieces: Sequence[Piece]) -> float:
    """Return the sum of the volumes, m3."""
    return sum(volume(piece.surface) for piece in pieces)
