"""Sheets of quads: triangles joined in pairs, and subdivided together with the attributes of their corners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.surface import Surface

# Cosine of a corner's angle above which two triangles are not joined (37 degrees), because springs of the quad would be
# distorted. From 0.6 to 0.95 the 1,568 triangles of a jar become 732 to 778 quads; at 0.4 those of a ball stay
# triangles.
SKEWED = 0.8
# Cosine of the angle between two triangles below which they are not joined (26 degrees). From 0.8 to 0.99 the triangles
# of the jar become 758 to 714 quads.
BENT = 0.9


@dataclass(frozen=True)
class Quads(ReadOnlyArrays):
    """Quads over shared points.

    Attributes:
        points: (P, 3) m.
        quads: (Q, 4) points in order around each quad, with outward normals; a triangle repeats its last corner.
        source: (Q,) face of the original surface that contains each quad.
        corner_attributes: Values of the corners, ``{name: (Q, 4, K)}``.
    """

    points: np.ndarray
    quads: np.ndarray
    source: np.ndarray
    corner_attributes: Mapping[str, np.ndarray]


def paired(surface: Surface) -> Quads:
    """Join the triangles of a surface into quads, the most square pairs first. The others stay triangles.

    Args:
        surface: Surface, open or closed.

    Returns:
        The quads.

    Notes:
        Own greedy pairing; compare Remacle et al. 2012, Blossom-Quad, which finds the best pairing.

    Example:
        >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> paired(square).quads.tolist()
        [[0, 1, 2, 3]]
    """
    faces = surface.faces.astype(np.int64)
    corner = _partners(surface)
    first = np.flatnonzero((corner[:, 0] >= 0) & (corner[:, 0] > np.arange(len(faces))))
    other, side, back = corner[first, 0], corner[first, 1], corner[first, 2]
    # Corners of the quad: end of the common edge, next corner, start of the edge, corner of the other triangle.
    around = np.stack([(side + 1) % 3, (side + 2) % 3, side], axis=1)
    single = np.flatnonzero(corner[:, 0] < 0)
    quads = np.concatenate(
        [
            np.concatenate([faces[first[:, None], around], faces[other, (back + 2) % 3][:, None]], axis=1),
            faces[single][:, [0, 1, 2, 2]],
        ]
    )
    values = {}
    for name, given in surface.corner_attributes.items():
        given = np.asarray(given)
        joined = np.concatenate([given[first[:, None], around], given[other, (back + 2) % 3][:, None]], axis=1)
        values[name] = np.concatenate([joined, given[single][:, [0, 1, 2, 2]]])
    used, rows = np.unique(quads, return_inverse=True)
    return Quads(surface.points[used], rows.reshape(quads.shape), np.concatenate([first, single]), values)


def _partners(surface: Surface) -> np.ndarray:
    """Return (F, 3): the partner of each triangle, and the corners of both at which the common edge starts; or -1."""
    faces, points = surface.faces.astype(np.int64), surface.points
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    key, reverse = start * len(points) + end, end * len(points) + start
    order = np.argsort(reverse, kind="stable")
    place = np.minimum(np.searchsorted(reverse[order], key), len(order) - 1)
    there = order[place]
    known = (reverse[there] == key) & (np.arange(len(key)) < there)
    one, two = np.flatnonzero(known), there[known]
    corners = np.stack(
        [
            points[faces.ravel()[item]]
            for item in (
                3 * (one // 3) + (one + 1) % 3,
                3 * (one // 3) + (one + 2) % 3,
                one,
                3 * (two // 3) + (two + 2) % 3,
            )
        ],
        axis=1,
    )
    sides = np.roll(corners, -1, axis=1) - corners
    sides /= np.maximum(np.linalg.norm(sides, axis=2, keepdims=True), 1e-300)
    skew = np.abs(np.einsum("qci,qci->qc", sides, np.roll(sides, 1, axis=1))).max(axis=1)
    normals = np.stack([np.cross(sides[:, 0], sides[:, 1]), np.cross(sides[:, 2], sides[:, 3])], axis=1)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-300)
    flat = np.einsum("qi,qi->q", normals[:, 0], normals[:, 1])
    result = np.full((len(faces), 3), -1)
    for row in np.lexsort((one, skew.round(6))):
        if skew[row] > SKEWED or flat[row] < BENT:
            continue
        here, other = one[row] // 3, two[row] // 3
        if result[here, 0] < 0 and result[other, 0] < 0 and here != other:
            result[here], result[other] = (other, one[row] % 3, two[row] % 3), (here, two[row] % 3, one[row] % 3)
    return result


def divided(sheet: Quads) -> Quads:
    """Divide each quad into four and each triangle into three, at the midpoints of edges. No point moves.

    Args:
        sheet: Quads and triangles.

    Returns:
        Quads only, each with the source of the quad that contains it.

    Notes:
        Catmull and Clark 1978, Recursively Generated B-Spline Surfaces, without the smoothing.

    Example:
        >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> four = divided(paired(square))
        >>> len(four.quads), four.points[8].tolist()
        (4, [0.5, 0.5, 0.0])
    """
    points, quads = sheet.points, sheet.quads
    triangle = quads[:, 3] == quads[:, 2]
    counts = np.where(triangle, 3, 4)
    following = np.stack([quads[:, 1], quads[:, 2], np.where(triangle, quads[:, 0], quads[:, 3]), quads[:, 0]], axis=1)
    pairs = np.sort(np.stack([quads, following], axis=2), axis=2)
    real = np.ones(quads.shape, bool)
    real[triangle, 3] = False
    edges, number = np.unique(pairs[real], axis=0, return_inverse=True)
    middle = np.full(quads.shape, -1)
    middle[real] = len(points) + number.ravel()
    center = len(points) + len(edges) + np.arange(len(quads))
    weights = real / counts[:, None]
    centers = np.einsum("qc,qci->qi", weights, points[quads])
    every = np.concatenate([points, points[edges].mean(axis=1), centers])
    rows, corner = np.nonzero(real)
    before = (corner - 1) % counts[rows]
    parts = np.stack([quads[rows, corner], middle[rows, corner], center[rows], middle[rows, before]], axis=1)
    values = {}
    for name, given in sheet.corner_attributes.items():
        own, behind = given[rows, corner], given[rows, (corner + 1) % counts[rows]]
        earlier, mean = given[rows, before], np.einsum("qc,qck->qk", weights, given)[rows]
        values[name] = np.stack([own, 0.5 * (own + behind), mean, 0.5 * (own + earlier)], axis=1)
    return Quads(every, parts, sheet.source[rows], values)


def refined(sheet: Quads, count: int) -> Quads:
    """Subdivide a sheet until it has about ``count`` quads.

    Args:
        sheet: Quads and triangles.
        count: Number of quads wanted.

    Returns:
        More than half as many quads, and at most twice as many unless ``sheet`` has more.
    """
    while len(sheet.quads) * 2 <= count:
        sheet = divided(sheet)
    return sheet


def border(quads: np.ndarray) -> np.ndarray:
    """Return the border edges of quads.

    Args:
        quads: (Q, 4) points around each quad; a triangle repeats its last corner.

    Returns:
        (E, 3): start, end in the quad's direction, and 4 quad + corner.

    Notes:
        Own: an edge is on the border if no quad runs along it in the other direction.

    Example:
        >>> border(np.array([[0, 1, 2, 3], [1, 4, 5, 2]]))[:, :2].tolist()
        [[0, 1], [2, 3], [3, 0], [1, 4], [4, 5], [5, 2]]
    """
    start, end = quads.ravel().astype(np.int64), np.roll(quads, -1, axis=1).ravel().astype(np.int64)
    size = int(quads.max()) + 1
    rows = np.flatnonzero(start != end)
    alone = rows[~np.isin(start[rows] * size + end[rows], end[rows] * size + start[rows])]
    return np.stack([start[alone], end[alone], alone], axis=1)
