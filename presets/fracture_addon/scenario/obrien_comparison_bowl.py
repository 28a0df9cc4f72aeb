# Figure 13: a bowl that falls on its edge, from about a metre.
# O'Brien and Hodgins 1999, table 1: Lame constants 0 and 5.29e+07 Pa, 1013 kg/m3, toughness 106 N. The paper compares
# that with a force: over the square of an element's edge (0.0156 m here) it is a strength. Sizes and speeds are ours.
import math

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
fracture.method, fracture.resolution = "FEM", 1500
fracture.material_name = "Ceramic of the paper"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 1013, 1.058e+08, 0
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 4.37e+05, 4.37e+06, 2.73e+04
fracture.strength_variation = 0.1

bowl.rotation_euler = (math.radians(80.0), 0.0, 0.0)
bpy.context.view_layer.update()
bpy.ops.fracture.drop(height=1.0)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
