# Name: Brick Wall Hit by a Ball
# Bricks of 215 mm x 102.5 mm x 65 mm (BS 3921) in stretcher bond, with mortar of 10 mm. The wall stands free on the
# floor. Cracks run through the mortar; where a course is struck hard, also through bricks.
from pathlib import Path

import bpy

LENGTH, WIDTH, HEIGHT, MORTAR = 0.215, 0.1025, 0.065, 0.01
COLUMNS, COURSES, CELLS = 4, 6, 60
BRICK = str(Path(__file__).parents[1] / "material" / "brick.py")
# Linear red, green and blue of the bricks.
COLORS = ((0.4, 0.12, 0.06), (0.46, 0.15, 0.08), (0.27, 0.08, 0.05))


def brick(start, end, course):
    """Add a brick from one place along X to another, m."""
    height = course * (HEIGHT + MORTAR) + 0.5 * HEIGHT
    bpy.ops.mesh.primitive_cube_add(
        size=1.0, location=(0.5 * (start + end), 0.0, height), scale=(end - start, WIDTH, HEIGHT)
    )
    obj = bpy.context.object
    obj.name = "Brick"
    bpy.utils.execfile(BRICK)
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
tints = []
for color in COLORS:
    material = bpy.data.materials.new("Brick")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*color, 1.0)
    tints.append(material)
for row, obj in enumerate(bricks):
    obj.data.materials.append(tints[row % len(tints)])
    obj.select_set(True)
bpy.ops.fracture.join(kind="MORTAR", distance=1.2 * MORTAR)
bpy.ops.fracture.throw_ball(speed=6.0, direction=(0.0, 1.0, 0.0))
bpy.context.scene.collection.objects[-1].rigid_body.mass = 5.0
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 48
