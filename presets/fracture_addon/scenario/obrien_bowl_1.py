# Name: Falling Bowl, Toughest (O'Brien 1999)
# Figure 11: the toughest of four bowls that fall from the same height.
# O'Brien and Hodgins 1999, table 1: Lame constants 2.65e+06 and 3.97e+06 Pa, viscosities 264 and 397 Pa s,
# 1013 kg/m3, toughness 52.9 N. The paper's toughness is a force. Divided by the square of the element's edge (0.0178 m
# here) it gives the strength, and times the root of the edge the toughness in Pa m^1/2, because the paper has one
# threshold for the start and the growth of cracks. Sizes and speeds are not from the paper.
import bmesh
import bpy

# Half of a sphere with a wall of 12 mm.
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.1, segments=48, ring_count=24)
bowl = bpy.context.object
bowl.name = "Bowl"
mesh = bmesh.new()
mesh.from_mesh(bowl.data)
bmesh.ops.delete(mesh, geom=[vertex for vertex in mesh.verts if vertex.co.z > 1e-4], context="VERTS")
mesh.to_mesh(bowl.data)
mesh.free()
wall = bowl.modifiers.new("Wall", "SOLIDIFY")
wall.thickness, wall.offset, wall.use_even_offset = 0.012, -1.0, True

fracture = bpy.context.object.fracture
fracture.method, fracture.resolution = "FEM", 1000
# The paper has no largest speed of cracks.
fracture.crack_speed = 1e5
fracture.material_name = "Clay of the paper"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 1013, 9.529e+06, 0.2002
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 1.67e+05, 1.67e+06, 2.22e+04
fracture.strength_variation = 0.1
fracture.dilation_damping, fracture.rigidity_damping = 264, 397

bpy.ops.fracture.drop(height=1.0)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
