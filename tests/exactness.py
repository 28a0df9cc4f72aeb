"""How exactly the fragments of a surface make up that surface, measured by other means than those that cut it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.cut_part import CutPart
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface, area_vectors, volume
from fracture_addon.core.geometry.nearest import nearest
from fracture_addon.core.geometry.thin_triangles import heights
from fracture_addon.core.methods import table
from fracture_addon.core.methods.method import RigidMotion

AT_REST = RigidMotion(np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class Exactness:
    """Errors of all fragments together; every one is 0 for perfect fragments.

    Attributes:
        open_fragments: Fragments with an edge that has not exactly two faces which run along it in opposite directions.
        pinched_fragments: Fragments with a point around which the faces are not one fan.
        volume: Error of the sum of volumes, over the volume of the surface.
        area: Error of the area of all outer faces, over the area of the surface.
        distance: Largest distance of a corner of an outer face from the surface, over its diagonal.
        corner_values: Greatest error of texture coordinates, colours and other corner values but normals.
        normal_angle: 99th percentile of the angle between shading normals and those of the surface, degrees.
        wrong_face_values: Outer faces whose material or another value is not that of the face that they are a part of.
        empty_faces: Faces without area, also once they are stored in single precision around the fragment's middle.
        slivers: Fragments below ``least_volume``.
    """

    open_fragments: int
    pinched_fragments: int
    volume: float
    area: float
    distance: float
    corner_values: float
    normal_angle: float
    wrong_face_values: int
    empty_faces: int
    slivers: int

    @property
    def faults(self) -> list[str]:
        """Names of those that are greater than they may be."""
        bounds = {"volume": 1e-6, "area": 1e-6, "distance": 1e-6, "corner_values": 1e-5, "normal_angle": 0.5}
        return [name for name in self.__dataclass_fields__ if not getattr(self, name) <= bounds.get(name, 0)]


def measure(surface: Surface, pieces: Sequence[CutPart], least_volume: float = 0.0) -> Exactness:
    """Compare fragments with the surface that they were cut from.

    Args:
        surface: Closed surface; its ``face_source`` numbers its faces.
        pieces: Fragments that fill the whole surface.
        least_volume: m3, volume below which a fragment is a sliver.
    """
    outer = [(fragment.surface, np.flatnonzero(~fragment.interior)) for fragment in pieces]
    corners = np.concatenate([part.corners[rows] for part, rows in outer])
    source_row = np.concatenate([part.face_source[rows] for part, rows in outer])
    areas = np.linalg.norm(_normals(corners), axis=1)
    weights = _weights(surface.corners[source_row], corners)
    held = _held(weights, surface.corners[source_row], corners)
    gaps = np.linalg.norm(corners - np.einsum("fcw,fwk->fck", held, surface.corners[source_row]), axis=2)
    # What lies off its face by no more than it may has the values of the place beside it.
    weights = np.where((gaps <= 1e-6 * surface.diagonal)[..., None], held, weights)
    far = gaps > 1e-7 * surface.diagonal
    gaps[far] = nearest(surface, corners[far])[2]
    # On a triangle without height there is no saying which value belongs where.
    tall = heights(surface.points, surface.faces)[source_row] > 5e-7 * surface.diagonal
    wrong = np.zeros(len(source_row), bool)
    for name, values in surface.face_attributes.items():
        carried = np.concatenate([part.face_attributes[name][rows] for part, rows in outer])
        wrong |= (carried != np.asarray(values)[source_row]).reshape(len(wrong), -1).any(axis=1)
    value_error, angle = 0.0, 0.0
    for name, values in surface.corner_attributes.items():
        carried = np.concatenate([part.corner_attributes[name][rows] for part, rows in outer])
        expected = np.einsum("fcw,fwk->fck", weights, np.asarray(values, float)[source_row])
        if name == "normal":
            expected /= np.maximum(np.linalg.norm(expected, axis=2, keepdims=True), 1e-300)
            sines = np.linalg.norm(np.cross(expected, carried), axis=2)
            angles = np.degrees(np.arctan2(sines, np.einsum("fck,fck->fc", expected, carried)))
            angle = float(np.percentile(angles, 99))
        else:
            value_error = max(value_error, float(np.abs(carried - expected)[tall].max(initial=0.0)))
    volumes = np.array([volume(fragment.surface) for fragment in pieces])
    return Exactness(
        sum(not is_closed(fragment.surface.faces) for fragment in pieces),
        sum(is_closed(fragment.surface.faces) and is_pinched(fragment.surface.faces) for fragment in pieces),
        abs(float(volumes.sum()) / volume(surface) - 1.0),
        abs(0.5 * float(areas.sum()) / float(np.linalg.norm(area_vectors(surface), axis=1).sum()) - 1.0),
        float(gaps.max(initial=0.0)) / surface.diagonal,
        value_error,
        angle,
        int(wrong.sum()),
        sum(_empty_count(fragment.surface) for fragment in pieces),
        int((volumes < least_volume).sum()),
    )


def dressed(surface: Surface) -> Surface:
    """With a material, colours and texture coordinates that jump from face to face, and smooth normals."""
    random = np.random.default_rng(0)
    vectors = area_vectors(surface)
    normals = np.stack(
        [np.bincount(surface.faces.ravel(), np.repeat(vectors[:, k], 3), len(surface.points)) for k in range(3)], axis=1
    )
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    count = len(surface.faces)
    return Surface(
        surface.points,
        surface.faces,
        face_attributes={"material_index": np.arange(count, dtype=np.int32) % 3, "smooth": np.ones(count, bool)},
        corner_attributes={
            "normal": normals[surface.faces],
            "uv/UVMap": random.random((count, 3, 2)),
            "color/Glaze": random.random((count, 3, 4)),
        },
    )


def numbered(surface: Surface) -> Surface:
    """The same surface, whose ``face_source`` counts its faces."""
    return replace(surface, face_source=np.arange(len(surface.faces)))


def struck(surface: Surface, settings: Settings, times: float = 8.0) -> list[CutPart]:
    """The fragments that an impact from the side, some times what the body bears, makes of it."""
    solid = table.discretise(surface, settings)
    model = table.build(solid, PORCELAIN, settings)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    rows, weights, _ = nearest(surface, (low + (high - low) * [1.0, 0.5, 0.6])[None])
    normal = area_vectors(surface)[rows[0]]
    impact = Impact(weights[0] @ surface.corners[rows[0]], -normal, 1.0, 1e-4, 0.03 * surface.diagonal)
    force = times * table.critical_force(model, settings, [impact])
    impact = Impact(impact.point, impact.direction, 0.5 * force * impact.duration, impact.duration, impact.radius)
    result = table.strike(model, settings, AT_REST, [impact])
    return fragments.cut(surface, result.solid or solid, result.fragment_of_cell, settings)


def is_closed(faces: np.ndarray) -> bool:
    """Whether every directed edge comes once, and its reverse once."""
    along, back = (np.sort(keys) for keys in _directed(faces))
    return bool((np.diff(along) > 0).all() and np.array_equal(along, back))


def is_pinched(faces: np.ndarray) -> bool:
    """Whether the faces around some point of a closed surface are more than one fan."""
    along, back = _directed(faces)
    # A half-edge and the reverse of another: what starts at the one ends at the other.
    other = np.argsort(along)[np.searchsorted(np.sort(along), back)]
    following = np.arange(faces.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    links = (np.arange(faces.size), following[other])
    graph = coo_array((np.ones(faces.size, bool), links), shape=(faces.size, faces.size))
    return connected_components(graph, directed=False)[0] != len(np.unique(faces))


def _directed(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number for the edge that runs on from each corner, and for its reverse."""
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    width = int(faces.max(initial=0)) + 1
    return start * width + end, end * width + start


def _weights(triangles: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return barycentric coordinates (F, 3, 3) from areas in the coordinate plane in which each triangle is largest."""
    drop = np.argmax(np.abs(_normals(triangles)), axis=1)
    keep = (drop[:, None] + np.array([1, 2])) % 3
    flat = np.take_along_axis(triangles, np.repeat(keep[:, None], 3, axis=1), axis=2)
    points = np.take_along_axis(corners, np.repeat(keep[:, None], 3, axis=1), axis=2)
    origin, sides = flat[:, :1], np.swapaxes(flat[:, 1:] - flat[:, :1], 1, 2)
    pair = np.linalg.solve(sides[:, None], (points - origin)[..., None])[..., 0]
    return np.concatenate([1.0 - pair.sum(axis=2, keepdims=True), pair], axis=2)


def _held(weights: np.ndarray, triangles: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the weights (F, 3, 3) of points in triangles, or those of the nearest point on an edge."""
    result, least = weights.copy(), np.where((weights >= 0.0).all(axis=2), 0.0, np.inf)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        side = (triangles[:, other] - triangles[:, one])[:, None]
        arm = corners - triangles[:, one, None]
        share = np.clip((arm * side).sum(axis=2) / np.maximum((side * side).sum(axis=2), 1e-300), 0.0, 1.0)
        away = np.linalg.norm(arm - share[..., None] * side, axis=2)
        nearer = away < least
        place = np.zeros(weights.shape)
        place[..., one], place[..., other] = 1.0 - share, share
        result, least = np.where(nearer[..., None], place, result), np.minimum(least, away)
    return result


def _empty_count(surface: Surface) -> int:
    stored = (surface.points - surface.points.mean(axis=0)).astype(np.float32).astype(float)
    normals = np.stack([_normals(points[surface.faces]) for points in (surface.points, stored)])
    return int((~normals.any(axis=2)).any(axis=0).sum())


def _normals(corners: np.ndarray) -> np.ndarray:
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
