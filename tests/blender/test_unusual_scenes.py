"""Scenes that are unusual: drivers on visibility, renamed and deleted data, many UV maps."""

import json

import bpy
import pytest

from fracture_addon.blender.scene import result_lookup, result_motion
from fracture_addon.blender.write import results
from tests.blender.baking import reloaded, run
from tests.blender.snapshot import snapshot


@pytest.mark.parametrize("path", ["hide_render", "hide_viewport"])
def test_a_driver_on_visibility_stays_and_the_report_says_so(glazed, scene, path):
    glazed.driver_add(path).driver.expression = "0"
    glazed.select_set(False)  # as Blender does with what is hidden
    before = snapshot()
    _, _, (collection,) = run(bpy.context, [glazed])
    (warning,) = [text for text in json.loads(collection[result_lookup.REPORT])["warnings"] if path in text]
    assert "'Cube' may stay visible" in warning
    scene.frame_set(12)
    other = "hide_render" if path == "hide_viewport" else "hide_viewport"
    assert not getattr(glazed, path)
    assert getattr(glazed, other)
    scene.frame_set(1)
    run(bpy.context, [glazed])
    results.clear(bpy.context, [glazed])
    assert snapshot() == before


def test_a_driver_of_the_artists_that_replaces_ours_stays(glazed, scene):
    run(bpy.context, [glazed])
    glazed.driver_remove("hide_render")
    glazed.driver_add("hide_render").driver.expression = "frame > 3"
    results.clear(bpy.context, [glazed])
    assert [curve.driver.expression for curve in glazed.animation_data.drivers] == ["frame > 3"]


def test_a_renamed_source_collection_constraint_and_empty_are_cleared(glazed, scene, tmp_path):
    before = [obj.name for obj in bpy.data.objects]
    _, _, (collection,) = run(bpy.context, [glazed])
    glazed.constraints[0].name = "Mine"
    bpy.data.objects["Cube Motion"].name = "Renamed Motion"
    collection.name = "Shards"
    result_lookup.pieces_of(collection)[0].name = "The Big One"
    glazed.name = "Renamed"
    scene = reloaded(tmp_path / "scene.blend")
    renamed = bpy.data.objects["Renamed"]
    run(bpy.context, [renamed])
    assert [item.name for item in renamed.constraints] == [result_motion.CONSTRAINT]
    assert {item.name for item in bpy.data.collections} == {"Props", "Shards"}
    renamed.constraints[0].name = "Mine"
    results.clear(bpy.context, [renamed])
    assert not renamed.constraints
    renamed.name = "Cube"
    assert [obj.name for obj in bpy.data.objects] == before
    assert [item.name for item in bpy.data.collections] == ["Props"]
    assert renamed.name in scene.objects


@pytest.mark.parametrize("removal", ["deleted", "removed from the file"])
def test_fragments_of_a_deleted_source_can_be_cleared(glazed, scene, removal):
    _, _, (collection,) = run(bpy.context, [glazed])
    scene.frame_set(1)
    if removal == "deleted":
        bpy.ops.object.select_all(action="DESELECT")
        glazed.select_set(True)
        bpy.ops.object.delete()
    else:
        bpy.data.objects.remove(glazed)
    scene.frame_set(12)
    piece = result_lookup.pieces_of(collection)[0]
    bpy.ops.object.select_all(action="DESELECT")
    piece.select_set(True)
    bpy.context.view_layer.objects.active = piece
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert not scene.objects.keys() or set(scene.objects.keys()) == {"Cube Motion"}
    assert "Cube Fragments" not in bpy.data.collections


@pytest.mark.parametrize("count", [8, 12])
@pytest.mark.parametrize("one_object", [False, True])
def test_a_fragment_has_all_uv_maps_of_its_source(glazed, scene, count, one_object):
    glazed.fracture.one_object = one_object
    for number in range(count):
        layer = glazed.data.attributes.new(f"Map {number}", "FLOAT2", "CORNER")
        layer.data.foreach_set("vector", [float(number)] * 2 * len(glazed.data.loops))
    glazed.data.uv_layers[f"Map {count - 1}"].active_render = True
    _, _, (collection,) = run(bpy.context, [glazed])
    mesh = bpy.data.meshes["Cube Pieces Parts" if one_object else "Cube Fragment 001"]
    assert {item.name for item in mesh.uv_layers} == {item.name for item in glazed.data.uv_layers} | {"interior"}
    assert [item.name for item in mesh.uv_layers if item.active_render] == [f"Map {count - 1}"]
    assert max(item.vector[0] for item in mesh.attributes[f"Map {count - 1}"].data) == pytest.approx(count - 1)
    assert not mesh.validate()
    assert collection.objects
