# Name: Falling Sheet of Paper
# A sheet of office paper, A4, falls flat in still air. It glides from side to side and bends. 80 g/m2, and the bending
# stiffness of a sheet of 0.1 mm with 3 GPa, as a thicker and softer shell, which takes larger time steps.
import bpy

WIDTH, LENGTH, COLUMNS, ROWS = 0.21, 0.297, 10, 14
# m, height from which it falls, and rise of its edges: paper is never quite flat.
HEIGHT, CURL = 1.4, 0.004
bpy.ops.mesh.primitive_grid_add(
    x_subdivisions=COLUMNS, y_subdivisions=ROWS, size=1.0, location=(0.0, 0.0, HEIGHT), rotation=(0.1, 0.35, 0.2)
)
paper = bpy.context.object
paper.name = "Paper"
for point in paper.data.vertices:
    point.co = (WIDTH * point.co.x, LENGTH * point.co.y, CURL * (2.0 * point.co.x) ** 2)

fracture = paper.fracture
fracture.method, fracture.dynamics, fracture.resolution = "LATTICE", "DEFORMABLE", 840
fracture.structure, fracture.thickness = "SHELL", 0.001
fracture.material_name = "Paper"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 80, 3e6, 0.25
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 3e6, 3e6, 1e5
fracture.softening = 1.0

bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 72
