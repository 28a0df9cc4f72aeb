"""Clear and Shatter take nothing from the artist, nor from the original of what the artist duplicated."""

import bpy
import pytest

from fracture_addon.blender.scene import result_lookup, result_motion
from fracture_addon.blender.write import results
from fracture_addon.core.data.errors import FractureError
from tests.blender.baking import is_broken, is_whole, place, run


def select(*objects):
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


def duplicate(*objects, linked=False):
    """The copies that Shift+D and Alt+D make."""
    bpy.context.scene.frame_set(1)
    select(*objects)
    bpy.ops.object.duplicate(linked=linked)
    return list(bpy.context.selected_objects)


@pytest.mark.parametrize("copy", ["Shift+D", "Alt+D", "from Python"])
@pytest.mark.parametrize("action", ["clear", "shatter", "shatter and clear"])
def test_a_duplicate_of_a_broken_object_is_an_object_of_its_own(glazed, scene, copy, action):
    _, _, (collection,) = run(bpy.context, [glazed])
    if copy == "from Python":
        twin = glazed.copy()
        scene.collection.objects.link(twin)
    else:
        (twin,) = duplicate(glazed, linked=copy == "Alt+D")
    twin.location.x += 1.0
    bpy.context.view_layer.update()
    if "shatter" in action:
        _, _, (other,) = run(bpy.context, [twin])
        assert other != collection
        assert is_broken(twin, scene, other)
    if "clear" in action:
        results.clear(bpy.context, [twin])
        assert is_whole(twin, scene)
    assert is_broken(glazed, scene, collection)
    results.clear(bpy.context, [glazed])
    assert is_whole(glazed, scene)


def test_clearing_the_original_leaves_a_broken_duplicate(glazed, scene):
    run(bpy.context, [glazed])
    (twin,) = duplicate(glazed)
    _, _, (other,) = run(bpy.context, [twin])
    results.clear(bpy.context, [glazed])
    assert is_broken(twin, scene, other)


def test_a_duplicate_can_be_cleared_after_the_original(glazed, scene):
    run(bpy.context, [glazed])
    (twin,) = duplicate(glazed)
    results.clear(bpy.context, [glazed])
    assert result_lookup.is_changed(twin)
    results.clear(bpy.context, [twin])
    assert is_whole(twin, scene)
    assert not twin.constraints


def test_an_object_that_is_duplicated_with_its_motion_is_cleared_alone(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    motion = bpy.data.objects["Cube Motion"]
    motion.hide_viewport = False
    copies = duplicate(glazed, motion)
    motion.hide_viewport = True
    twin = next(obj for obj in copies if obj.type == "MESH")
    results.clear(bpy.context, [twin])
    assert is_whole(twin, scene)
    assert is_broken(glazed, scene, collection)


def test_a_duplicated_fragment_is_the_artists(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    scene.frame_set(12)
    first, second = result_lookup.pieces_of(collection)
    select(first)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    linked = second.copy()
    collection.objects.link(linked)
    assert copy.name in collection.objects
    with pytest.raises(FractureError, match="Clear does not remove copies of pieces"):
        results.clear(bpy.context, [copy])
    assert is_broken(glazed, scene, collection)
    for change in (lambda: run(bpy.context, [glazed]), lambda: results.clear(bpy.context, [glazed])):
        change()
        assert copy.name in scene.objects
        assert linked.name in scene.objects
        assert linked.data.polygons
    assert {obj.name for obj in scene.objects} == {"Cube", copy.name, linked.name}


def test_a_duplicated_result_stays_when_its_original_goes(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    kept = collection.copy()
    kept.name = "A Copy"  # first by name
    scene.collection.children.link(kept)
    for piece in list(kept.objects):
        kept.objects.unlink(piece)
        kept.objects.link(piece.copy())
    copies = set(kept.objects)
    run(bpy.context, [glazed])
    assert result_lookup.collection_of(glazed) == collection
    results.clear(bpy.context, [glazed])
    assert set(bpy.data.collections["A Copy"].objects) == copies
    assert all(obj.name in scene.objects for obj in copies)
    assert is_whole(glazed, scene)
    run(bpy.context, [glazed])
    assert set(kept.objects) == copies


@pytest.mark.parametrize("first", ["original", "copy"])
def test_a_full_copy_of_a_scene_owns_its_own_result(glazed, scene, first):
    _, _, (collection,) = run(bpy.context, [glazed])
    bpy.ops.scene.new(type="FULL_COPY")
    copied = bpy.context.scene
    twin = next(obj for obj in copied.objects if obj.name.startswith("Cube.") and obj.type == "MESH")
    other = result_lookup.collection_of(twin)
    assert other not in (None, collection)
    if first == "copy":
        results.clear(bpy.context, [twin])
        assert is_whole(twin, copied)
        bpy.context.window.scene = scene
        assert is_broken(glazed, scene, collection)
    else:
        bpy.context.window.scene = scene
        results.clear(bpy.context, [glazed])
        assert is_whole(glazed, scene)
        bpy.context.window.scene = copied
        assert is_broken(twin, copied, other)


def test_two_scenes_with_one_source_both_show_its_fragments(glazed, scene):
    _, _, (collection,) = run(bpy.context, [glazed])
    other = bpy.data.scenes.new("Other")
    other.frame_start, other.frame_end = 1, 12
    other.collection.objects.link(glazed)
    bpy.context.window.scene = other
    _, _, (again,) = run(bpy.context, [glazed])
    assert again == collection
    for shown in (scene, other):
        assert collection in list(shown.collection.children_recursive)
    results.clear(bpy.context, [glazed])
    assert bpy.data.collections.get("Cube Fragments") is None


@pytest.mark.parametrize("linked", [False, True])
def test_a_duplicated_preview_is_the_artists(struck, scene, linked):
    select(struck)
    bpy.ops.fracture.preview()
    preview = bpy.data.objects["Cube Preview"]
    select(preview)
    bpy.ops.object.duplicate(linked=linked)
    copy = bpy.context.object
    results.clear(bpy.context, [struck])
    assert "Cube Preview" not in bpy.data.objects
    assert copy.name in scene.objects
    assert copy.data.polygons


def test_a_duplicate_of_a_projectile_is_cleared_alone(glazed, scene):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.05, location=(-1.0, 0.0, 0.5))
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    ball = bpy.context.object
    ball.keyframe_insert("location", frame=1)
    run(bpy.context, [glazed])
    assert not result_lookup.is_changed(ball)
    (twin,) = duplicate(ball)
    assert result_lookup.is_changed(twin)
    results.clear(bpy.context, [twin])
    assert not result_motion.is_taken(twin)
    assert not twin.rigid_body.kinematic
    scene.frame_set(1)
    start = place(ball)[0, 3]
    scene.frame_set(12)
    assert place(ball)[0, 3] > start + 0.5
    assert ball.rigid_body.kinematic
    results.clear(bpy.context, [glazed])
    assert not result_motion.is_taken(ball)


def points_seen(obj):
    """The number of points that an object and its instances show."""
    return sum(
        len(item.object.data.vertices)
        for item in bpy.context.evaluated_depsgraph_get().object_instances
        if (item.parent or item.object).name == obj.name
    )


@pytest.mark.parametrize("linked", [False, True])
def test_a_duplicate_of_pieces_in_one_object_still_shows_them(glazed, scene, linked):
    glazed.fracture.one_object = True
    run(bpy.context, [glazed])
    (copy,) = duplicate(bpy.data.objects["Cube Pieces"], linked=linked)
    scene.frame_set(12)
    count = points_seen(copy)
    assert count > 8
    run(bpy.context, [glazed])
    results.clear(bpy.context, [glazed])
    assert points_seen(copy) == count
