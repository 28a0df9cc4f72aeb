"""Objects from other files: overrides can be set up in every way, linked objects are refused."""

import bpy
import pytest

from fracture_addon.blender.properties import FractureImpact, FractureObjectSettings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import scenario
from fracture_addon.core.data.errors import FractureError


def linked(tmp_path, name="Cube"):
    """Save the scene, and link one of its objects into an empty one."""
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = [name]
    (obj,) = wanted.objects
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.view_layer.update()
    return obj


def settings_of(group):
    return [item for item in group.bl_rna.properties if item.identifier not in ("rna_type", "name")]


@pytest.mark.parametrize("group", [FractureObjectSettings, FractureImpact])
def test_every_setting_can_be_overridden(registered, group):
    assert [item.identifier for item in settings_of(group) if not item.is_overridable] == []
    assert bpy.types.Object.bl_rna.properties["fracture"].is_overridable


def other_value(group, item, empty):
    """A value that a setting does not have."""
    value = getattr(group, item.identifier)
    if item.type == "POINTER":
        kinds = {"Material": bpy.data.materials, "Collection": bpy.data.collections}
        kind = kinds.get(item.fixed_type.identifier)
        return kind.new("Other") if kind is not None else empty
    if item.type == "ENUM":
        return next((one.identifier for one in item.enum_items if one.identifier != value), value)
    if item.type == "BOOLEAN":
        return not value
    if item.type == "STRING":
        return "Other"
    if item.type == "INT":
        return value + 1
    return [0.25, 0.5, 0.75] if item.is_array else 0.75 * value + 0.25 * item.soft_max


def value_of(group, item):
    value = getattr(group, item.identifier)
    if item.type == "POINTER":
        return value and value.name
    return list(value) if getattr(item, "is_array", False) else value


LISTS = ("more_impacts", "more_glue", "joints")


@pytest.mark.parametrize("saves", [1, 2])
def test_every_setting_of_an_override_is_saved(cube, tmp_path, saves):
    override = linked(tmp_path).override_create(remap_local_usages=True)
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    group = override.fracture
    items = [item for item in settings_of(FractureObjectSettings) if item.identifier not in LISTS]
    for item in items:
        setattr(group, item.identifier, other_value(group, item, empty))
    impact = group.more_impacts.add()
    impact.impact_frame, impact.impact_object = 7, empty
    glue = group.more_glue.add()
    glue.glue_object, glue.glue_strength = empty, 0.25
    joint = group.joints.add()
    joint.kind, joint.other = "WELD", empty
    wanted = {item.identifier: value_of(group, item) for item in items}
    for _ in range(saves):
        path = str(tmp_path / "scene.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
    group = next(obj for obj in bpy.context.scene.objects if obj.override_library).fracture
    assert {item.identifier: value_of(group, item) for item in items} == wanted
    assert [(impact.impact_frame, impact.impact_object.name) for impact in group.more_impacts] == [(7, "Empty")]
    assert [(glue.glue_object.name, glue.glue_strength) for glue in group.more_glue] == [("Empty", 0.25)]
    assert [(joint.kind, joint.other.name) for joint in group.joints] == [("WELD", "Empty")]


def test_drop_refuses_a_linked_object(cube, tmp_path):
    obj = linked(tmp_path)
    before = obj.matrix_world.copy()
    with pytest.raises(RuntimeError, match=r"'Cube' is linked from .* make it local"):
        bpy.ops.fracture.drop()
    assert obj.matrix_world == before
    assert [item.name for item in bpy.context.scene.objects] == ["Cube"]


def test_drop_refuses_an_object_that_hangs_on_a_linked_one(cube, tmp_path):
    parent = linked(tmp_path)
    bpy.ops.mesh.primitive_cube_add()
    child = bpy.context.object
    child.parent = parent
    with pytest.raises(FractureError, match="'Cube' is linked from"):
        scenario.drop(bpy.context, [child], 1.0, 0)


def test_drop_moves_an_override(cube, tmp_path):
    obj = linked(tmp_path)
    override = obj.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    height = override.matrix_world.translation.z
    scenario.drop(bpy.context, [override], 1.0, 0)
    assert override.matrix_world.translation.z > height + 0.5


@pytest.mark.parametrize("operator", ["add_impact", "apply_preset"])
def test_settings_of_a_linked_object_are_not_changed_by_a_button(cube, tmp_path, operator):
    linked(tmp_path)
    assert not getattr(bpy.ops.fracture, operator).poll()


def test_a_linked_projectile_is_refused(cube, tmp_path):
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    linked(tmp_path)
    bpy.ops.mesh.primitive_monkey_add(location=(3.0, 0.0, 0.0))
    with pytest.raises(FractureError, match="'Cube' is linked from"):
        read_job(bpy.context, [bpy.context.object], (1, 4))


def test_a_linked_collider_of_the_same_name_is_refused(cube, tmp_path):
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    linked(tmp_path)
    bpy.ops.mesh.primitive_cube_add(location=(3.0, 0.0, 0.0))
    bpy.context.object.name = "Cube"
    with pytest.raises(FractureError, match="Two objects in this run have the name 'Cube'"):
        read_job(bpy.context, [bpy.context.object], (1, 4))
