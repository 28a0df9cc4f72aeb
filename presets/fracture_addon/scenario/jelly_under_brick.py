# Name: Jelly under a Brick
# A brick falls onto a pudding of jelly. The jelly gives way, wobbles, and carries it.
# Jelly of gelatine with 25 kPa; nearly incompressible, like water.
import math
from pathlib import Path

import bpy

BRICK = str(Path(__file__).parents[1] / "material" / "brick.py")
# m: radii of the jelly below and above, its height, rise of its top, and depth of its flutes; flutes and corners around.
BELOW, ABOVE, HEIGHT, DOME, FLUTE, FLUTES, CORNERS = 0.13, 0.105, 0.1, 0.008, 0.006, 14, 84
# m: size of the brick, and its height above the jelly.
LENGTH, WIDTH, THICK, DROP = 0.2, 0.1, 0.055, 0.1


def painted(obj, name, color, roughness, transmission=0.0):
    """Give an object a colour."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = (*color, 1.0), roughness
    shader.inputs["Transmission Weight"].default_value, shader.inputs["IOR"].default_value = transmission, 1.36
    obj.data.materials.append(material)


def jelly():
    """Add a fluted pudding that rests on the floor."""
    points, faces = [], []
    # Radius and height of each ring: up the side, and inwards over the top, which is a little round.
    profile = [(BELOW + (ABOVE - BELOW) * share, HEIGHT * share) for share in (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)]
    profile += [(ABOVE * share, HEIGHT + DOME * (1.0 - share * share)) for share in (0.95, 0.85, 0.7, 0.5, 0.3, 0.1)]
    for radius, height in profile:
        flute = FLUTE * (radius / BELOW) ** 4
        for corner in range(CORNERS):
            turn = 2.0 * math.pi * corner / CORNERS
            out = radius + flute * math.cos(FLUTES * turn)
            points.append((out * math.cos(turn), out * math.sin(turn), height))
    rings = len(profile) - 1
    for level in range(rings):
        for corner in range(CORNERS):
            a, b = level * CORNERS + corner, level * CORNERS + (corner + 1) % CORNERS
            faces.append((a, b, b + CORNERS, a + CORNERS))
    faces += [tuple(reversed(range(CORNERS))), tuple(range(rings * CORNERS, (rings + 1) * CORNERS))]
    mesh = bpy.data.meshes.new("Jelly")
    mesh.from_pydata(points, [], faces)
    obj = bpy.data.objects.new("Jelly", mesh)
    bpy.context.collection.objects.link(obj)
    for face in mesh.polygons:
        face.use_smooth = len(face.vertices) == 4
    painted(obj, "Jelly", (0.75, 0.03, 0.05), 0.12, transmission=0.9)
    gelatine = obj.fracture
    gelatine.method, gelatine.dynamics, gelatine.resolution, gelatine.softening = "FEM", "DEFORMABLE", 500, 1.0
    gelatine.material_name = "Jelly"
    gelatine.density, gelatine.young_modulus, gelatine.poisson_ratio, gelatine.friction = 1050, 25e3, 0.45, 0.9
    gelatine.dilation_damping, gelatine.rigidity_damping = 20, 20
    gelatine.tensile_strength, gelatine.compressive_strength, gelatine.toughness = 1e6, 1e6, 1e5
    return obj


def brick():
    """Add a brick above the jelly, slightly askew."""
    height = HEIGHT + DOME + DROP + 0.5 * THICK
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, height), rotation=(0.05, 0.03, 0.4))
    obj = bpy.context.object
    obj.name = "Brick"
    obj.scale = LENGTH, WIDTH, THICK
    bpy.ops.object.transform_apply(location=False, rotation=False)
    bpy.utils.execfile(BRICK)
    obj.fracture.resolution = 300
    painted(obj, "Brick", (0.35, 0.09, 0.045), 0.85)
    return obj


brick()
pudding = jelly()
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.view_layer.objects.active = pudding
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
