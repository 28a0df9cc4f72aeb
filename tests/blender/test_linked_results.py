"""Broken objects that are appended, linked or overridden."""

import bpy
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.write import results
from fracture_addon.core.data.errors import FractureError
from tests.blender.baking import is_broken, is_whole, run
from tests.blender.snapshot import snapshot


def saved(path, glazed, context):
    run(context, [glazed])
    context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.frame_end = 12


def load(path, link, kind="objects", names=("Cube",)):
    with bpy.data.libraries.load(str(path), link=link) as (_, wanted):
        setattr(wanted, kind, list(names))
    return getattr(wanted, kind)


def test_an_appended_copy_is_cleared_whole(glazed, scene, tmp_path):
    saved(tmp_path / "broken.blend", glazed, bpy.context)
    scene = bpy.context.scene
    (twin,) = load(tmp_path / "broken.blend", link=False)
    scene.collection.objects.link(twin)
    results.clear(bpy.context, [twin])
    assert is_whole(twin, scene)
    assert [obj.name for obj in bpy.data.objects] == ["Cube"]
    _, _, (collection,) = run(bpy.context, [twin])
    assert is_broken(twin, scene, collection)


def test_a_linked_copy_is_refused_and_left_alone(glazed, scene, tmp_path):
    saved(tmp_path / "broken.blend", glazed, bpy.context)
    scene = bpy.context.scene
    (twin,) = load(tmp_path / "broken.blend", link=True)
    (collection,) = load(tmp_path / "broken.blend", True, "collections", ["Cube Fragments"])
    scene.collection.objects.link(twin)
    scene.collection.children.link(collection)
    before = snapshot()
    with pytest.raises(FractureError, match="'Cube' is linked from"):
        results.clear(bpy.context, [twin])
    with pytest.raises(FractureError, match="'Cube' is linked from"):
        results.clear(bpy.context, [collection.objects[0]])
    with pytest.raises(FractureError, match="'Cube' is linked from"):
        run(bpy.context, [twin])
    assert snapshot() == before


def test_an_override_of_a_broken_object_is_refused_and_left_alone(glazed, scene, tmp_path):
    saved(tmp_path / "broken.blend", glazed, bpy.context)
    scene = bpy.context.scene
    (linked,) = load(tmp_path / "broken.blend", link=True)
    scene.collection.objects.link(linked)
    twin = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    before = snapshot()
    with pytest.raises(FractureError, match="'Cube' is a library override of an animated object"):
        run(bpy.context, [twin])
    with pytest.raises(FractureError, match="'Cube' is a library override of an animated object"):
        results.clear(bpy.context, [twin])
    assert snapshot() == before


def test_a_broken_override_is_cleared_after_loading(glazed, scene, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "whole.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_end = 12
    (linked,) = load(tmp_path / "whole.blend", link=True)
    scene.collection.objects.link(linked)
    override = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    run(bpy.context, [override])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    override = next(obj for obj in scene.objects if obj.override_library)
    collection = result_lookup.collection_of(override)
    assert is_broken(override, scene, collection)
    results.clear(bpy.context, [override])
    assert is_whole(override, scene)
    assert [obj.name for obj in bpy.data.objects if not obj.library] == ["Cube"]
