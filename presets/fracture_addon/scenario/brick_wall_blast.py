# Name: Brick Wall and a Blast
# The wall of the scene with the ball. Instead of the ball, a charge explodes behind the middle of the wall.
from pathlib import Path

import bpy

# m, distance of the charge behind the wall and its height, and kg of TNT.
DISTANCE, HEIGHT, CHARGE = 0.6, 0.2, 0.1

bpy.utils.execfile(str(Path(__file__).with_name("brick_wall.py")))
scene = bpy.context.scene
bpy.data.objects.remove(scene.objects["Ball"])
bricks = [obj for obj in scene.objects if obj.name.startswith("Brick")]
for obj in bricks:
    obj.select_set(True)
bpy.context.view_layer.objects.active = bricks[0]
middle = sum(obj.location.x for obj in bricks) / len(bricks)
scene.cursor.location = (middle, DISTANCE, HEIGHT)
bpy.ops.fracture.add_place(kind="BLAST")
charge = next(obj for obj in scene.objects if obj.fracture.place == "BLAST")
charge.fracture.place_charge, charge.fracture.place_frame = CHARGE, 4
