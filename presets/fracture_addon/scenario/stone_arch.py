# Name: Stone Arch That Loses Its Footing
# Wedges of granite without mortar stand as an arch: each one is held by the pressure of the others. Then one of the two
# piers slides outwards, and the arch falls.
import math
from pathlib import Path

import bpy

# m: inner and outer radius of the arch, its depth, height of the piers and their width; number of stones.
INNER, OUTER, DEPTH, PIER, PIER_WIDTH, STONES = 1.0, 1.35, 0.5, 0.9, 0.6, 11
# Frames from which and until which the pier slides, and how far, m.
START, END, SLIDE = 30, 66, 0.9
FRICTION, CELLS = 0.7, 120
GRANITE = str(Path(__file__).parents[1] / "material" / "granite.py")
scene = bpy.context.scene


def stone(number):
    """Add a wedge of the arch."""
    angles = [math.pi * (number + side) / STONES for side in (0, 1)]
    points = [
        (radius * math.cos(angle), y, PIER + radius * math.sin(angle))
        for y in (-0.5 * DEPTH, 0.5 * DEPTH)
        for angle in angles
        for radius in (INNER, OUTER)
    ]
    middle = [sum(values) / 8.0 for values in zip(*points, strict=True)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new("Stone")
    mesh.from_pydata([[a - b for a, b in zip(point, middle, strict=True)] for point in points], [], faces)
    obj = bpy.data.objects.new("Stone", mesh)
    scene.collection.objects.link(obj)
    obj.location = middle
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.utils.execfile(GRANITE)
    obj.fracture.resolution, obj.fracture.friction = CELLS, FRICTION
    bpy.ops.fracture.use_look()
    return obj


def pier(side):
    """Add a pier below one end of the arch."""
    place = side * 0.5 * (INNER + OUTER)
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(place, 0.0, 0.5 * PIER), scale=(PIER_WIDTH, 1.2 * DEPTH, PIER))
    obj = bpy.context.object
    obj.name = "Pier"
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    obj.rigid_body.collision_shape, obj.rigid_body.friction = "BOX", FRICTION
    return obj


stones = [stone(number) for number in range(STONES)]
left, right = pier(-1), pier(1)
for obj in (left, right):
    obj.data.materials.append(stones[0].data.materials[0])
right.rigid_body.kinematic = True
for frame, way in ((1, 0.0), (START, 0.0), (END, SLIDE)):
    right.location.x = 0.5 * (INNER + OUTER) + way
    right.keyframe_insert("location", frame=frame)
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.object.rigid_body.friction = FRICTION
# Granite survives a fall of a metre.
scene.fracture.break_anyway = False
scene.frame_start, scene.frame_end = 1, 84
