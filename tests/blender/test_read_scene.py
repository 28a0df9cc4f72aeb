"""What a scene's objects become in a job: bodies and colliders; and what is refused."""

import bpy
import numpy as np
import pytest

from fracture_addon.core.data.errors import FractureError, InvalidMeshError, SceneError, SettingsError
from tests.blender.reading import add, collider, job_of


def test_the_scenes_own_numbers(cube, scene):
    scene.render.fps, scene.render.fps_base = 30, 1.25
    scene.unit_settings.scale_length = 0.1
    scene.gravity = (0.0, 1.0, -2.0)
    scene.fracture.substeps = 7
    job = job_of(cube, frames=(3, 9))
    assert (job.frame_start, job.frame_end, job.substeps) == (3, 9, 7)
    assert job.frame_rate == pytest.approx(24.0)
    assert job.gravity == pytest.approx([0.0, 0.1, -0.2])
    assert np.ptp(job.bodies[0].surface.points, axis=0) == pytest.approx([0.02] * 3)
    scene.use_gravity = False
    assert not job_of(cube).gravity.any()


def test_an_object_that_a_script_has_just_removed_is_left_out(cube, scene):
    bpy.data.objects.remove(add("plane", size=4.0))
    assert None in list(bpy.context.view_layer.objects)
    assert job_of(cube).colliders == ()


def test_a_floor_stands_still(cube, scene):
    add("plane", size=4.0).rigid_body.friction = 0.9
    floor = collider(job_of(cube))
    assert (floor.name, floor.shape, floor.mass, floor.track) == ("Plane", "mesh", 0.0, None)
    assert floor.friction == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [("BOX", "hull"), ("SPHERE", "sphere"), ("CONVEX_HULL", "hull"), ("MESH", "mesh"), ("CONE", "hull")],
)
def test_collision_shapes(cube, scene, shape, wanted):
    add("uv_sphere", shape=shape, location=(0, 0, -2))
    assert collider(job_of(cube)).shape == wanted


def test_a_turned_box_is_the_objects_own(cube, scene):
    box = add("uv_sphere", shape="BOX")
    box.rotation_euler = (0.0, 0.0, np.pi / 4)
    bpy.context.view_layer.update()
    points = collider(job_of(cube)).surface.points
    assert len(points) == 8
    assert points[:, 0].max() == pytest.approx(np.sqrt(2.0), rel=1e-3)


def test_a_flat_hull_is_taken_as_its_mesh(cube, scene):
    add("plane", shape="CONVEX_HULL")
    assert collider(job_of(cube)).shape == "mesh"


def test_a_hidden_floor_still_holds(cube, scene):
    floor = add("plane", size=4.0, location=(0, 0, -1))
    floor.modifiers.new("Thick", "SOLIDIFY").thickness = 0.5
    floor.hide_set(True)
    floor.hide_render = True
    bpy.context.view_layer.update()
    assert np.ptp(collider(job_of(cube)).surface.points[:, 2]) == pytest.approx(0.5)


def test_several_objects_each_have_their_own_material_and_settings(cube, scene):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.0, 0.0, 0.5))
    other = bpy.context.object
    cube.fracture.density, cube.fracture.seed = 2500.0, 3
    other.fracture.density, other.fracture.seed = 700.0, 4
    first, second = job_of(cube, other).bodies
    assert (first.name, first.material.density, first.settings.seed) == ("Cube", 2500.0, 3)
    assert (second.name, second.material.density, second.settings.seed) == ("Cube.001", 700.0, 4)
    assert second.surface.points[:, 0].min() == pytest.approx(0.9)


def in_edit_mode(cube):
    bpy.ops.object.mode_set(mode="EDIT")
    return [cube]


def no_place(cube):
    cube.fracture.impact_enabled = True
    return [cube]


def late(cube):
    no_place(cube)
    cube.fracture.impact_object = bpy.data.objects.new("Impact", None)
    cube.fracture.impact_frame = 9
    return [cube]


def lamp(cube):
    return [bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))]


def nonsense(cube):
    cube.fracture.density = -5.0
    return [cube]


@pytest.mark.parametrize(
    ("prepare", "kind", "message"),
    [
        (lambda cube: [], SceneError, "No mesh is selected; select"),
        (lamp, SceneError, "'Lamp' has no shape to break; select"),
        (in_edit_mode, InvalidMeshError, "'Cube' is in Edit Mode; press Tab"),
        (no_place, SceneError, "'Cube' has no empty; choose one"),
        (late, SettingsError, "'Cube' is on frame 9, outside the frames 1 to 5; change"),
        (nonsense, SettingsError, r"Density \(density\) is -5"),
    ],
)
def test_bad_input_is_named_with_its_remedy(cube, scene, prepare, kind, message):
    objects = prepare(cube)
    with pytest.raises(kind, match=message):
        job_of(*objects)
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("frames", [(5, 5), (5, 1)])
def test_an_empty_frame_range_is_refused(cube, frames):
    with pytest.raises(SettingsError, match="is empty; set the end after the start"):
        job_of(cube, frames=frames)


def test_a_linked_object_is_refused(cube, scene, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {cube})
    bpy.data.objects.remove(cube)
    with bpy.data.libraries.load(path, link=True) as (_, loaded):
        loaded.objects = ["Cube"]
    linked = bpy.data.objects["Cube"]
    scene.collection.objects.link(linked)
    with pytest.raises(InvalidMeshError, match=r"'Cube' is linked from .* make it local"):
        job_of(linked)


def test_a_refusal_leaves_the_frame_alone(cube, scene):
    scene.frame_set(7)
    cube.data.vertices[0].co.x = float("nan")
    with pytest.raises(FractureError):
        job_of(cube)
    assert scene.frame_current == 7
