"""Fracture Only: pieces at once, without keyframes, as separate objects; cleared like any result."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.command_line import command
from fracture_addon.blender.process import run
from fracture_addon.blender.scene import result_lookup
from tests.blender.snapshot import snapshot

FRAMES = (-10, 1, 40)


def pieces_of(obj):
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def volume(obj):
    mesh = obj.data
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices])
    corners = points[[triangle.vertices[:] for triangle in mesh.loop_triangles]]
    return float(np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


def test_pieces_replace_the_object_on_every_frame_without_keyframes(struck, scene):
    struck.fracture.impact_frame = 30  # beyond the end of the scene: the frame has no effect
    assert bpy.ops.fracture.fracture_only() == {"FINISHED"}
    pieces = pieces_of(struck)
    assert result_lookup.collection_of(struck).name == "Cube Fragments"
    assert len(pieces) > 1
    assert sum(map(volume, pieces)) == pytest.approx(0.2**3, rel=1e-5)
    for piece in pieces:
        assert piece.animation_data is None
        assert piece["fracture_source"] == "Cube"
        assert "fracture_interior" in piece.data.attributes
    places = [piece.matrix_world.copy() for piece in pieces]
    for frame in FRAMES:
        scene.frame_set(frame)
        assert struck.hide_viewport
        assert struck.hide_render
        assert [piece.matrix_world for piece in pieces] == places
        assert not any(piece.hide_viewport for piece in pieces)


def test_clear_restores_the_scene(struck, scene):
    before = snapshot()
    bpy.ops.fracture.fracture_only()
    assert snapshot() != before
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert snapshot() == before


@pytest.mark.once
def test_all_selected_objects_break_where_they_are_on_the_current_frame(cube, scene):
    cube.fracture.resolution = 300
    for frame, height in ((1, 0.5), (11, 1.5)):
        cube.location.z = height
        cube.keyframe_insert("location", frame=frame)
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.0, 0.0, 0.5))
    other = bpy.context.object
    other.fracture.resolution, other.fracture.piece_count = 300, 5
    cube.select_set(True)
    scene.frame_set(11)
    assert bpy.ops.fracture.fracture_only() == {"FINISHED"}
    for obj, height in ((cube, 1.5), (other, 0.5)):
        pieces = pieces_of(obj)
        assert len(pieces) > 1
        middle = np.average([piece.location for piece in pieces], axis=0, weights=list(map(volume, pieces)))
        assert middle == pytest.approx([obj.location.x, 0.0, height], abs=1e-3)
    assert len(pieces_of(other)) == 5


def test_pieces_can_be_one_object(struck, scene):
    struck.fracture.one_object = True
    bpy.ops.fracture.fracture_only()
    (shown,) = pieces_of(struck)
    for frame in FRAMES:
        scene.frame_set(frame)
        points = [
            item.matrix_world @ vertex.co
            for item in bpy.context.evaluated_depsgraph_get().object_instances
            if item.is_instance and item.parent.original == shown
            for vertex in item.object.data.vertices
        ]
        assert np.min(points, axis=0) == pytest.approx([-0.1, -0.1, 0.4], abs=1e-4)


@pytest.mark.once
def test_a_deformable_object_is_refused_and_the_scene_stays(cube, scene):
    cube.fracture.method, cube.fracture.dynamics = "LATTICE", "DEFORMABLE"
    before = snapshot()
    with pytest.raises(RuntimeError, match="'Cube' is deformable"):
        bpy.ops.fracture.fracture_only()
    assert snapshot() == before
    assert run.active is None


@pytest.mark.once
def test_the_stored_run_stays_a_simulation(struck, scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path)
    bpy.ops.fracture.fracture_only()
    assert not list(tmp_path.iterdir())


def test_the_command_line_has_it_too(scene, tmp_path, capfd):
    model, output = tmp_path / "box.obj", tmp_path / "box.blend"
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    bpy.ops.wm.obj_export(filepath=str(model))
    arguments = [str(model), "--scenario", "fracture", "--pieces", "6", "--resolution", "400", "--output", str(output)]
    assert command.main(arguments) == 0
    assert "pieces" in capfd.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(output))
    pieces = [obj for obj in bpy.data.objects if "fracture_source" in obj]
    assert 6 <= len(pieces) <= 9
    assert not any(obj.rigid_body for obj in bpy.data.objects)
    assert not any(piece.animation_data for piece in pieces)
