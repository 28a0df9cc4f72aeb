# Name: Wall Hit by a Light Ball (O'Brien 1999)
# Figure 9, wall 1: a wrecking ball hits a wall of adobe.
# O'Brien and Hodgins 1999, table 1: Lame constants 6.03e+08 and 1.21e+08 Pa, viscosities 3015 and 6030 Pa s, 2309
# kg/m3, toughness 6030 N. The paper's toughness is a force, and this scene uses it as a force, both where cracks start
# and where they grow. Divided by the square of the element's edge (0.207 m here) it is the strength below. Sizes and
# speeds are not from the paper.
import bmesh
import bpy

bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.8), scale=(2.4, 0.3, 1.6))
wall = bpy.context.object
wall.name = "Wall"
# The wall is fixed to the ground: the vertex group is its underside, and fades out within 3 cm above it.
mesh = bmesh.new()
mesh.from_mesh(wall.data)
bmesh.ops.bisect_plane(mesh, geom=[*mesh.faces, *mesh.edges], plane_co=(0.0, 0.0, -0.48), plane_no=(0.0, 0.0, 1.0))
mesh.to_mesh(wall.data)
mesh.free()
foot = wall.vertex_groups.new(name="Foot")
foot.add([point.index for point in wall.data.vertices if point.co.z < -0.49], 1.0, "ADD")

fracture = wall.fracture
fracture.method, fracture.resolution = "FEM", 1109
# The paper has no largest speed of cracks.
fracture.crack_speed = 1e5
fracture.material_name = "Adobe of the paper"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 2309, 3.428e+08, 0.4164
fracture.tensile_strength, fracture.compressive_strength = 1.41e+05, 1.41e+06
fracture.separation_force = 6030
fracture.strength_variation = 0.1
fracture.dilation_damping, fracture.rigidity_damping = 3015, 6030
fracture.pin_group = "Foot"

bpy.ops.fracture.throw_ball(speed=8.0, direction=(0.0, 1.0, 0.0))
bpy.context.scene.collection.objects[-1].rigid_body.mass = 40.0
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
