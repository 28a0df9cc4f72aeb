# Name: Wall That Loses a Pillar
# A wall of large bricks bridges two pillars and carries its own weight. A steel ball hits one pillar, and the part that
# cannot stand without it falls.
from pathlib import Path

import bpy

LENGTH, WIDTH, HEIGHT, MORTAR = 0.4, 0.2, 0.2, 0.01
COLUMNS, COURSES, PILLAR, CELLS = 5, 3, 3, 50
BRICK = str(Path(__file__).parents[1] / "material" / "brick.py")


def block(middle, course, length=LENGTH, held=False):
    """Add a block at a place along X, m, in a course from the floor."""
    height = course * (HEIGHT + MORTAR) + 0.5 * HEIGHT
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(middle, 0.0, height), scale=(length, WIDTH, HEIGHT))
    obj = bpy.context.object
    obj.name = "Block"
    bpy.utils.execfile(BRICK)
    obj.fracture.resolution, obj.fracture.held, obj.fracture.own_weight = round(CELLS * length / LENGTH), held, True
    return obj


step = LENGTH + MORTAR
ends = (0.0, (COLUMNS - 1) * step)
blocks = [block(place, course, held=course == 0) for place in ends for course in range(PILLAR)]
for course in range(PILLAR, PILLAR + COURSES):
    places = [column * step for column in range(COLUMNS)]
    if course % 2:
        inner = [place + 0.5 * step for place in places[:-1]]
        blocks += [block(place, course) for place in inner]
        blocks += [block(side, course, 0.5 * (LENGTH - MORTAR)) for side in (-0.25 * step, ends[1] + 0.25 * step)]
    else:
        blocks += [block(place, course) for place in places]
bpy.ops.object.select_all(action="DESELECT")
for obj in blocks:
    obj.select_set(True)
bpy.ops.fracture.join(kind="MORTAR", distance=1.2 * MORTAR)

scene = bpy.context.scene
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.15, location=(ends[1] + 1.5, 0.0, 0.32))
ball = bpy.context.object
ball.name = "Ball"
bpy.ops.rigidbody.object_add(type="ACTIVE")
ball.rigid_body.mass, ball.rigid_body.collision_shape, ball.rigid_body.kinematic = 60.0, "SPHERE", True
for frame, place in ((1, ends[1] + 1.5), (4, ends[1] + 0.7)):
    ball.location.x = place
    ball.keyframe_insert("location", frame=frame)
    ball.rigid_body.kinematic = frame < 4
    ball.rigid_body.keyframe_insert("kinematic", frame=frame)
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
scene.frame_start, scene.frame_end = 1, 60
