"""What the artist's surface carries, carried on to the parts that it was cut into."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..arrays import distinct
from ..surface import Surface

# Material index of a face that the crack made: whoever writes the mesh puts the interior material there.
INTERIOR_MATERIAL = -1
INTERIOR_UV = "uv/interior"
# Metres from a corner to the nearest edge between outside and crack.
EDGE_WEAR = "value/fracture_edge_wear"
# A shading normal that is turned away from its face by more than the angle of this cosine is the face's own instead.
LEAST_COSINE = 0.3
# Prefixes of corner values that name something and measure nothing: there is none halfway between two of them.
WHOLE = ("int/", "bool/")


def carry_faces(source: Surface, source_row: np.ndarray) -> dict[str, np.ndarray]:
    """Values a face, by row; faces that the cut made are smooth, of the interior's material, and else 0.

    Args:
        source: With its ``face_attributes``.
        source_row: (F,) face of the source that each face is a part of, -1 for none.
    """
    result = {}
    for name, values in source.face_attributes.items():
        values = np.asarray(values)
        carried = values[source_row]
        carried[source_row < 0] = {"material_index": INTERIOR_MATERIAL, "smooth": True}.get(name, 0)
        result[name] = carried
    return result


def carry_corners(
    source: Surface, corners: np.ndarray, source_row: np.ndarray, axis: np.ndarray, normals: np.ndarray
) -> dict:
    """Values a face corner: interpolated on parts of the source, made up on faces that the cut made.

    Whole numbers are those of the corner of the source that weighs most. Texture coordinates of new faces are their
    positions in metres, projected along an axis; everything else has the value of the nearest corner of the source.

    Args:
        source: With its ``corner_attributes``.
        corners: (F, 3, 3) positions, metres.
        source_row: (F,) face of the source that each face is a part of, -1 for none.
        axis: (F,) coordinate along which a new face is projected; ignored elsewhere.
        normals: (I, 3, 3) shading normals of the new faces' corners.

    Returns:
        ``{name: (F, 3, K)}`` of all the source's names, and ``uv/interior``.
    """
    outer = np.flatnonzero(source_row >= 0)
    inner = np.flatnonzero(source_row < 0)
    weights = barycentric_weights(source.corners[source_row[outer]], corners[outer])
    projected = box_projection(corners[inner], axis[inner])
    nearest = _NearestCorner(source, corners[inner])
    named: Mapping[str, np.ndarray] = {INTERIOR_UV: np.zeros((len(source.faces), 3, 2)), **source.corner_attributes}
    result = {}
    for name, values in named.items():
        values = np.asarray(values, float)
        carried = np.empty((len(corners), 3, values.shape[2]))
        if name.startswith(WHOLE):
            carried[outer] = np.take_along_axis(values[source_row[outer]], weights.argmax(axis=2)[..., None], axis=1)
        else:
            carried[outer] = np.einsum("fck,fkd->fcd", weights, values[source_row[outer]])
        if name == "normal":
            carried[outer] = _unit(carried[outer])
            carried[inner] = normals
        elif name.startswith("uv/"):
            carried[inner] = projected
        else:
            carried[inner] = nearest.values(values)
        result[name] = carried
    return result


def corner_normals(points: np.ndarray, faces: np.ndarray, group: np.ndarray, crease: float) -> np.ndarray:
    """(F, 3, 3) unit normals, averaged by area over the faces around a point that no sharp edge parts.

    An edge is sharp where faces of different groups meet, where it has not just two faces, and where those turn by more
    than an angle.

    Args:
        points: (P, 3).
        faces: (F, 3).
        group: (F,) a number.
        crease: Radians.
    """
    a, b, c = np.moveaxis(points[faces], 1, 0)
    vectors = np.cross(b - a, c - a)
    own = _unit(vectors)
    # A side of a face is named as the corner that it starts from.
    one, other = _sides_in_pairs(faces, len(points))
    first, second = one // 3, other // 3
    soft = np.einsum("ni,ni->n", own[first], own[second]) > np.cos(crease)
    soft &= group[first] == group[second]
    one, other = one[soft], other[soft]
    # Two faces run along their edge in opposite directions: where the one starts, the other ends.
    links = np.concatenate([[one, _next(other)], [_next(one), other]], axis=1)
    graph = coo_array((np.ones(links.shape[1], bool), links), shape=(faces.size,) * 2)
    count, fan = connected_components(graph, directed=False)
    sums = np.stack([np.bincount(fan, np.repeat(vectors[:, axis], 3), count) for axis in range(3)], axis=1)
    own, smooth = np.repeat(own, 3, axis=0), _unit(sums)[fan]
    # Around a spike the mean may turn away from a face.
    lost = np.einsum("ni,ni->n", own, smooth) < LEAST_COSINE
    return np.where(lost[:, None], own, smooth).reshape(-1, 3, 3)


def _sides_in_pairs(faces: np.ndarray, point_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Sides of faces (F, 3) that lie on one another, two and two."""
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2).astype(np.int64), axis=1)
    _, edge, count = np.unique(ends[:, 0] * point_count + ends[:, 1], return_inverse=True, return_counts=True)
    order = np.argsort(edge.ravel(), kind="stable")
    pairs = order[count[edge.ravel()[order]] == 2].reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _next(side: np.ndarray) -> np.ndarray:
    return side - side % 3 + (side + 1) % 3


def edge_distances(points: np.ndarray, faces: np.ndarray, part: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(F, 3, 1) distance, metres, of each corner from the nearest edge between the outside and a crack of its part.

    Args:
        points: (P, 3); no two parts share a row.
        faces: (F, 3).
        part: (F,) the part that a face bounds.
        inside: (F,) bool, faces of cracks.
    """
    on_crack, on_outside = np.zeros(len(points), bool), np.zeros(len(points), bool)
    on_crack[faces[inside]] = on_outside[faces[~inside]] = True
    rim = np.flatnonzero(on_crack & on_outside)
    if not len(rim):
        return np.zeros((len(faces), 3, 1))
    # One tree for all: a fourth coordinate keeps the parts out of each other's reach.
    apart = 2.0 * float(np.linalg.norm(np.ptp(points, axis=0)))
    part_of_point = np.zeros(len(points))
    part_of_point[faces] = part[:, None]
    placed = np.column_stack([points, apart * part_of_point])
    used = distinct(faces)
    distances = np.zeros(len(points))
    distances[used] = np.minimum(cKDTree(placed[rim]).query(placed[used])[0], apart)
    return distances[faces][..., None]


def barycentric_weights(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(F, N, 3) weights, rows summing to 1 and none negative, of (F, N, 3) points that lie on (F, 3, 3) triangles.

    A point beside its triangle has those of the nearest place on the triangle's edges.
    """
    a, b, c = (triangles[:, None, corner] for corner in range(3))
    normal = np.cross(b - a, c - a)
    square = np.einsum("fni,fni->fn", normal, normal)[..., None]
    second = np.einsum("fni,fni->fn", np.cross(points - a, c - a), normal)[..., None]
    third = np.einsum("fni,fni->fn", np.cross(b - a, points - a), normal)[..., None]
    pair = np.divide(
        np.concatenate([second, third], axis=2), square, where=square > 0.0, out=np.full((*points.shape[:2], 2), -1.0)
    )
    weights = np.concatenate([1.0 - pair.sum(axis=2, keepdims=True), pair], axis=2)
    beside = (weights < 0.0).any(axis=2)
    if beside.any():
        face, _ = np.nonzero(beside)
        weights[beside] = _edge_weights(triangles[face], points[beside])
    return weights


def _edge_weights(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(N, 3) weights of the place on the edges of triangles (N, 3, 3) that is nearest to points (N, 3)."""
    sides = np.roll(triangles, -1, axis=1) - triangles
    square = np.einsum("nki,nki->nk", sides, sides)
    arms = points[:, None] - triangles
    along = np.divide(np.einsum("nki,nki->nk", arms, sides), square, where=square > 0.0, out=np.zeros(square.shape))
    along = np.clip(along, 0.0, 1.0)
    edge = np.linalg.norm(arms - along[..., None] * sides, axis=2).argmin(axis=1)
    row, share = np.arange(len(points)), along[np.arange(len(points)), edge]
    weights = np.zeros((len(points), 3))
    weights[row, edge], weights[row, (edge + 1) % 3] = 1.0 - share, share
    return weights


def box_projection(corners: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """(F, 3, 2) positions of face corners in metres, without the coordinate ``axis`` (F,)."""
    columns = (axis[:, None] + np.array([1, 2])) % 3
    return np.take_along_axis(corners, np.repeat(columns[:, None, :], 3, axis=1), axis=2)


class _NearestCorner:
    """Values at the source's corner nearest to each of some points; the tree is built only when asked for."""

    def __init__(self, source: Surface, points: np.ndarray):
        self._source, self._points, self._rows = source, points, None

    def values(self, values: np.ndarray) -> np.ndarray:
        if self._rows is None:
            used, corner_of_used = np.unique(self._source.faces, return_index=True)
            _, nearest = cKDTree(self._source.points[used]).query(self._points.reshape(-1, 3))
            self._rows = corner_of_used[nearest]
        return values.reshape(-1, values.shape[2])[self._rows].reshape(len(self._points), 3, values.shape[2])


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros(vectors.shape), where=length > 0.0)
