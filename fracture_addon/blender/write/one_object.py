"""Many fragments as one object: a mesh with one point per fragment, a mesh of all fragments, and a table of poses.

The object of points is visible. The other two objects are in no collection; its modifier refers to them. Each point is
at the fragment's centre of mass in rest space, and has the values that a fragment object has as custom properties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.cutting.debris_shapes import debris_shapes
from ...core.data.recording import NEVER, Debris, Fragment
from ...core.data.surface import joined
from . import piece_nodes
from .mesh import Look, add_attribute, keeps_normals, new_points, write_mesh, write_rest, write_weights

REST, SIZE, VELOCITY = "fracture_rest", "fracture_size", "velocity"


def write_pieces(
    name: str, fragments: Sequence[Fragment], look: Look, to_source: np.ndarray, frame_start: int, unit: float
) -> bpy.types.Object:
    """Create an object that shows fragments; it is not in a collection yet.

    Args:
        name: Name of the object.
        fragments: At least one fragment.
        look: Materials and layers of the source.
        to_source: (4, 4) from rest space, scene units, to the source's own space.
        frame_start: Frame of the first pose.
        unit: Metres per scene unit.
    """
    surface = joined([fragment.surface for fragment in fragments])
    # In Blender 5.0, nodes lose the active UV map; materials then use the first one. So put the active one first.
    rendered = f"uv/{look.render_uv}"
    layers = sorted(surface.corner_attributes.items(), key=lambda item: item[0] != rendered)
    whole = replace(
        fragments[0],
        surface=replace(surface, corner_attributes=dict(layers)),
        interior=np.concatenate([fragment.interior for fragment in fragments]),
    )
    mesh = write_mesh(f"{name} Parts", whole, look, unit)
    parts = bpy.data.objects.new(mesh.name, mesh)
    write_rest(mesh, np.concatenate([item.surface.points + item.center for item in fragments]) / unit)
    write_weights(parts, whole.surface)
    face_counts = [len(fragment.surface.faces) for fragment in fragments]
    poses = np.stack([fragment.poses for fragment in fragments], axis=1)
    rest = np.tile(np.eye(4), (len(fragments), 1, 1))
    rest[:, :3, 3] = np.array([fragment.center for fragment in fragments]) / unit
    points = new_points(name, rest[:, :3, 3])
    deaths = [fragment.death_frame for fragment in fragments]
    births = [fragment.birth_frame for fragment in fragments]
    add_attribute(points, piece_nodes.BIRTH, "INT", "POINT", births)
    add_attribute(points, piece_nodes.DEATH, "INT", "POINT", deaths)
    # Blender stores matrices by columns.
    add_attribute(points, REST, "FLOAT4X4", "POINT", np.swapaxes(to_source @ rest, 1, 2))
    return _moving(points, mesh, parts, face_counts, poses, frame_start, unit)


def write_debris(name: str, debris: Debris, seed: int, look: Look, frame_start: int, unit: float) -> bpy.types.Object:
    """Create an object that shows debris; its points have birth frames, velocities and sizes as attributes.

    Args:
        name: Name of the object, which is not in a collection yet.
        debris: The debris.
        seed: Seed of the shapes.
        look: Materials and layers of the source. Debris has the interior material.
        frame_start: Frame of the first pose.
        unit: Metres per scene unit.
    """
    surface = debris_shapes(debris.sizes, seed)
    count, face_count = len(debris.sizes), len(surface.faces)
    whole = Fragment(
        body=debris.body,
        parent=-1,
        surface=surface,
        interior=np.ones(face_count, bool),
        center=np.zeros(3),
        mass=0.0,
        birth_frame=0,
        death_frame=NEVER,
        poses=debris.poses,
    )
    mesh = write_mesh(f"{name} Parts", whole, look, unit)
    write_rest(mesh, surface.points / unit)
    parts = bpy.data.objects.new(mesh.name, mesh)
    points = new_points(name, debris.poses[0, :, :3] / unit)
    add_attribute(points, piece_nodes.BIRTH, "INT", "POINT", debris.birth_frames)
    add_attribute(points, piece_nodes.DEATH, "INT", "POINT", np.full(count, NEVER))
    add_attribute(points, SIZE, "FLOAT", "POINT", debris.sizes / unit)
    add_attribute(points, VELOCITY, "FLOAT_VECTOR", "POINT", debris.velocities / unit)
    return _moving(points, mesh, parts, [face_count // count] * count, debris.poses, frame_start, unit)


def _moving(
    points: bpy.types.Mesh,
    mesh: bpy.types.Mesh,
    parts: bpy.types.Object,
    face_counts: Sequence[int],
    poses: Any,
    frame_start: int,
    unit: float,
) -> bpy.types.Object:
    """Create an object that moves the N parts of a mesh along poses (T, N, 7); ``face_counts`` gives their sizes."""
    add_attribute(mesh, piece_nodes.PART, "INT", "FACE", np.repeat(np.arange(len(face_counts)), face_counts))
    piece_nodes.add_parts_modifier(parts)
    whole = None if keeps_normals(mesh) else bpy.data.objects.new(mesh.name, mesh)
    table = new_points(f"{points.name} Poses", poses[..., :3].reshape(-1, 3) / unit)
    add_attribute(table, piece_nodes.ROTATION, "QUATERNION", "POINT", poses[..., 3:])
    result = bpy.data.objects.new(points.name, points)
    piece_nodes.add_pieces_modifier(result, parts, bpy.data.objects.new(table.name, table), frame_start, whole)
    return result
