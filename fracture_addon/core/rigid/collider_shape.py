"""The shape of an unbreakable object in the rigid world: sphere, box, hull or mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rapier3d import Collider as RigidCollider
from rapier3d import ColliderBuilder, Isometry3, Rotation3, TriMeshFlags
from scipy.spatial import ConvexHull, QhullError

from ..data.errors import InvalidMeshError
from ..data.job import Collider
from ..data.surface import Surface, area, area_vectors, volume
from ..geometry.plain_shapes import ball_around
from ..numerics.rotations import quaternion

# Largest distance of a point of a flat sheet from its plane, as a share of its diagonal. Float32 moves points of a
# rotated sheet by 3e-7 of it at 10 diagonals from the origin, and by 5e-6 at 100.
FLATNESS = 1e-5
# Thickness of the slab of a sheet that moves over that of one that does not. From 0.005 to 1, a tile on a rising sheet
# moves the same to 0.02 mm, and six fragments move as far within 1 % on average; at 1e-4 the tile sinks by 14 mm.
THIN = 0.01
# Share of its hull that a convex surface fills at least. In float32, rotated cubes, spheres, tetrahedra and plates
# fill at least 0.99997 of it at 10 diagonals from the origin, and 0.9998 at 100.
CONVEX_SHARE = 0.999
# Sum of the area vectors of a closed surface over its area, at most. Its rounding is about 1e-16 for each face.
CLOSED = 1e-6


def collider_shape(
    collider: Collider, center: np.ndarray, scale: float, thickness: float, above: np.ndarray
) -> ColliderBuilder:
    """Build Rapier's shape of a collider.

    A flat sheet that does not move (the usual floor) becomes a slab below its plane, so that fragments that a pile
    pushes below the plane are pushed out again. A mesh that moves becomes its convex hull, or several convex parts:
    moving triangles pass through small fragments (measured).

    Args:
        collider: The object.
        center: (3,) m, the point that becomes the shape's origin.
        scale: World units per metre.
        thickness: Thickness of the slab of a sheet that does not move, m.
        above: (3,) m, a point on the side of a sheet on which bodies lie.

    Returns:
        The builder of the shape, in world units.

    Raises:
        InvalidMeshError: The object has no faces, or is too thin for a convex hull.
    """
    points = (collider.surface.points - center) * scale
    if not len(collider.surface.faces):
        raise InvalidMeshError(f"'{collider.name}' has no faces that could be hit; give it a surface")
    kind = KINDS[collider.shape]
    if kind.may_be_slab:
        own_thickness = THIN * thickness if _moves(collider) else thickness
        slab = slab_below(collider.surface, above, own_thickness, kind.keeps_outline)
        if slab is not None:
            return _slab_shape((slab - center) * scale, collider.name)
    return kind.build(collider, points)


def _moves(collider: Collider) -> bool:
    return collider.mass > 0.0 or collider.track is not None


def _sphere(collider: Collider, points: np.ndarray) -> ColliderBuilder:
    middle, radius = ball_around(points)
    return RigidCollider.ball(radius).translation(tuple(middle.tolist()))


def _box(collider: Collider, points: np.ndarray) -> ColliderBuilder:
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    return RigidCollider.cuboid(*half.tolist()).translation(tuple(middle.tolist()))


def convex_corners(surface: Surface) -> np.ndarray | None:
    """Return the corners (H, 3) of the convex hull that a closed surface fills; ``None`` if it is not convex.

    Example:
        >>> corners = np.vstack([np.zeros(3), np.eye(3)])
        >>> convex_corners(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])).tolist()
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    try:
        hull = ConvexHull(surface.points)
    except QhullError:
        return None
    if not _areas_cancel(surface) or abs(volume(surface)) <= CONVEX_SHARE * hull.volume:
        return None
    return surface.points[hull.vertices]


def _areas_cancel(surface: Surface) -> bool:
    """Return whether the area vectors sum to zero, as in a closed surface; its seams need not share points."""
    return bool(np.linalg.norm(area_vectors(surface).sum(axis=0)) < CLOSED * max(area(surface), 1e-30))


def _hull(collider: Collider, points: np.ndarray) -> ColliderBuilder:
    return _hull_of(points, collider.name)


def _hull_of(points: np.ndarray, name: str) -> ColliderBuilder:
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError as error:
        raise InvalidMeshError(
            f"'{name}' is too thin for a convex hull; set its rigid-body shape to Mesh, or give it a thickness"
        ) from error
    return RigidCollider.convex_hull(corners)


def slab_below(surface: Surface, above: np.ndarray, thickness: float, exact: bool) -> np.ndarray | None:
    """Return the corners of a slab below a flat sheet.

    Args:
        surface: The sheet.
        above: (3,) m, a point on the side on which bodies lie.
        thickness: Thickness of the slab, m.
        exact: Whether the sheet must be convex.

    Returns:
        (2 K, 3) m, the upper outline and then the lower one; ``None`` if the sheet is not flat, or not convex where it
        must be.

    Notes:
        Own. Its plane is that of the least squares of the distances (compare Pearson 1901).

    Example:
        >>> sheet = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> slab_below(sheet, np.array([0.5, 0.5, 1.0]), 0.1, True)[:, 2].round(6).tolist()
        [0.0, 0.0, 0.0, 0.0, -0.1, -0.1, -0.1, -0.1]
    """
    origin = surface.points.mean(axis=0)
    _, _, axes = np.linalg.svd(surface.points - origin, full_matrices=False)
    normal = axes[2]
    if np.abs((surface.points - origin) @ normal).max() > FLATNESS * surface.diagonal:
        return None
    flat = (surface.points - origin) @ axes[:2].T
    try:
        outline = ConvexHull(flat)
    except QhullError:
        return None
    if exact and not CONVEX_SHARE < area(surface) / outline.volume < 1.5:
        return None
    side = np.sign((above - origin) @ normal) or 1.0
    corners = surface.points[outline.vertices]
    return np.concatenate([corners, corners - side * thickness * normal])


def _slab_shape(corners: np.ndarray, name: str) -> ColliderBuilder:
    """Build a slab: an oriented box if its outline is a rectangle, else a convex hull.

    Bodies that lie on a hull tremble, do not fall asleep, and take several times as long (measured).

    Args:
        corners: (2 K, 3), the upper outline and then the lower one, in the same order.
        name: Name of the object, for messages.
    """
    upper, lower = np.split(corners, 2)
    along = np.roll(upper, -1, axis=0) - upper
    x = along[np.argmax(np.linalg.norm(along, axis=1))]
    z = upper[0] - lower[0]
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    spans = corners @ axes
    low, high = spans.min(axis=0), spans.max(axis=0)
    flat = spans[: len(upper), :2]
    filled = 0.5 * abs(np.sum(flat[:, 0] * np.roll(flat[:, 1], -1) - np.roll(flat[:, 0], -1) * flat[:, 1]))
    if filled < CONVEX_SHARE * np.prod(high[:2] - low[:2]):
        return _hull_of(corners, name)
    middle = axes @ (0.5 * (low + high))
    turn = Rotation3.from_quaternion(*quaternion(axes))
    box = RigidCollider.cuboid(*(0.5 * (high - low)).tolist())
    return box.position(Isometry3(translation=tuple(middle.tolist()), rotation=turn))


def _mesh(collider: Collider, points: np.ndarray) -> ColliderBuilder:
    faces = collider.surface.faces
    if _moves(collider):
        if convex_corners(collider.surface) is not None:
            return _hull_of(points, collider.name)
        return RigidCollider.convex_decomposition(points, faces.astype(np.uint32))
    closed = _areas_cancel(Surface(points, faces))
    inner = TriMeshFlags.FIX_INTERNAL_EDGES if closed else TriMeshFlags.FIX_INTERNAL_EDGES_TWO_SIDED
    flags = inner | TriMeshFlags.MERGE_DUPLICATE_VERTICES | TriMeshFlags.DELETE_DEGENERATE_TRIANGLES
    return RigidCollider.trimesh(points, faces.astype(np.uint32), flags)


@dataclass(frozen=True)
class Kind:
    """How a shape is built.

    Attributes:
        build: Builds it from the collider and its points (N, 3) in the world's units.
        may_be_slab: Whether a flat sheet becomes a slab.
        keeps_outline: Whether only a flat sheet with a convex outline becomes a slab.
    """

    build: Callable[[Collider, np.ndarray], ColliderBuilder]
    may_be_slab: bool = True
    keeps_outline: bool = False


# By ``Collider.shape``.
KINDS = {
    "sphere": Kind(_sphere, may_be_slab=False),
    "box": Kind(_box),
    "hull": Kind(_hull),
    "mesh": Kind(_mesh, keeps_outline=True),
}
