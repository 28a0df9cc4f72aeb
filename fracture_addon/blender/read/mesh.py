"""Read an object's evaluated mesh as a ``Surface``: welded triangles in metres, with their attributes.

The prefix of a corner attribute's name gives its kind: ``uv/``, ``color/`` (floats), ``bytecolor/``, ``weight/``
(vertex groups), ``value/`` (other floats), ``int/``, ``bool/``. Shading normals have the name ``normal``. Face
attributes are ``material_index``, ``smooth``, and ``face/`` with the name of any other attribute. ``write.mesh`` uses
the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ...core.data.errors import InvalidMeshError
from ...core.data.surface import Surface
from ...core.numerics.rotations import transformed

# Points closer than this fraction of the bounding box's diagonal become one point. Importers split points at UV seams.
WELD = 1e-7


@dataclass(frozen=True)
class Layout:
    """How Blender stores one kind of attribute.

    Attributes:
        width: Number of values per element.
        property: Name of the values in the attribute's data.
        dtype: Type of the array that ``foreach_get`` fills.
    """

    width: int
    property: str
    dtype: type


LAYOUTS = {
    "FLOAT": Layout(1, "value", np.float32),
    "INT": Layout(1, "value", np.int32),
    "BOOLEAN": Layout(1, "value", bool),
    "FLOAT2": Layout(2, "vector", np.float32),
    "FLOAT_VECTOR": Layout(3, "vector", np.float32),
    "FLOAT_COLOR": Layout(4, "color", np.float32),
    "BYTE_COLOR": Layout(4, "color", np.float32),
}
CORNER_PREFIX = {
    "FLOAT_COLOR": "color/",
    "BYTE_COLOR": "bytecolor/",
    "FLOAT": "value/",
    "FLOAT_VECTOR": "value/",
    "INT": "int/",
    "BOOLEAN": "bool/",
}
# Attributes that are not copied: they are read by other means, or computed with each new mesh.
OWN_NAMES = frozenset(
    {
        "position",
        "material_index",
        "sharp_face",
        "custom_normal",
        "fracture_interior",
        "fracture_edge_wear",
        "fracture_rest_point",
    }
)


def read_surface(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray) -> Surface:
    """Read the mesh of an object, with its modifiers.

    Args:
        obj: A mesh object.
        depsgraph: Dependency graph, evaluated on the frame to read.
        matrix: (4, 4) from the object's space to the result's, metres. If it mirrors, the faces are flipped, so that
            they still face outwards.

    Raises:
        InvalidMeshError: The mesh has no faces, only faces of zero area, or invalid coordinates.
    """
    evaluated: Any = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    try:
        return _surface(obj, mesh, np.asarray(matrix, float))
    finally:
        evaluated.to_mesh_clear()


def values_of(collection: Any, name: str, width: int, dtype: type) -> np.ndarray:
    """Read one property of a Blender collection with ``foreach_get``; returns (N, width)."""
    result: np.ndarray = np.empty(len(collection) * width, dtype)
    collection.foreach_get(name, result)
    return result.reshape(-1, width)


def welded(points: np.ndarray, faces: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Merge points that are closer than a tolerance, and remove unused points.

    Args:
        points: (P, 3).
        faces: (F, 3) rows of ``points``.
        tolerance: Distance in the unit of ``points``.

    Returns:
        (Q, 3) points, each the first of its group, and (F, 3) faces over them.
    """
    used, faces = np.unique(faces, return_inverse=True)
    points = points[used]
    pairs = cKDTree(points).query_pairs(tolerance, output_type="ndarray")
    graph = coo_array((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(len(points),) * 2)
    _, group = connected_components(graph, directed=False)
    _, first, row = np.unique(group, return_index=True, return_inverse=True)
    # Keep the order of the mesh, so that a mesh without close points does not change.
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return points[first[order]], rank[row][faces.reshape(-1, 3)]


def _surface(obj: bpy.types.Object, mesh: bpy.types.Mesh, matrix: np.ndarray) -> Surface:
    mesh.calc_loop_triangles()
    triangles = mesh.loop_triangles
    if not len(triangles):
        raise InvalidMeshError(
            f"'{obj.name}' cannot be used: it has no faces; select an object with faces, or choose the "
            "method Lattice to make its lines ropes"
        )
    corners = values_of(triangles, "loops", 3, np.int32)
    faces = values_of(triangles, "vertices", 3, np.int32)
    polygons = values_of(triangles, "polygon_index", 1, np.int32)[:, 0]
    points = values_of(mesh.vertices, "co", 3, np.float32).astype(float)
    invalid = int((~np.isfinite(points).all(axis=1)).sum())
    if invalid or not np.isfinite(matrix).all():
        raise InvalidMeshError(
            f"'{obj.name}' cannot be used: {invalid or 'all'} of its {len(points)} points have invalid coordinates; "
            "delete them, or undo the edit that created them"
        )
    mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
    if mirrored:
        corners, faces = corners[:, ::-1], faces[:, ::-1]
    points = transformed(points, matrix)
    diagonal = float(np.linalg.norm(np.ptp(points[faces.ravel()], axis=0)))
    points, faces = welded(points, faces, WELD * diagonal)
    # Welding can collapse a triangle to zero area; such a triangle is not part of the boundary.
    kept = np.flatnonzero((faces != np.roll(faces, 1, axis=1)).all(axis=1))
    if not len(kept):
        raise InvalidMeshError(f"'{obj.name}' cannot be used: all its faces have zero area; check its scale")
    corner_attributes = _corner_attributes(obj, mesh, matrix)
    return Surface(
        points,
        faces[kept],
        kept,
        {name: values[polygons[kept]] for name, values in _face_attributes(mesh).items()},
        {name: values[corners[kept]].astype(float) for name, values in corner_attributes.items()},
    )


def _face_attributes(mesh: bpy.types.Mesh) -> dict[str, np.ndarray]:
    """Return the attributes of the polygons, (N,) or (N, K)."""
    result = {
        "material_index": values_of(mesh.polygons, "material_index", 1, np.int32)[:, 0],
        "smooth": values_of(mesh.polygons, "use_smooth", 1, bool)[:, 0],
    }
    for attribute in mesh.attributes:
        if attribute.domain == "FACE" and attribute.data_type in LAYOUTS and not _is_internal(attribute):
            values = _values(attribute)
            result[f"face/{attribute.name}"] = values[:, 0] if values.shape[1] == 1 else values
    return result


def _corner_attributes(obj: bpy.types.Object, mesh: bpy.types.Mesh, matrix: np.ndarray) -> dict[str, np.ndarray]:
    """Return the attributes of the face corners, (N, K)."""
    vertex_of_corner = values_of(mesh.loops, "vertex_index", 1, np.int32)[:, 0]
    result = {}
    if mesh.has_custom_normals or values_of(mesh.polygons, "use_smooth", 1, bool).any():
        normals = values_of(mesh.corner_normals, "vector", 3, np.float32) @ np.linalg.pinv(matrix[:3, :3])
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        result["normal"] = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0)
    for attribute in mesh.attributes:
        prefix = CORNER_PREFIX.get(attribute.data_type)
        if attribute.data_type == "FLOAT2" and attribute.domain == "CORNER":
            prefix = "uv/"
        if prefix and attribute.domain in {"POINT", "CORNER"} and not _is_internal(attribute):
            values = _values(attribute)
            result[prefix + attribute.name] = values if attribute.domain == "CORNER" else values[vertex_of_corner]
    for group, weights in _vertex_weights(obj, mesh).items():
        result[f"weight/{group}"] = weights[vertex_of_corner, None]
    return result


def _vertex_weights(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> dict[str, np.ndarray]:
    """Return the weights (P,) of each vertex group in use. Blender has no ``foreach_get`` for them."""
    result = {group.index: np.zeros(len(mesh.vertices)) for group in obj.vertex_groups}
    if not result:
        return {}
    used = set()
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group in result:
                result[element.group][vertex.index] = element.weight
                used.add(element.group)
    return {group.name: result[group.index] for group in obj.vertex_groups if group.index in used}


def _values(attribute: bpy.types.Attribute) -> np.ndarray:
    layout = LAYOUTS[attribute.data_type]
    return values_of(attribute.data, layout.property, layout.width, layout.dtype)


def _is_internal(attribute: bpy.types.Attribute) -> bool:
    return attribute.name.startswith(".") or attribute.name in OWN_NAMES
