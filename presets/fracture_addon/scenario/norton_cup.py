# Name: Cup with a Glued Handle (Norton 1991)
# Norton et al. 1991, "Glue": a cup and a handle. The glue between them has half the strength of the rest, so the handle
# comes off first. Shapes, sizes and the softening are not from the paper; the material is the preset "Porcelain".
from math import cos, pi, sin
from pathlib import Path

import bmesh
import bpy

RADIUS, HEIGHT, WALL = 0.04, 0.09, 0.006
PORCELAIN = str(Path(__file__).parents[1] / "material" / "porcelain.py")

bpy.ops.mesh.primitive_cylinder_add(vertices=32, radius=RADIUS, depth=HEIGHT, location=(0.0, 0.0, 0.3))
cup = bpy.context.object
cup.name = "Cup"
mesh = bmesh.new()
mesh.from_mesh(cup.data)
bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.z > 0.5], context="FACES_ONLY")
mesh.to_mesh(cup.data)
mesh.free()
wall = cup.modifiers.new("Wall", "SOLIDIFY")
wall.thickness, wall.offset = WALL, -1.0

curve = bpy.data.curves.new("Handle", "CURVE")
curve.dimensions, curve.bevel_depth, curve.use_fill_caps = "3D", 0.006, True
line = curve.splines.new("POLY")
turns = [pi * step / 12.0 for step in range(13)]
line.points.add(len(turns) - 1)
for point, turn in zip(line.points, turns, strict=True):
    point.co = (RADIUS - 0.003 + 0.03 * sin(turn), 0.0, 0.028 * cos(turn), 1.0)
handle = bpy.data.objects.new("Handle", curve)
handle.location = cup.location
bpy.context.collection.objects.link(handle)

for part in (cup, handle):
    bpy.context.view_layer.objects.active = part
    bpy.utils.execfile(PORCELAIN)
    fracture = part.fracture
    fracture.method, fracture.dynamics, fracture.lattice = "LATTICE", "DEFORMABLE", "CUBES"
    fracture.softening, fracture.resolution = 10000.0, 3000 if part is cup else 600
handle.fracture.glue_object, handle.fracture.glue_kind = cup, "BONDS"
handle.fracture.glue_distance, handle.fracture.glue_strength = 0.006, 0.5

bpy.ops.mesh.primitive_plane_add(size=4.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
for part in (cup, handle):
    part.rotation_euler.y = 0.5
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
