"""Colliders and projectiles: every object with Blender's own rigid-body settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.job import Collider
from ...core.data.surface import Surface
from ...core.geometry.inspection import is_flat
from ...core.numerics.rotations import transformed
from ..scene.result_lookup import collection_of, pieces_of
from . import motion
from .mesh import read_surface

# Blender's collision shapes, each with the nearest shape of the rigid world. A box becomes the hull of the object's own
# bounding box, which may be rotated; the rigid world's ``box`` is aligned with the axes.
SHAPES = {"BOX": "hull", "SPHERE": "sphere", "MESH": "mesh", "COMPOUND": "mesh"}
OTHER_SHAPE = "hull"
_BOX_FACES = np.array(
    [
        [0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6], [0, 5, 1], [0, 4, 5],
        [1, 6, 2], [1, 5, 6], [2, 7, 3], [2, 6, 7], [3, 4, 0], [3, 7, 4],
    ],
    np.int32,
)  # fmt: skip


def colliders(context: Any, breakables: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the mesh objects with rigid-body settings that do not break, in the order of their names."""
    chosen = set(breakables)
    # Their fragments of an earlier run count as removed.
    for result in filter(None, map(collection_of, breakables)):
        chosen.update(pieces_of(result))
    found = [obj for obj in context.view_layer.objects if obj.rigid_body is not None and obj not in chosen]
    return sorted((obj for obj in found if obj.type == "MESH" and not obj.hide_viewport), key=lambda obj: obj.name)


def read_collider(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    matrices: np.ndarray,
    around: np.ndarray,
    keyed_frames: int | None,
    seconds: float,
) -> Collider:
    """Read one collider: its shape on the frame of the depsgraph, at its position on the first frame.

    Args:
        obj: Object with rigid-body settings.
        depsgraph: Dependency graph, evaluated on the frame whose shape is used.
        matrices: (T, 4, 4) from its space to the world on each frame, metres; T = 1 for an object that does not move.
        around: (3, 4, 4) the same on the frame before the first frame, on the first, and on the frame after it.
        keyed_frames: Number of frames on which its keyframes drive it before it becomes dynamic; ``None`` for all.
        seconds: s, time between two frames.
    """
    body: Any = obj.rigid_body
    surface = read_surface(obj, depsgraph, matrices[0])
    shape = SHAPES.get(body.collision_shape, OTHER_SHAPE)
    if is_flat(surface.points):
        shape = "mesh"
    elif body.collision_shape == "BOX":
        surface = _own_box(obj, depsgraph, matrices[0])
    center = surface.points.mean(axis=0)
    common: dict[str, Any] = {"friction": body.friction, "restitution": body.restitution}
    if keyed_frames is not None and keyed_frames < 2:
        poses = motion.rigid_motion(around[[1, 0, 2]], center)[[1, 0, 2]]
        velocity, turn = motion.initial_velocity(poses, seconds)
        return Collider(obj.name, surface, shape, body.mass, **common, velocity=velocity, angular_velocity=turn)
    poses = motion.rigid_motion(matrices[:keyed_frames], center)
    if keyed_frames is not None:
        return Collider(obj.name, surface, shape, body.mass, **common, track=poses)
    track = None if motion.stands_still(poses, surface.diagonal) else poses
    return Collider(obj.name, surface, shape, **common, track=track)


def _own_box(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray) -> Surface:
    corners = np.array(obj.evaluated_get(depsgraph).bound_box, float)
    return Surface(transformed(corners, matrix), _BOX_FACES)
