"""Loads for objects without a scene: a drop, a ball, an impact, a blast, cold water, or a sound.

Each adds ordinary scene objects, as an artist could: a floor and a ball with Blender's rigid-body settings, or an empty
for an impact, a blast, the water or the sound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..read import settings
from ..scene import ownership
from ..scene.result_lookup import IMPACT_OF
from ..write import materials
from .placing import UP, bounds, move, moved_with, nearest

# Custom property on a generated floor.
FLOOR = "fracture_floor"
# Custom property on a dropped object: the rotation that the drop added, and the object's rotation after it, as
# quaternions. The next drop first takes this rotation back, unless the artist has rotated the object since.
TILTED = "fracture_tilt"
# Largest difference between components of equal rotations.
SAME_ROTATION = 1e-4
NAMES = ("drop", "ball", "impact", "blast", "snap", "quench", "fracture", "scene")
# Degrees, smallest and largest tilt of a dropped object, so that it lands on an edge or a corner. A matter of taste: at
# 0 it lands on its whole base, and near 90 on its side.
TILT = (10.0, 25.0)
# Direction of balls, blast waves and sounds in a window: Blender's first view and its front view show the struck side.
FROM_THE_FRONT = (0.0, 1.0, 0.0)
# Ball: density of steel (kg/m3), radius over the diagonal of the object, and frames of its flight.
BALL_DENSITY, BALL_SHARE, FLIGHT_FRAMES = 7850.0, 0.1, 4
# m/s, speed of the ball. A matter of taste: about that of a ball thrown by hand.
BALL_SPEED = 8.0
# Drop height: the height of a table (m) or the size of the object times the first factor, whichever is larger. For
# small objects at most the second factor, so that the fall stays in view. The fall lasts at most FALL_SHARE of the
# frames. A matter of taste: the settings of the drop change them.
TABLE, HEIGHT_SHARE, MOST_HEIGHT_SHARE, FALL_SHARE = 1.0, 1.5, 8.0, 0.3
# Distance of a blast over the diagonal of the object, and its scaled distance, m/kg^(1/3). Measured: a terracotta jar
# of 0.25 m breaks into 2, 4 and 9 pieces at the scaled distances 1.14, 0.69 and 0.6 (one seed).
BLAST_GAP, SCALED_DISTANCE = 0.7, 0.6
# Radius of the water around objects over their diagonal, so that it contains them, and its cold over the one that first
# breaks something. A matter of taste.
WATER_SHARE, QUENCH = 0.6, 2.0
# Distance of a sound from objects over their diagonal, and its load after a long time over the breaking load. A matter
# of taste: the level follows from the load, so the distance only shows where the sound comes from.
SOUND_GAP, SUNG = 0.7, 3.0
# Frames from the start to an impact, a blast, cold water or a sound.
IMPACT_FRAMES = 4
# Width of the floor over the diagonal of the object, because fragments can fly far.
FLOOR_SHARE = 60.0
BALL_COLOR = (0.35, 0.36, 0.38, 1.0)


def suitable_height(context: Any, objects: Sequence[bpy.types.Object]) -> float:
    """Return a drop height that suits the size of objects and the frames of the scene, m."""
    scene = context.scene
    unit = scene.unit_settings.scale_length
    low, high = bounds(objects)
    size = float(np.linalg.norm(high - low)) * unit
    first, last = settings.frame_range(scene)
    seconds = FALL_SHARE * (last - first) * scene.render.fps_base / scene.render.fps
    gravity = float(np.linalg.norm(scene.gravity)) * unit if scene.use_gravity else 0.0
    height = max(HEIGHT_SHARE * size, min(TABLE, MOST_HEIGHT_SHARE * size))
    return min(height, 0.5 * gravity * seconds**2) if gravity else height


def drop(context: Any, objects: Sequence[bpy.types.Object], height: float, seed: int) -> None:
    """Lift and tilt objects above the floor of an earlier call, or above a new floor below them.

    Another drop replaces the tilt of an earlier one.

    Args:
        context: Blender context.
        objects: Objects to break.
        height: m, height of their lowest point above the floor.
        seed: Seed of the random tilt.

    Raises:
        InvalidMeshError: An object or one of its parents is linked from another file.
    """
    ownership.check_local(moved_with(objects))
    unit = context.scene.unit_settings.scale_length
    random = np.random.default_rng(seed)
    heading, angle = random.uniform(0.0, 2.0 * np.pi), np.radians(random.uniform(*TILT))
    floor = floor_of(context.scene)
    ground = bounds(objects)[0, 2] if floor is None else floor.location.z
    _rotate(objects, _earlier_tilt(objects).inverted())
    tilt = Matrix.Rotation(angle, 4, (np.cos(heading), np.sin(heading), 0.0))
    _rotate(objects, tilt)
    move(objects, Matrix.Translation((0.0, 0.0, ground + height / unit - bounds(objects)[0, 2])))
    for root in moved_with(objects):
        root[TILTED] = [*tilt.to_quaternion()[:], *root.matrix_world.to_quaternion()[:]]
    if floor is None:
        add_floor(context, bounds(objects), ground)


def corners_of_fall(context: Any, objects: Sequence[bpy.types.Object]) -> np.ndarray:
    """Return the (8, 3) corners of the box from dropped objects down to the floor, scene units."""
    low, high = bounds(objects)
    floor = floor_of(context.scene)
    ground = low[2] if floor is None else floor.location.z
    x, y, z = np.meshgrid((low[0], high[0]), (low[1], high[1]), (ground, high[2]))
    return np.column_stack([x.ravel(), y.ravel(), z.ravel()])


def ball(
    context: Any, objects: Sequence[bpy.types.Object], direction: Sequence[float], speed: float
) -> bpy.types.Object:
    """Add a steel ball that flies towards the centre of objects, and a floor below them if there is none.

    Args:
        context: Blender context.
        objects: Objects to break.
        direction: (3,) direction of the flight.
        speed: m/s, speed on the first frame.
    """
    scene = context.scene
    unit = scene.unit_settings.scale_length
    low, high = box = bounds(objects)
    if floor_of(scene) is None:
        add_floor(context, box, low[2])
    heading = np.asarray(direction, float) / np.linalg.norm(direction)
    size, middle = float(np.linalg.norm(high - low)), 0.5 * (low + high)
    radius = BALL_SHARE * size
    middle[2] = max(middle[2], low[2] + 1.05 * radius)
    seconds = scene.render.fps_base / scene.render.fps
    flight = FLIGHT_FRAMES * seconds
    start = middle - heading * (0.5 * np.abs(heading) @ (high - low) + radius + speed / unit * flight)
    # Aim higher by the distance that the ball falls on its way.
    gravity = np.array(scene.gravity) if scene.use_gravity else np.zeros(3)
    way = np.linalg.norm(middle - start)
    velocity = heading * (speed / unit) - 0.5 * gravity * (way / (speed / unit))
    mesh = bpy.data.meshes.new("Ball")
    obj = bpy.data.objects.new("Ball", mesh)
    _fill_sphere(mesh, radius)
    mesh.materials.append(materials.plain("Ball", BALL_COLOR, 0.35, 1.0))
    scene.collection.objects.link(obj)
    first, _ = settings.frame_range(scene)
    for frame, place in ((first - 1, start - velocity * seconds), (first, start)):
        obj.location = place
        obj.keyframe_insert("location", frame=frame)
    mass = BALL_DENSITY * 4.0 / 3.0 * np.pi * (radius * unit) ** 3
    _make_rigid(context, obj, "ACTIVE", "SPHERE", mass)
    return obj


def impact(context: Any, objects: Sequence[bpy.types.Object], direction: Sequence[float]) -> None:
    """Add an impact to each object, on the side from which the force comes, and a floor below them.

    Args:
        context: Blender context.
        objects: Objects to break.
        direction: (3,) direction of the force.
    """
    scene = context.scene
    low, _ = box = bounds(objects)
    add_floor(context, box, low[2])
    push = Vector(direction).normalized()
    for obj in objects:
        own_low, own_high = bounds([obj])
        far = Vector((0.5 * (own_low + own_high)).tolist()) - push * float(np.linalg.norm(own_high - own_low))
        empty = bpy.data.objects.new(f"{obj.name} Impact", None)
        empty.empty_display_type = "SINGLE_ARROW"
        turn = UP.rotation_difference(push).to_matrix().to_4x4()
        empty.matrix_world = Matrix.Translation(_struck_point(obj, far, push).to_tuple()) @ turn
        scene.collection.objects.link(empty)
        obj.fracture.impact_enabled = True
        obj.fracture.impact_object = empty
        empty[IMPACT_OF] = obj
        obj.fracture.impact_frame = min(scene.frame_start + IMPACT_FRAMES, scene.frame_end - 1)
    context.view_layer.update()


def blast(
    context: Any, objects: Sequence[bpy.types.Object], direction: Sequence[float], charge: float | None = None
) -> bpy.types.Object:
    """Add a blast beside objects, and a floor below them if there is none.

    Args:
        context: Blender context.
        objects: Objects to break.
        direction: (3,) direction from the blast to the objects.
        charge: kg of TNT; ``None`` for one that suits the size of the objects.
    """
    box = bounds(objects)
    gap = BLAST_GAP * _size(box)
    empty = _add_load(context, box, "BLAST", "Blast", _beside(box, direction, gap))
    empty.empty_display_size = 0.1 * _size(box)
    suitable = (gap * context.scene.unit_settings.scale_length / SCALED_DISTANCE) ** 3
    empty.fracture.place_charge = suitable if charge is None else charge
    return empty


def quench(context: Any, objects: Sequence[bpy.types.Object]) -> bpy.types.Object:
    """Add cold water around objects, colder than they withstand, and a floor below them if there is none.

    Args:
        context: Blender context.
        objects: Objects to break.
    """
    box = bounds(objects)
    empty = _add_load(context, box, "THERMAL", "Water", box.mean(axis=0))
    empty.empty_display_size = WATER_SHARE * _size(box)
    empty.fracture.place_relative, empty.fracture.place_load_factor = True, QUENCH
    return empty


def sound(context: Any, objects: Sequence[bpy.types.Object], direction: Sequence[float]) -> bpy.types.Object:
    """Add a sound beside objects, louder than they withstand, and a floor below them if there is none.

    Args:
        context: Blender context.
        objects: Objects to break.
        direction: (3,) direction from the sound to the objects.
    """
    box = bounds(objects)
    empty = _add_load(context, box, "SOUND", "Sound", _beside(box, direction, SOUND_GAP * _size(box)))
    empty.empty_display_type, empty.empty_display_size = "CONE", 0.2 * _size(box)
    empty.fracture.place_relative, empty.fracture.place_load_factor = True, SUNG
    return empty


def _size(box: np.ndarray) -> float:
    """Return the diagonal of a box (2, 3)."""
    return float(np.linalg.norm(box[1] - box[0]))


def _beside(box: np.ndarray, direction: Sequence[float], gap: float) -> np.ndarray:
    """Return the place (3,) at a gap from a box (2, 3), from where a direction leads to the middle of the box."""
    heading = np.asarray(direction, float) / np.linalg.norm(direction)
    return box.mean(axis=0) - heading * (0.5 * np.abs(heading) @ (box[1] - box[0]) + gap)


def _add_load(context: Any, box: np.ndarray, kind: str, name: str, place: np.ndarray) -> Any:
    """Add a spherical empty that loads the objects in a box (2, 3) some frames after the start, and a floor below them.

    A floor that is there already stays the only one.
    """
    scene = context.scene
    if floor_of(scene) is None:
        add_floor(context, box, box[0, 2])
    empty: Any = bpy.data.objects.new(name, None)
    empty.empty_display_type, empty.location = "SPHERE", place
    first, last = settings.frame_range(scene)
    empty.fracture.place, empty.fracture.place_frame = kind, min(first + IMPACT_FRAMES, last - 1)
    scene.collection.objects.link(empty)
    context.view_layer.update()
    return empty


def add_floor(context: Any, box: np.ndarray, height: float) -> bpy.types.Object:
    """Add a passive plane that is wide enough for fragments to come to rest on.

    Args:
        context: Blender context.
        box: (2, 3) corners of the box around the objects above it, scene units.
        height: Height of the plane, scene units.
    """
    size = FLOOR_SHARE * float(np.linalg.norm(box[1] - box[0])) + 4.0 * max(float(box[0, 2] - height), 0.0)
    middle = box.mean(axis=0)
    mesh = bpy.data.meshes.new("Floor")
    corners = [(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (-0.5, 0.5, 0.0)]
    mesh.from_pydata([tuple(size * value for value in corner) for corner in corners], [], [(0, 1, 2, 3)])
    mesh.materials.append(materials.floor())
    obj = bpy.data.objects.new("Floor", mesh)
    obj.location = (middle[0], middle[1], height)
    obj[FLOOR] = True
    context.scene.collection.objects.link(obj)
    _make_rigid(context, obj, "PASSIVE", "MESH", 0.0)
    return obj


def floor_of(scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Return the floor that ``add_floor`` added to a scene, ``None`` without one."""
    return next((obj for obj in scene.objects if FLOOR in obj and obj.rigid_body is not None), None)


def _rotate(objects: Sequence[bpy.types.Object], rotation: Matrix) -> None:
    """Rotate objects together about the centre of their bounding box."""
    middle = bounds(objects).mean(axis=0)
    move(objects, Matrix.Translation(middle.tolist()) @ rotation @ Matrix.Translation((-middle).tolist()))


def _earlier_tilt(objects: Sequence[bpy.types.Object]) -> Matrix:
    """Return the rotation that an earlier drop of the same objects added; the identity without one."""
    tilts = set()
    for root in moved_with(objects):
        stored = list(root.get(TILTED, ()))
        now = root.matrix_world.to_quaternion()
        if len(stored) != 8 or abs(Quaternion(stored[4:]).dot(now)) < 1.0 - SAME_ROTATION:
            return Matrix.Identity(4)
        tilts.add(tuple(stored[:4]))
    return Quaternion(tilts.pop()).to_matrix().to_4x4() if len(tilts) == 1 else Matrix.Identity(4)


def _struck_point(obj: bpy.types.Object, far: Vector, push: Vector) -> Vector:
    """Return the first point of an object on a ray through its centre; without one, its point nearest to ``far``."""
    inverse = obj.matrix_world.inverted_safe()
    found, point, _normal, _face = obj.ray_cast(inverse @ far, (inverse.to_3x3() @ push).normalized())
    return obj.matrix_world @ point if found else nearest(obj, far)[0]


def _fill_sphere(mesh: bpy.types.Mesh, radius: float, segments: int = 32, rings: int = 16) -> None:
    heights, turns = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings + 1)[1:-1], np.arange(segments) / segments
    across, up = np.cos(heights)[:, None], np.sin(heights)[:, None]
    around = 2.0 * np.pi * turns[None, :]
    points = np.stack([across * np.cos(around), across * np.sin(around), np.repeat(up, segments, 1)], -1).reshape(-1, 3)
    points = radius * np.concatenate([points, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    bottom, top = len(points) - 2, len(points) - 1
    faces: list[tuple[int, ...]] = []
    for i in range(segments):
        j, last = (i + 1) % segments, (rings - 2) * segments
        faces += [(bottom, j, i), (top, last + i, last + j)]
        faces += [(k + i, k + j, k + segments + j, k + segments + i) for k in range(0, last, segments)]
    mesh.from_pydata(points.tolist(), [], faces)
    mesh.shade_smooth()


def _make_rigid(
    context: Any, obj: bpy.types.Object, kind: Literal["ACTIVE", "PASSIVE"], shape: str, mass: float
) -> None:
    if context.scene.rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    context.view_layer.update()
    with context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
        bpy.ops.rigidbody.object_add(type=kind)
    body: Any = obj.rigid_body
    body.collision_shape = shape
    # By default Blender's rigid bodies keep 4 cm away from a mesh: pieces handed over to them on a floor would jump.
    body.use_margin, body.collision_margin = True, 0.0
    if mass > 0.0:
        body.mass = mass
