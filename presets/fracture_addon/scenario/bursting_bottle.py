# Name: Bursting Bottle
# A glass bottle hangs in the air. The gas in it reaches 1.5 times the pressure that first breaks the glass, and throws
# the pieces away. 4,000 frames a second, as by a high-speed camera. Shape and sizes are those of a wine bottle.
from math import cos, pi, sin
from pathlib import Path

import bpy

# m, radius and height of the outside from the base to the mouth, and the wall. The base has a rounded edge.
OUTSIDE = ((0.03, 0.0), (0.037, 0.007), (0.0375, 0.06), (0.0375, 0.12), (0.0375, 0.185), (0.034, 0.205), (0.02, 0.23))
OUTSIDE += ((0.015, 0.25), (0.015, 0.3))
WALL, SEGMENTS, HEIGHT = 0.004, 32, 0.1
GLASS = str(Path(__file__).parents[1] / "material" / "soda_lime_glass.py")

inside = [(radius - WALL, max(height, WALL)) for radius, height in OUTSIDE]
profile = [*OUTSIDE, *reversed(inside)]
turns = [2.0 * pi * step / SEGMENTS for step in range(SEGMENTS)]
points = [(radius * cos(turn), radius * sin(turn), height) for radius, height in profile for turn in turns]
faces = []
for ring in range(len(profile) - 1):
    for step in range(SEGMENTS):
        following, low, high = (step + 1) % SEGMENTS, ring * SEGMENTS, (ring + 1) * SEGMENTS
        faces.append((low + step, low + following, high + following, high + step))
faces.append(tuple(reversed(range(SEGMENTS))))
faces.append(tuple(range(len(points) - SEGMENTS, len(points))))
mesh = bpy.data.meshes.new("Bottle")
mesh.from_pydata(points, [], faces)
bottle = bpy.data.objects.new("Bottle", mesh)
bottle.location.z = HEIGHT
scene = bpy.context.scene
scene.collection.objects.link(bottle)
bpy.context.view_layer.objects.active = bottle
bottle.select_set(True)
bpy.utils.execfile(GLASS)
bottle.fracture.resolution, bottle.fracture.held = 4000, True

scene.cursor.location = (0.0, 0.0, HEIGHT + 0.1)
bpy.ops.fracture.add_place(kind="PRESSURE")
gas = next(obj for obj in scene.objects if obj.fracture.place == "PRESSURE")
gas.fracture.place_frame, gas.fracture.place_relative, gas.fracture.place_load_factor = 5, True, 1.5

bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
scene.frame_start, scene.frame_end, scene.render.fps = 1, 24, 4000
