"""Surfaces without thickness: told apart where too many faces meet, and given a wall on their inner side."""

from __future__ import annotations

import numpy as np

from ...data.surface import Surface, area_vectors
from ...geometry import shells
from ...geometry.intersections import crossing_faces
from ...numerics.components import components

# A wall keeps its thickness around bends up to where it would have to reach this many times as far.
MITER = 2.0
# How often a wall is made thinner where it runs into itself, each time by half.
THINNER = 6


def told_apart(surface: Surface) -> tuple[Surface, int]:
    """Points of their own for sheets that share an edge of three faces or more, or meet in a point alone.

    Where several faces meet, those that go on straightest across the edge stay together. A strip with one side only
    is cut across.

    Returns:
        The same faces over more points, and how many edges were taken apart.
    """
    points, faces = surface.points, surface.faces
    table = shells.edges(faces)
    pairs, apart = _pairs_across(points, faces, table)
    following = np.arange(faces.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    start = faces.ravel()
    one, other = pairs.T
    # The ends of two half-edges of a pair that are the same point.
    against = start[one] != start[other]
    links = np.concatenate(
        [
            np.stack([one, np.where(against, following[other], other)], axis=1),
            np.stack([following[one], np.where(against, other, following[other])], axis=1),
        ]
    )
    vertex = components(links, faces.size)
    _, first = np.unique(vertex, return_index=True)
    if len(first) == len(np.unique(faces)):
        return surface, 0
    result = Surface(
        points[start[first]],
        vertex.reshape(-1, 3),
        surface.face_source,
        surface.face_attributes,
        surface.corner_attributes,
    )
    return result, apart


def _pairs_across(points: np.ndarray, faces: np.ndarray, table: shells.Edges) -> tuple[np.ndarray, int]:
    """(N, 2) half-edges (3 face + corner) that stay together across an edge, and how many edges are taken apart."""
    order = np.argsort(table.of_corner.ravel(), kind="stable")
    first = np.concatenate([[0], np.cumsum(table.face_count)])
    start_of = first[:-1][(table.face_count == 2) & (table.forward == table.backward)]
    pairs = [np.stack([order[start_of], order[start_of + 1]], axis=1)]
    wrong = (table.face_count > 2) | ((table.face_count == 2) & (table.forward != table.backward))
    crowded = np.flatnonzero(table.face_count > 2)
    normals = area_vectors(Surface(points, faces))
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    start = faces.ravel()
    for edge in crowded:
        free = order[first[edge] : first[edge + 1]]
        one, other = np.triu_indices(len(free), 1)
        straight = np.einsum("ni,ni->n", normals[free[one] // 3], normals[free[other] // 3])
        # Faces wound against each other face each other across the edge; those wound alike would have to turn.
        straight = np.where(start[free[one]] != start[free[other]], straight, -2.0)
        taken = np.zeros(len(free), bool)
        for best in np.argsort(-straight, kind="stable"):
            if straight[best] > -2.0 and not taken[[one[best], other[best]]].any():
                taken[[one[best], other[best]]] = True
                pairs.append(free[[one[best], other[best]]][None])
    return np.concatenate(pairs), int(wrong.sum())


def thickened(surface: Surface, thickness: float) -> Surface:
    """A closed wall around one open sheet: its own faces outside, as they are, and the same further in.

    What its faces and corners carry goes to the faces on the inner side and around the rim too.

    Args:
        surface: One connected sheet, wound alike, two faces an edge at most, one fan a point.
        thickness: Metres; less where the wall would run into itself.
    """
    points, faces, count = surface.points, surface.faces, len(surface.points)
    inwards = _inwards(points, faces)
    corner = np.arange(faces.size).reshape(-1, 3)
    table = shells.edges(faces)
    start = np.flatnonzero((table.face_count == 1)[table.of_corner.ravel()])
    end = corner[:, [1, 2, 0]].ravel()[start]
    # Corners of the sheet that each corner of the wall lies at, and whether it is on the inner side.
    at = np.concatenate([corner, corner[:, ::-1], np.stack([end, start, start], 1), np.stack([end, start, end], 1)])
    within = np.zeros(at.shape, bool)
    within[len(faces) : 2 * len(faces)] = True
    within[2 * len(faces) :, 2] = True
    within[2 * len(faces) + len(start) :, 1] = True
    result = faces.ravel()[at] + count * within
    share = np.ones(count)
    for _ in range(THINNER):
        moved = np.concatenate([points, points + (thickness * share)[:, None] * inwards])
        crossing = result[crossing_faces(moved, result)] % count
        if not len(crossing):
            break
        # What crosses on the sheet itself, no thickness mends.
        share[np.unique(faces[np.isin(faces, crossing).any(axis=1)])] *= 0.5
    rows = at[:, 0] // 3
    corner_attributes = {
        name: np.asarray(values).reshape(faces.size, -1)[at] for name, values in surface.corner_attributes.items()
    }
    if "normal" in corner_attributes:
        normals = corner_attributes["normal"]
        normals[len(faces) : 2 * len(faces)] *= -1.0
        vectors = area_vectors(Surface(moved, result[2 * len(faces) :]))
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
        normals[2 * len(faces) :] = vectors[:, None]
    return Surface(
        moved,
        result,
        surface.face_source[rows],
        {name: np.asarray(values)[rows] for name, values in surface.face_attributes.items()},
        corner_attributes,
    )


def _inwards(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(P, 3) how far each point goes in for a wall of thickness 1: against the normal, farther around a bend.

    Inside is where an open sheet bulges away from, seen from the middle of its rim.
    """
    corners = points[faces]
    vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    sides = np.roll(corners, -1, axis=1) - corners
    sides = sides / np.maximum(np.linalg.norm(sides, axis=2, keepdims=True), 1e-300)
    cosines = -np.einsum("fki,fki->fk", sides, np.roll(sides, 1, axis=1))
    angles = np.arccos(np.clip(cosines, -1.0, 1.0)).ravel()
    weighted = angles[:, None] * np.repeat(normals, 3, axis=0)
    total = np.stack([np.bincount(faces.ravel(), weighted[:, k], len(points)) for k in range(3)], axis=1)
    total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    # Of the faces around a point, the one that is turned away most asks for the longest way.
    cosine = np.ones(len(points))
    np.minimum.at(cosine, faces.ravel(), np.einsum("fi,fki->fk", normals, total[faces]).ravel())
    return -total / np.maximum(cosine, 1.0 / MITER)[:, None]


def bulge(surface: Surface) -> float:
    """Signed volume, m3, between an open sheet and the middle of its rim: negative where it is wound inwards."""
    table = shells.edges(surface.faces)
    rim = np.unique(surface.faces.ravel()[(table.face_count == 1)[table.of_corner.ravel()]])
    middle = surface.points[rim].mean(axis=0) if len(rim) else surface.points.mean(axis=0)
    corners = surface.corners - middle
    return float(np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)
