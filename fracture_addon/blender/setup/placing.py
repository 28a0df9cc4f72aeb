"""Positions and bounds of objects, and moving objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ...core.data.errors import InvalidMeshError
from ...core.numerics.rotations import transformed

UP = Vector((0.0, 0.0, 1.0))


def move(objects: Sequence[bpy.types.Object], matrix: Matrix) -> None:
    """Move objects by a matrix in world space. Objects with a parent move with their topmost parent."""
    for root in moved_with(objects):
        root.matrix_world = matrix @ root.matrix_world
    context: Any = bpy.context
    context.view_layer.update()


def moved_with(objects: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the topmost parents of objects, ordered by name; ``move`` moves these."""
    return sorted({_root(obj) for obj in objects}, key=lambda obj: obj.name)


def bounds(objects: Sequence[bpy.types.Object]) -> np.ndarray:
    """Return the lowest and the highest corner (2, 3) of the bounding box of evaluated objects, scene units.

    Raises:
        InvalidMeshError: The objects have no points, or invalid coordinates.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners = []
    for obj in objects:
        evaluated = obj.evaluated_get(depsgraph)
        if evaluated.type != "MESH":
            corners.append(np.array([evaluated.matrix_world @ Vector(corner) for corner in evaluated.bound_box]))
            continue
        mesh: Any = evaluated.data
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        matrix = np.array(evaluated.matrix_world)
        corners.append(transformed(points.reshape(-1, 3), matrix))
    points = np.concatenate(corners)
    names = ", ".join(f"'{obj.name}'" for obj in objects)
    if not len(points):
        raise InvalidMeshError(f"{names} has no points; export a mesh with faces")
    if not np.isfinite(points).all():
        raise InvalidMeshError(
            f"{names} has points with invalid coordinates (NaN or infinity); repair and export it again"
        )
    return np.stack([points.min(axis=0), points.max(axis=0)])


def nearest(obj: bpy.types.Object, target: Vector) -> tuple[Vector, Vector]:
    """Return the point of an object's surface nearest to ``target``, and the inward normal there, in world space.

    Raises:
        InvalidMeshError: The object has no faces.
    """
    context: Any = bpy.context
    context.view_layer.update()  # after an undo, the pose of a broken object is not known before
    inverse = obj.matrix_world.inverted_safe()
    point: Vector | None
    normal: Vector | None
    try:
        point, normal = obj.closest_point_on_mesh(inverse @ target)[1:3]
    except RuntimeError:  # Blender finds no faces, or the object is hidden: then take its mesh without modifiers
        points, faces = [], []
        if obj.type == "MESH":
            mesh: Any = obj.data
            points, faces = [item.co for item in mesh.vertices], [item.vertices for item in mesh.polygons]
        point, normal = BVHTree.FromPolygons(points, faces).find_nearest(inverse @ target)[:2]
    if point is None or normal is None:
        raise InvalidMeshError(f"'{obj.name}' has no faces for an impact; add faces, or let it drop")
    inward = -(inverse.to_3x3().transposed() @ normal)
    return obj.matrix_world @ point, inward.normalized()


def _root(obj: bpy.types.Object) -> bpy.types.Object:
    while obj.parent is not None:
        obj = obj.parent
    return obj
