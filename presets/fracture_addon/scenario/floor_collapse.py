# Name: Rubble Falls on a Floor
# Blocks of concrete fall on a floor that spans two walls and carries its own weight. It breaks, and falls with them into
# the room below; its ends stay on the walls.
from pathlib import Path

import bpy

# m: span, depth and thickness of the floor, height of the room below, width of the walls.
SPAN, DEPTH, THICKNESS, ROOM, WALL = 3.0, 2.4, 0.12, 1.8, 0.3
# m, edge of a block, and places of the blocks and their heights above the floor.
BLOCK = 0.45
PLACES = ((-0.3, 0.2, 1.0), (0.4, -0.3, 1.7), (-0.1, -0.4, 2.5), (0.3, 0.4, 3.3))
CONCRETE = str(Path(__file__).parents[1] / "material" / "concrete_C30.py")
scene = bpy.context.scene


def box(name, place, size):
    """Add a box."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=size)
    bpy.context.object.name = name
    return bpy.context.object


def concrete(obj, resolution):
    """Make an object of concrete."""
    bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
    bpy.utils.execfile(CONCRETE)
    obj.fracture.resolution = resolution
    bpy.ops.fracture.use_look()
    return obj


for side in (-1.0, 1.0):
    wall = box("Wall", (side * 0.5 * (SPAN + WALL), 0.0, 0.5 * ROOM), (WALL, DEPTH, ROOM))
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    wall.rigid_body.collision_shape = "BOX"
bpy.ops.mesh.primitive_plane_add(size=40.0)
bpy.context.object.name = "Ground"
bpy.ops.rigidbody.object_add(type="PASSIVE")

bpy.ops.mesh.primitive_grid_add(x_subdivisions=22, y_subdivisions=2, size=1.0)
floor = bpy.context.object
floor.name = "Floor"
floor.scale, floor.location = (SPAN + WALL, DEPTH, 1.0), (0.0, 0.0, ROOM + 0.5 * THICKNESS + 0.001)
modifier = floor.modifiers.new("Solidify", "SOLIDIFY")
bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
modifier.thickness, modifier.offset = THICKNESS, 0.0
bpy.ops.object.modifier_apply(modifier=modifier.name)
concrete(floor, 2500)
floor.fracture.held, floor.fracture.own_weight = True, True
ends = floor.vertex_groups.new(name="Supports")
ends.add([vertex.index for vertex in floor.data.vertices if abs(vertex.co.x) > 0.5 * SPAN - 0.01], 1.0, "REPLACE")
floor.fracture.pin_group = ends.name
for row, (x, y, z) in enumerate(PLACES):
    block = box("Block", (x, y, ROOM + THICKNESS + 0.5 * BLOCK + z), (BLOCK, BLOCK, BLOCK))
    block.rotation_euler = (0.2 * row, 0.1, 0.5 * row)
    concrete(block, 300)
bpy.context.view_layer.objects.active = floor
scene.frame_start, scene.frame_end = 1, 48
