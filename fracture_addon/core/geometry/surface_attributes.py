"""Transfer of face and corner attributes from the artist's surface to the surfaces that are cut from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numba import njit
from scipy.spatial import cKDTree

from ..data.arrays import distinct, frozen, unit
from ..data.surface import Surface
from .fans import smooth_normals

# Material index of a crack face. The Blender side replaces it by the slot of the interior material.
INTERIOR_MATERIAL = -1
INTERIOR_UV = "uv/interior"
# Attribute with the distance from a corner to the nearest edge between outside and crack faces, m.
EDGE_WEAR = "value/fracture_edge_wear"
# Cosine of the largest angle between a shading normal and its face (73 degrees). Beyond it, the face's normal is used.
# Of 34,128 corners of three breaks, 0 are beyond it up to 0.2, 2 from 0.3 to 0.5, and 34 at 0.7.
LEAST_COSINE = 0.3
# Prefixes of corner attributes that cannot be interpolated.
WHOLE = ("int/", "bool/")

Point = tuple[float, float, float]


def cut_face_attributes(source: Surface, source_row: np.ndarray) -> dict[str, np.ndarray]:
    """Return the face attributes of a cut surface.

    Crack faces are smooth and have the interior material. Their other attributes are 0.

    Args:
        source: Surface with ``face_attributes``.
        source_row: (F,) face of the source that contains each face; -1 for a crack face.

    Returns:
        ``{name: (F,)}`` for the names of the source.
    """
    result = {}
    for name, values in source.face_attributes.items():
        values = np.asarray(values)
        carried = values[source_row]
        carried[source_row < 0] = {"material_index": INTERIOR_MATERIAL, "smooth": True}.get(name, 0)
        result[name] = carried
    return result


def with_fragment_attributes(surface: Surface) -> Surface:
    """Return an uncut surface with the attributes of fragments."""
    count = len(surface.faces)
    added = {INTERIOR_UV: np.zeros((count, 3, 2)), EDGE_WEAR: np.zeros((count, 3, 1))}
    return replace(surface, corner_attributes={**added, **surface.corner_attributes})


def cut_corner_attributes(
    source: Surface,
    points: np.ndarray,
    faces: np.ndarray,
    source_row: np.ndarray,
    axis: np.ndarray,
    normals: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the corner attributes of a cut surface.

    On faces of the source, values are interpolated; integers and booleans are those of the corner with the largest
    weight. On crack faces, texture coordinates are positions in metres, projected along an axis. Other values are those
    of the nearest corner of the source.

    Args:
        source: Surface with ``corner_attributes``.
        points: (P, 3) m.
        faces: (F, 3) rows of ``points``.
        source_row: (F,) face of the source that contains each face; -1 for a crack face.
        axis: (F,) axis along which a crack face is projected; not used for other faces.
        normals: (I, 3, 3) shading normals of the corners of crack faces.

    Returns:
        ``{name: (F, 3, K)}`` for the names of the source and ``uv/interior``, without ``EDGE_WEAR``, because a cut adds
        edges (see ``edge_distances``).
    """
    corners = points[faces]
    outer = np.flatnonzero(source_row >= 0)
    inner = np.flatnonzero(source_row < 0)
    weights = barycentric_weights(source.corners[source_row[outer]], corners[outer])
    projected = box_projection(corners[inner], axis[inner])
    nearest = _NearestCorner(source, points, faces[inner])
    named: Mapping[str, np.ndarray] = {INTERIOR_UV: np.zeros((len(source.faces), 3, 2)), **source.corner_attributes}
    result = {}
    for name, values in named.items():
        if name == EDGE_WEAR:
            continue
        values = frozen(values, float)
        carried = np.empty((len(corners), 3, values.shape[2]))
        if name.startswith(WHOLE):
            carried[outer] = np.take_along_axis(values[source_row[outer]], weights.argmax(axis=2)[..., None], axis=1)
        else:
            _interpolate_kernel(weights, values, source_row, outer, carried)
        if name == "normal":
            carried[outer] = unit(carried[outer])
            carried[inner] = normals
        elif name.startswith("uv/"):
            carried[inner] = projected
        else:
            carried[inner] = nearest.values(values)
        result[name] = carried
    return result


def corner_normals(points: np.ndarray, faces: np.ndarray, group: np.ndarray, crease: float) -> np.ndarray:
    """Return shading normals of face corners: means, weighted by area, over the faces around a point.

    Sharp edges separate the faces. An edge is sharp if it does not have two faces, if these are in different groups,
    or if the angle between their normals exceeds the crease angle.

    Args:
        points: (P, 3) m.
        faces: (F, 3) rows of ``points``.
        group: (F,) group of each face.
        crease: Crease angle, rad.

    Returns:
        (F, 3, 3) unit vectors.

    Notes:
        Gouraud 1971, Continuous Shading of Curved Surfaces, with areas as weights. Where the mean points away from a
        face (``LEAST_COSINE``), the face has its own normal.

    Example:
        Two triangles at 90 degrees: sharp below, smooth above.

        >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> faces, group = np.array([[0, 1, 2], [1, 0, 3]]), np.zeros(2, int)
        >>> corner_normals(points, faces, group, np.radians(80.0))[0, 0].tolist()
        [0.0, 0.0, 1.0]
        >>> corner_normals(points, faces, group, np.radians(100.0))[0, 0].round(3).tolist()
        [0.0, 0.707, 0.707]
    """
    result = np.empty((len(faces), 3, 3))
    smooth_normals(points, faces.astype(np.int64), np.asarray(group, np.int64), np.cos(crease), LEAST_COSINE, result)
    return result


def edge_distances(points: np.ndarray, faces: np.ndarray, part: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Return the distance of each corner from the nearest edge between outside and crack faces.

    Args:
        points: (P, 3) m; components do not share points.
        faces: (F, 3) rows of ``points``.
        part: (F,) component of each face. Only edges of the same component count.
        inside: (F,) bool, crack faces.

    Returns:
        (F, 3, 1) m, measured to the points of the edges; 0 without such an edge.

    Notes:
        Own: one k-d tree for all components, because one tree for each of thousands takes longer.

    Example:
        An outside face and a crack face meet at an edge, 2 m from the third corner.

        >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 2]])
        >>> faces = np.array([[0, 1, 2], [1, 0, 3]])
        >>> edge_distances(points, faces, np.zeros(2, int), np.array([False, True]))[:, :, 0].tolist()
        [[0.0, 0.0, 2.0], [0.0, 0.0, 2.0]]
    """
    on_crack, on_outside = np.zeros(len(points), bool), np.zeros(len(points), bool)
    on_crack[faces[inside]] = on_outside[faces[~inside]] = True
    rim = np.flatnonzero(on_crack & on_outside)
    if not len(rim):
        return np.zeros((len(faces), 3, 1))
    # One tree for all components: a fourth coordinate moves each component out of reach of the others.
    apart = 2.0 * float(np.linalg.norm(np.ptp(points, axis=0)))
    part_of_point = np.zeros(len(points))
    part_of_point[faces] = part[:, None]
    placed = np.column_stack([points, apart * part_of_point])
    off = np.flatnonzero(on_crack != on_outside)
    distances = np.zeros(len(points))
    distances[off] = np.minimum(cKDTree(placed[rim]).query(placed[off])[0], apart)
    return distances[faces][..., None]


def barycentric_weights(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the barycentric weights of points on triangles; outside, those of the nearest point on the edges.

    Args:
        triangles: (F, 3, 3) m.
        points: (F, N, 3) m, N points for each triangle.

    Returns:
        (F, N, 3) weights of 0 or more, with the sum 1.

    Notes:
        Ericson 2004, Real-Time Collision Detection, section 3.4.

    Example:
        >>> triangle = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> barycentric_weights(triangle, np.array([[[0.25, 0.25, 0.0], [2.0, 0.0, 0.0]]])).tolist()
        [[[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]]
    """
    weights = np.empty((*points.shape[:2], 3))
    _weights_kernel(np.ascontiguousarray(triangles, float), np.ascontiguousarray(points, float), weights)
    return weights


# Points are tuples: creating an array for each difference would take longer than the computation.
@njit(cache=True, nogil=True)
def _weights_kernel(triangles: np.ndarray, points: np.ndarray, weights: np.ndarray) -> None:
    for row in range(len(triangles)):
        a = (triangles[row, 0, 0], triangles[row, 0, 1], triangles[row, 0, 2])
        b = (triangles[row, 1, 0], triangles[row, 1, 1], triangles[row, 1, 2])
        c = (triangles[row, 2, 0], triangles[row, 2, 1], triangles[row, 2, 2])
        side, other = from_to(a, b), from_to(a, c)
        normal = _cross(side, other)
        square = dot(normal, normal)
        for index in range(points.shape[1]):
            point = (points[row, index, 0], points[row, index, 1], points[row, index, 2])
            arm = from_to(a, point)
            second, third = -1.0, -1.0
            if square > 0.0:
                second, third = dot(_cross(arm, other), normal) / square, dot(_cross(side, arm), normal) / square
            first = 1.0 - (second + third)
            if first < 0.0 or second < 0.0 or third < 0.0:
                first, second, third = _edge_weights(a, b, c, point)
            weights[row, index, 0], weights[row, index, 1], weights[row, index, 2] = first, second, third


@njit(cache=True, nogil=True)
def _edge_weights(a: Point, b: Point, c: Point, point: Point) -> Point:
    """Return the barycentric weights of the point on a triangle's edges that is nearest to a point."""
    ab, share_ab = _along(a, b, point)
    bc, share_bc = _along(b, c, point)
    ca, share_ca = _along(c, a, point)
    if ab <= bc and ab <= ca:
        return 1.0 - share_ab, share_ab, 0.0
    if bc <= ca:
        return 0.0, 1.0 - share_bc, share_bc
    return share_ca, 0.0, 1.0 - share_ca


@njit(cache=True, nogil=True)
def _along(start: Point, end: Point, point: Point) -> tuple[float, float]:
    """Return the squared distance of a point from an edge, and the position of the nearest point on it, 0 to 1."""
    side, arm = from_to(start, end), from_to(start, point)
    square = dot(side, side)
    share = min(max(dot(arm, side) / square, 0.0), 1.0) if square > 0.0 else 0.0
    away = (arm[0] - share * side[0], arm[1] - share * side[1], arm[2] - share * side[2])
    return dot(away, away), share


@njit(cache=True, nogil=True)
def from_to(start: Point, end: Point) -> Point:
    """Return the vector from one point to another."""
    return end[0] - start[0], end[1] - start[1], end[2] - start[2]


@njit(cache=True, nogil=True)
def dot(first: Point, second: Point) -> float:
    """Return the dot product of two vectors."""
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


@njit(cache=True, nogil=True)
def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True, nogil=True)
def _interpolate_kernel(
    weights: np.ndarray, values: np.ndarray, source_row: np.ndarray, rows: np.ndarray, result: np.ndarray
) -> None:
    """Interpolate the values at the corners of the source's faces, for ``rows`` of ``result``."""
    for index in range(len(rows)):
        source = source_row[rows[index]]
        for corner in range(3):
            for column in range(values.shape[2]):
                total = 0.0
                for other in range(3):
                    total += weights[index, corner, other] * values[source, other, column]
                result[rows[index], corner, column] = total


def box_projection(corners: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return the positions of face corners without one coordinate: texture coordinates.

    Args:
        corners: (F, 3, 3) m.
        axis: (F,) coordinate that is left out.

    Returns:
        (F, 3, 2) m, the other two coordinates in cyclic order.

    Example:
        >>> box_projection(np.array([[[1.0, 2.0, 3.0]] * 3]), np.array([1]))[0, 0].tolist()
        [3.0, 1.0]
    """
    rows = np.arange(len(corners))
    return np.stack([corners[rows, :, (axis + 1) % 3], corners[rows, :, (axis + 2) % 3]], axis=2)


class _NearestCorner:
    """Values at the corner of the source that is nearest to each corner of some faces. The tree is built on demand."""

    def __init__(self, source: Surface, points: np.ndarray, faces: np.ndarray):
        self._source, self._points, self._faces = source, points, faces

    def values(self, values: np.ndarray) -> np.ndarray:
        """Return the values (F, 3, K) at the nearest corners, from those of the source (S, 3, K)."""
        return values.reshape(-1, values.shape[2])[self._rows]

    @cached_property
    def _rows(self) -> np.ndarray:
        """Nearest corner (F, 3) of the source, as 3 face + corner."""
        used, corner_of_used = np.unique(self._source.faces, return_index=True)
        asked, nearest = distinct(self._faces), np.zeros(len(self._points), int)
        nearest[asked] = cKDTree(self._source.points[used]).query(self._points[asked])[1]
        return corner_of_used[nearest[self._faces]]
