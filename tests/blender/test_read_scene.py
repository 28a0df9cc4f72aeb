"""What a scene's objects become in a job: bodies, colliders, projectiles, blows and the motion they start with."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender import action_curves, read_scene
from fracture_addon.core.errors import FractureError, InvalidMeshError, SceneError, SettingsError


def job_of(*objects, frames=(1, 5)):
    return read_scene.read_job(bpy.context, objects, frames)


def collider(job):
    (only,) = job.colliders
    return only


def add(operator, kind="PASSIVE", shape="MESH", **where):
    getattr(bpy.ops.mesh, f"primitive_{operator}_add")(**where)
    obj = bpy.context.object
    bpy.ops.rigidbody.object_add(type=kind)
    obj.rigid_body.collision_shape = shape
    return obj


def move(obj, places, path="location"):
    """Linear keys, ``{frame: place}``."""
    for frame, value in places.items():
        owner, _, name = path.rpartition(".")
        setattr(obj.path_resolve(owner) if owner else obj, name, value)
        obj.keyframe_insert(path, frame=frame)
    for curve in action_curves.curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


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


def test_several_objects_each_with_its_own_material(cube, scene):
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(1, 0, 0))
    other = bpy.context.object
    other.fracture.density = 1234.0
    job = job_of(cube, other)
    assert [body.name for body in job.bodies] == ["Cube", "Cube.001"]
    assert [body.material.density for body in job.bodies] == [2400.0, 1234.0]


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


def test_an_animated_wall_moves(cube, scene):
    wall = add("cube", location=(3, 0, 0))
    move(wall, {1: (3, 0, 0), 5: (1, 0, 0)})
    wall.rotation_euler = (0, 0, 0)
    track = collider(job_of(cube)).track
    assert track[:, 0] == pytest.approx([3.0, 2.5, 2.0, 1.5, 1.0])
    assert np.allclose(track[:, 3:], [1, 0, 0, 0])


def test_a_wall_on_a_turning_parent_turns(cube, scene):
    wall = add("cube", kind="ACTIVE", location=(2, 0, 0))
    wall.rigid_body.kinematic = True
    hinge = bpy.data.objects.new("Hinge", None)
    scene.collection.objects.link(hinge)
    wall.parent = hinge
    move(hinge, {1: (0, 0, 0), 5: (0, 0, np.pi)}, "rotation_euler")
    body = collider(job_of(cube))
    assert body.mass == 0.0
    assert body.track[2, :3] == pytest.approx([0.0, 2.0, 0.0], abs=1e-5)
    assert body.track[2, 3:] == pytest.approx([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], abs=1e-5)


def test_a_wall_whose_constraint_never_moves_it_stands_still(cube, scene):
    wall = add("cube", location=(3, 0, 0))
    wall.constraints.new("LIMIT_LOCATION")
    assert collider(job_of(cube)).track is None


def test_a_projectile_at_rest(cube, scene):
    ball = add("uv_sphere", kind="ACTIVE", shape="SPHERE", location=(0, 0, 3))
    ball.rigid_body.mass = 2.5
    found = collider(job_of(cube))
    assert (found.mass, found.track) == (2.5, None)
    assert not found.velocity.any()


@pytest.mark.parametrize("frames", [(-3, 1), (0, 1), (1, 5)])
def test_a_projectile_is_thrown_by_its_keys(cube, scene, frames):
    """Whether they lead up to the first frame or start on it."""
    ball = add("uv_sphere", kind="ACTIVE", location=(0, 0, 3))
    start, end = frames
    move(ball, {start: (0, 0, 3), end: (end - start, 0, 3)})
    found = collider(job_of(cube))
    assert found.velocity == pytest.approx([24.0, 0.0, 0.0], abs=1e-3)
    assert found.surface.points.mean(axis=0)[0] == pytest.approx(end - start if end == 1 else 0.0, abs=1e-5)


def test_a_body_spins_as_its_keys_do(cube, scene):
    move(cube, {-1: (0, 0, 0), 1: (0, 0, 0.5)}, "rotation_euler")
    body = job_of(cube).bodies[0]
    assert body.angular_velocity == pytest.approx([0.0, 0.0, 6.0], abs=1e-3)
    assert body.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-5)


def switch(owner, path, steps):
    """Keys of a setting that is on or off, ``{frame: value}``."""
    group, _, name = path.rpartition(".")
    for frame, value in steps.items():
        setattr(owner.path_resolve(group) if group else owner, name, value)
        owner.keyframe_insert(path, frame=frame)


def test_a_projectile_is_carried_until_blender_lets_it_go(cube, scene):
    ball = add("uv_sphere", kind="ACTIVE", location=(0, 0, 3))
    move(ball, {1: (0, 0, 3), 5: (4, 0, 3)})
    switch(ball.rigid_body, "kinematic", {1: True, 4: False})
    found = collider(job_of(cube))
    assert found.mass == 1.0
    assert found.track[:, 0] == pytest.approx([0.0, 1.0, 2.0], abs=1e-6)


@pytest.mark.parametrize("frame", [-2, 1, 2])
def test_a_projectile_let_go_by_the_second_frame_is_thrown(cube, scene, frame):
    ball = add("uv_sphere", kind="ACTIVE", location=(0, 0, 3))
    move(ball, {1: (0, 0, 3), 5: (4, 0, 3)})
    switch(ball.rigid_body, "kinematic", {-3: True, frame: False})
    found = collider(job_of(cube))
    assert (found.mass, found.track) == (1.0, None)
    assert found.velocity == pytest.approx([24.0, 0.0, 0.0], abs=1e-3)


def test_several_objects_each_have_their_own_material_and_settings(cube, scene):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.0, 0.0, 0.5))
    other = bpy.context.object
    cube.fracture.density, cube.fracture.seed = 2500.0, 3
    other.fracture.density, other.fracture.seed = 700.0, 4
    first, second = job_of(cube, other).bodies
    assert (first.name, first.material.density, first.settings.seed) == ("Cube", 2500.0, 3)
    assert (second.name, second.material.density, second.settings.seed) == ("Cube.001", 700.0, 4)
    assert second.surface.points[:, 0].min() == pytest.approx(0.9)


@pytest.mark.parametrize("way", ["setting", "animated"])
def test_a_held_body_is_let_go_by_a_key(cube, scene, way):
    move(cube, {1: (0, 0, 0), 5: (1, 0, 0)})
    if way == "setting":
        switch(cube, "fracture.held", {1: True, 4: False})
    else:
        bpy.ops.rigidbody.object_add(type="ACTIVE")
        switch(cube.rigid_body, "kinematic", {1: True, 4: False})
    assert job_of(cube).bodies[0].track[:, 0] == pytest.approx([0.0, 0.25, 0.5])


def test_a_body_held_still_and_let_go_keeps_every_frame_of_it(cube, scene):
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    switch(cube.rigid_body, "kinematic", {1: True, 4: False})
    track = job_of(cube).bodies[0].track
    assert track.shape == (3, 7)
    assert np.ptp(track, axis=0) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("way", ["setting", "passive"])
def test_a_held_body_stays(cube, scene, way):
    if way == "setting":
        cube.fracture.held = True
    else:
        bpy.ops.rigidbody.object_add(type="PASSIVE")
    job = job_of(cube)
    assert job.bodies[0].track.shape == (1, 7)
    assert job.colliders == ()
    move(cube, {1: (0, 0, 0), 5: (1, 0, 0)})
    assert job_of(cube).bodies[0].track[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])


def test_a_blow_is_where_its_empty_is_on_its_frame(struck, scene):
    scene.unit_settings.scale_length = 0.5
    empty = struck.fracture.impact_object
    empty.rotation_euler = (0.0, np.pi / 2, 0.0)
    move(empty, {1: (0, 0, 0), 3: (0.2, 0, 1.0)})
    struck.fracture.impact_radius = 0.04
    (blow,) = job_of(struck).bodies[0].impacts
    assert blow.frame == 2
    assert blow.point == pytest.approx([0.05, 0.0, 0.25])
    assert blow.direction == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert blow.radius == pytest.approx(0.02)
    assert blow.strength == 8.0


def in_edit_mode(cube):
    bpy.ops.object.mode_set(mode="EDIT")
    return [cube]


def no_place(cube):
    cube.fracture.impact_enabled = True
    return [cube]


def late(cube):
    no_place(cube)
    cube.fracture.impact_object = bpy.data.objects.new("Blow", None)
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
        (in_edit_mode, InvalidMeshError, r"'Cube' is in edit mode; leave it"),
        (no_place, SceneError, "'Cube' has no place; choose an empty"),
        (late, SettingsError, "'Cube' falls on frame 9, outside 1 to 5; move"),
        (nonsense, SettingsError, "density is -5"),
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


def test_several_blows_each_with_its_own_settings(struck, scene):
    scene.cursor.location = (0.02, 0.01, 0.3)
    scene.frame_set(3)
    bpy.ops.fracture.add_impact()
    (second,) = struck.fracture.more_impacts
    second.impact_strength = 3.0
    first, other = job_of(struck).bodies[0].impacts
    assert (first.frame, first.strength, other.frame, other.strength) == (2, 8.0, 3, 3.0)
    assert first.direction == pytest.approx([0, 0, -1], abs=1e-6)
    assert other.direction == pytest.approx([0, 0, 1], abs=1e-6)
    second.impact_object = None
    with pytest.raises(SceneError, match="has no place"):
        job_of(struck)
    assert bpy.ops.fracture.remove_impact(index=0) == {"FINISHED"}
    assert len(job_of(struck).bodies[0].impacts) == 1


def test_the_load_follows_the_curve_that_is_keyed(struck, scene):
    assert job_of(struck).bodies[0].settings.impact_schedule == ()
    move(struck, {10: 0.0, 12: 2.0, 20: 0.0}, "fracture.impact_load")
    course = np.array(job_of(struck).bodies[0].settings.impact_schedule)
    assert course[0] == pytest.approx([0.0, 0.0])
    assert course[-1] == pytest.approx([1.0, 0.0])
    assert np.interp([0.1, 0.2, 0.6], *course.T) == pytest.approx([1.0, 2.0, 1.0])
    assert (np.diff(course[:, 0]) > 0.0).all()


def test_a_load_that_is_never_there_is_refused(struck, scene):
    move(struck, {10: 0.0, 20: 0.0}, "fracture.impact_load")
    with pytest.raises(SettingsError, match=r"'Cube': .*not all 0; change the keys"):
        job_of(struck)
