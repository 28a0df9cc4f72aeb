"""Many pieces as one object: a point a piece, a mesh with all of them, and a table of their poses.

What is seen is the object of points; the other two are in no collection, and found through its modifier. The points
stand where the pieces' centres of mass are at rest, and carry what objects of their own would carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ..core.recording import Fragment
from ..core.surface import joined
from . import piece_nodes
from .write_mesh import Look, write_mesh, write_weights

REST = "fracture_rest"
# Beyond every frame that Blender has.
NEVER = 2**30


def write_pieces(
    name: str, fragments: Sequence[Fragment], look: Look, to_source: np.ndarray, frame_start: int, unit: float
) -> bpy.types.Object:
    """An object that shows fragments, in no collection yet.

    Args:
        name: Of the object.
        fragments: At least one.
        look: Of the object that they are parts of.
        to_source: (4, 4) from rest space, in scene units, to that object's own.
        frame_start: Of the first pose.
        unit: Metres a scene unit.
    """
    whole = replace(
        fragments[0],
        surface=joined([fragment.surface for fragment in fragments]),
        interior=np.concatenate([fragment.interior for fragment in fragments]),
    )
    parts = bpy.data.objects.new(f"{name} Parts", write_mesh(f"{name} Parts", whole, look, unit))
    write_weights(parts, whole.surface)
    face_counts = [len(fragment.surface.faces) for fragment in fragments]
    _put(parts.data, piece_nodes.PART, "INT", np.repeat(np.arange(len(fragments)), face_counts), "FACE")
    piece_nodes.add_parts_modifier(parts)
    poses = np.stack([fragment.poses for fragment in fragments], axis=1)
    table = _points(f"{name} Poses", poses[..., :3].reshape(-1, 3) / unit)
    _put(table, piece_nodes.ROTATION, "QUATERNION", poses[..., 3:])
    rest = np.tile(np.eye(4), (len(fragments), 1, 1))
    rest[:, :3, 3] = np.array([fragment.center for fragment in fragments]) / unit
    mesh = _points(name, rest[:, :3, 3])
    deaths = [NEVER if fragment.death_frame < 0 else fragment.death_frame for fragment in fragments]
    _put(mesh, piece_nodes.BIRTH, "INT", [fragment.birth_frame for fragment in fragments])
    _put(mesh, piece_nodes.DEATH, "INT", deaths)
    # Blender keeps matrices column by column.
    _put(mesh, REST, "FLOAT4X4", np.swapaxes(to_source @ rest, 1, 2))
    result = bpy.data.objects.new(name, mesh)
    piece_nodes.add_pieces_modifier(result, parts, bpy.data.objects.new(table.name, table), frame_start)
    return result


def _points(name: str, points: np.ndarray) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(points, np.float32).ravel())
    return mesh


def _put(mesh: bpy.types.Mesh, name: str, data_type: str, values, domain: str = "POINT") -> None:
    kind = np.int32 if data_type == "INT" else np.float32
    mesh.attributes.new(name, data_type, domain).data.foreach_set("value", np.ascontiguousarray(values, kind).ravel())
