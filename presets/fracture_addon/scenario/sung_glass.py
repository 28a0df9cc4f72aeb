# Name: Sung Glass
# A wine glass stands on a table, with its foot held, beside a loudspeaker. A tone with the own frequency of its bowl
# lets it vibrate until the wall breaks, within half a second at 1.6 times the load that first breaks it.
from math import cos, pi, sin
from pathlib import Path

import bpy
from mathutils import Vector

# m, radius and height of the outside from the middle of the foot to the rim, and the wall of the bowl.
FOOT = ((0.033, 0.0), (0.034, 0.0015), (0.031, 0.003), (0.012, 0.0055), (0.0055, 0.009), (0.004, 0.02), (0.0035, 0.05))
BOWL = ((0.004, 0.075), (0.008, 0.083), (0.02, 0.091), (0.031, 0.104), (0.0365, 0.122), (0.0365, 0.14), (0.034, 0.16))
BOWL += ((0.0305, 0.18),)
WALL, SEGMENTS, HELD = 0.0015, 48, 0.002
GLASS = str(Path(__file__).parents[1] / "material" / "soda_lime_glass.py")


def inside():
    """The inside of the bowl, from the rim down: the outside moved inwards by the wall."""
    for row in range(len(BOWL) - 1, 1, -1):
        low, high = Vector(BOWL[max(row - 1, 0)]), Vector(BOWL[min(row + 1, len(BOWL) - 1)])
        along = (high - low).normalized()
        yield BOWL[row][0] - WALL * along.y, BOWL[row][1] + WALL * along.x if row < len(BOWL) - 1 else BOWL[row][1]


profile = [*FOOT, *BOWL, *inside()]
turns = [2.0 * pi * step / SEGMENTS for step in range(SEGMENTS)]
points = [(radius * cos(turn), radius * sin(turn), height) for radius, height in profile for turn in turns]
faces = []
for ring in range(len(profile) - 1):
    for step in range(SEGMENTS):
        following, low, high = (step + 1) % SEGMENTS, ring * SEGMENTS, (ring + 1) * SEGMENTS
        faces.append((low + step, low + following, high + following, high + step))
faces.append(tuple(reversed(range(SEGMENTS))))
faces.append(tuple(range(len(points) - SEGMENTS, len(points))))
mesh = bpy.data.meshes.new("Wine Glass")
mesh.from_pydata(points, [], faces)
mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
# With one normal around the edge of the rim, the wall below it bends light wrongly, and is black.
mesh.set_sharp_from_angle(angle=0.7)
glass = bpy.data.objects.new("Wine Glass", mesh)
scene = bpy.context.scene
scene.collection.objects.link(glass)
foot = glass.vertex_groups.new(name="Foot")
foot.add([row for row, point in enumerate(points) if point[2] < HELD], 1.0, "REPLACE")
bpy.context.view_layer.objects.active = glass
glass.select_set(True)
bpy.utils.execfile(GLASS)
glass.fracture.resolution, glass.fracture.held, glass.fracture.pin_group = 4000, True, "Foot"

scene.cursor.location = (0.25, 0.0, 0.15)
scene.frame_set(5)
bpy.ops.fracture.add_place(kind="SOUND")
voice = next(obj for obj in scene.objects if obj.fracture.place == "SOUND")
voice.name, voice.rotation_euler.y, voice.empty_display_size = "Loudspeaker", -0.5 * pi, 0.05
voice.fracture.place_load_factor = 1.6

bpy.ops.mesh.primitive_plane_add(size=4.0, location=(0.0, 0.0, 0.0))
bpy.context.object.name = "Table"
bpy.ops.rigidbody.object_add(type="PASSIVE")
scene.frame_start, scene.frame_end = 1, 48
scene.frame_set(1)
