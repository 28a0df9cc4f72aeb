"""Handles of places: where they are, and what a drag changes."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fracture_addon.blender.panels import gizmos
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import place_handles
from fracture_addon.blender.setup.place_handles import HANDLES

AWAY = Vector((0.0, -5.0, 0.0))
FORWARD = Vector((0.0, 1.0, 0.0))


@pytest.fixture
def place(cube, scene):
    """A function that adds a place of a kind, drawn with a size of 0.05 m, and selects it as the panel does."""

    def add(kind):
        scene.cursor.location = (0.0, 0.0, 0.5)
        assert bpy.ops.fracture.add_place(kind=kind, select=True) == {"FINISHED"}
        return bpy.context.object

    return add


def handle(kind, label):
    (found,) = [item for item in HANDLES[kind] if item.label == label]
    return found


def drag(obj, item, end, held=()):
    """Drag a handle to a point that is seen along Y, while keys are held."""
    item.drag(obj, Vector(end) + AWAY, FORWARD, item.point(obj), held)
    bpy.context.view_layer.update()


def strength(cube):
    return read_job(bpy.context, [cube], (1, 5)).bodies[0].settings.strength


@pytest.mark.parametrize("kind", HANDLES)
def test_the_panel_selects_a_new_place_and_its_handles_are_around_it(place, kind):
    obj = place(kind)
    assert (obj.fracture.place, obj.select_get()) == (kind, True)
    assert gizmos.FRACTURE_GGT_place.poll(bpy.context)
    for item in HANDLES[kind]:
        away = item.point(obj) - obj.matrix_world.translation
        assert away.length == pytest.approx(item.distance(obj), abs=1e-6)
    assert np.isfinite(place_handles.outline(obj)).all()


def test_the_handles_of_a_plane_set_its_width_and_its_radius(place, cube):
    obj = place("PLANE")
    drag(obj, handle("PLANE", "Width"), (0.0, 0.0, 0.47))
    drag(obj, handle("PLANE", "Radius"), (0.08, 0.0, 0.5))
    (plane,) = strength(cube).planes
    assert (plane.width, plane.reach) == (pytest.approx(0.06), pytest.approx(0.08))


def test_a_handle_stops_at_the_place(place):
    obj = place("PLANE")
    drag(obj, handle("PLANE", "Width"), (0.0, 0.0, 0.9))
    assert obj.fracture.place_width == 0.0


@pytest.mark.parametrize("kind", ["REGION", "GRIP", "RELEASE", "FREEZE"])
def test_the_handle_of_a_sphere_sets_its_radius(place, kind):
    obj = place(kind)
    obj.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    drag(obj, handle(kind, "Radius"), (0.07, 0.0, 0.5))
    assert handle(kind, "Radius").distance(obj) == pytest.approx(0.07)
    assert obj.empty_display_size == pytest.approx(0.035)


@pytest.mark.parametrize("relative", [True, False])
def test_the_handle_of_a_sound_sets_its_loudness(place, relative):
    obj = place("SOUND")
    obj.fracture.place_relative = relative
    obj.fracture.place_level = obj.fracture.place_load_factor = 1.0
    item = handle("SOUND", "Loudness")
    drag(obj, item, (0.0, 0.0, 0.5 + 1.2 * obj.empty_display_size))
    if relative:
        assert obj.fracture.place_load_factor == pytest.approx(1.2)
        assert item.value(obj) == "1.20 times the breaking load"
    else:
        assert obj.fracture.place_level == pytest.approx(120.0)
        assert item.value(obj) == "120 dB at a distance of 1 m"


def test_the_handle_of_layers_sets_their_period(place, cube):
    obj = place("LAYERS")
    drag(obj, handle("LAYERS", "Period"), (0.0, 0.0, 0.47))
    assert strength(cube).alternations[0].period == pytest.approx(0.03)


@pytest.mark.parametrize("kind", ["PLANE", "LAYERS", "GRAIN"])
def test_the_handle_of_the_direction_turns_the_place(place, cube, kind):
    obj = place(kind)
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    obj.parent = parent
    bpy.context.view_layer.update()
    before = obj.matrix_world.translation.copy()
    drag(obj, handle(kind, "Direction"), before + Vector((0.3, 0.0, 0.3)))
    found = handle(kind, "Direction").direction(obj)
    assert (obj.matrix_world.translation - before).length < 1e-6
    assert (found.x, found.z) == (pytest.approx(found.z), pytest.approx(found.x))
    assert found.x > 0.5


def test_ctrl_rounds_and_shift_slows_a_handle(place):
    """The status bar offers both."""
    obj, item = place("REGION"), handle("REGION", "Radius")
    obj.empty_display_size = 0.05
    drag(obj, item, (0.0731, 0.0, 0.5), {"SNAP"})
    assert item.distance(obj) == pytest.approx(0.075)
    drag(obj, item, (0.175, 0.0, 0.5), {"PRECISE"})
    assert item.distance(obj) == pytest.approx(0.085)
    drag(obj, item, (-1.0, 0.0, 0.5), {"SNAP"})
    assert item.distance(obj) == pytest.approx(0.0, abs=1e-4)


def test_ctrl_turns_a_handle_to_an_axis_and_shift_turns_it_slowly(place):
    obj, item = place("PLANE"), handle("PLANE", "Direction")
    before = obj.matrix_world.translation.copy()
    drag(obj, item, before + Vector((0.3, 0.0, 0.25)), {"SNAP"})
    assert item.direction(obj)[:] == pytest.approx(Vector((1.0, 0.0, 1.0)).normalized()[:], abs=1e-6)
    drag(obj, item, before + Vector((0.02, 0.0, 0.3)), {"SNAP"})
    assert item.direction(obj).z == pytest.approx(1.0)
    drag(obj, item, item.point(obj) + Vector((item.distance(obj), 0.0, 0.0)), {"PRECISE"})
    assert item.direction(obj).x == pytest.approx(0.0995, abs=1e-3)


@pytest.mark.parametrize("kind", HANDLES)
def test_a_cancelled_drag_leaves_no_trace(place, kind):
    obj = place(kind)
    for item in HANDLES[kind]:
        before = obj.matrix_world.copy(), item.distance(obj)
        state = item.state(obj)
        drag(obj, item, (0.04, 0.0, 0.56))
        item.restore(obj, state)
        bpy.context.view_layer.update()
        assert np.allclose(obj.matrix_world, before[0])
        assert item.distance(obj) == pytest.approx(before[1])


def test_an_object_to_break_has_no_handles(place, cube):
    place("PLANE")
    bpy.context.view_layer.objects.active = cube
    assert not gizmos.FRACTURE_GGT_place.poll(bpy.context)
