# Name: Brittle Sheet Hit by a Ball (O'Brien 2000)
# CACM 2000, figure 4: a heavy ball hits a stiff, very brittle sheet. The article prints no values; these were
# chosen for this scene.
import bpy

bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5), scale=(0.6, 0.02, 0.6))
bpy.context.object.name = "Sheet"

fracture = bpy.context.object.fracture
fracture.method, fracture.resolution = "FEM", 3000
# The paper has no largest speed of cracks.
fracture.crack_speed = 1e5
fracture.material_name = "Sheet, brittle"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 2400, 2e+09, 0.25
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 4e+06, 4e+07, 200000
fracture.strength_variation = 0.1
fracture.held = True

bpy.ops.fracture.throw_ball(speed=8.0, direction=(0.0, 1.0, 0.0))
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
