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

# A sheet counts as flat when no point leaves its plane by more than this share of its diagonal.
FLATNESS = 1e-5
# Thickness of a flat sheet that moves over that of one that stands still.
THIN = 0.01
# A surface counts as convex when it fills this share of its hull.
CONVEX_SHARE = 0.999


def collider_shape(
    collider: Collider, center: np.ndarray, scale: float, thickness: float, above: np.ndarray
) -> ColliderBuilder:
    """Rapier's shape for a collider.

    A flat sheet that stands still (the usual floor) becomes a slab of ``thickness``, reaching away from ``above``: what
    a pile pushes below the sheet's plane is pushed back out. A mesh that
    moves becomes its hull, or several that fill it: moving triangles pass through small pieces (measured).

    Args:
        collider: The object.
        center: (3,) metres, the point that becomes the shape's origin.
        scale: World units a metre.
        thickness: Of such a slab, metres.
        above: (3,) metres, a point on the side of a sheet that has to hold.

    Raises:
        InvalidMeshError: It has no extent that could be hit.
    """
    points = (collider.surface.points - center) * scale
    if not len(collider.surface.faces):
        raise InvalidMeshError(f"'{collider.name}' has no faces that could be hit; give it a surface")
    kind = KINDS[collider.shape]
    if kind.may_be_slab:
        own_thickness = THIN * thickness if _moves(collider) else thickness
        slab = _slab(collider.surface, above, own_thickness, kind.keeps_outline)
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


def _is_convex(surface: Surface) -> bool:
    """Whether a surface is closed and fills its hull."""
    try:
        hull = ConvexHull(surface.points)
    except QhullError:
        return False
    return _is_closed(surface) and abs(volume(surface)) > CONVEX_SHARE * hull.volume


def _is_closed(surface: Surface) -> bool:
    """Whether the area vectors sum to nothing, as those of a surface with an inside do."""
    return bool(np.linalg.norm(area_vectors(surface).sum(axis=0)) < 1e-6 * max(area(surface), 1e-30))


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


def _slab(surface: Surface, above: np.ndarray, thickness: float, exact: bool) -> np.ndarray | None:
    """Corners of a slab below a flat sheet; ``None`` for a surface that is not flat, or (``exact``) not convex."""
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
    """A slab as an oriented box where its outline is a rectangle, else as a hull.

    What lies on the faces of a hull trembles, stays awake and costs several times as much (measured).

    Args:
        corners: (2 K, 3), the upper outline and then the lower one, in the same order round.
        name: Of the object.
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
        if _is_convex(collider.surface):
            return _hull_of(points, collider.name)
        return RigidCollider.convex_decomposition(points, faces.astype(np.uint32))
    closed = _is_closed(Surface(points, faces))
    inner = TriMeshFlags.FIX_INTERNAL_EDGES if closed else TriMeshFlags.FIX_INTERNAL_EDGES_TWO_SIDED
    flags = inner | TriMeshFlags.MERGE_DUPLICATE_VERTICES | TriMeshFlags.DELETE_DEGENERATE_TRIANGLES
    return RigidCollider.trimesh(points, faces.astype(np.uint32), flags)


@dataclass(frozen=True)
class Kind:
    """How a shape is built.

    Attributes:
        build: Builds it from the collider and its points (N, 3) in the world's units.
        may_be_slab: A flat sheet becomes a slab.
        keeps_outline: Only a sheet with a convex outline does.
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
