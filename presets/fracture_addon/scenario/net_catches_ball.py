# Name: Net Catches a Ball
# A ball flies into a net of nylon that hangs in a frame. The net gives way, stops the ball and lets it drop.
import bpy

# m: width and height of the net, distance of its strands, and their thickness; depth to which it hangs through.
WIDTH, HEIGHT, MESH, STRAND, SLACK = 1.4, 1.2, 0.1, 0.01, 0.22
# m: height of the lower edge above the floor, radius of the posts and of the ball. kg and m/s of the ball.
ABOVE, POST, RADIUS, MASS, SPEED = 0.5, 0.025, 0.12, 1.5, 9.0
# Frame from which the ball moves by its speed and gravity.
START = 2
scene = bpy.context.scene
middle = ABOVE + 0.5 * HEIGHT


def painted(obj, name, color, roughness=0.4):
    """Give an object a colour."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = (*color, 1.0), roughness
    obj.data.materials.append(material)


def net():
    """Add a net of crossing strands, whose ends at the frame are pinned."""
    columns, rows = round(WIDTH / MESH), round(HEIGHT / MESH)
    numbers, points, edges = {}, [], []
    for row in range(rows + 1):
        for column in range(columns + 1):
            # Strands run from side to side of the frame; there is none along the frame itself.
            if row in (0, rows) and column in (0, columns):
                continue
            u, v = 2.0 * column / columns - 1.0, 2.0 * row / rows - 1.0
            numbers[row, column] = len(points)
            points.append((0.5 * WIDTH * u, SLACK * (1.0 - u * u) * (1.0 - v * v), middle + 0.5 * HEIGHT * v))
    for (row, column), number in numbers.items():
        for after, along in (((row, column + 1), row not in (0, rows)), ((row + 1, column), column not in (0, columns))):
            if along and after in numbers:
                edges.append((number, numbers[after]))
    mesh = bpy.data.meshes.new("Net")
    mesh.from_pydata(points, edges, [])
    obj = bpy.data.objects.new("Net", mesh)
    scene.collection.objects.link(obj)
    painted(obj, "Net", (0.02, 0.05, 0.12))
    nylon = obj.fracture
    nylon.method, nylon.dynamics, nylon.resolution = "LATTICE", "DEFORMABLE", 5000
    nylon.structure, nylon.thickness, nylon.pinned_ends = "ROPE", STRAND, "BOTH"
    nylon.material_name = "Nylon"
    nylon.density, nylon.young_modulus, nylon.poisson_ratio, nylon.softening = 600, 1e7, 0.25, 1.0
    nylon.tensile_strength, nylon.compressive_strength, nylon.toughness = 2e7, 2e7, 1e7
    # The knots slip: strands that stretch by more than 0.4 % stay longer, which takes most of the energy of the ball.
    nylon.creep, nylon.yield_share = 50.0, 0.002
    return obj


def post(start, end):
    """Add a post of the frame from one corner to another."""
    (x, z), (u, w) = start, end
    length = ((u - x) ** 2 + (w - z) ** 2) ** 0.5
    bpy.ops.mesh.primitive_cylinder_add(
        radius=POST, depth=length, location=(0.5 * (x + u), 0.0, 0.5 * (z + w)), rotation=(0.0, 1.5708 * (x != u), 0.0)
    )
    obj = bpy.context.object
    obj.name = "Post"
    for face in obj.data.polygons:
        face.use_smooth = len(face.vertices) == 4
    painted(obj, "Post", (0.35, 0.36, 0.38))
    bpy.ops.rigidbody.object_add(type="PASSIVE")


# The ends of the strands touch the posts.
x, low, high = 0.5 * WIDTH + POST + 0.5 * STRAND, ABOVE - POST - 0.5 * STRAND, ABOVE + HEIGHT + POST + 0.5 * STRAND
for start, end in (((-x, 0.0), (-x, high)), ((x, 0.0), (x, high)), ((-x, low), (x, low)), ((-x, high), (x, high))):
    post(start, end)
bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
strands = net()

bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=RADIUS)
ball = bpy.context.object
ball.name = "Ball"
bpy.ops.object.shade_smooth()
painted(ball, "Ball", (0.6, 0.09, 0.03))
seconds = scene.render.fps_base / scene.render.fps
for frame in (START - 1, START):
    ball.location = (0.05, -1.4 - SPEED * seconds * (START - frame), middle + 0.2)
    ball.keyframe_insert("location", frame=frame)
bpy.ops.rigidbody.object_add(type="ACTIVE")
ball.rigid_body.collision_shape, ball.rigid_body.mass = "SPHERE", MASS
ball.rigid_body.kinematic = True
ball.rigid_body.keyframe_insert("kinematic", frame=START)
ball.rigid_body.kinematic = False
ball.rigid_body.keyframe_insert("kinematic", frame=START + 1)
scene.frame_start, scene.frame_end = 1, 32
