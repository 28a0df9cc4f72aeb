# Name: Swing in the Wind (Sweeney 1991)
# Sweeney et al. 1991, section 5.3: a seat hangs from two ropes, glued to it by bonds, in the wind of section 5.1. Sizes
# and materials are not from the paper. The ropes hang from points just below the beam: they touch neither the frame nor
# the floor.
import bpy
from mathutils import Vector


def post(start, end, radius=0.04):
    """Add a post of the frame from one point to another."""
    along = Vector(end) - Vector(start)
    bpy.ops.mesh.primitive_cylinder_add(radius=radius, depth=along.length, location=0.5 * (Vector(start) + Vector(end)))
    obj = bpy.context.object
    obj.name, obj.rotation_euler = "Post", along.to_track_quat("Z", "Y").to_euler()
    obj.data.materials.append(steel)
    bpy.ops.rigidbody.object_add(type="PASSIVE")


steel = bpy.data.materials.new("Steel")
steel.use_nodes = True
shader = next(node for node in steel.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = (0.1, 0.2, 0.25, 1.0), 0.4
bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5), scale=(0.25, 0.5, 0.04))
seat = bpy.context.object
seat.name = "Seat"
swing = [seat]
for name, y in (("Left Rope", -0.2), ("Right Rope", 0.2)):
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    line = curve.splines.new("POLY")
    line.points.add(1)
    line.points[0].co, line.points[1].co = (0.0, y, 2.5, 1.0), (0.0, y, 0.515, 1.0)
    rope = bpy.data.objects.new(name, curve)
    bpy.context.collection.objects.link(rope)
    swing.append(rope)

for part in swing:
    fracture = part.fracture
    fracture.method, fracture.dynamics, fracture.resolution = "LATTICE", "DEFORMABLE", 600
    fracture.material_name = "Swing"
    fracture.density, fracture.young_modulus, fracture.poisson_ratio = 600, 1e9, 0.25
    fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 5e7, 5e7, 2e6
    fracture.softening = 100.0
for rope in swing[1:]:
    fracture = rope.fracture
    fracture.structure, fracture.thickness, fracture.pinned_ends = "ROPE", 0.016, "START"
    fracture.glue_object, fracture.glue_distance, fracture.glue_strength = seat, 0.08, 10.0

post((0.0, -0.55, 2.56), (0.0, 0.55, 2.56))
for y in (-0.5, 0.5):
    for x in (-0.7, 0.7):
        post((0.0, y, 2.56), (x, 1.2 * y, 0.0))
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.ops.object.effector_add(type="WIND", location=(-1.5, 0.0, 1.0), rotation=(0.0, 1.5708, 0.0))
bpy.context.object.field.strength, bpy.context.object.field.noise = 12.0, 5.0
bpy.context.view_layer.objects.active = seat
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
