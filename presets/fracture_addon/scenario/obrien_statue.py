# Name: Hollow Figure Hit by a Weight (O'Brien 2000)
# CACM 2000, figure 1: a heavy, fast weight hits a hollow ceramic figure. Blender's monkey replaces the bunny; the
# material is the preset "Porcelain". Sizes and speed are not from the article.
from pathlib import Path

import bpy

# One closed surface around its parts, with a wall of 12 mm: outwards, because inwards it would intersect itself.
bpy.ops.mesh.primitive_monkey_add(size=0.4, location=(0.0, 0.0, 0.2))
statue = bpy.context.object
statue.name = "Statue"
skin = statue.modifiers.new("Skin", "REMESH")
skin.mode, skin.voxel_size = "VOXEL", 0.012
statue.modifiers.new("Smooth", "SMOOTH").iterations = 10
bpy.ops.object.convert(target="MESH")
bpy.ops.object.duplicate()
hollow = bpy.context.object
hollow.data.flip_normals()

hollow.select_set(False)
statue.select_set(True)
bpy.context.view_layer.objects.active = statue
wall = statue.modifiers.new("Wall", "DISPLACE")
wall.strength, wall.mid_level = 0.012, 0.0
outside = statue.modifiers.new("Outside", "REMESH")
outside.mode, outside.voxel_size = "VOXEL", 0.01
bpy.ops.object.convert(target="MESH")
hollow.select_set(True)
bpy.ops.object.join()

bpy.utils.execfile(str(Path(__file__).parents[1] / "material" / "porcelain.py"))
statue.fracture.method, statue.fracture.resolution = "FEM", 3000
# The paper has no largest speed of cracks.
statue.fracture.crack_speed = 1e5
# Slow motion, a fifth of the speed: the break takes a twentieth of a second.
bpy.context.scene.render.fps = 120
bpy.ops.fracture.throw_ball(speed=12.0, direction=(0.0, 1.0, -0.2))
bpy.context.scene.collection.objects[-1].rigid_body.mass *= 0.5
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
