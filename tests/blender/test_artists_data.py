"""What the artist adds to, or changes in, a scene with a result survives Clear and the next Shatter."""

import bpy
import pytest

from fracture_addon.blender.scene import action_curves, result_lookup
from fracture_addon.blender.write import results
from tests.blender.baking import BREAK, place, reloaded, run
from tests.blender.snapshot import snapshot


def again(context, obj, how):
    if how == "shatter":
        run(context, [obj])
    else:
        results.clear(context, [obj])


def new_empty(name, *collections):
    obj = bpy.data.objects.new(name, None)
    for collection in collections:
        collection.objects.link(obj)
    return obj


@pytest.mark.parametrize("how", ["clear", "shatter"])
def test_foreign_objects_and_collections_stay_in_the_scene(glazed, scene, how, tmp_path):
    _, _, (collection,) = run(bpy.context, [glazed])
    new_empty("Lamp", collection)
    new_empty("Shared", collection, scene.collection)
    inner = bpy.data.collections.new("Inner")
    collection.children.link(inner)
    new_empty("Deep", inner)
    again(bpy.context, glazed, how)
    scene = reloaded(tmp_path / "scene.blend")
    names = {"Lamp", "Shared", "Deep"}
    assert names <= set(scene.objects.keys())
    assert "Inner" in {child.name for child in scene.collection.children_recursive}
    assert ("Cube Fragments" in bpy.data.collections) == (how == "shatter")
    if how == "shatter":
        assert names <= {obj.name for obj in bpy.data.collections["Cube Fragments"].all_objects}
        results.clear(bpy.context, [bpy.data.objects["Cube"]])
    assert {obj.name for obj in scene.objects} == {"Cube", *names}


def test_a_result_that_is_in_two_collections_leaves_foreign_objects_in_both(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    shelf = bpy.data.collections.new("Shelf")
    scene.collection.children.link(shelf)
    shelf.children.link(collection)
    lamp = new_empty("Lamp", collection)
    results.clear(bpy.context, [glazed])
    assert set(lamp.users_collection) == {scene.collection, shelf}


def test_foreign_objects_in_a_result_that_is_in_no_scene_come_back(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    lamp = new_empty("Lamp", collection)
    scene.collection.children.unlink(collection)
    results.clear(bpy.context, [glazed])
    assert lamp.name in scene.objects


def layer_of(scene, name):
    waiting = [scene.view_layers[0].layer_collection]
    while waiting:
        item = waiting.pop()
        if item.name == name:
            return item
        waiting += item.children
    return None


@pytest.mark.parametrize("setting", ["exclude", "hide_viewport", "holdout", "indirect_only"])
def test_a_foreign_collection_stays_as_visible_as_it_was(glazed, scene, setting):
    _, _, (collection,) = run(bpy.context, [glazed])
    inner, innermost = bpy.data.collections.new("Inner"), bpy.data.collections.new("Innermost")
    collection.children.link(inner)
    inner.children.link(innermost)
    new_empty("Deep", innermost)
    setattr(layer_of(scene, "Innermost"), setting, True)
    run(bpy.context, [glazed])
    assert getattr(layer_of(scene, "Innermost"), setting)
    results.clear(bpy.context, [glazed])
    assert getattr(layer_of(scene, "Innermost"), setting)
    assert not getattr(layer_of(scene, "Inner"), setting)
    assert not getattr(layer_of(scene, "Props"), setting)


@pytest.mark.parametrize("setting", ["exclude", "hide_viewport"])
def test_a_result_whose_collection_is_switched_off_is_replaced_and_cleared(glazed, scene, setting):
    before = snapshot()
    _, _, (collection,) = run(bpy.context, [glazed])
    setattr(layer_of(scene, collection.name), setting, True)
    for _ in range(3):
        _, _, (same,) = run(bpy.context, [glazed])
        assert same == collection
        assert len(result_lookup.pieces_of(collection)) == len(collection.objects) == 2
        assert getattr(layer_of(scene, collection.name), setting)
    results.clear(bpy.context, [glazed])
    assert snapshot() == before


def test_fragments_in_a_child_collection_go_and_those_outside_stay(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    first, second = result_lookup.pieces_of(collection)
    inner, shelf = bpy.data.collections.new("Inner"), bpy.data.collections.new("Shelf")
    collection.children.link(inner)
    scene.collection.children.link(shelf)
    for piece, target in ((first, inner), (second, shelf)):
        collection.objects.unlink(piece)
        target.objects.link(piece)
    results.clear(bpy.context, [glazed])
    assert [obj.name for obj in shelf.objects] == ["Cube Fragment 002"]
    assert not inner.objects
    assert "Cube Fragment 001" not in bpy.data.objects


def test_fragments_that_the_artist_deleted_do_not_remain_in_the_file(glazed, scene):
    before = snapshot()
    run(bpy.context, [glazed])
    scene.frame_set(12)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects["Cube Fragment 001"].select_set(True)
    bpy.ops.object.delete()
    results.clear(bpy.context, [glazed])
    scene.frame_set(1)
    assert snapshot()[0] == before[0]


def test_what_hangs_on_a_fragment_stays_where_it_is(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    scene.frame_set(12)
    piece = result_lookup.pieces_of(collection)[0]
    lamp = new_empty("Lamp", scene.collection)
    lamp.parent, lamp.location = piece, (0.1, 0.0, 0.3)
    watcher = new_empty("Watcher", scene.collection)
    watcher.constraints.new("TRACK_TO").target = piece
    bpy.context.view_layer.update()
    before = place(lamp)
    results.clear(bpy.context, [glazed])
    bpy.context.view_layer.update()
    assert place(lamp) == pytest.approx(before, abs=1e-6)
    assert [item.target for item in watcher.constraints] == [None]


def test_meshes_and_materials_of_fragments_that_the_artist_uses_stay(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    piece = result_lookup.pieces_of(collection)[0]
    mesh, material = piece.data, piece.data.materials[-1]
    shard = bpy.data.objects.new("Shard", mesh)
    scene.collection.objects.link(shard)
    count = len(mesh.polygons)
    results.clear(bpy.context, [glazed])
    assert shard.data == mesh
    assert len(mesh.polygons) == count
    assert mesh.materials[-1] == material


def keys(obj, path):
    curve = action_curves.curves_of(obj).find(path)
    return [] if curve is None else [tuple(point.co) for point in curve.keyframe_points]


@pytest.mark.parametrize("how", ["clear", "shatter"])
@pytest.mark.parametrize("animated", [False, True])
def test_keyframes_that_are_edited_after_a_shatter_stay(glazed, scene, how, animated, tmp_path):
    if animated:
        glazed.keyframe_insert("location", frame=1)
        glazed.keyframe_insert("location", frame=3)
    run(bpy.context, [glazed])
    glazed.location.x = 2.0
    glazed.keyframe_insert("location", frame=8)
    glazed.scale.z = 0.5
    glazed.keyframe_insert("scale", frame=6)
    glazed.fracture.violence = 3.0
    glazed.keyframe_insert("fracture.violence", frame=2)
    edited = {path: keys(glazed, path) for path in ("location", "scale", "fracture.violence")}
    assert edited["location"][-1] == (8.0, 2.0)
    name = glazed.animation_data.action.name
    again(bpy.context, glazed, how)
    reloaded(tmp_path / "scene.blend")
    glazed = bpy.data.objects["Cube"]
    assert {path: keys(glazed, path) for path in edited} == edited
    assert glazed.animation_data.action.name == name
    results.clear(bpy.context, [glazed])
    assert {path: keys(glazed, path) for path in edited} == edited
    assert len(bpy.data.actions) == 1


def test_visibility_that_is_keyed_after_a_shatter_holds_after_clear(glazed, scene):
    run(bpy.context, [glazed])
    for frame, value in ((1, False), (9, True)):
        glazed.hide_render = value
        glazed.keyframe_insert("hide_render", frame=frame)
    results.clear(bpy.context, [glazed])
    seen = []
    for frame in (1, 8, 9, 12):
        scene.frame_set(frame)
        seen.append(glazed.hide_render)
    assert seen == [False, False, True, True]


def test_a_new_action_that_is_assigned_after_a_shatter_stays(glazed, scene):
    glazed.keyframe_insert("location", frame=1)
    first = glazed.animation_data.action
    first.use_fake_user = True
    run(bpy.context, [glazed])
    glazed.animation_data.action = None
    glazed.keyframe_insert("scale", frame=1)
    second = glazed.animation_data.action
    results.clear(bpy.context, [glazed])
    assert glazed.animation_data.action == second
    assert keys(glazed, "scale")
    assert first.name in bpy.data.actions


def test_undo_and_redo_around_shatter_and_clear(glazed, scene):
    def state():
        return snapshot()[:2]

    def now():
        return bpy.data.objects["Cube"]

    bpy.ops.ed.undo_push(message="Start")
    whole = state()
    run(bpy.context, [now()])
    bpy.ops.ed.undo_push(message="Shatter")
    broken = state()
    results.clear(bpy.context, [now()])
    bpy.ops.ed.undo_push(message="Clear")
    assert state() == whole
    bpy.ops.ed.undo()
    assert state() == broken
    bpy.ops.ed.undo()
    assert state() == whole
    bpy.ops.ed.redo()
    assert state() == broken
    results.clear(bpy.context, [now()])
    assert state() == whole
    run(bpy.context, [now()])
    assert len(result_lookup.pieces_of(result_lookup.collection_of(now()))) == 2


def test_a_source_is_hidden_where_scripts_may_not_run(glazed, scene, tmp_path):
    run(bpy.context, [glazed])
    assert all(curve.driver.is_simple_expression for curve in glazed.animation_data.drivers)
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path, use_scripts=False)
    seen = []
    for frame in (1, BREAK, 2, 12, BREAK - 1):
        bpy.context.scene.frame_set(frame)
        seen.append(bpy.data.objects["Cube"].hide_render)
    assert seen == [False, True, False, True, False]
