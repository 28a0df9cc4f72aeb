"""Repairs that do not change the shape: duplicate faces, unwelded points, and faces with a wrong winding."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...data.surface import Surface
from ...geometry import shells
from ...geometry.inspection import shell_faults
from ...geometry.intersections import crossing_faces
from ...geometry.thin_triangles import heights
from ...numerics.components import components

# Distances over the diagonal below which points are welded. The first always applies (float32 rounds at 6e-8). A larger
# one applies if it leaves less than the given share of the gaps.
WELDS, GAPS_LEFT = (1e-6, 1e-5, 1e-4, 1e-3), 0.1
# Height over the diagonal below which a face has no area: rounding of float64 cross products.
LEAST_HEIGHT = 1e-9
# Number of edges with more than two faces, and of unconnected parts, above which faces form no surface. 2,000 leaves
# get walls and are united in 3 s.
MOST_CROWDED, MOST_PARTS = 100, 2000


def tidied(surface: Surface) -> tuple[Surface, list[str]]:
    """Drop empty and duplicate faces, weld points where that closes gaps, and make the winding consistent.

    Args:
        surface: Any surface.

    Returns:
        The surface, and a description of each change.
    """
    result, done = welded(surface)
    result, more = with_consistent_winding(result)
    return result, done + more


def welded(surface: Surface) -> tuple[Surface, list[str]]:
    """Drop empty and duplicate faces, and weld points where that closes gaps.

    Args:
        surface: Any surface.

    Returns:
        The surface, and a description of each change.

    Notes:
        Compare Attene 2010, A Lightweight Approach to Repairing Digitized Polygon Meshes. The distances are own: a
        larger one applies only if it closes nine tenths of the gaps.

    Example:
        Two triangles whose common points differ by 1e-8 m.

        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1e-8, 0], [1e-8, 1, 0], [1, 1, 0]]
        >>> result, done = welded(Surface(points, [[0, 1, 2], [3, 5, 4]]))
        >>> result.faces.tolist(), done
        ([[0, 1, 2], [1, 5, 2]], ['points nearer than 1.4e-06 m welded'])
    """
    source, done = _without_empty(surface.points, surface.faces), []
    faces = surface.faces[source]
    for tolerance in WELDS:
        if shells.is_closed(faces):
            break
        joined = _welded(surface.points, faces, tolerance * surface.diagonal)
        if tolerance == WELDS[0] or _gaps(joined) < GAPS_LEFT * _gaps(faces):
            if len(np.unique(joined)) < len(np.unique(faces)):
                done.append(f"points nearer than {tolerance * surface.diagonal:.2g} m welded")
            faces = joined
    rows = _without_doubles(faces)
    if len(rows) < len(surface.faces):
        done.append(f"{len(surface.faces) - len(rows)} empty or doubled faces dropped")
    return picked(surface, faces, rows, source[rows]), done


def is_soup(faces: np.ndarray) -> bool:
    """Return whether faces form no surface.

    Args:
        faces: (F, 3) points.

    Returns:
        Whether fewer than half of the edges have two faces, and many edges have more, or many parts are unconnected.

    Example:
        2,001 loose triangles, and one.

        >>> loose = np.arange(3 * 2001).reshape(-1, 3)
        >>> is_soup(loose), is_soup(loose[:1])
        (True, False)
    """
    table = shells.edges(faces)
    paired = table.face_count == 2
    if 2 * paired.sum() >= len(paired):
        return False
    # Many edges with more than two faces, or many unconnected parts.
    rest = int((table.face_count > 2).sum())
    return rest > MOST_CROWDED or int(shells.shell_of_face(table).max(initial=-1)) + 1 > MOST_PARTS


def _without_empty(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return rows of faces without those of height 0, if that leaves fewer edges without exactly two faces."""
    height = heights(points, faces)
    rows = np.flatnonzero(height > LEAST_HEIGHT * np.linalg.norm(np.ptp(points, axis=0)))
    every = np.arange(len(faces))
    return rows if 0 < len(rows) < len(faces) and _gaps(faces[rows]) < _gaps(faces) else every


def _gaps(faces: np.ndarray) -> int:
    """Return the number of edges without exactly two faces."""
    return int((shells.edges(faces).face_count != 2).sum())


def _welded(points: np.ndarray, faces: np.ndarray, tolerance: float) -> np.ndarray:
    """Return the faces with points nearer than ``tolerance`` (m) replaced by the first of them."""
    used, faces = np.unique(faces, return_inverse=True)
    pairs = cKDTree(points[used]).query_pairs(tolerance, output_type="ndarray")
    group = components(pairs, len(used))
    first = np.full(group.max(initial=-1) + 1, len(used))
    np.minimum.at(first, group, np.arange(len(used)))
    return used[first[group]][faces.reshape(-1, 3)]


def _without_doubles(faces: np.ndarray) -> np.ndarray:
    """Return rows of faces with three different points, without duplicates.

    Of equal faces the first stays. Two opposite faces are an inner wall if the surface is closed without them; then
    both are dropped. Otherwise they are one face, and the first stays.
    """
    ordered = np.sort(faces, axis=1)
    whole = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    _, first, group = np.unique(ordered, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    # Faces whose corners are sorted by an odd permutation have the opposite winding.
    place = np.argsort(faces, axis=1)
    sense = np.where((place[:, 1] - place[:, 0]) % 3 == 1, 1, -1)
    net = np.bincount(group, sense)
    first_of_sense = np.full(len(first), len(faces))
    agree = sense == np.sign(net)[group]
    np.minimum.at(first_of_sense, group[agree], np.flatnonzero(agree))
    rows = np.where(net != 0, first_of_sense, first)
    rows, opposite = rows[whole[rows]], (net == 0)[whole[rows]]
    table = shells.edges(faces[rows])
    around = np.bincount(table.of_corner[~opposite].ravel(), minlength=len(table.ends))
    # Number of open edges that the opposite faces of a patch would close, minus those that are closed without them.
    wanted = np.where(around == 1, 1, np.where(around == 2, -1, 0))[table.of_corner].sum(axis=1)
    patch = shells.shell_of_face(shells.edges(faces[rows[opposite]])) if opposite.any() else np.empty(0, int)
    kept = ~opposite
    kept[opposite] = np.bincount(patch, wanted[opposite])[patch] >= 0.0
    return np.sort(rows[kept])


def with_consistent_winding(surface: Surface) -> tuple[Surface, list[str]]:
    """Make the winding of each shell consistent: outward for closed shells, inward for cavities.

    Args:
        surface: Any surface.

    Returns:
        The surface, and a description of each change.

    Notes:
        Own: ``shells.faces_to_flip`` within each shell, then the signed volume and the nesting of the shells.

    Example:
        A tetrahedron with inward normals.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> with_consistent_winding(Surface(corners, [[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]))[1]
        ['all faces flipped outwards']
    """
    faces = surface.faces
    repeated = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    result, done = surface, []
    if repeated.any():
        result = picked(surface, faces, np.flatnonzero(~repeated))
        done.append(f"{int(repeated.sum())} faces without area dropped")
    turn = shells.faces_to_flip(result.faces)
    alike = flipped(result, turn)
    if shells.is_closed(alike.faces):
        label = shells.shell_of_face(shells.edges(alike.faces))
        crossing = crossing_faces(alike.points, alike.faces)
        if crossing.any():
            inwards = shells.shell_volumes(alike, label) < 0.0
            inverted = inwards & ~shells.cavities(alike, label, crossing)
        else:
            inverted, _ = shell_faults(alike, label)
        turn = turn ^ inverted[label]
    if turn.any():
        result = flipped(result, turn)
        count = int(turn.sum())
        done.append("all faces flipped outwards" if turn.all() else f"{count} face{'s' if count > 1 else ''} flipped")
    return result, done


def picked(surface: Surface, faces: np.ndarray, rows: np.ndarray, source: np.ndarray | None = None) -> Surface:
    """Return some faces over the same points, with the attributes of faces ``source``. Default: their own."""
    source = rows if source is None else source
    return Surface(
        surface.points,
        faces[rows],
        surface.face_source[source],
        {name: values[source] for name, values in surface.face_attributes.items()},
        {name: values[source] for name, values in surface.corner_attributes.items()},
    )


def flipped(surface: Surface, turn: np.ndarray) -> Surface:
    """Return the surface with the winding and normals of faces ``turn`` (F,) bool reversed."""
    order = np.where(turn[:, None], [0, 2, 1], [0, 1, 2])
    corner_attributes = {}
    for name, values in surface.corner_attributes.items():
        moved = np.take_along_axis(values, order[..., None], axis=1)
        corner_attributes[name] = np.where(turn[:, None, None], -moved, moved) if name == "normal" else moved
    faces = np.take_along_axis(surface.faces, order, axis=1)
    return Surface(surface.points, faces, surface.face_source, surface.face_attributes, corner_attributes)


def compact(surface: Surface) -> Surface:
    """Return the surface without unused points."""
    used, faces = np.unique(surface.faces, return_inverse=True)
    return Surface(
        surface.points[used],
        faces.reshape(-1, 3),
        surface.face_source,
        surface.face_attributes,
        surface.corner_attributes,
    )
