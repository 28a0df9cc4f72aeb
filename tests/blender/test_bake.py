"""What is baked of a recording: keyed objects with everything that the source carries."""

import json

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fracture_addon.blender.scene import action_curves, result_lookup
from fracture_addon.blender.write import results
from fracture_addon.core.data import surface as surfaces
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.numerics.rotations import continuous
from tests.blender.baking import BREAK, place, run, world


def test_keys_are_the_poses(glazed, scene):
    _, recording, (collection,) = run(bpy.context, [glazed])
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


def test_objects_stand_where_the_poses_say(glazed, scene):
    _, recording, (collection,) = run(bpy.context, [glazed])
    for frame in (BREAK, 9, 12):
        scene.frame_set(frame)
        for piece, fragment in zip(collection.objects, recording.fragments, strict=True):
            assert np.allclose(place(piece), world(fragment.poses[frame - 1]), atol=1e-6)


def test_the_source_falls_until_it_breaks(glazed, scene):
    _, recording, (collection,) = run(bpy.context, [glazed])
    scene.frame_set(1)
    rest = place(glazed)
    track = recording.bodies[0]
    about = Matrix.Translation(-track.center)
    for frame in range(1, BREAK):
        scene.frame_set(frame)
        assert not glazed.hide_viewport
        assert not glazed.hide_render
        assert all(piece.hide_viewport and piece.hide_render for piece in collection.objects)
        assert np.allclose(place(glazed), world(track.poses[frame - 1]) @ about @ rest, atol=1e-5)
    for frame in (BREAK, 12):
        scene.frame_set(frame)
        assert glazed.hide_viewport
        assert glazed.hide_render
        assert not any(piece.hide_viewport or piece.hide_render for piece in collection.objects)


@pytest.mark.parametrize("break_frame", [1, NEVER])
def test_a_break_on_the_first_frame_and_none_at_all(glazed, scene, break_frame):
    _, _, (collection,) = run(bpy.context, [glazed], break_frame)
    scene.frame_set(1)
    assert glazed.hide_viewport == (break_frame == 1)
    assert len(collection.objects) == (2 if break_frame == 1 else 0)


def test_fragments_fill_the_source_in_its_own_space(glazed, scene):
    scene.frame_set(1)
    glazed.matrix_world = Matrix.Translation((1.0, 2.0, 3.0)) @ Matrix.Diagonal((2.0, -0.5, 1.0, 1.0))
    bpy.context.view_layer.update()
    _, _, (collection,) = run(bpy.context, [glazed])
    total = 0.0
    for piece in collection.objects:
        rest = np.array(piece["fracture_rest"]).reshape(4, 4)
        points = np.array([vertex.co for vertex in piece.data.vertices])
        points = points @ rest[:3, :3].T + rest[:3, 3]
        assert np.abs(points).max() < 0.1 + 1e-6
        faces = np.array([polygon.vertices[:] for polygon in piece.data.polygons])
        total += abs(surfaces.volume(surfaces.Surface(points, faces)))
    assert total == pytest.approx(0.2**3, rel=1e-5)


def test_a_fragment_carries_what_the_source_carries(glazed, scene):
    _, recording, (collection,) = run(bpy.context, [glazed])
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


def test_the_inside_is_of_the_chosen_material(glazed, scene):
    clay = glazed.fracture.interior_material = bpy.data.materials.new("Clay")
    _, _, (collection,) = run(bpy.context, [glazed])
    assert all(piece.data.materials[-1] == clay for piece in collection.objects)
    results.clear(bpy.context, [glazed])
    assert [material.name for material in bpy.data.materials] == ["Clay", "Glaze"]


def test_the_origin_is_the_centre_of_mass(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    for piece in collection.objects:
        points = np.array([vertex.co for vertex in piece.data.vertices])
        faces = np.array([polygon.vertices[:] for polygon in piece.data.polygons])
        assert np.allclose(surfaces.mass_properties(surfaces.Surface(points, faces))[1], 0.0, atol=1e-6)
        assert tuple(piece.scale) == (1.0, 1.0, 1.0)


def test_the_report_is_on_the_collection_beside_the_sources_own(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    report = json.loads(collection["fracture_report"])
    assert report["fragments"] == 2
    assert report["seconds"] == {"total": 1.5}
    assert report["warnings"] == ["a warning"]
    assert {child.name for child in scene.collection.children} == {"Props", "Cube Fragments"}
    assert result_lookup.collection_of(glazed) == collection


def test_scene_units_are_obeyed(glazed, scene):
    scene.unit_settings.scale_length = 0.01
    job, recording, (collection,) = run(bpy.context, [glazed])
    assert np.ptp(job.bodies[0].surface.points, axis=0) == pytest.approx([0.002] * 3)
    scene.frame_set(9)
    for piece, fragment in zip(collection.objects, recording.fragments, strict=True):
        assert np.allclose(place(piece), world(fragment.poses[8], 0.01), atol=1e-4)
    assert max(np.ptp([v.co[:] for v in collection.objects[0].data.vertices], axis=0)) == pytest.approx(0.2)


def test_a_second_shatter_replaces_the_first(glazed, scene):
    first, *_ = run(bpy.context, [glazed])
    scene.frame_set(11)
    counts = len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.actions), len(bpy.data.materials)
    second, *_ = run(bpy.context, [glazed])
    assert glazed.hide_viewport
    assert counts == (len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.actions), len(bpy.data.materials))
    assert np.array_equal(first.bodies[0].surface.points, second.bodies[0].surface.points)
    assert [collection.name for collection in bpy.data.collections] == ["Cube Fragments", "Props"]


def test_a_name_in_use_is_left_alone(glazed, scene):
    theirs = bpy.data.collections.new("Cube Fragments")
    theirs.use_fake_user = True
    _, _, (collection,) = run(bpy.context, [glazed])
    assert collection.name == "Cube Fragments.001"
    results.clear(bpy.context, [glazed])
    assert theirs.name == "Cube Fragments"
    assert not theirs.objects
