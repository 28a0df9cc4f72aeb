# CACM 2000, figure 1: a hollow figure of ceramic that a heavy, fast weight strikes. In place of its bunny, Blender's
# monkey; the material is the preset "Porcelain", the size ours.
from pathlib import Path

import bpy

# One closed skin around its parts, and a wall of 12 mm inwards.
bpy.ops.mesh.primitive_monkey_add(size=0.4, location=(0.0, 0.0, 0.2))
statue = bpy.context.object
statue.name = "Statue"
skin = statue.modifiers.new("Skin", "REMESH")
skin.mode, skin.voxel_size = "VOXEL", 0.012
smooth = statue.modifiers.new("Smooth", "SMOOTH")
smooth.iterations = 10
wall = statue.modifiers.new("Wall", "SOLIDIFY")
wall.thickness, wall.offset = 0.012, -1.0

bpy.utils.execfile(str(Path(__file__).parents[1] / "material" / "porcelain.py"))
statue.fracture.method, statue.fracture.resolution = "FEM", 3000
# Slow motion, a fifth of the speed: it is over in a twentieth of a second.
bpy.context.scene.render.fps = 120
bpy.ops.fracture.throw_ball(speed=25.0, direction=(0.0, 1.0, -0.2))
bpy.context.scene.collection.objects[-1].rigid_body.mass *= 3.0
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
