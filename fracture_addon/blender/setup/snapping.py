"""Two grips on the ends of objects that move apart, against each other or around each other: hands that snap a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ..read import settings
from .placing import bounds

MOTIONS = (
    ("BEND", "Bend", "Turn the ends about the second longest side, as two hands snap a bar of chocolate"),
    ("PULL", "Pull", "Move the ends apart"),
    ("TWIST", "Twist", "Turn the ends against each other around the long axis"),
)
# Custom properties on a grip: the object that it was added for, and an identifier of MOTIONS.
GRIP_OF, MOTION = "fracture_grip_of", "fracture_grip_motion"
# Radius of a grip over the length of the object. A matter of taste: two thirds of the object stay between the hands. A
# grip is at least as wide as the end that it holds, by this factor.
RADIUS_SHARE, WIDER = 0.15, 1.05
# Largest motion of each grip: shift over the length of the object, and turn, degrees. A matter of taste.
SHIFT, BENDING, TWISTING = 0.1, 30.0, 30.0
# Largest load over the breaking load, and first frame and duration of the motion, frames. The object breaks halfway.
LOAD_FACTOR, START, DURATION = 2.0, 4, 16


def snap(context: Any, objects: Sequence[bpy.types.Object], motion: str) -> None:
    """Add two grips that hold the ends of objects along their longest axis, and move until they break them.

    Grips of an earlier call with the same motion stay as they are, with the changes of the artist; then no others are
    added. Those of another motion are replaced.

    Args:
        context: Blender context.
        objects: Objects to break.
        motion: An identifier of ``MOTIONS``.

    Raises:
        InvalidMeshError: The objects have no points.
    """
    before = [item for item in context.scene.objects if GRIP_OF in item and item[GRIP_OF] in objects]
    if any(item.get(MOTION) == motion for item in before):
        return
    for item in before:
        bpy.data.objects.remove(item)
    start, edges = _box(objects)
    end, length, axis = start + edges[0], edges[0].length, edges[0].normalized()
    radius = max(RADIUS_SHARE * length, WIDER * 0.5 * (edges[1] + edges[2]).length)
    first, last = settings.frame_range(context.scene)
    begin = min(first + START, last - 1)
    frames = begin, min(begin + DURATION, last)
    turns = {"BEND": (edges[1].normalized(), BENDING), "PULL": (axis, 0.0), "TWIST": (axis, TWISTING)}
    around, degrees = turns[motion]
    for name, place, side in (("Left", start, 1.0), ("Right", end, -1.0)):
        shift = -side * SHIFT * length * axis if motion == "PULL" else Vector()
        turn = Quaternion(around, side * np.radians(degrees))
        grip = _grip(context, f"{objects[0].name} Grip {name}", place, radius)
        grip[GRIP_OF], grip[MOTION] = objects[0], motion
        _move(grip, frames, shift, turn)
    context.view_layer.update()


def _box(objects: Sequence[bpy.types.Object]) -> tuple[Vector, list[Vector]]:
    """Return the middle of one end of the box around objects, and its three edges, the longest first, in the world.

    The box of a single object is that of its own space, so that it may be rotated.
    """
    low, high = bounds(objects)
    edges, corner = np.diag(high - low), low
    if len(objects) == 1:
        corners = np.array([objects[0].matrix_world @ Vector(corner) for corner in objects[0].bound_box])
        # Blender's order: from the first corner, the fifth, the fourth and the second are along X, Y and Z.
        edges, corner = corners[[4, 3, 1]] - corners[0], corners[0]
    edges = edges[np.argsort(-np.linalg.norm(edges, axis=1), kind="stable")]
    start = corner + 0.5 * edges[1:].sum(axis=0)
    return Vector(start.tolist()), [Vector(edge.tolist()) for edge in edges]


def _grip(context: Any, name: str, place: Vector, radius: float) -> bpy.types.Object:
    empty: Any = bpy.data.objects.new(name, None)
    empty.empty_display_type, empty.empty_display_size = "SPHERE", radius
    empty.location, empty.rotation_mode = place, "QUATERNION"
    empty.fracture.place, empty.fracture.place_relative = "GRIP", True
    empty.fracture.place_load_factor = LOAD_FACTOR
    context.scene.collection.objects.link(empty)
    return empty


def _move(empty: Any, frames: tuple[int, int], shift: Vector, turn: Quaternion) -> None:
    """Key the motion of a grip between two frames."""
    for frame in frames:
        if frame == frames[-1]:
            empty.location += shift
            empty.rotation_quaternion = turn
        empty.keyframe_insert("location", frame=frame)
        empty.keyframe_insert("rotation_quaternion", frame=frame)
