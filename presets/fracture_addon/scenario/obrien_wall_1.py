# Figure 9, wall 1: a wall of adobe that a wrecking ball hits.
# O'Brien and Hodgins 1999, table 1: Lame constants 6.03e+08 and 1.21e+08 Pa, 2309 kg/m3, toughness 6030 N. The paper compares
# that with a force: over the square of an element's edge (0.207 m here) it is a strength. Sizes and speeds are ours.
import bpy

bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.8), scale=(2.4, 0.3, 1.6))
bpy.context.object.name = "Wall"

fracture = bpy.context.object.fracture
fracture.method, fracture.resolution = "FEM", 1109
fracture.material_name = "Adobe of the paper"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 2309, 3.428e+08, 0.4164
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 1.41e+05, 1.41e+06, 3.21e+04
fracture.strength_variation = 0.1
fracture.held = True

bpy.ops.fracture.throw_ball(speed=8.0, direction=(0.0, 1.0, 0.0))
bpy.context.scene.collection.objects[-1].rigid_body.mass = 40.0
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
