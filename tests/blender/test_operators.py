import bpy
import pytest
from mathutils import Vector

from fracture_addon.blender.process import run
from fracture_addon.blender.read import settings
from fracture_addon.blender.setup.placing import nearest
from fracture_addon.core.data.errors import FractureError
from tests.blender.waiting import wait


def pieces():
    return [obj for obj in bpy.data.objects if "fracture_source" in obj]


def shatter():
    return bpy.ops.fracture.shatter()


def select(obj):
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def test_shatter_is_complete_when_it_returns(struck):
    select(struck)
    assert shatter() == {"FINISHED"}
    assert len(pieces()) > 1
    assert {obj["fracture_source"] for obj in pieces()} == {"Cube"}
    assert run.active is None


def test_clear_takes_the_pieces_out(struck):
    objects = set(bpy.data.objects)
    select(struck)
    shatter()
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert set(bpy.data.objects) == objects


def test_an_object_that_its_break_hides_can_be_shattered_and_cleared(struck, scene):
    select(struck)
    shatter()
    first = len(pieces())
    scene.frame_set(4)
    assert not struck.visible_get()
    assert shatter() == {"FINISHED"}
    assert len(pieces()) == first
    # Back on the first frame it is seen again, but the window has deselected it.
    scene.frame_set(1)
    struck.select_set(False)
    assert bpy.ops.fracture.shatter.poll()
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert struck.visible_get()
    assert struck.select_get()
    assert pieces() == []


def test_clear_takes_a_piece_for_the_object_it_came_from(struck, scene):
    select(struck)
    shatter()
    scene.frame_set(4)
    select(pieces()[0])
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert pieces() == []
    assert bpy.context.selected_objects == [struck]


def test_a_cached_run_is_baked_again(struck, scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path / "kept")
    select(struck)
    shatter()
    first = sorted(obj.name for obj in pieces())
    bpy.ops.fracture.clear()
    assert bpy.ops.fracture.bake() == {"FINISHED"}
    assert sorted(obj.name for obj in pieces()) == first


def test_a_cached_run_is_baked_again_after_a_change_of_what_pieces_are(struck, scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path / "kept")
    select(struck)
    shatter()
    struck.fracture.one_object = True
    struck.data.materials.append(bpy.data.materials.new("Paint"))
    assert bpy.ops.fracture.bake() == {"FINISHED"}
    assert [obj.name for obj in pieces()] == ["Cube Pieces"]


def move_vertex(obj):
    obj.data.vertices[0].co.x += 0.01


def add_vertices(obj):
    obj.modifiers.new("Subdivision", "SUBSURF")


def move_object(obj):
    obj.location.x += 0.5


def replace_mesh(obj):
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.1)
    sphere = bpy.context.object
    obj.data = sphere.data
    bpy.data.objects.remove(sphere)


@pytest.mark.parametrize("edit_object", [move_vertex, add_vertices, move_object, replace_mesh])
def test_a_cached_run_of_another_shape_or_place_is_refused(struck, scene, tmp_path, edit_object):
    scene.fracture.cache_path = str(tmp_path / "kept")
    select(struck)
    shatter()
    first = sorted(obj.name for obj in pieces())
    edit_object(struck)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="'Cube' was edited or moved after this run"):
        bpy.ops.fracture.bake()
    assert sorted(obj.name for obj in pieces()) == first


def delete(obj):
    select(obj)
    bpy.ops.object.delete()


@pytest.mark.parametrize("change", [delete, lambda obj: setattr(obj, "name", "Other")], ids=["deleted", "renamed"])
def test_a_cached_run_of_an_object_that_is_not_there_is_refused(struck, scene, tmp_path, change):
    scene.fracture.cache_path = str(tmp_path / "kept")
    select(struck)
    shatter()
    scene.frame_set(1)
    change(struck)
    with pytest.raises(RuntimeError, match="The cached run contains 'Cube', which is not in this scene"):
        bpy.ops.fracture.bake()


def test_an_empty_cache_folder_is_named(struck, scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path)
    with pytest.raises(RuntimeError, match="contains no readable run"):
        bpy.ops.fracture.bake()


def test_a_cache_folder_that_cannot_be_written_does_not_cost_the_result(struck, scene, tmp_path):
    (tmp_path / "file").write_text("in the way")
    scene.fracture.cache_path = str(tmp_path / "file" / "below")
    select(struck)
    assert shatter() == {"FINISHED"}
    assert "cannot be stored" in run.message.text


@pytest.mark.parametrize("operator", ["shatter", "clear", "bake", "cancel"])
def test_a_button_that_cannot_work_is_off(scene, operator):
    assert not getattr(bpy.ops.fracture, operator).poll()


def test_pieces_are_not_broken(cube):
    assert bpy.ops.fracture.shatter.poll()
    cube["fracture_source"] = "Other"
    assert not bpy.ops.fracture.shatter.poll()


def test_colliders_are_broken_only_when_nothing_else_is_selected(cube):
    bpy.ops.mesh.primitive_plane_add()
    floor = bpy.context.object
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    cube.select_set(True)
    assert settings.chosen(bpy.context.selected_objects) == [cube]
    cube.select_set(False)
    assert settings.chosen(bpy.context.selected_objects) == [floor]


def test_shatter_waits_for_object_mode(cube):
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.fracture.shatter.poll()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_what_goes_wrong_is_one_error_and_an_untouched_scene(cube):
    before = len(bpy.data.objects)
    cube.fracture.density = -1.0
    with pytest.raises(RuntimeError, match=r"'Cube'.*density\) is -1"):
        shatter()
    assert len(bpy.data.objects) == before
    assert run.active is None


def remove(obj):
    bpy.data.objects.remove(obj)


def edit(obj):
    obj.data.vertices[0].co.x += 0.01


def subdivide(obj):
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")


def enter_edit_mode(obj):
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")


@pytest.mark.parametrize("change", [remove, edit, subdivide, enter_edit_mode])
def test_nothing_is_baked_onto_an_object_that_changed_during_the_run(struck, change):
    started = run.begin(bpy.context, [struck])
    wait(started.process)
    change(struck)
    with pytest.raises(FractureError, match="'Cube' was"):
        started.bake(bpy.context)
    run.stop()
    assert pieces() == []


def test_cancel_stops_the_child(struck):
    started = run.begin(bpy.context, [struck])
    child = started.process._worker._child
    assert not bpy.ops.fracture.shatter.poll()
    assert bpy.ops.fracture.cancel() == {"FINISHED"}
    assert child.returncode is not None
    assert run.active is None
    assert run.message.text == "Cancelled"


def test_an_impact_points_into_the_surface_nearest_to_the_cursor(cube, scene):
    cube.scale = (1.0, 2.0, 0.5)
    cube.rotation_euler = (0.0, 0.0, 0.3)
    scene.cursor.location = (0.0, 0.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.fracture.add_impact()
    empty = cube.fracture.impact_object
    bpy.context.view_layer.update()
    assert cube.fracture.impact_enabled
    assert empty.matrix_world.translation.z - empty.empty_display_size == pytest.approx(0.55)
    direction = empty.matrix_world.to_3x3() @ Vector((0.0, 0.0, 1.0))
    assert direction.dot((0.0, 0.0, -1.0)) == pytest.approx(1.0)


def test_the_nearest_point_of_a_squeezed_object_has_its_true_normal(cube):
    cube.scale = (1.0, 1.0, 0.1)
    cube.rotation_euler = (0.5, 0.0, 0.0)
    bpy.context.view_layer.update()
    face_normal = (cube.matrix_world.inverted().to_3x3().transposed() @ Vector((0.0, 0.0, 1.0))).normalized()
    _point, inward = nearest(cube, cube.matrix_world.translation + face_normal)
    assert inward.dot(-face_normal) == pytest.approx(1.0, abs=1e-5)
