"""Intersection of a closed surface with closed regions by manifold3d in float64, with the source of each face."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Error, Manifold, Mesh64

from ..data.arrays import ReadOnlyArrays, cross_rows, distinct, order_of
from ..data.errors import FractureError, InvalidMeshError
from ..data.surface import Surface
from ..geometry.fans import fans, mates
from ..geometry.inside import is_inside
from ..numerics.components import components
from .crack_faces import CrackFaces, split_crowded_edges

# Largest change of a volume by an import into manifold3d, where the diagonal of the source is about 1: rounding of
# float64 sums over up to 10^6 faces.
VOLUME_TOLERANCE = 1e-9
# Decimals to which angles around an edge are rounded, rad: equal angles must compare equal after float64 rounding.
ANGLE_DECIMALS = 12


@dataclass(frozen=True)
class Cuts(ReadOnlyArrays):
    """Triangles of all intersections, sorted by region.

    Attributes:
        points: (P, 3) m. Regions do not share points, even at the same position.
        faces: (F, 3) rows of ``points``.
        region: (F,) region that a face bounds.
        source_row: (F,) face of the source that contains the face; -1 on a crack face.
        crack_row: (F,) crack face that contains the face; -1 on the source.
    """

    points: np.ndarray
    faces: np.ndarray
    region: np.ndarray
    source_row: np.ndarray
    crack_row: np.ndarray


def intersect(source_points: np.ndarray, source_faces: np.ndarray, cracks: CrackFaces, regions: Sequence[int]) -> Cuts:
    """Intersect a closed surface with several regions.

    Args:
        source_points: (P, 3) m.
        source_faces: (F, 3), closed, with outward normals.
        cracks: Crack faces of all regions.
        regions: Labels of the wanted regions.

    Returns:
        The closed intersections.

    Raises:
        InvalidMeshError: The source is not closed.
        FractureError: manifold3d does not accept a region, or changes its volume.

    Notes:
        manifold3d (Lalish; Smith 2009, Towards Robust Inexact Geometric Computation: exact topology by symbolic
        perturbation) remembers for each triangle the face that contains it. The surface is moved to the origin and
        scaled by a power of two, which does not round.

    Example:
        A tetrahedron and the same one moved by half an edge share an eighth of its volume.

        >>> corners, faces = np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> moved, outside = corners + [0.5, 0.0, 0.0], np.tile([0, -1], (4, 1))
        >>> region = CrackFaces(moved, moved, faces, outside, np.zeros(4, int), outside)
        >>> cuts = intersect(corners, faces, region, [0])
        >>> round(_volume(cuts.points, cuts.faces) / _volume(corners, faces), 9)
        0.125
    """
    low, high = source_points.min(axis=0), source_points.max(axis=0)
    center = 0.5 * (low + high)
    # A power of two: scaling and scaling back do not round.
    scale = 2.0 ** np.round(np.log2(np.linalg.norm(high - low)))
    source_id = Manifold.reserve_ids(2)
    source = _import_source((source_points - center) / scale, source_faces, source_id)
    points, faces, rows, owner = _closed_regions(cracks, regions)
    bodies = Bodies((points - center) / scale, faces, rows, owner)
    parts = list(_intersected(source, source_id, bodies, 0, len(regions), [str(label) for label in regions]))
    return _joined(parts, center, scale)


@dataclass(frozen=True)
class Bodies(ReadOnlyArrays):
    """Closed regions that touch one another.

    Attributes:
        points: (P, 3) m. Regions do not share points.
        faces: (F, 3) rows of ``points``, with outward normals.
        rows: (F,) crack face of each face.
        owner: (F,) region of each face, ascending.
    """

    points: np.ndarray
    faces: np.ndarray
    rows: np.ndarray
    owner: np.ndarray

    def between(self, first: int, last: int) -> Bodies:
        """Return the regions from ``first`` to before ``last``."""
        start, end = np.searchsorted(self.owner, [first, last])
        faces = self.faces[start:end]
        low, high = (faces.min(), faces.max() + 1) if len(faces) else (0, 0)
        return Bodies(self.points[low:high], faces - low, self.rows[start:end], self.owner[start:end])


def _intersected(
    source: Manifold, source_id: int, bodies: Bodies, first: int, last: int, names: Sequence[str]
) -> Iterator[Cuts]:
    """Yield cuts of the regions from ``first`` to before ``last``, in the frame of the source.

    All regions are cut at once, as one mesh of many closed components. Regions do not share points, so that the result
    consists of separate components, and the source is processed once. manifold3d distributes such a large mesh to all
    cores, with the same bytes as on one. If a component bounds two regions, or the import changes the volume, each half
    of the regions is cut separately, until the faulty region is found.
    """
    chosen = bodies.between(first, last)
    expected = _volume(chosen.points, chosen.faces)
    solid = _import(chosen.points, chosen.faces, np.arange(len(chosen.faces)), source_id + 1)
    cuts = None
    if solid.status() == Error.NoError and abs(solid.volume() - expected) <= VOLUME_TOLERANCE:
        cuts = _cuts_by_region((source ^ solid).to_mesh64(), source_id, chosen)
    if cuts is not None:
        yield cuts
    elif last - first > 1:
        middle = (first + last) // 2
        yield from _intersected(source, source_id, bodies, first, middle, names)
        yield from _intersected(source, source_id, bodies, middle, last, names)
    else:
        raise FractureError(
            f"fragment {names[first]} could not be cut: the import changed the relative volume of its region from "
            f"{expected:.6g} to {solid.volume():.6g}; use another seed or fewer cells"
        )


def _cuts_by_region(mesh: Mesh64, source_id: int, bodies: Bodies) -> Cuts | None:
    """Return the cuts by region; ``None`` if a component bounds two regions."""
    points, faces = mesh.vert_properties[:, :3], np.asarray(mesh.tri_verts, np.int64)
    run_lengths = np.diff(np.asarray(mesh.run_index, np.int64)) // 3
    from_source = np.repeat(np.asarray(mesh.run_original_id) == source_id, run_lengths)
    rows = np.asarray(mesh.face_id, np.int64)
    part = components(faces, len(points))[faces[:, 0]]
    made = ~from_source
    lowest, highest = np.full(len(points), len(bodies.owner)), np.full(len(points), -1)
    np.minimum.at(lowest, part[made], bodies.owner[rows[made]])
    np.maximum.at(highest, part[made], bodies.owner[rows[made]])
    if (lowest[part[made]] != highest[part[made]]).any():
        return None
    for uncut in distinct(part[highest[part] < 0]):
        highest[uncut] = _region_around(bodies, points[faces[np.argmax(part == uncut), :1]])
    region = highest[part]
    order = order_of(region)
    crack_row = np.where(from_source, -1, bodies.rows[np.where(from_source, 0, rows)])
    return Cuts(points, faces[order], region[order], np.where(from_source, rows, -1)[order], crack_row[order])


def _region_around(bodies: Bodies, point: np.ndarray) -> int:
    """Return the region that contains a point (1, 3)."""
    found = bodies.owner[0]
    for region in distinct(bodies.owner):
        if is_inside(Surface(bodies.points, bodies.faces[bodies.owner == region]), point)[0]:
            found = region
    return int(found)


def _joined(parts: Sequence[Cuts], center: np.ndarray, scale: float) -> Cuts:
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    return Cuts(
        np.concatenate([part.points for part in parts]) * scale + center,
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=False)]),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("region", "source_row", "crack_row")),
    )


def _import(points: np.ndarray, faces: np.ndarray, rows: np.ndarray, original_id: int) -> Manifold:
    """Return a manifold whose triangles remember ``rows``. It would merge coplanar triangles with equal rows."""
    return Manifold(
        Mesh64(
            np.array(points, order="C"),  # manifold3d refuses read-only arrays
            np.ascontiguousarray(faces, np.uint64),
            run_index=np.array([0, 3 * len(faces)], np.uint64),
            run_original_id=np.array([original_id], np.uint32),
            face_id=np.ascontiguousarray(rows, np.uint64),
        )
    )


def _import_source(points: np.ndarray, faces: np.ndarray, original_id: int) -> Manifold:
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    if (np.sort(start * len(points) + end) != np.sort(end * len(points) + start)).any():
        raise InvalidMeshError(
            "the surface cannot be cut: it is not closed, or not all faces point outwards; repair it first"
        )
    split_points, split_faces, rows = split_crowded_edges(points, faces)
    vertex_of_corner = separate_fans(split_points, split_faces, np.zeros(len(split_faces), np.int64))
    split_points = _points_of_corners(split_points, split_faces, vertex_of_corner)
    source = _import(split_points, vertex_of_corner, rows, original_id)
    if source.status() != Error.NoError:
        raise InvalidMeshError(f"the surface cannot be cut ({source.status().name}); repair it first")
    expected = _volume(points, faces)
    if abs(source.volume() - expected) > VOLUME_TOLERANCE:
        raise InvalidMeshError(
            f"the surface cannot be cut: {abs(source.volume() / expected - 1.0):.2g} of its volume was lost on import; "
            "repair it first"
        )
    return source


def _closed_regions(cracks: CrackFaces, regions: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Return points, faces with outward normals, the crack face of each face, and its region among the wanted ones."""
    order_of_region = np.full(int(max(cracks.labels.max(initial=0), max(regions, default=0))) + 2, -1)
    order_of_region[np.asarray(regions, int)] = np.arange(len(regions))
    # Both sides of each crack face, one after the other. A stable sort by owner keeps the order of the crack faces.
    owner = order_of_region[cracks.labels].ravel()
    order = order_of(owner + 1)
    order = order[owner[order] >= 0]
    owner, rows = owner[order], order // 2
    faces = np.where((order % 2 == 1)[:, None], cracks.faces[rows, ::-1], cracks.faces[rows])
    vertex_of_corner = separate_fans(cracks.rest, faces, owner)
    return _points_of_corners(cracks.points, faces, vertex_of_corner), vertex_of_corner, rows, owner


def separate_fans(points: np.ndarray, faces: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Split points so that each edge of an owner has two faces, and each vertex one fan.

    Where several sheets of a closed boundary meet at an edge or a point, each sheet gets its own vertex at the same
    position. The result is manifold, and touches itself.

    Args:
        points: (P, 3) m.
        faces: (F, 3), closed, with outward normals, for each owner.
        owner: (F,) body that a face bounds, ascending.

    Returns:
        (F, 3) vertices, numbered from 0, sorted by owner.

    Notes:
        Gueziec, Taubin, Lazarus and Horn 2001, Cutting and Stitching. Around an edge, own: the pairs are those that
        enclose a wedge of the body.

    Example:
        Two tetrahedra that share one of seven points.

        >>> points = np.vstack([np.zeros(3), np.eye(3), -np.eye(3)])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> both = np.vstack([faces, np.where(faces, faces + 3, 0)[:, ::-1]])
        >>> int(separate_fans(points, both, np.zeros(8, int)).max()) + 1
        8
    """
    faces, owner = np.ascontiguousarray(faces, np.int64), np.asarray(owner, np.int64)
    mate = mates(faces, len(points), owner)
    crowded = np.flatnonzero(mate < 0)
    if len(crowded):
        ends = np.sort(np.stack([faces.ravel(), faces[:, [1, 2, 0]].ravel()], axis=1)[crowded], axis=1)
        edge = (owner[crowded // 3] * len(points) + ends[:, 0]) * len(points) + ends[:, 1]
        order = np.argsort(edge, kind="stable")
        pairs = _pair_around_edges(points, faces, crowded[order], edge[order])
        mate[pairs] = pairs[:, ::-1]
    return fans(mate)


def _pair_around_edges(points: np.ndarray, faces: np.ndarray, half_edges: np.ndarray, edge: np.ndarray) -> np.ndarray:
    """Pair the faces around each edge so that each pair encloses a wedge of the body.

    Args:
        points: (P, 3) m.
        faces: (F, 3) rows of ``points``.
        half_edges: (N,) half-edges, 3 face + corner, sorted by edge.
        edge: (N,) edge of each half-edge, ascending.

    Returns:
        (N / 2, 2) half-edges.
    """
    face, corner = half_edges // 3, half_edges % 3
    start, end, opposite = (faces[face, (corner + step) % 3] for step in range(3))
    forward = start < end
    low, high = np.minimum(start, end), np.maximum(start, end)
    axis = points[high] - points[low]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    arm = points[opposite] - points[low]
    arm -= np.einsum("ni,ni->n", arm, axis)[:, None] * axis
    # Angles are measured from the first face of each edge.
    _, first, of_edge = np.unique(edge, return_index=True, return_inverse=True)
    zero = arm[first][of_edge]
    across = np.cross(axis, zero) / np.linalg.norm(zero, axis=1, keepdims=True)
    along = zero / np.linalg.norm(zero, axis=1, keepdims=True)
    angle = np.arctan2(np.einsum("ni,ni->n", arm, across), np.einsum("ni,ni->n", arm, along))
    angle = np.round(angle % (2.0 * np.pi), ANGLE_DECIMALS)
    # A face that runs forward along the axis has its normal towards increasing angles, so that the body is before it:
    # it closes a wedge, and a backward face opens one. A forward face that comes first closes the wedge of the last
    # face.
    ring = np.lexsort((forward, angle, edge))
    leading = ring[first][forward[ring[first]]]
    angle[leading] += 4.0 * np.pi
    return half_edges[np.lexsort((forward, angle, edge))].reshape(-1, 2)


def _points_of_corners(points: np.ndarray, faces: np.ndarray, vertex_of_corner: np.ndarray) -> np.ndarray:
    row = np.empty(int(vertex_of_corner.max(initial=-1)) + 1, np.int64)
    row[vertex_of_corner] = faces
    return points[row]


def _volume(points: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (points[corners] for corners in faces.T)
    return float(np.einsum("fi,fi->", a, cross_rows(b, c)) / 6.0)
