# Name: Plastic Sheet Hit by a Ball (O'Brien 2000)
# CACM 2000, figure 4: a heavy ball hits a plastic sheet that is pinned along its edges. It bends, keeps its dent and
# tears. The article prints no values; these were chosen for this scene.
from math import pi

import bpy

# Subdivided so that the bending is visible.
bpy.ops.mesh.primitive_grid_add(
    x_subdivisions=30, y_subdivisions=30, size=0.6, location=(0.0, 0.0, 0.5), rotation=(pi / 2.0, 0.0, 0.0)
)
sheet = bpy.context.object
sheet.name = "Sheet"
frame = sheet.vertex_groups.new(name="Frame")
frame.add([point.index for point in sheet.data.vertices if max(abs(point.co.x), abs(point.co.y)) > 0.27], 1.0, "ADD")
wall = sheet.modifiers.new("Wall", "SOLIDIFY")
wall.thickness, wall.offset = 0.02, 0.0

fracture = sheet.fracture
fracture.method, fracture.resolution = "FEM", 1500
# The paper has no largest speed of cracks.
fracture.crack_speed = 1e5
fracture.material_name = "Sheet, plastic"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 2400, 2e9, 0.25
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 5e6, 5e7, 6e5
fracture.strength_variation = 0.1
fracture.yield_strength, fracture.hardening, fracture.plastic_limit = 1e6, 5e7, 0.5
fracture.dynamics, fracture.softening, fracture.pin_group = "DEFORMABLE", 10.0, "Frame"

bpy.ops.fracture.throw_ball(speed=10.0, direction=(0.0, 1.0, 0.0))
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
