"""From a recording to keyed objects, and the scene put back as it was."""

import json

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fracture_addon.blender import action_curves, bake, read_scene, settings
from fracture_addon.core import surface as surfaces
from fracture_addon.core.pose import continuous, matrices
from tests.blender import halves
from tests.blender.snapshot import snapshot

BREAK = 5


@pytest.fixture
def jar(cube, scene):
    """A cube that carries everything a mesh can carry, in a collection of its own, on a short timeline."""
    scene.frame_start, scene.frame_end = 1, 12
    props = bpy.data.collections.new("Props")
    scene.collection.children.link(props)
    scene.collection.objects.unlink(cube)
    props.objects.link(cube)
    cube.data.materials.append(bpy.data.materials.new("Glaze"))
    mesh = cube.data
    color = mesh.color_attributes.new("Tint", "BYTE_COLOR", "CORNER")
    color.data.foreach_set("color", np.tile([1.0, 0.0, 0.0, 1.0], len(mesh.loops)))
    heat = mesh.attributes.new("heat", "FLOAT", "POINT")
    heat.data.foreach_set("value", [vertex.co.z for vertex in mesh.vertices])
    corner = mesh.attributes.new("corner", "INT", "CORNER")
    corner.data.foreach_set("value", np.arange(len(mesh.loops)) + 2**24)
    high = mesh.attributes.new("high", "BOOLEAN", "POINT")
    high.data.foreach_set("value", [vertex.co.z > 0.0 for vertex in mesh.vertices])
    part = mesh.attributes.new("part", "INT", "FACE")
    part.data.foreach_set("value", range(len(mesh.polygons)))
    cube.vertex_groups.new(name="Top").add([v.index for v in mesh.vertices if v.co.z > 0], 0.75, "REPLACE")
    mesh.shade_smooth()
    return cube


def run(context, objects, break_frame=BREAK):
    job = read_scene.read_job(context, objects, settings.frame_range(context.scene))
    recording = halves.recording(job, break_frame)
    return job, recording, bake.bake(context, job, recording, objects, {"total": 1.5})


def place(obj):
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def world(pose, unit=1.0):
    result = np.eye(4)
    result[:3, :3] = matrices(pose[3:])
    result[:3, 3] = pose[:3] / unit
    return result


def test_keys_are_the_poses(jar, scene):
    _, recording, (collection,) = run(bpy.context, [jar])
    for piece, fragment in zip(collection.objects, recording.fragments, strict=True):
        wanted = continuous(fragment.poses)
        curves = action_curves.curves_of(piece)
        for path, count, columns in (("location", 3, wanted[:, :3]), ("rotation_quaternion", 4, wanted[:, 3:])):
            for index in range(count):
                points = curves.find(path, index=index).keyframe_points
                assert [point.co[0] for point in points] == list(range(1, 13))
                assert np.allclose([point.co[1] for point in points], columns[:, index], atol=1e-6)
                assert {point.interpolation for point in points} == {"LINEAR"}
        assert np.abs(np.diff(wanted[:, 3:], axis=0)).max() < 0.6


def test_objects_stand_where_the_poses_say(jar, scene):
    _, recording, (collection,) = run(bpy.context, [jar])
    for frame in (BREAK, 9, 12):
        scene.frame_set(frame)
        for piece, fragment in zip(collection.objects, recording.fragments, strict=True):
            assert np.allclose(place(piece), world(fragment.poses[frame - 1]), atol=1e-6)


def test_the_source_falls_until_it_breaks(jar, scene):
    _, recording, (collection,) = run(bpy.context, [jar])
    scene.frame_set(1)
    rest = place(jar)
    track = recording.bodies[0]
    about = Matrix.Translation(-track.center)
    for frame in range(1, BREAK):
        scene.frame_set(frame)
        assert not jar.hide_viewport
        assert not jar.hide_render
        assert all(piece.hide_viewport and piece.hide_render for piece in collection.objects)
        assert np.allclose(place(jar), world(track.poses[frame - 1]) @ about @ rest, atol=1e-5)
    for frame in (BREAK, 12):
        scene.frame_set(frame)
        assert jar.hide_viewport
        assert jar.hide_render
        assert not any(piece.hide_viewport or piece.hide_render for piece in collection.objects)


@pytest.mark.parametrize("break_frame", [1, -1])
def test_a_break_on_the_first_frame_and_none_at_all(jar, scene, break_frame):
    _, _, (collection,) = run(bpy.context, [jar], break_frame)
    scene.frame_set(1)
    assert jar.hide_viewport == (break_frame == 1)
    assert len(collection.objects) == (2 if break_frame == 1 else 0)


def test_fragments_fill_the_source_in_its_own_space(jar, scene):
    scene.frame_set(1)
    jar.matrix_world = Matrix.Translation((1.0, 2.0, 3.0)) @ Matrix.Diagonal((2.0, -0.5, 1.0, 1.0))
    bpy.context.view_layer.update()
    _, _, (collection,) = run(bpy.context, [jar])
    total = 0.0
    for piece in collection.objects:
        rest = np.array(piece["fracture_rest"]).reshape(4, 4)
        points = np.array([vertex.co for vertex in piece.data.vertices])
        points = points @ rest[:3, :3].T + rest[:3, 3]
        assert np.abs(points).max() < 0.1 + 1e-6
        faces = np.array([polygon.vertices[:] for polygon in piece.data.polygons])
        total += abs(surfaces.volume(surfaces.Surface(points, faces)))
    assert total == pytest.approx(0.2**3, rel=1e-5)


def test_a_fragment_carries_what_the_source_carries(jar, scene):
    _, recording, (collection,) = run(bpy.context, [jar])
    piece, fragment = collection.objects[0], recording.fragments[0]
    mesh = piece.data
    assert not mesh.validate()
    assert piece["fracture_source"] == "Cube"
    assert piece["fracture_birth_frame"] == BREAK
    assert piece.name == "Cube Fragment 001"
    interior = [item.value for item in mesh.attributes["fracture_interior"].data]
    assert mesh.attributes["fracture_interior"].domain == "FACE"
    assert interior == fragment.interior.tolist()
    assert 0 < sum(interior) < len(interior)
    assert [material.name for material in mesh.materials] == ["Glaze", "Fracture Interior"]
    assert [polygon.material_index for polygon in mesh.polygons] == [int(value) for value in interior]
    assert all(polygon.use_smooth for polygon in mesh.polygons)
    sides = {}
    for polygon, inside in zip(mesh.polygons, interior, strict=True):
        for edge in polygon.edge_keys:
            sides.setdefault(edge, set()).add(inside)
    sharp = {tuple(sorted(edge.vertices)) for edge in mesh.edges if edge.use_edge_sharp}
    assert {edge for edge, kinds in sides.items() if len(kinds) == 2} <= sharp
    assert len(sharp) < 0.5 * len(mesh.edges)
    wear = mesh.attributes["fracture_edge_wear"]
    assert (wear.data_type, wear.domain) == ("FLOAT", "CORNER")
    assert 0.0 == min(item.value for item in wear.data) < max(item.value for item in wear.data) < 1.0
    assert {layer.name for layer in mesh.uv_layers} == {"UVMap", "interior"}
    assert mesh.uv_layers.active.name == "UVMap"
    tint = mesh.color_attributes["Tint"]
    assert (tint.data_type, tint.domain) == ("BYTE_COLOR", "CORNER")
    assert np.allclose(tint.data[0].color, (1.0, 0.0, 0.0, 1.0))
    rest = np.array(piece["fracture_rest"]).reshape(4, 4)
    heights = [mesh.vertices[loop.vertex_index].co.z + rest[2, 3] for loop in mesh.loops]
    outer = ~np.repeat(fragment.interior, 3)
    heat = np.array([item.value for item in mesh.attributes["heat"].data])
    assert np.allclose(heat[outer], np.array(heights)[outer], atol=1e-5)
    assert mesh.attributes["part"].data_type == "INT"
    corner, high = mesh.attributes["corner"], mesh.attributes["high"]
    assert (corner.data_type, high.data_type) == ("INT", "BOOLEAN")
    numbers = {item.value - 2**24 for item in corner.data}
    assert len(numbers) > 8
    assert numbers <= set(range(24))
    at_top = np.array([item.value for item in high.data])
    assert (at_top[outer] == (np.array(heights)[outer] > 0.0))[np.abs(np.array(heights)[outer]) > 0.05].all()
    top = piece.vertex_groups["Top"].index
    weights = [next((g.weight for g in v.groups if g.group == top), 0.0) for v in mesh.vertices]
    assert max(weights) == pytest.approx(0.75, abs=1e-5)
    normals = np.empty(3 * len(mesh.loops), np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    wanted = fragment.surface.corner_attributes["normal"].reshape(-1, 3)
    assert np.allclose(normals.reshape(-1, 3), wanted, atol=2e-3)


def test_the_inside_is_of_the_chosen_material(jar, scene):
    clay = jar.fracture.interior_material = bpy.data.materials.new("Clay")
    _, _, (collection,) = run(bpy.context, [jar])
    assert all(piece.data.materials[-1] == clay for piece in collection.objects)
    bake.clear(bpy.context, [jar])
    assert [material.name for material in bpy.data.materials] == ["Clay", "Glaze"]


def test_the_origin_is_the_centre_of_mass(jar, scene):
    _, _, (collection,) = run(bpy.context, [jar])
    for piece in collection.objects:
        points = np.array([vertex.co for vertex in piece.data.vertices])
        faces = np.array([polygon.vertices[:] for polygon in piece.data.polygons])
        assert np.allclose(surfaces.mass_properties(surfaces.Surface(points, faces))[1], 0.0, atol=1e-6)
        assert tuple(piece.scale) == (1.0, 1.0, 1.0)


def test_the_report_is_on_the_collection_beside_the_sources_own(jar, scene):
    _, _, (collection,) = run(bpy.context, [jar])
    report = json.loads(collection["fracture_report"])
    assert report["fragments"] == 2
    assert report["seconds"] == {"total": 1.5}
    assert report["warnings"] == ["a warning"]
    assert {child.name for child in scene.collection.children} == {"Props", "Cube Fragments"}
    assert bake.collection_of(jar) == collection


def test_scene_units_are_obeyed(jar, scene):
    scene.unit_settings.scale_length = 0.01
    job, recording, (collection,) = run(bpy.context, [jar])
    assert np.ptp(job.bodies[0].surface.points, axis=0) == pytest.approx([0.002] * 3)
    scene.frame_set(9)
    for piece, fragment in zip(collection.objects, recording.fragments, strict=True):
        assert np.allclose(place(piece), world(fragment.poses[8], 0.01), atol=1e-4)
    assert max(np.ptp([v.co[:] for v in collection.objects[0].data.vertices], axis=0)) == pytest.approx(0.2)


def test_a_second_shatter_replaces_the_first(jar, scene):
    first, *_ = run(bpy.context, [jar])
    scene.frame_set(11)
    counts = len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.actions), len(bpy.data.materials)
    second, *_ = run(bpy.context, [jar])
    assert jar.hide_viewport
    assert counts == (len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.actions), len(bpy.data.materials))
    assert np.array_equal(first.bodies[0].surface.points, second.bodies[0].surface.points)
    assert [collection.name for collection in bpy.data.collections] == ["Cube Fragments", "Props"]


def test_a_name_in_use_is_left_alone(jar, scene):
    theirs = bpy.data.collections.new("Cube Fragments")
    theirs.use_fake_user = True
    _, _, (collection,) = run(bpy.context, [jar])
    assert collection.name == "Cube Fragments.001"
    bake.clear(bpy.context, [jar])
    assert theirs.name == "Cube Fragments"
    assert not theirs.objects


def key_visibility(jar):
    jar.hide_render = True
    jar.keyframe_insert("hide_render", frame=1)
    jar.hide_render = False
    jar.keyframe_insert("hide_render", frame=3)


def key_location(jar):
    for frame in (-3, 1, 8):
        jar.location.x = 0.1 * frame
        jar.keyframe_insert("location", frame=frame)
    for curve in action_curves.curves_of(jar):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def parent(jar):
    handle = bpy.data.objects.new("Handle", None)
    handle.scale = (1.0, 2.0, 0.5)
    bpy.context.scene.collection.objects.link(handle)
    jar.parent = handle
    jar.rotation_euler = (0.3, 0.2, 0.1)


def add_ball(jar):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.05, location=(-1.0, 0.0, 0.5))
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    bpy.context.object.keyframe_insert("location", frame=1)


def hold(jar):
    jar.fracture.held = True


@pytest.mark.parametrize("prepare", [None, key_visibility, key_location, parent, add_ball, hold])
def test_clear_puts_everything_back(jar, scene, prepare):
    if prepare:
        prepare(jar)
    scene.frame_set(3)
    before = snapshot()
    run(bpy.context, [jar])
    assert snapshot() != before
    bake.clear(bpy.context, [jar])
    assert snapshot() == before


def test_clear_helps_when_the_artist_removed_half_of_it(jar, scene):
    _, _, (collection,) = run(bpy.context, [jar])
    scene.frame_set(12)
    bpy.data.objects.remove(bpy.data.objects["Cube Motion"])
    bpy.data.batch_remove([*collection.objects, collection])
    bake.clear(bpy.context, [jar])
    assert not jar.hide_viewport
    assert not jar.constraints
    assert jar.animation_data is None


def test_reading_changes_nothing(jar, scene):
    key_location(jar)
    add_ball(jar)
    scene.frame_set(3)
    before = snapshot()
    read_scene.read_job(bpy.context, [jar], (1, 12))
    assert snapshot() == before


@pytest.mark.parametrize("frame", [3, 11])
def test_reading_a_broken_scene_changes_nothing(jar, scene, frame):
    key_location(jar)
    add_ball(jar)
    run(bpy.context, [jar])
    scene.frame_set(frame)
    before = snapshot()
    read_scene.read_job(bpy.context, [jar], (1, 12))
    assert snapshot() == before


def test_the_artists_own_visibility_holds_until_the_break(jar, scene):
    key_visibility(jar)
    run(bpy.context, [jar])
    seen = []
    for frame in (1, 2, 3, 4, 5, 12):
        scene.frame_set(frame)
        seen.append(jar.hide_render)
    assert seen == [True, True, False, False, True, True]


def test_a_moving_source_is_moved_by_the_simulation_only(jar, scene):
    key_location(jar)
    job, recording, _ = run(bpy.context, [jar])
    assert job.bodies[0].velocity[0] == pytest.approx(0.1 * 24.0)
    track = recording.bodies[0]
    scene.frame_set(1)
    rest = place(jar)
    for frame in (2, 4):
        scene.frame_set(frame)
        wanted = world(track.poses[frame - 1]) @ Matrix.Translation(-track.center) @ rest
        assert np.allclose(place(jar), wanted, atol=1e-5)


def test_a_source_that_keys_let_go_moves_as_computed(jar, scene):
    key_location(jar)
    for frame, value in ((1, True), (3, False)):
        jar.fracture.held = value
        jar.keyframe_insert("fracture.held", frame=frame)
    _, recording, _ = run(bpy.context, [jar])
    track = recording.bodies[0]
    scene.frame_set(1)
    rest = place(jar)
    for frame in (2, 4):
        scene.frame_set(frame)
        wanted = world(track.poses[frame - 1]) @ Matrix.Translation(-track.center) @ rest
        assert np.allclose(place(jar), wanted, atol=1e-5)


def test_a_projectile_moves_as_computed(jar, scene):
    add_ball(jar)
    ball = bpy.context.object
    _, recording, _ = run(bpy.context, [jar])
    for frame in (1, 4, 10):
        scene.frame_set(frame)
        assert place(ball)[:3, 3] == pytest.approx(recording.projectiles[0].poses[frame - 1, :3], abs=1e-5)


def test_a_projectile_of_two_results_is_given_back_with_the_last(jar, scene):
    add_ball(jar)
    ball = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.0, 0.0, 0.5))
    other = bpy.context.object
    run(bpy.context, [jar])
    run(bpy.context, [other])
    bake.clear(bpy.context, [other])
    assert "fracture_kept" in ball
    bake.clear(bpy.context, [jar])
    assert "fracture_kept" not in ball
    assert not ball.constraints


def test_an_action_of_two_objects_is_changed_for_neither(jar, scene):
    key_location(jar)
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    other = bpy.context.object
    other.animation_data_create().action = jar.animation_data.action
    run(bpy.context, [jar])
    scene.frame_set(12)
    assert jar.hide_viewport
    assert not other.hide_viewport


def test_a_saved_result_can_be_cleared_after_loading(jar, scene, tmp_path):
    scene.frame_set(1)
    run(bpy.context, [jar])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    jar = bpy.data.objects["Cube"]
    bake.clear(bpy.context, [jar])
    assert [obj.name for obj in bpy.data.objects] == ["Cube"]
    assert not jar.constraints
    assert jar.animation_data is None
    assert not bpy.data.actions
