# Name: Brick Wall and a Blast
# Bricks of 215 mm x 102.5 mm x 65 mm (BS 3921) in stretcher bond, with mortar of 10 mm. A charge explodes behind the
# middle of the wall, which stands free on the floor.
from pathlib import Path

import bpy

LENGTH, WIDTH, HEIGHT, MORTAR = 0.215, 0.1025, 0.065, 0.01
COLUMNS, COURSES, CELLS = 5, 9, 40
# m, distance of the charge behind the wall, and kg of TNT.
DISTANCE, CHARGE = 0.6, 0.1
# Linear red, green and blue of the bricks, every third one darker.
COLORS = ((0.4, 0.12, 0.06), (0.46, 0.15, 0.08), (0.27, 0.08, 0.05))
BRICK = str(Path(__file__).parents[1] / "material" / "brick.py")


def tinted(color):
    """Return a material with a colour."""
    material = bpy.data.materials.new("Brick")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*color, 1.0)
    return material


tints = [tinted(color) for color in COLORS]


def brick(start, end, course):
    """Add a brick from one place along X to another, m."""
    height = course * (HEIGHT + MORTAR) + 0.5 * HEIGHT
    bpy.ops.mesh.primitive_cube_add(
        size=1.0, location=(0.5 * (start + end), 0.0, height), scale=(end - start, WIDTH, HEIGHT)
    )
    obj = bpy.context.object
    obj.name = "Brick"
    bpy.utils.execfile(BRICK)
    obj.data.materials.append(tints[(7 * course + round(start / MORTAR)) % len(tints)])
    obj.fracture.resolution = max(12, round(CELLS * (end - start) / LENGTH))
    return obj


bricks = []
step = LENGTH + MORTAR
for course in range(COURSES):
    # Each second course begins and ends with half a brick.
    joints = [column * step for column in range(COLUMNS + 1)]
    if course % 2:
        joints = [0.0, *(place + 0.5 * step for place in joints[:-1]), joints[-1]]
    bricks += [brick(start, end - MORTAR, course) for start, end in zip(joints, joints[1:], strict=False)]
for obj in bricks:
    obj.select_set(True)
bpy.ops.fracture.join(kind="MORTAR", distance=1.2 * MORTAR)
bpy.context.scene.cursor.location = (0.5 * COLUMNS * step, DISTANCE, 0.4 * COURSES * (HEIGHT + MORTAR))
bpy.ops.fracture.add_place(kind="BLAST")
charge = next(obj for obj in bpy.context.scene.objects if obj.fracture.place == "BLAST")
charge.fracture.place_charge, charge.fracture.place_frame = CHARGE, 4
bpy.ops.mesh.primitive_plane_add(size=30.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.object.rigid_body.collision_shape = "MESH"
for obj in bricks:
    obj.select_set(True)
bpy.context.view_layer.objects.active = bricks[0]
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 48
