"""Fragments as rigid bodies of Blender: masses, convex hulls, and joints that break at the strength of the material.

A joint is an empty with a rigid-body constraint between two fragments that touch. Blender's threshold is an impulse in
one step of its simulation: the tensile strength of the material, times the common area, times the length of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.cutting.touching import touching_areas
from ...core.data.errors import SceneError
from ..read import settings
from ..scene import ownership
from ..scene.action_curves import add_switch, curves_of
from ..scene.result_lookup import MASS, PIECES, SOURCE, collection_of, pieces_of, subject_of
from ..scene.result_motion import HIDES, KINEMATIC
from . import later_motion
from .mesh import INTERIOR, REST_POSITION

# Custom property of the empties of joints.
JOINT = "fracture_joint"
# kg, smallest mass of Blender's rigid bodies.
LEAST_MASS = 0.001
# A fragment that moves less than this part of its size until the last keyframe has settled. Chosen.
SETTLED = 0.01


def give(context: Any, objects: Sequence[bpy.types.Object], jointed: bool) -> tuple[int, int]:
    """Make the fragments of objects rigid bodies, in place of earlier ones.

    Args:
        context: Context of the scene.
        objects: Broken objects.
        jointed: Whether fragments that touch get a joint.

    Returns:
        Numbers of bodies and of joints.

    Raises:
        SceneError: The fragments have keyframes, or are one object; nothing was changed.
    """
    pieces_by_object = {obj: _fragments(obj) for obj in objects}
    bodies, joints = _groups(context.scene)
    joint_count = 0
    for obj, pieces in pieces_by_object.items():
        collection: Any = collection_of(obj)
        _remove_joints(collection)
        material = settings.material_of(obj)
        for piece in pieces:
            _make_body(piece, material, bodies)
        if jointed:
            joint_count += _join(context.scene, obj, collection, pieces, joints, material.tensile_strength)
    context.view_layer.update()
    return sum(map(len, pieces_by_object.values())), joint_count


def hand_over(context: Any, pieces: Sequence[Any], settled_stay: bool) -> tuple[int, int]:
    """Let Blender's rigid bodies move keyframed fragments from the current frame on.

    A body follows its keyframes until that frame, and goes on with the velocity that it has then. A fragment that
    appears on that frame follows them for one more frame, over which it has the velocity of its own.

    Args:
        context: Context of the scene.
        pieces: Fragments. Those that are hidden on the frame stay hidden.
        settled_stay: Whether fragments that do not move from the frame on are static.

    Returns:
        Numbers of moving and of static bodies.

    Raises:
        SceneError: No fragment with keyframes is visible on the frame; nothing was changed.
    """
    scene = context.scene
    frame = scene.frame_current
    shown = [
        piece for piece in pieces if MASS in piece and curves_of(piece) and not later_motion.is_hidden(piece, frame)
    ]
    if not shown:
        names = ", ".join(sorted({f"'{piece[SOURCE]}'" for piece in pieces}))
        raise SceneError(
            f"{names}: no piece with keyframes is visible on frame {frame}; go to a frame after the break, or use "
            "Make Rigid Bodies for pieces without keyframes"
        )
    bodies, _ = _groups(scene)
    cache = scene.rigidbody_world.point_cache
    cache.frame_start, cache.frame_end = (
        min(cache.frame_start, scene.frame_start),
        max(cache.frame_end, scene.frame_end),
    )
    static = 0
    for piece in pieces:
        curves = curves_of(piece)
        for curve in filter(None, map(curves.find, HIDES) if curves else ()):
            later_motion.end(curve, frame, curve.evaluate(frame))
        if piece not in shown:
            continue
        stays = settled_stay and _is_settled(piece, curves, frame)
        static += stays
        _make_body(piece, settings.material_of(subject_of(piece)), bodies)
        piece.rigid_body.kinematic = True
        if (switch := curves.find(KINEMATIC)) is not None:
            curves.remove(switch)
        if stays:
            piece.rigid_body.type = "PASSIVE"
        else:
            first = int(curves.find("location").keyframe_points[0].co[0])
            # Blender takes the velocity between the last two kinematic frames. On the frame before it appears, a piece
            # still moves with the whole object, so it needs one more.
            last = frame + later_motion.is_hidden(piece, frame - 1)
            add_switch(curves, [KINEMATIC], [(min(first, last), True), (last + 1, False)])
    context.view_layer.update()
    return len(shown) - static, static


def _is_settled(piece: Any, curves: Any, frame: int) -> bool:
    """Return whether the points of a fragment move less than ``SETTLED`` of its size from a frame on."""
    size = max(piece.dimensions[:]) or 1.0
    moves = []
    for path, length in (("location", 1.0), ("rotation_quaternion", size)):
        for curve in (curve for curve in curves if curve.data_path == path):
            values = [point.co[1] for point in curve.keyframe_points if point.co[0] >= frame]
            moves.append(length * (max(values) - min(values)) if values else 0.0)
    return max(moves, default=0.0) < SETTLED * size


def _make_body(piece: Any, material: Any, bodies: bpy.types.Collection) -> None:
    if piece.name not in bodies.objects:
        bodies.objects.link(piece)  # Blender then gives it a rigid body
    body = piece.rigid_body
    body.type, body.collision_shape, body.kinematic = "ACTIVE", "CONVEX_HULL", False
    body.mass = max(piece[MASS], LEAST_MASS)
    body.friction, body.restitution = material.friction, material.restitution
    # The hull's own margin would push fragments that touch apart.
    body.use_margin, body.collision_margin = True, 0.0


def _fragments(obj: bpy.types.Object) -> list[Any]:
    collection = collection_of(obj)
    pieces = [] if collection is None else [piece for piece in pieces_of(collection) if MASS in piece]
    if not pieces:
        raise SceneError(
            f"'{obj.name}' has no pieces that are separate objects; turn One Object off and press Fracture Only"
        )
    if any(piece.animation_data is not None and piece.animation_data.action is not None for piece in pieces):
        raise SceneError(
            f"The pieces of '{obj.name}' have keyframes; use Hand Over to Rigid Bodies, or press Fracture Only first"
        )
    return pieces


def _groups(scene: Any) -> tuple[bpy.types.Collection, bpy.types.Collection]:
    """Return the collections of the bodies and of the constraints of a scene's rigid-body world, which may be new."""
    if scene.rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    world.collection = world.collection or bpy.data.collections.new("RigidBodyWorld")
    world.constraints = world.constraints or bpy.data.collections.new("RigidBodyConstraints")
    return world.collection, world.constraints


def _join(
    scene: Any,
    obj: bpy.types.Object,
    collection: bpy.types.Collection,
    pieces: Sequence[bpy.types.Object],
    joints: bpy.types.Collection,
    strength: float,
) -> int:
    """Add joints between the fragments of an object that touch; return their number."""
    world, unit = scene.rigidbody_world, scene.unit_settings.scale_length
    step = world.time_scale * scene.render.fps_base / (scene.render.fps * world.substeps_per_frame)
    places = [_crack_faces(piece) for piece in pieces]
    centers, areas = (np.concatenate(values) for values in zip(*places, strict=True))
    owners = np.repeat(np.arange(len(pieces)), [len(found) for found, _ in places])
    pairs, common, middles = touching_areas(centers, areas, owners)
    made = []
    for (first, second), area, middle in zip(pairs, common, middles, strict=True):
        empty: Any = bpy.data.objects.new(f"{obj.name} Joint", None)
        empty[JOINT], empty[SOURCE] = True, obj.name
        # A joint stays where it is. Blender would draw lines from all of them to the fragments, which fall.
        empty.hide_viewport = True
        empty.empty_display_size, empty.location = 0.02 * max(obj.dimensions[:]), middle.tolist()
        collection.objects.link(empty)
        joints.objects.link(empty)  # Blender then gives it a rigid-body constraint
        constraint = empty.rigid_body_constraint
        constraint.type, constraint.use_breaking = "FIXED", True
        constraint.object1, constraint.object2 = pieces[first], pieces[second]
        constraint.breaking_threshold = strength * area * unit**2 * step
        made.append(empty)
    collection[PIECES] = {str(i): item for i, item in enumerate([*pieces_of(collection), *made])}
    return len(made)


def _crack_faces(piece: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the centroids (F, 3) of a fragment's crack faces in the unbroken object, and their areas (F,).

    Both are in scene units.
    """
    mesh = piece.data
    inside = np.zeros(len(mesh.polygons), bool)
    mesh.attributes[INTERIOR].data.foreach_get("value", inside)
    rest = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes[REST_POSITION].data.foreach_get("vector", rest)
    corners = np.empty(3 * len(mesh.polygons), np.int32)  # all faces are triangles
    mesh.polygons.foreach_get("vertices", corners)
    points = rest.reshape(-1, 3).astype(float)[corners.reshape(-1, 3)[inside]]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    return points.mean(axis=1), 0.5 * np.linalg.norm(normals, axis=1)


def _remove_joints(collection: bpy.types.Collection) -> None:
    joints = [item for item in pieces_of(collection) if JOINT in item]
    left = [item for item in pieces_of(collection) if JOINT not in item]
    collection[PIECES] = {str(i): item for i, item in enumerate(left)}
    ownership.remove_objects(joints)
