"""Nobody sees a break before it comes: the source renders as if nothing were baked, and its pieces as the source."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import action_curves, result_lookup
from fracture_addon.blender.write import bake
from tests.blender import halves

BREAK, SIZE = 5, 96
PATHS = (("location", 3), ("rotation_quaternion", 4))
# Visible difference of a channel over its range: nobody sees four steps of 255 in one pixel.
VISIBLE = 0.016

pytestmark = pytest.mark.skipif(not bpy.app.build_options.cycles, reason="this Blender was built without Cycles")


def smooth(mesh):
    mesh.shade_smooth()


def flat(mesh):
    mesh.shade_flat()


def sharp(mesh):
    """Smooth but for edges above an angle, as by Shade Auto Smooth."""
    mesh.shade_smooth()
    mesh.set_sharp_from_angle(angle=0.5)


def subdivided(mesh):
    mesh.shade_smooth()
    modifier = bpy.context.object.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = 1


def bent_normals(mesh):
    mesh.shade_smooth()
    normals = np.array([0.0, 0.3, 0.2]) + np.array([vertex.normal for vertex in mesh.vertices])
    mesh.normals_split_custom_set_from_vertices(normals / np.linalg.norm(normals, axis=1, keepdims=True))


def marbled(material):
    """Of a smooth pattern: where a hard one ends, rounding decides which side of it a ray meets."""
    nodes, links = material.node_tree.nodes, material.node_tree.links
    noise, place = nodes.new("ShaderNodeTexNoise"), nodes.new("ShaderNodeUVMap")
    noise.inputs["Scale"].default_value = 9.0
    links.new(place.outputs["UV"], noise.inputs["Vector"])
    links.new(noise.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.3


def glass(material):
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Transmission Weight"].default_value, shader.inputs["Roughness"].default_value = 1.0, 0.0


def with_nodes(block):
    if block.node_tree is None:
        block.use_nodes = True
    return block


@pytest.fixture
def studio(scene):
    """A squashed ball that is held where it is, a camera, a sun and a sky."""
    scene.frame_start, scene.frame_end = 1, 10
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -0.6, 0.6), (1.41, 0.0, 0.0)
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.rotation_euler, sun.data.energy = (0.6, 0.4, 0.0), 3.0
    for obj in (camera, sun):
        scene.collection.objects.link(obj)
    scene.camera = camera
    scene.world = with_nodes(bpy.data.worlds.new("Sky"))
    bpy.ops.mesh.primitive_uv_sphere_add(segments=20, ring_count=10, radius=0.1, location=(0.0, 0.0, 0.5))
    ball = bpy.context.object
    ball.scale, ball.rotation_euler = (1.0, 1.4, 0.7), (0.3, 0.2, 0.5)
    ball.data.materials.append(with_nodes(bpy.data.materials.new("Skin")))
    ball.fracture.held = True
    render = scene.render
    render.engine, render.image_settings.file_format = "CYCLES", "PNG"
    render.resolution_x = render.resolution_y = SIZE
    scene.view_settings.view_transform = "Standard"
    scene.cycles.device, scene.cycles.samples, scene.cycles.seed = "CPU", 32, 0
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    return ball


def broken(ball, one_object):
    """A dozen pieces, which begin to part on the frame after the break."""
    ball.fracture.one_object = one_object
    job = read_job(bpy.context, [ball], settings.frame_range(bpy.context.scene))
    seeds = np.random.default_rng(1).uniform(0.0, 1.0, (12, 3))
    return bake.bake(bpy.context, job, halves.recording(job, BREAK, seeds, 0.3), [ball], {})[0]


def seen(scene, frame, folder):
    """Return the pixels (SIZE, SIZE, 3) of a frame."""
    scene.frame_set(frame)
    scene.render.filepath = str(folder / f"{frame}.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.empty(4 * SIZE**2, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(SIZE, SIZE, 4)[..., :3]


def looks_alike(image, other):
    """Whether nobody would tell two pictures apart; a pixel in 500 may be left to rounding, and be a little off."""
    difference = np.abs(image - other)
    return np.quantile(difference, 0.998) < VISIBLE and difference.max() < 4.0 * VISIBLE


@pytest.mark.parametrize("one_object", [False, True])
@pytest.mark.parametrize("shading", [smooth, flat, sharp, subdivided, bent_normals])
def test_pieces_together_look_like_the_source(studio, scene, tmp_path, shading, one_object):
    if one_object and shading in (flat, subdivided):
        pytest.skip("what differs with one object is how normals turn: the other shadings show that")
    shading(studio.data)
    marbled(studio.material_slots[0].material)
    broken(studio, one_object)
    whole, pieces, apart = (seen(scene, frame, tmp_path) for frame in (BREAK - 1, BREAK, 10))
    assert np.ptp(whole, axis=(0, 1)).min() > 0.3
    assert looks_alike(pieces, whole)
    assert (np.abs(apart - whole) > 10.0 * VISIBLE).any()


@pytest.mark.parametrize("one_object", [False, True])
@pytest.mark.parametrize("look", [marbled, glass])
def test_before_the_break_nothing_is_there_but_the_source(studio, scene, tmp_path, look, one_object):
    smooth(studio.data)
    look(studio.material_slots[0].material)
    bare = seen(scene, BREAK - 1, tmp_path)
    collection = broken(studio, one_object)
    assert (len(collection.objects) == 1) == one_object
    assert looks_alike(seen(scene, BREAK - 1, tmp_path), bare)
    assert not looks_alike(seen(scene, 10, tmp_path), bare)


@pytest.mark.skipif(bpy.app.version < (4, 5, 0), reason="geometry nodes have no custom normals before Blender 4.5")
def test_one_object_renders_as_objects_of_their_own(studio, scene, tmp_path):
    smooth(studio.data)
    marbled(studio.material_slots[0].material)
    # It falls and turns until it breaks, and on.
    studio.fracture.held, studio.location.z = False, 0.7
    images = []
    for one_object in (False, True):
        broken(studio, one_object)
        images.append(seen(scene, BREAK + 1, tmp_path))
    assert np.ptp(images[0], axis=(0, 1)).min() > 0.3
    assert looks_alike(images[1], images[0])


def keyed_place(piece, frame):
    """Return the matrix (4, 4) of a piece from its keyframes; Blender does not evaluate hidden objects."""
    curves = action_curves.curves_of(piece)
    values = [[curves.find(path, index=i).evaluate(frame) for i in range(count)] for path, count in PATHS]
    return np.array(Matrix.LocRotScale(Vector(values[0]), Quaternion(values[1]), None))


def pushed(obj, last):
    """It slides along X and turns, by keys, which hold it until it breaks."""
    obj.fracture.held = True
    for frame, x, turn in ((1, -0.05, 0.0), (last, 0.1, 0.4)):
        obj.location.x, obj.rotation_euler.z = x, turn
        obj.keyframe_insert("location", frame=frame)
        obj.keyframe_insert("rotation_euler", frame=frame)


@pytest.mark.parametrize("keyed", [False, True])
def test_pieces_leave_from_where_the_source_was(struck, scene, keyed):
    struck.fracture.resolution = 100
    struck.fracture.impact_frame = 4
    scene.frame_end = 8
    if keyed:
        pushed(struck, scene.frame_end)
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    pieces = result_lookup.collection_of(struck).objects
    first = min(piece["fracture_birth_frame"] for piece in pieces)
    assert first == 4
    scene.frame_set(first - 1)
    source = np.array(struck.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    # Pushed, it is where its keys have it; else it falls.
    assert (source[2, 3] == pytest.approx(0.5)) == keyed
    born = [piece for piece in pieces if piece["fracture_birth_frame"] == first]
    assert len(born) > 1
    for piece in born:
        rest = np.array(piece["fracture_rest"]).reshape(4, 4)
        before, at, after = (keyed_place(piece, frame) for frame in (first - 1, first, first + 1))
        assert np.allclose(before, source @ rest, atol=1e-5)
        # No further at first than it flies on, gravity's share of a frame apart.
        steps = [np.linalg.norm(to[:3, 3] - start[:3, 3]) for start, to in ((before, at), (at, after))]
        assert steps[0] < 1.5 * steps[1] + 9.81 / scene.render.fps**2
