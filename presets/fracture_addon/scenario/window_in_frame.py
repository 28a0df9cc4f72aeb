# Name: Window in Its Frame
# A ball breaks a window pane in a wooden frame. Shards at the rim stay in the frame.
from pathlib import Path

import bpy

# m: width and height of the pane, thickness of the glass, width and depth of the bars, gap with putty.
WIDTH, HEIGHT, GLASS, BAR, DEPTH, GAP = 0.9, 1.1, 0.005, 0.07, 0.05, 0.003
# Height of the sill above the floor, m; speed of the ball, m/s.
SILL, SPEED = 0.6, 12.0
# Pa, strength of pine along its grain; MPa and MPa root m, strength and toughness of the joint: the pane sits in a
# groove, so that it breaks beside the frame and not out of it.
STRENGTH, GRIP, TOUGHNESS = 80e6, 120.0, 3.0
PRESETS = Path(__file__).parents[1] / "material"


def chosen(obj, preset, resolution):
    """Select an object alone, and give it a material."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.utils.execfile(str(PRESETS / preset))
    obj.fracture.resolution = resolution
    bpy.ops.fracture.use_look()
    return obj


def frame():
    """Add a frame of one piece around the pane."""
    inner = [(x * (0.5 * WIDTH + GAP), z * (0.5 * HEIGHT + GAP)) for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    outer = [(x + (BAR if x > 0 else -BAR), z + (BAR if z > 0 else -BAR)) for x, z in inner]
    points = [(x, y, z) for y in (-0.5 * DEPTH, 0.5 * DEPTH) for ring in (inner, outer) for x, z in ring]
    faces = []
    for a in range(4):
        b = (a + 1) % 4
        faces += [(a, 4 + a, 4 + b, b), (8 + a, 8 + b, 12 + b, 12 + a), (a, b, 8 + b, 8 + a)]
        faces.append((4 + a, 12 + a, 12 + b, 4 + b))
    mesh = bpy.data.meshes.new("Frame")
    mesh.from_pydata(points, [], faces)
    obj = bpy.data.objects.new("Frame", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.location.z = SILL + 0.5 * HEIGHT
    obj = chosen(obj, "wood_pine.py", 600)
    # Each bar bears tension along its own grain.
    obj.fracture.tensile_strength, obj.fracture.grain_strength_ratio, obj.fracture.held = STRENGTH, 1.0, True
    return obj


bars = frame()
bpy.ops.mesh.primitive_cube_add(size=1.0, location=bars.location, scale=(WIDTH, GLASS, HEIGHT))
bpy.context.object.name = "Pane"
pane = chosen(bpy.context.object, "soda_lime_glass.py", 4000)
bars.select_set(True)
bpy.ops.fracture.join(kind="GLUE", distance=1.5 * GAP)
(joint,) = (*pane.fracture.joints, *bars.fracture.joints)
joint.strength, joint.toughness = GRIP, TOUGHNESS
bpy.ops.object.select_all(action="DESELECT")
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.ops.object.select_all(action="DESELECT")
pane.select_set(True)
bpy.context.view_layer.objects.active = pane
bpy.ops.fracture.throw_ball(speed=SPEED, direction=(0.0, 1.0, 0.0))
ball = bpy.context.scene.collection.objects[-1]
ball.rigid_body.mass = 4.0
bpy.context.view_layer.objects.active = pane
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 48
