# Name: Glass Slab under a Weight (O'Brien 1999)
# Figure 1: a plate of glass under a heavy weight. It cracks in rays away from the weight.
# O'Brien and Hodgins 1999, table 1: Lame constants 1.04e+08 and 1.04e+08 Pa, viscosities 0 and 6760 Pa s, 2588
# kg/m3, toughness 10140 N. The paper's toughness is a force. Divided by the square of the element's edge (0.118 m here)
# it gives the strength. Sizes and speeds are not from the paper. Glass with these constants is as soft as rubber: only a
# load that lasts longer than bending takes to reach the edges cracks the plate in rays, so the weight is heavy and slow.
import bpy

bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.6), scale=(1.2, 1.2, 0.12))
bpy.context.object.name = "Slab"

fracture = bpy.context.object.fracture
fracture.method, fracture.resolution = "FEM", 900
# The paper has no largest speed of cracks.
fracture.crack_speed = 1e5
fracture.material_name = "Glass of the paper"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 2588, 2.6e+08, 0.25
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 7.32e+05, 7.32e+06, 1.26e+05
fracture.strength_variation = 0.1
fracture.dilation_damping, fracture.rigidity_damping = 0, 6760
fracture.held = True

slab = bpy.context.object
bpy.ops.fracture.throw_ball(speed=1.0, direction=(0.0, 0.0, -1.0))
bpy.context.scene.collection.objects[-1].rigid_body.mass = 4000.0
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
