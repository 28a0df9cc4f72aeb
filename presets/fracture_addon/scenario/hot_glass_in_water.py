# Name: Hot Glass in Water
# A hot tumbler is lowered into a bowl of cold water. It is 100 K hotter than the water: more than glass of this kind
# withstands. It cracks; small pieces come off, and the large ones stay nearly in place.
from math import cos, pi, sin
from pathlib import Path

import bpy

# m, radius and height of the outside and the inside of the glass, from the middle of its base to the middle of the inside.
GLASS = ((0.0, 0.0), (0.031, 0.0), (0.034, 0.003), (0.036, 0.04), (0.038, 0.1))
GLASS += ((0.035, 0.1), (0.033, 0.04), (0.031, 0.011), (0.028, 0.008), (0.0, 0.008))
# The same of the bowl. The water fills it up to its level, and stays clear of its wall.
BOWL = ((0.0, 0.0), (0.06, 0.0), (0.1, 0.02), (0.125, 0.095), (0.119, 0.095), (0.095, 0.024), (0.057, 0.006), (0.0, 0.006))
WATER = ((0.0, 0.007), (0.056, 0.007), (0.093, 0.025), (0.113, 0.08), (0.0, 0.08))
SEGMENTS = 40
# Frames on which the glass starts down and is down, and heights of its base, m.
START, DOWN, HIGH, LOW = 1, 14, 0.16, 0.022
PRESETS = Path(__file__).parents[1] / "material"


def revolved(name, profile):
    turns = [2.0 * pi * step / SEGMENTS for step in range(SEGMENTS)]
    rings = [(radius, height) for radius, height in profile if radius > 0.0]
    points = [(radius * cos(turn), radius * sin(turn), height) for radius, height in rings for turn in turns]
    faces = []
    for ring in range(len(rings) - 1):
        for step in range(SEGMENTS):
            following, low, high = (step + 1) % SEGMENTS, ring * SEGMENTS, (ring + 1) * SEGMENTS
            faces.append((low + step, low + following, high + following, high + step))
    for ring, radius in ((0, 0), (len(rings) - 1, -1)):
        rim = range(ring * SEGMENTS, (ring + 1) * SEGMENTS)
        faces.append(tuple(reversed(rim)) if radius == 0 else tuple(rim))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def select(obj):
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 72
bowl = revolved("Bowl", BOWL)
select(bowl)
bpy.ops.rigidbody.object_add(type="PASSIVE")
bowl.rigid_body.collision_shape = "MESH"
bpy.ops.mesh.primitive_plane_add(size=4.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")

water = revolved("Water", WATER)
water.display_type = "WIRE"
water.fracture.place, water.fracture.place_frame = "THERMAL", DOWN + 2
water.fracture.place_temperature, water.fracture.place_heat_transfer = -100.0, 5000.0
liquid = bpy.data.materials.new("Water")
liquid.use_nodes = True
shader = next(node for node in liquid.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
shader.inputs["Transmission Weight"].default_value, shader.inputs["Roughness"].default_value = 1.0, 0.0
shader.inputs["IOR"].default_value, shader.inputs["Base Color"].default_value = 1.33, (0.9, 0.97, 1.0, 1.0)
water.data.materials.append(liquid)

glass = revolved("Glass", GLASS)
select(glass)
bpy.utils.execfile(str(PRESETS / "soda_lime_glass.py"))
glass.fracture.resolution = 4000
for frame, height in ((START, HIGH), (DOWN, LOW), (DOWN + 2, LOW)):
    glass.location.z = height
    glass.keyframe_insert("location", frame=frame)
