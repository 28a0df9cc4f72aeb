# Name: Blast through a Door
# A door of pine hangs on its hinges in an opening. A charge in front of it splits it along the grain and throws the
# boards into the room behind.
from pathlib import Path

import bpy

# m: width, height and thickness of the door, gap around it, width of the posts beside it.
WIDTH, HEIGHT, THICKNESS, GAP, WALL = 0.85, 2.0, 0.04, 0.005, 0.12
# m, distance of the charge in front of the door and its height, and kg of TNT.
DISTANCE, CHARGE_HEIGHT, CHARGE = 1.2, 1.1, 0.25
# m, width of the strip at the hinges that stays.
HINGES = 0.06
PINE = str(Path(__file__).parents[1] / "material" / "wood_pine.py")
scene = bpy.context.scene


def post(name, place, size):
    """Add a part of the wall around the door, which does not break."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=size)
    obj = bpy.context.object
    obj.name = name
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    obj.rigid_body.collision_shape = "BOX"
    return obj


beside = 0.5 * (WIDTH + WALL) + GAP
for name, side in (("Left Post", -1.0), ("Right Post", 1.0)):
    post(name, (side * beside, 0.0, 0.5 * HEIGHT + 0.15), (WALL, 0.12, HEIGHT + 0.3))
post("Lintel", (0.0, 0.0, HEIGHT + 2.0 * GAP + 0.15), (WIDTH + 2.0 * GAP, 0.12, 0.3 - 2.0 * GAP))
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")

bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=2, size=1.0)
door = bpy.context.object
door.name = "Door"
bpy.ops.object.modifier_add(type="SOLIDIFY")
door.scale, door.rotation_euler = (WIDTH, HEIGHT, 1.0), (1.5707963, 0.0, 0.0)
door.location = (0.0, 0.0, 0.5 * HEIGHT + GAP)
bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
door.modifiers[0].thickness, door.modifiers[0].offset = THICKNESS, 0.0
bpy.ops.object.modifier_apply(modifier=door.modifiers[0].name)
bpy.utils.execfile(PINE)
door.fracture.resolution, door.fracture.held = 3000, True
hinges = door.vertex_groups.new(name="Hinges")
hinges.add([vertex.index for vertex in door.data.vertices if vertex.co.x < HINGES - 0.5 * WIDTH], 1.0, "REPLACE")
door.fracture.pin_group = hinges.name
bpy.ops.fracture.use_look()
scene.cursor.location = (0.0, -DISTANCE, CHARGE_HEIGHT)
bpy.ops.fracture.add_place(kind="BLAST")
charge = next(obj for obj in scene.objects if obj.fracture.place == "BLAST")
charge.fracture.place_charge, charge.fracture.place_frame = CHARGE, 4
scene.frame_start, scene.frame_end = 1, 48
