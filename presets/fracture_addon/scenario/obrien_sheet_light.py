# Name: Light Sheet in the Wind Hit by a Ball (O'Brien 2000)
# CACM 2000, figure 4: a heavy ball hits a light, flexible sheet, which hangs by its upper edge in a gusty wind. It
# gives way, flutters, and the ball tears a hole into it. The article prints no values; these were chosen for this scene:
# a larger, slower ball takes the lower half along before the hole is torn, and a less tough sheet breaks to its edges.
from math import pi

import bpy

bpy.ops.mesh.primitive_grid_add(
    x_subdivisions=30, y_subdivisions=30, size=0.6, location=(0.0, 0.0, 0.5), rotation=(pi / 2.0, 0.0, 0.0)
)
sheet = bpy.context.object
sheet.name = "Sheet"
rail = sheet.vertex_groups.new(name="Rail")
rail.add([point.index for point in sheet.data.vertices if point.co.y > 0.27], 1.0, "ADD")
wall = sheet.modifiers.new("Wall", "SOLIDIFY")
wall.thickness, wall.offset = 0.008, 0.0

fracture = sheet.fracture
fracture.method, fracture.resolution = "FEM", 1500
# The paper has no largest speed of cracks.
fracture.crack_speed = 1e5
fracture.material_name = "Sheet, light and flexible"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 60, 1e5, 0.25
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 2e4, 2e5, 4e3
fracture.strength_variation = 0.1
fracture.dynamics, fracture.softening, fracture.pin_group = "DEFORMABLE", 1.0, "Rail"

bpy.ops.object.effector_add(type="WIND", location=(0.0, -1.0, 0.5), rotation=(-pi / 2.0, 0.0, 0.0))
bpy.context.object.field.strength, bpy.context.object.field.noise = 4.0, 4.0
bpy.ops.object.select_all(action="DESELECT")
sheet.select_set(True)
bpy.context.view_layer.objects.active = sheet
bpy.ops.fracture.throw_ball(speed=12.0, direction=(0.0, 1.0, 0.0))
bpy.context.scene.collection.objects[-1].scale = 0.7, 0.7, 0.7
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 48
