# Name: Pot of One Coil (Smith 2001)
# Figure 1: an earthenware pot that was built of one coil of clay falls on the edge of its foot, and breaks into rings.
# Smith, Witkin and Baraff 2001, section 4.2: strength alternates along the axis. The paper gives no sizes or values. The
# coils are level rings. The strength is multiplied by the factor in the joints, and divided by it in the coils.
import math
from pathlib import Path

import bmesh
import bpy

# m: wall, thickness of a coil, and drop; degrees from upright; factor of the strength in a joint; points around.
WALL, COIL, DROP, TILT, JOINT, SEGMENTS = 0.011, 0.04, 1.0, 52.0, 0.03, 48
# Profile from the foot to the rim and back: radius and height, m.
OUTSIDE = (
    (0.062, 0.0), (0.078, 0.025), (0.094, 0.06), (0.103, 0.1), (0.101, 0.14), (0.088, 0.175), (0.074, 0.2)
)  # fmt: skip
LIP = ((0.073, 0.215), (0.083, 0.24), (0.073, 0.24))
INSIDE = tuple((radius - WALL, max(height, WALL)) for radius, height in reversed(OUTSIDE))
PROFILE = ((0.0, 0.0), *OUTSIDE, *LIP, *INSIDE, (0.0, WALL))

mesh = bpy.data.meshes.new("Pot")
shape = bmesh.new()
rings = []
for radius, height in PROFILE:
    count = SEGMENTS if radius else 1
    turns = [2.0 * math.pi * row / count for row in range(count)]
    rings.append([shape.verts.new((radius * math.cos(turn), radius * math.sin(turn), height)) for turn in turns])
for low, high in zip(rings[:-1], rings[1:], strict=True):
    for row in range(SEGMENTS):
        after = row + 1
        corners = [low[row % len(low)], low[after % len(low)], high[after % len(high)], high[row % len(high)]]
        shape.faces.new(dict.fromkeys(corners)).smooth = True
bmesh.ops.recalc_face_normals(shape, faces=shape.faces)
shape.to_mesh(mesh)
shape.free()
pot = bpy.data.objects.new("Pot", mesh)
bpy.context.scene.collection.objects.link(pot)
bpy.ops.object.select_all(action="DESELECT")
pot.select_set(True)
bpy.context.view_layer.objects.active = pot
bpy.utils.execfile(str(Path(__file__).parents[1] / "material" / "terracotta.py"))
pot.fracture.resolution, pot.fracture.seed = 3000, 5
bpy.ops.fracture.use_look()

coils = bpy.data.objects.new("Coils", None)
coils.empty_display_type = "SINGLE_ARROW"
bpy.context.scene.collection.objects.link(coils)
coils.parent = pot
coils.fracture.place, coils.fracture.place_period, coils.fracture.place_strength = "LAYERS", COIL, JOINT

bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
tilt = math.radians(TILT)
lowest = min(height * math.cos(tilt) - radius * math.sin(tilt) for radius, height in PROFILE)
pot.location, pot.rotation_euler = (0.0, 0.0, DROP - lowest), (0.0, tilt, 0.0)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 48
