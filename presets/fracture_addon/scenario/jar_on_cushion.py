# Name: Jar on a Cushion
# Two jars of porcelain fall from the same height: one onto a cushion of foam, which stops it gently, and one onto the
# floor, where it breaks. The foam is like memory foam: 60 kg/m3, 20 kPa, and it loses most of the energy.
import math
from pathlib import Path

import bmesh
import bpy

PORCELAIN = str(Path(__file__).parents[1] / "material" / "porcelain.py")
DROP, SEGMENTS = 1.3, 40
SIZE, HEIGHT, DIVISIONS = 0.56, 0.18, 14
# Outer profile of the jar from its foot to its rim, then the inner one back: radius and height, m.
PROFILE = (
    (0.0, 0.0), (0.045, 0.0), (0.05, 0.006), (0.075, 0.06), (0.08, 0.1), (0.07, 0.145), (0.048, 0.17), (0.05, 0.19),
    (0.058, 0.2), (0.053, 0.203), (0.043, 0.19), (0.04, 0.17), (0.062, 0.143), (0.072, 0.1), (0.067, 0.062),
    (0.043, 0.012), (0.0, 0.01),
)  # fmt: skip


def jar(name, place, height, color):
    """Add a jar of porcelain at a place along X, with its foot at a height, m."""
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    rings = []
    for radius, level in PROFILE:
        if radius == 0.0:
            rings.append([shape.verts.new((0.0, 0.0, level))])
            continue
        turns = [2.0 * math.pi * row / SEGMENTS for row in range(SEGMENTS)]
        rings.append([shape.verts.new((radius * math.cos(turn), radius * math.sin(turn), level)) for turn in turns])
    for low, high in zip(rings[:-1], rings[1:], strict=True):
        for row in range(SEGMENTS):
            after = (row + 1) % SEGMENTS
            corners = [low[row % len(low)], low[after % len(low)], high[after % len(high)], high[row % len(high)]]
            shape.faces.new(dict.fromkeys(corners))
    bmesh.ops.recalc_face_normals(shape, faces=shape.faces)
    for face in shape.faces:
        face.smooth = True
    shape.to_mesh(mesh)
    shape.free()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    obj.location, obj.rotation_euler = (place, 0.0, height), (0.12, 0.05, 0.0)
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.utils.execfile(PORCELAIN)
    obj.fracture.resolution = 3000
    _paint(obj, color)
    return obj


def cushion():
    """Add a soft cushion that rests on the floor."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5 * HEIGHT), scale=(SIZE, SIZE, HEIGHT))
    obj = bpy.context.object
    obj.name = "Cushion"
    shape = bmesh.new()
    shape.from_mesh(obj.data)
    bmesh.ops.subdivide_edges(shape, edges=shape.edges, cuts=DIVISIONS, use_grid_fill=True)
    for vertex in shape.verts:
        # Flat below, thin at the seams, full in the middle, and drawn in between the corners.
        x, y = 2.0 * vertex.co.x / SIZE, 2.0 * vertex.co.y / SIZE
        full = 0.35 + 0.65 * max((1.0 - x * x) * (1.0 - y * y), 0.0) ** 0.2
        vertex.co.z = full * (vertex.co.z + 0.5 * HEIGHT) - 0.5 * HEIGHT
        vertex.co.x *= 0.9 + 0.1 * y * y
        vertex.co.y *= 0.9 + 0.1 * x * x
    shape.to_mesh(obj.data)
    shape.free()
    for face in obj.data.polygons:
        face.use_smooth = True
    foam = obj.fracture
    foam.method, foam.dynamics, foam.resolution, foam.softening = "LATTICE", "DEFORMABLE", 3000, 1.0
    foam.material_name = "Foam"
    foam.density, foam.young_modulus, foam.poisson_ratio, foam.friction = 60, 2e4, 0.1, 1.0
    foam.dilation_damping, foam.rigidity_damping = 2000, 2000
    foam.tensile_strength, foam.compressive_strength, foam.toughness = 1e6, 1e6, 1e5
    _paint(obj, (0.55, 0.12, 0.09, 1.0))
    return obj


def _paint(obj, color):
    material = bpy.data.materials.new(obj.name)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
    material.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.3
    obj.data.materials.append(material)


cushion()
caught = jar("Jar", 0.0, HEIGHT + DROP, (0.75, 0.78, 0.8, 1.0))
jar("Jar.001", 0.6, HEIGHT + DROP, (0.2, 0.35, 0.55, 1.0))
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.view_layer.objects.active = caught
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 48
