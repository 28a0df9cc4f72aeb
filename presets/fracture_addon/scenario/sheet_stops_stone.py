# Name: Sheet Stops a Stone
# A stone flies into a sheet of rubber that is held in a frame. The sheet gives way, and throws the stone back.
import math

import bpy

# m: width and thickness of the sheet, height of its lower edge, and radius of the posts; quads in a row of the sheet.
# Between the points at which large quads touch, the stone would show through them.
WIDTH, THICKNESS, ABOVE, POST, ROWS = 0.7, 0.003, 0.25, 0.014, 40
# m: mean radius of the stone, and its way to the sheet. kg and m/s of the stone.
RADIUS, WAY, MASS, SPEED = 0.08, 0.45, 4.0, 4.5
# Frame from which the stone moves by its speed and gravity.
START = 2
scene = bpy.context.scene


def painted(obj, name, color, roughness):
    """Give an object a colour."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = (*color, 1.0), roughness
    obj.data.materials.append(material)
    for face in obj.data.polygons:
        face.use_smooth = len(face.vertices) <= 4


def sheet():
    """Add an upright sheet of soft rubber whose edges are pinned."""
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=ROWS, y_subdivisions=ROWS, size=WIDTH, location=(0.0, 0.0, middle), rotation=(0.0, 0.5 * math.pi, 0.0)
    )
    obj = bpy.context.object
    obj.name = "Sheet"
    edge = obj.vertex_groups.new(name="Edge")
    inside = 0.5 * WIDTH * (1.0 - 1.0 / ROWS)
    edge.add([point.index for point in obj.data.vertices if max(map(abs, point.co[:2])) > inside], 1.0, "REPLACE")
    painted(obj, "Rubber", (0.55, 0.05, 0.03), 0.5)
    rubber = obj.fracture
    rubber.method, rubber.dynamics, rubber.resolution = "LATTICE", "DEFORMABLE", 6 * ROWS * ROWS
    rubber.structure, rubber.thickness, rubber.pin_group = "SHEET", THICKNESS, edge.name
    rubber.material_name = "Rubber"
    rubber.density, rubber.young_modulus, rubber.poisson_ratio, rubber.softening = 1000, 2e5, 0.25, 1.0
    rubber.tensile_strength, rubber.compressive_strength, rubber.toughness = 2e7, 2e7, 1e6
    return obj


def post(start, end):
    """Add a post of the frame from one corner (y, z) to another."""
    (y, z), (v, w) = start, end
    bpy.ops.mesh.primitive_cylinder_add(
        radius=POST,
        depth=math.dist(start, end),
        location=(0.0, 0.5 * (y + v), 0.5 * (z + w)),
        rotation=(0.5 * math.pi * (y != v), 0.0, 0.0),
    )
    obj = bpy.context.object
    obj.name = "Post"
    painted(obj, "Post", (0.35, 0.36, 0.38), 0.3)
    bpy.ops.rigidbody.object_add(type="PASSIVE")


def stone():
    """Add a stone with an uneven surface that flies towards the sheet."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=RADIUS)
    obj = bpy.context.object
    obj.name = "Stone"
    for point in obj.data.vertices:
        x, y, z = (coordinate / RADIUS for coordinate in point.co)
        waves = math.sin(2.3 * x + 1.1) * math.sin(2.9 * y) + 0.5 * math.sin(4.7 * z + 2.0 * x) * math.sin(5.1 * y)
        point.co *= 1.0 + 0.07 * waves
        point.co.z *= 0.8
    painted(obj, "Stone", (0.25, 0.23, 0.2), 0.8)
    seconds = scene.render.fps_base / scene.render.fps
    for frame in (START - 1, START):
        obj.location = (-WAY - SPEED * seconds * (START - frame), 0.02, middle + 0.05)
        obj.keyframe_insert("location", frame=frame)
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    obj.rigid_body.mass = MASS
    obj.rigid_body.kinematic = True
    obj.rigid_body.keyframe_insert("kinematic", frame=START)
    obj.rigid_body.kinematic = False
    obj.rigid_body.keyframe_insert("kinematic", frame=START + 1)


middle = ABOVE + 0.5 * WIDTH
# The edges of the sheet touch the posts.
side, low, high = 0.5 * WIDTH + POST, ABOVE - POST, ABOVE + WIDTH + POST
for end in ((-side, high), (side, high)):
    post((end[0], 0.0), end)
for height in (low, high):
    post((-side, height), (side, height))
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
stone()
rubber = sheet()
scene.frame_start, scene.frame_end = 1, 16
