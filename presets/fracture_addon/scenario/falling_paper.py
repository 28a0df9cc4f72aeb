# Name: Falling Sheet of Paper
# A sheet of office paper, A4, falls flat in still air. It glides from side to side and bends. 80 g/m2, and the bending
# stiffness of a sheet of 0.1 mm with 3 GPa, as a thicker and softer shell, which takes larger time steps.
import bpy

WIDTH, LENGTH, COLUMNS, ROWS = 0.21, 0.297, 10, 14
# m, height from which it falls, and rise of its edges: paper is never quite flat.
HEIGHT, CURL = 1.4, 0.004
points = [
    (WIDTH * (column / COLUMNS - 0.5), LENGTH * (row / ROWS - 0.5), CURL * (2.0 * column / COLUMNS - 1.0) ** 2)
    for row in range(ROWS + 1)
    for column in range(COLUMNS + 1)
]
wide = COLUMNS + 1
faces = [
    (corner, corner + 1, corner + 1 + wide, corner + wide)
    for corner in (row * wide + column for row in range(ROWS) for column in range(COLUMNS))
]
mesh = bpy.data.meshes.new("Paper")
mesh.from_pydata(points, [], faces)
paper = bpy.data.objects.new("Paper", mesh)
bpy.context.collection.objects.link(paper)
paper.location, paper.rotation_euler = (0.0, 0.0, HEIGHT), (0.1, 0.35, 0.2)

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
bpy.ops.object.select_all(action="DESELECT")
paper.select_set(True)
bpy.context.view_layer.objects.active = paper
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 72
