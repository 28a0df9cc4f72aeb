# Name: Falling Leaf (Sweeney 1991)
# Sweeney et al. 1991: a leaf as a sheet in the air; here a shell, because a real leaf resists bending. It flutters down.
# Its mass of 0.06 kg/m2 is that of a dry leaf; sizes and stiffness are not from the paper.
import bpy

LENGTH, WIDTH, ROWS, COLUMNS = 0.16, 0.1, 12, 8
points = []
for row in range(ROWS + 1):
    for column in range(COLUMNS + 1):
        # A square grid drawn over a disc, so that no quad is narrow, and the disc pulled to a point at both ends.
        u, v = 2.0 * column / COLUMNS - 1.0, 2.0 * row / ROWS - 1.0
        across, along = u * (1.0 - 0.5 * v * v) ** 0.5, v * (1.0 - 0.5 * u * u) ** 0.5
        across *= 1.0 - 0.15 * along - 0.5 * along * along
        points.append((0.5 * WIDTH * across, 0.5 * LENGTH * along, 0.006 * abs(across) ** 1.5 + 0.008 * along * along))
wide = COLUMNS + 1
faces = [
    (corner, corner + 1, corner + 1 + wide, corner + wide)
    for corner in (row * wide + column for row in range(ROWS) for column in range(COLUMNS))
]
mesh = bpy.data.meshes.new("Leaf")
mesh.from_pydata(points, [], faces)
leaf = bpy.data.objects.new("Leaf", mesh)
bpy.context.collection.objects.link(leaf)
color = bpy.data.materials.new("Leaf")
color.use_nodes = True
color.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.45, 0.16, 0.02, 1.0)
mesh.materials.append(color)
leaf.location, leaf.rotation_euler = (0.0, 0.0, 1.2), (0.25, 0.5, 0.0)

fracture = leaf.fracture
fracture.method, fracture.dynamics, fracture.resolution = "LATTICE", "DEFORMABLE", 430
fracture.structure, fracture.thickness = "SHELL", 0.001
fracture.material_name = "Leaf, dry"
fracture.density, fracture.young_modulus, fracture.poisson_ratio = 60, 5e6, 0.25
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 5e6, 5e6, 1e5
fracture.softening = 1.0

bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 72
