"""Write a fragment's surface as a Blender mesh, with all attributes that ``read.mesh`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core.data.recording import Fragment
from ...core.data.surface import Surface
from ..read.mesh import LAYOUTS, Layout

INTERIOR = "fracture_interior"
# Cycles of Blender 5.0.1 reads random values from meshes for about half of all names of attributes, always for the same
# names and with "fracture_rest_position" too, from the second mesh on. With this name it reads the right ones.
REST_POSITION = "fracture_rest_point"
# Data type of a corner attribute, by the prefix of its name.
CORNER_TYPES = {
    "uv": "FLOAT2",
    "color": "FLOAT_COLOR",
    "bytecolor": "BYTE_COLOR",
    "int": "INT",
    "bool": "BOOLEAN",
}
VALUE_TYPES = {1: "FLOAT", 3: "FLOAT_VECTOR"}
FACE_TYPES = {2: "FLOAT2", 3: "FLOAT_VECTOR", 4: "FLOAT_COLOR"}
# Layouts of the attributes that are written: those that are read, and two that only results have.
WRITTEN = LAYOUTS | {"QUATERNION": Layout(4, "value", np.float32), "FLOAT4X4": Layout(16, "value", np.float32)}
# Largest difference between components of equal shading normals.
SAME_NORMAL = 1e-3


@dataclass(frozen=True)
class Look:
    """Materials and layers that all fragments of an object share.

    Attributes:
        materials: Materials of the slots; ``None`` for an empty slot.
        interior_slot: Slot of crack faces.
        active_uv, render_uv, active_color, render_color: Names of the source's layers, empty for none.
    """

    materials: Sequence[bpy.types.Material | None]
    interior_slot: int
    active_uv: str = ""
    render_uv: str = ""
    active_color: str = ""
    render_color: str = ""


def write_mesh(name: str, fragment: Fragment, look: Look, unit: float, deforms: bool = False) -> bpy.types.Mesh:
    """Create the mesh of one fragment; see ``write_meshes``."""
    return write_meshes([name], [fragment], look, unit, deforms)[0]


def write_meshes(
    names: Sequence[str], fragments: Sequence[Fragment], look: Look, unit: float, deforms: bool = False
) -> list[bpy.types.Mesh]:
    """Create the meshes of fragments, each with its centre of mass at the origin.

    Args:
        names: Names of the meshes.
        fragments: Fragments; all have the same attributes.
        look: Materials and layers of their object.
        unit: Metres per scene unit.
        deforms: Whether a modifier will move the points, and with them the normals.
    """
    meshes = []
    for name, fragment in zip(names, fragments, strict=True):
        mesh = new_mesh(name, fragment.surface.points / unit, fragment.surface.faces)
        for material in look.materials:
            mesh.materials.append(material)
        _write_faces(mesh, fragment, look)
        _write_corners(mesh, fragment.surface)
        _choose_layers(mesh, look)
        meshes.append(mesh)
    for mesh, fragment, sharp in zip(meshes, fragments, _sharp_edges(meshes, fragments), strict=True):
        add_attribute(mesh, "sharp_edge", "BOOLEAN", "EDGE", sharp)
        normals = fragment.surface.corner_attributes.get("normal")
        if normals is not None:
            _write_normals(mesh, normals.reshape(-1, 3), deforms)
    return meshes


def new_mesh(name: str, points: np.ndarray, faces: np.ndarray) -> bpy.types.Mesh:
    """Create a mesh of triangles (F, 3) over points (P, 3), scene units."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.loops.add(3 * len(faces))
    mesh.polygons.add(len(faces))
    # Set the attributes in which Blender stores them; the other names of these values are many times slower.
    _set(mesh.attributes["position"], points)
    _set(mesh.attributes[".corner_vert"], faces)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * len(faces), 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    return mesh


def new_points(name: str, points: np.ndarray) -> bpy.types.Mesh:
    """Create a mesh of points (P, 3) without faces, scene units."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    _set(mesh.attributes["position"], points)
    return mesh


def add_attribute(mesh: bpy.types.Mesh, name: str, data_type: str, domain: str, values: Any) -> None:
    """Add an attribute with values, an array or a sequence; ``data_type`` is a key of ``WRITTEN``."""
    _set(mesh.attributes.new(name, data_type, domain), values)


def write_rest(mesh: bpy.types.Mesh, points: np.ndarray) -> None:
    """Store the position of each point in the whole object, (P, 3), scene units. Material patterns depend on it."""
    add_attribute(mesh, REST_POSITION, "FLOAT_VECTOR", "POINT", points)


def write_weights(obj: bpy.types.Object, surface: Surface) -> None:
    """Add the vertex groups of the source to a fragment's object."""
    corners = surface.faces.ravel()
    count = np.bincount(corners, minlength=len(surface.points))
    for name, values in surface.corner_attributes.items():
        if not name.startswith("weight/"):
            continue
        group = obj.vertex_groups.new(name=name.removeprefix("weight/"))
        weights = np.bincount(corners, values.ravel(), len(surface.points)) / np.maximum(count, 1)
        # Blender sets one weight for a list of points, so group the points by weight.
        levels, level_of_point = np.unique(weights.round(6), return_inverse=True)
        order = np.argsort(level_of_point, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(level_of_point[order])) + 1)
        for level, rows in zip(levels.tolist(), parts, strict=True):
            if level > 0.0:
                group.add(rows.tolist(), level, "REPLACE")


def keeps_normals(mesh: bpy.types.Mesh) -> bool:
    """Return whether a part split off a mesh keeps its normals: those in Blender's older encoding are lost."""
    return not mesh.has_custom_normals or mesh.attributes.get("custom_normal") is not None


def _write_faces(mesh: bpy.types.Mesh, fragment: Fragment, look: Look) -> None:
    attributes = fragment.surface.face_attributes
    slots = np.array(attributes.get("material_index", np.zeros(len(fragment.interior))), np.int32)
    slots[(slots < 0) | fragment.interior] = look.interior_slot
    add_attribute(mesh, "material_index", "INT", "FACE", slots)
    smooth = attributes.get("smooth")
    sharp = np.ones(len(slots), bool) if smooth is None else ~np.asarray(smooth, bool)
    add_attribute(mesh, "sharp_face", "BOOLEAN", "FACE", sharp)
    add_attribute(mesh, INTERIOR, "BOOLEAN", "FACE", fragment.interior)
    for name, values in attributes.items():
        if not name.startswith("face/"):
            continue
        values = np.asarray(values)
        data_type = {"b": "BOOLEAN", "i": "INT"}.get(values.dtype.kind, "FLOAT")
        add_attribute(
            mesh,
            name.removeprefix("face/"),
            FACE_TYPES[values.shape[1]] if values.ndim > 1 else data_type,
            "FACE",
            values,
        )


def _sharp_edges(meshes: Sequence[bpy.types.Mesh], fragments: Sequence[Fragment]) -> list[np.ndarray]:
    """Return the sharp edges (E,) of each mesh: between exterior and crack face, or where shading normals differ.

    All meshes are processed at once, because one after the other takes several times as long.
    """
    interior = np.concatenate([fragment.interior for fragment in fragments])
    starts = np.cumsum([0, *(len(mesh.edges) for mesh in meshes)])
    of_corner, corner = np.empty(3 * len(interior), np.int32), 0
    for mesh, start in zip(meshes, starts, strict=False):
        own = np.empty(len(mesh.loops), np.int32)
        mesh.attributes[".corner_edge"].data.foreach_get("value", own)
        of_corner[corner : corner + len(own)] = own + start
        corner += len(own)
    # Surfaces are closed: each edge has two half-edges, which start at two corners in opposite directions.
    rows = np.arange(len(of_corner))
    one, other = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.int64)
    one[of_corner[::-1]], other[of_corner] = rows[::-1], rows
    sharp = interior[one // 3] != interior[other // 3]
    if "normal" in fragments[0].surface.corner_attributes:
        normals = np.concatenate([item.surface.corner_attributes["normal"] for item in fragments]).reshape(-1, 3)
        following = rows + np.tile([1, 1, -2], len(interior))
        for start, end in (one, following[other]), (following[one], other):
            sharp |= (np.abs(normals[start] - normals[end]) > SAME_NORMAL).any(axis=1)
    return np.split(sharp, starts[1:-1])


def _write_corners(mesh: bpy.types.Mesh, surface: Surface) -> None:
    for name, values in surface.corner_attributes.items():
        prefix, _, own_name = name.partition("/")
        data_type = CORNER_TYPES.get(prefix) or (VALUE_TYPES[values.shape[2]] if prefix == "value" else "")
        if data_type:
            add_attribute(mesh, own_name, data_type, "CORNER", values)


def _set(attribute: bpy.types.Attribute, values: np.ndarray) -> None:
    layout = WRITTEN[attribute.data_type]
    attribute.data.foreach_set(layout.property, np.ascontiguousarray(values, layout.dtype).ravel())


def _choose_layers(mesh: bpy.types.Mesh, look: Look) -> None:
    maps, colors = mesh.uv_layers, mesh.color_attributes
    if look.active_uv in maps:
        maps.active = maps[look.active_uv]
    if look.render_uv in maps:
        maps[look.render_uv].active_render = True
    if look.active_color in colors:
        colors.active_color_name = look.active_color
    if look.render_color in colors:
        colors.default_color_name = look.render_color


def _write_normals(mesh: bpy.types.Mesh, normals: np.ndarray, deforms: bool) -> None:
    """Write custom normals: as plain vectors since Blender 4.5, in the older encoding before.

    Plain vectors do not follow a face that a modifier rotates, so deforming meshes use the older encoding.
    """
    if deforms:
        mesh.normals_split_custom_set(normals)
        return
    attribute = mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
    attribute.data.foreach_set("vector", normals.astype(np.float32).ravel())
    if not mesh.has_custom_normals:
        mesh.attributes.remove(mesh.attributes["custom_normal"])
        mesh.normals_split_custom_set(normals)
