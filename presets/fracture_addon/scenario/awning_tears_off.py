# Name: Awning Tears Off
# A stone falls into an awning that hangs between two bars in clips. The clips of one bar let go one after another.
import math

import bpy

# m: width of the awning across the bars and along them, its thickness, and its height; quads across and along.
WIDTH, LENGTH, THICKNESS, HEIGHT, ACROSS, ALONG = 1.3, 1.6, 0.003, 1.5, 16, 20
# m: depth to which it sags, radius of the bars, and size of the clips. Number of clips on each bar.
SLACK, BAR, CLIP, CLIPS = 0.07, 0.02, 0.06, 7
# m: mean radius of the stone and height of its lowest point above the awning; its mass in kg.
RADIUS, FALL, MASS = 0.13, 0.55, 12.0
# MPa: strength of the joints with the clips of the two bars. Both carry many times the weight of the awning.
STRONG, WEAK = 1.0, 0.035
scene = bpy.context.scene


def material_of(name, color, roughness=0.5, metallic=0.0):
    """Return a new material of a colour."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = (*color, 1.0), roughness
    shader.inputs["Metallic"].default_value = metallic
    return material


def awning():
    """Add a sheet of canvas with stripes."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=ACROSS, y_subdivisions=ALONG, size=1.0, location=(0.0, 0.0, HEIGHT))
    obj = bpy.context.object
    obj.name = "Awning"
    for point in obj.data.vertices:
        x, y = 2.0 * point.co.x, 2.0 * point.co.y
        flat = max(0.0, abs(x) - 0.9) / 0.1
        point.co = 0.5 * WIDTH * x, 0.5 * LENGTH * y, -SLACK * (1.0 - x * x) * (1.0 - flat)
    for name, color in (("Stripe", (0.75, 0.7, 0.6)), ("Dark Stripe", (0.45, 0.03, 0.03))):
        obj.data.materials.append(material_of(name, color, 0.8))
    for face in obj.data.polygons:
        face.use_smooth = True
        face.material_index = math.floor((face.center.y + 0.5 * LENGTH) / LENGTH * ALONG / 2.0) % 2
    canvas = obj.fracture
    canvas.method, canvas.dynamics, canvas.resolution = "LATTICE", "DEFORMABLE", 6 * ACROSS * ALONG
    canvas.structure, canvas.thickness, canvas.self_collision = "SHEET", THICKNESS, False
    canvas.material_name = "Canvas"
    canvas.density, canvas.young_modulus, canvas.poisson_ratio, canvas.softening = 250, 6e6, 0.25, 1.0
    canvas.tensile_strength, canvas.compressive_strength, canvas.toughness = 2e7, 2e7, 5e6
    return obj


def bar(name, side):
    """Add a bar with clips that hold the edge of the awning from above and below, as one object."""
    x, parts = side * 0.5 * WIDTH, []
    for number in range(CLIPS):
        y = LENGTH * (-0.5 + (number + 0.5) / CLIPS)
        bpy.ops.mesh.primitive_cube_add(
            size=1.0,
            location=(x - side * 0.3 * CLIP, y, HEIGHT + 0.5 * THICKNESS + 0.006 + 0.001),
            scale=(CLIP, CLIP, 0.012),
        )
        parts.append(bpy.context.object)
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=24,
        radius=BAR,
        depth=LENGTH + 0.2,
        location=(x + side * 0.1 * CLIP, 0.0, HEIGHT + 0.5 * THICKNESS + 0.001 + 0.004 + BAR),
        rotation=(0.5 * math.pi, 0.0, 0.0),
    )
    obj = bpy.context.object
    obj.name = name
    with bpy.context.temp_override(active_object=obj, selected_editable_objects=[obj, *parts]):
        bpy.ops.object.join()
    obj.data.materials.append(material_of("Steel", (0.35, 0.36, 0.38), 0.3, 1.0))
    for face in obj.data.polygons:
        face.material_index = 0
    steel = obj.fracture
    steel.method, steel.resolution = "NETWORK", 200
    steel.material_name = "Steel"
    steel.density, steel.young_modulus, steel.tensile_strength, steel.toughness = 7850, 2e11, 1e9, 1e8
    steel.held = True
    return obj


def post(x, y, height):
    """Add a post that carries the end of a bar."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=24, radius=1.2 * BAR, depth=height, location=(x, y, 0.5 * height))
    obj = bpy.context.object
    obj.name = "Post"
    obj.data.materials.append(material_of("Post", (0.35, 0.36, 0.38), 0.3, 1.0))
    bpy.ops.rigidbody.object_add(type="PASSIVE")


def stone():
    """Add an uneven stone that falls into the awning."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=RADIUS)
    obj = bpy.context.object
    obj.name = "Stone"
    for point in obj.data.vertices:
        x, y, z = (coordinate / RADIUS for coordinate in point.co)
        waves = math.sin(2.3 * x + 1.1) * math.sin(2.9 * y) + 0.5 * math.sin(4.7 * z + 2.0 * x) * math.sin(5.1 * y)
        point.co *= 1.0 + 0.07 * waves
        point.co.z *= 0.8
    obj.data.materials.append(material_of("Stone", (0.25, 0.23, 0.2), 0.8))
    for face in obj.data.polygons:
        face.use_smooth = True
    obj.location = 0.05, -0.12, HEIGHT - SLACK + FALL + RADIUS
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    obj.rigid_body.mass = MASS


canvas = awning()
strong, weak = bar("Bar", -1.0), bar("Weak Bar", 1.0)
for x in (strong.location.x, weak.location.x):
    for y in (-0.5, 0.5):
        post(x, y * (LENGTH + 0.2 + 2.4 * BAR), HEIGHT + 2.0 * BAR)
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.context.object.data.materials.append(material_of("Floor", (0.12, 0.12, 0.12), 0.8))
bpy.ops.rigidbody.object_add(type="PASSIVE")
stone()
for obj, strength in ((strong, STRONG), (weak, WEAK)):
    with bpy.context.temp_override(selected_objects=[obj, canvas], active_object=obj, object=obj):
        bpy.ops.fracture.join(kind="GLUE", distance=0.004, strength=strength, toughness=0.02)
# Nothing rigid breaks here.
scene.fracture.break_anyway = False
scene.frame_start, scene.frame_end = 1, 32
