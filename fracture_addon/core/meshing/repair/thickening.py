"""Open sheets: separated where more than two faces meet, and given a wall on their inner side."""

from __future__ import annotations

import numpy as np

from ...data.arrays import unit
from ...data.surface import Surface, area_vectors
from ...geometry import shells
from ...geometry.intersections import crossing_faces
from ...geometry.normals import point_normals
from ...numerics.components import components

# Largest distance between inner and outer points over the thickness. It keeps the thickness in bends, but not at sharp
# edges. From 1.5 to 100 waves of a sheet keep their wall; at 1 a twentieth of it is 15 % too thin. The edge of a fold
# of 40 degrees is 2 thicknesses deep, and 2.9 without a limit.
MITER = 2.0
# Largest number of times that the thickness of a wall is halved where it crosses itself. From 3 on, no faces of a wall
# of 12 mm cross in waves 20 mm long; at 2 a quarter of them do.
THINNER = 6


def separate_sheets(surface: Surface) -> tuple[Surface, int]:
    """Separate sheets that share only an edge of three or more faces, or only a point.

    Args:
        surface: Any surface.

    Returns:
        The same faces over more points, and the number of separated edges.

    Notes:
        Gueziec, Taubin, Lazarus and Horn 2001, Cutting and Stitching. The pairs are own: of several faces at an edge,
        those with the smallest angle stay together. A strip with one side (a Moebius strip) is cut.

    Example:
        Three triangles at one edge: two that lie in a plane stay together.

        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]]
        >>> result, apart = separate_sheets(Surface(points, [[0, 1, 2], [1, 0, 3], [0, 1, 4]]))
        >>> len(result.points), apart
        (7, 1)
    """
    points, faces = surface.points, surface.faces
    table = shells.edges(faces)
    pairs, apart = _pairs_across(points, faces, table)
    following = np.arange(faces.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    start = faces.ravel()
    one, other = pairs.T
    # Ends of the two half-edges of a pair that are the same point.
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
    """Return the half-edges (N, 2), 3 face + corner, that stay together, and the number of separated edges."""
    order = np.argsort(table.of_corner.ravel(), kind="stable")
    first = np.concatenate([[0], np.cumsum(table.face_count)])
    start_of = first[:-1][(table.face_count == 2) & (table.forward == table.backward)]
    pairs = [np.stack([order[start_of], order[start_of + 1]], axis=1)]
    wrong = (table.face_count > 2) | ((table.face_count == 2) & (table.forward != table.backward))
    crowded = np.flatnonzero(table.face_count > 2)
    normals = unit(area_vectors(Surface(points, faces)))
    start = faces.ravel()
    for edge in crowded:
        free = order[first[edge] : first[edge + 1]]
        one, other = np.triu_indices(len(free), 1)
        straight = np.einsum("ni,ni->n", normals[free[one] // 3], normals[free[other] // 3])
        # Two faces with the same direction along the edge have opposite windings, and do not stay together.
        straight = np.where(start[free[one]] != start[free[other]], straight, -2.0)
        taken = np.zeros(len(free), bool)
        for best in np.argsort(-straight, kind="stable"):
            if straight[best] > -2.0 and not taken[[one[best], other[best]]].any():
                taken[[one[best], other[best]]] = True
                pairs.append(free[[one[best], other[best]]][None])
    return np.concatenate(pairs), int(wrong.sum())


def thickened(surface: Surface, thickness: float) -> Surface:
    """Return a closed wall: the faces of an open sheet as its outside, and the same faces further inside.

    Inner faces and faces at the rim have the attributes of the sheet.

    Args:
        surface: One connected sheet with consistent winding, at most two faces at an edge, and one fan at each point.
        thickness: m; it is smaller where the wall would cross itself.

    Returns:
        The wall.

    Notes:
        Own: points move against their normals (weighted by angle: Thuermer and Wuethrich 1998), farther in bends so
        that the wall keeps its thickness, as in Blender's Solidify.

    Example:
        >>> from fracture_addon.core.data.surface import volume
        >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> wall = thickened(square, 0.1)
        >>> len(wall.faces), round(volume(wall), 3)
        (12, 0.1)
    """
    points, faces, count = surface.points, surface.faces, len(surface.points)
    inwards = _inwards(points, faces)
    corner = np.arange(faces.size).reshape(-1, 3)
    table = shells.edges(faces)
    start = np.flatnonzero((table.face_count == 1)[table.of_corner.ravel()])
    end = corner[:, [1, 2, 0]].ravel()[start]
    # Corner of the sheet for each corner of the wall, and whether the corner is on the inner side.
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
        # Crossings of the sheet with itself remain.
        share[np.unique(faces[np.isin(faces, crossing).any(axis=1)])] *= 0.5
    rows = at[:, 0] // 3
    corner_attributes = {
        name: np.asarray(values).reshape(faces.size, -1)[at] for name, values in surface.corner_attributes.items()
    }
    if "normal" in corner_attributes:
        normals = corner_attributes["normal"]
        normals[len(faces) : 2 * len(faces)] *= -1.0
        normals[2 * len(faces) :] = unit(area_vectors(Surface(moved, result[2 * len(faces) :])))[:, None]
    return Surface(
        moved,
        result,
        surface.face_source[rows],
        {name: np.asarray(values)[rows] for name, values in surface.face_attributes.items()},
        corner_attributes,
    )


def _inwards(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the displacement (P, 3) of each point for a wall of thickness 1: against the normal, longer in bends."""
    surface = Surface(points, faces)
    normals = unit(area_vectors(surface))
    total = point_normals(surface, normals)
    # Of the faces around a point, the one with the largest angle needs the longest displacement.
    cosine = np.ones(len(points))
    np.minimum.at(cosine, faces.ravel(), np.einsum("fi,fki->fk", normals, total[faces]).ravel())
    return -total / np.maximum(cosine, 1.0 / MITER)[:, None]


def volume_to_rim(surface: Surface) -> float:
    """Return the signed volume between an open sheet and the centre of its rim.

    Args:
        surface: One open sheet.

    Returns:
        m3; negative for inward normals.

    Notes:
        The divergence theorem, as in Mirtich 1996, with the centre as apex.

    Example:
        Three faces of a tetrahedron with edges of 1 m, whose rim is its open face.

        >>> sheet = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2]])
        >>> round(6.0 * volume_to_rim(sheet), 9)
        1.0
    """
    table = shells.edges(surface.faces)
    rim = np.unique(surface.faces.ravel()[(table.face_count == 1)[table.of_corner.ravel()]])
    middle = surface.points[rim].mean(axis=0) if len(rim) else surface.points.mean(axis=0)
    corners = surface.corners - middle
    return float(np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)
