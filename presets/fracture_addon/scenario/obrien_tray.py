# Name: Falling Terracotta Tray (O'Brien 2000)
# CACM 2000, figure 3: a terracotta tray falls on a hard floor. The article prints no values: the material is the
# preset "Terracotta", and the size was chosen for this scene.
from pathlib import Path

import bmesh
import bpy

# A box without a lid, with a wall of 12 mm.
bpy.ops.mesh.primitive_cube_add(size=1.0, scale=(0.4, 0.28, 0.05))
tray = bpy.context.object
tray.name = "Tray"
bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
mesh = bmesh.new()
mesh.from_mesh(tray.data)
bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.z > 0.5], context="FACES_ONLY")
mesh.to_mesh(tray.data)
mesh.free()
wall = tray.modifiers.new("Wall", "SOLIDIFY")
wall.thickness, wall.offset, wall.use_even_offset = 0.012, -1.0, True

bpy.utils.execfile(str(Path(__file__).parents[1] / "material" / "terracotta.py"))
tray.fracture.method, tray.fracture.resolution = "FEM", 2000
# The paper has no largest speed of cracks.
tray.fracture.crack_speed = 1e5
bpy.ops.fracture.drop(height=0.5)
# It lands flat, without the tilt that the operator adds. Tilted by a degree, from 1 m, the corner that lands first broke
# off, and 72 % of the tray stayed whole.
tray.rotation_euler, tray.location = (0.0, 0.0, 0.0), (0.0, 0.0, 0.5)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
