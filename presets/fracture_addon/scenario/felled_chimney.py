# Name: Felled Chimney
# A charge has cut the foot of a slender chimney of solid masonry to a ridge. The chimney leans, topples and breaks in
# mid-fall, because its top falls behind its lower part.
from math import cos, radians, sin
from pathlib import Path

import bpy

# m: height, width, height of the cut foot and half of the width that is left of it; angle by which the chimney leans.
HEIGHT, WIDTH, CUT, LEFT, LEAN = 20.0, 1.0, 1.0, 0.1, radians(6.0)
# m, depth of the foot in the floor, so that it does not land on it.
SUNK = 0.011
# Heights between which the shaft is light, m.
BANDS = ((16.0, 16.8), (18.0, 18.8))
# Pa, strength of masonry, less than that of its bricks, and share by which it varies.
STRENGTH, VARIATION = 0.75e6, 0.05
# Linear red, green and blue of the bricks and of the bands.
BRICKS, BAND = (0.36, 0.11, 0.055), (0.72, 0.68, 0.6)
BRICK = str(Path(__file__).parents[1] / "material" / "brick.py")
scene = bpy.context.scene

rings = [(LEFT, 0.0), (0.5 * WIDTH, CUT), *((0.5 * WIDTH, z) for band in BANDS for z in band), (0.5 * WIDTH, HEIGHT)]
points = [(x * half, 0.5 * y * WIDTH, z) for half, z in rings for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
faces = [(3, 2, 1, 0)]
for low in range(0, len(points) - 4, 4):
    faces += [(low + side, low + (side + 1) % 4, low + 4 + (side + 1) % 4, low + 4 + side) for side in range(4)]
faces.append(tuple(range(len(points) - 4, len(points))))
points = [(x * cos(LEAN) + z * sin(LEAN), y, z * cos(LEAN) - x * sin(LEAN)) for x, y, z in points]
lowest = min(z for x, y, z in points) + SUNK
mesh = bpy.data.meshes.new("Chimney")
mesh.from_pydata([(x, y, z - lowest) for x, y, z in points], [], faces)
for name, color in (("Chimney Bricks", BRICKS), ("Chimney Band", BAND)):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*color, 1.0)
    mesh.materials.append(material)
light = [ring for ring in range(len(rings) - 1) if any(rings[ring][1] == low for low, high in BANDS)]
for polygon in mesh.polygons:
    polygon.material_index = int((polygon.index - 1) // 4 in light)
chimney = bpy.data.objects.new("Chimney", mesh)
scene.collection.objects.link(chimney)

bpy.ops.mesh.primitive_plane_add(size=200.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.object.rigid_body.friction = 1.0
bpy.ops.object.select_all(action="DESELECT")
chimney.select_set(True)
bpy.context.view_layer.objects.active = chimney
bpy.utils.execfile(BRICK)
chimney.fracture.tensile_strength, chimney.fracture.strength_variation = STRENGTH, VARIATION
chimney.fracture.friction, chimney.fracture.own_weight, chimney.fracture.resolution = 1.0, True, 2000
scene.frame_start, scene.frame_end = 1, 120
