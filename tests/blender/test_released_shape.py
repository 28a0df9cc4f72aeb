"""The shape that is simulated, and that released bodies keep it although modifiers go on changing the source."""

import json

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import shape_changes
from fracture_addon.blender.scene import action_curves, result_lookup
from fracture_addon.blender.write import results
from fracture_addon.core.data.recording import NEVER
from tests.blender.baking import BREAK, place, run
from tests.blender.reading import add, collider, job_of, switch


def animate(obj):
    """Raise an object's points by 0.1 m per frame with an armature, from 0 on frame 1 to 1.1 m on frame 12."""
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    bone = armature.pose.bones[0]
    for frame, height in ((1, 0.0), (12, 1.1)):
        bone.location.y = height
        bone.keyframe_insert("location", frame=frame)
    for curve in action_curves.curves_of(armature):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    obj.vertex_groups.new(name="Bone").add(range(len(obj.data.vertices)), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = armature
    bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()


def heights(obj):
    """Lowest and highest point of an object in the world, on the current frame."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.array([vertex.co for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    points = points @ place(obj)[:3, :3].T + place(obj)[:3, 3]
    return points[:, 2].min(), points[:, 2].max()


def ends_seen(collection):
    """The same of all that the viewport shows of a collection, instances included."""
    ends = []
    for item in bpy.context.evaluated_depsgraph_get().object_instances:
        owner = item.parent if item.is_instance else item.object
        if owner.name in collection.objects and item.object.type == "MESH":
            matrix = np.array(item.matrix_world)
            ends += [matrix[2, :3] @ vertex.co + matrix[2, 3] for vertex in item.object.data.vertices]
    return min(ends), max(ends)


def seen(objects):
    return [obj for obj in objects if not obj.hide_viewport]


def warnings(collection):
    return json.loads(collection[result_lookup.REPORT])["warnings"]


@pytest.mark.parametrize("one_object", [False, True])
def test_what_is_seen_keeps_its_shape_from_the_release_to_the_fragments(glazed, scene, one_object):
    animate(glazed)
    glazed.fracture.one_object = one_object
    scene.frame_set(1)
    low, high = heights(glazed)
    _, recording, (collection,) = run(bpy.context, [glazed])
    fallen = [pose[2] - recording.bodies[0].poses[0, 2] for pose in recording.bodies[0].poses]
    for frame in (1, BREAK - 1, BREAK):
        scene.frame_set(frame)
        assert glazed.hide_viewport
        assert glazed.hide_render
        assert ends_seen(collection) == pytest.approx([low + fallen[frame - 1], high + fallen[frame - 1]], abs=1e-4)
    (_, warning) = warnings(collection)
    assert "'Cube' keeps its shape of frame 1" in warning
    assert "on frames 2 to 4" in warning


def test_the_whole_body_is_one_object_until_its_break(glazed, scene):
    animate(glazed)
    _, _, (collection,) = run(bpy.context, [glazed])
    scene.frame_set(BREAK - 1)
    (whole,) = seen(collection.objects)
    assert whole.name == "Cube Whole"
    assert whole["fracture_source"] == "Cube"
    assert [slot.name for slot in whole.material_slots][:1] == ["Glaze"]
    scene.frame_set(BREAK)
    assert whole.hide_render
    assert len(seen(collection.objects)) == 2


def test_keys_that_hold_a_body_let_it_deform_until_they_end(glazed, scene):
    animate(glazed)
    switch(glazed, "fracture.held", {1: True, 3: False})
    job, _, (collection,) = run(bpy.context, [glazed])
    assert job.bodies[0].surface.points[:, 2].max() == pytest.approx(0.6 + 0.1, abs=1e-5)
    scene.frame_set(1)
    assert not glazed.hide_viewport
    assert not seen(collection.objects)
    scene.frame_set(2)
    (whole,) = seen(collection.objects)
    assert heights(whole)[1] == pytest.approx(0.7, abs=1e-4)
    assert "'Cube' keeps its shape of frame 2" in warnings(collection)[-1]


def test_a_held_body_breaks_in_its_shape_of_the_impact(glazed, scene):
    animate(glazed)
    glazed.fracture.held = True
    scene.cursor.location = (0.0, 0.0, 2.0)
    bpy.ops.fracture.add_impact()
    glazed.fracture.impact_frame = BREAK
    job, _, (collection,) = run(bpy.context, [glazed])
    assert job.bodies[0].surface.points[:, 2].max() == pytest.approx(0.6 + 0.4, abs=1e-5)
    scene.frame_set(BREAK)
    assert max(heights(piece)[1] for piece in collection.objects) == pytest.approx(1.0, abs=1e-4)
    assert warnings(collection) == ["a warning"]


def test_a_held_body_that_breaks_later_says_that_its_shape_jumps(glazed, scene):
    animate(glazed)
    glazed.fracture.held = True
    _, _, (collection,) = run(bpy.context, [glazed])
    assert "breaks on frame 5 in its shape of frame 1" in warnings(collection)[-1]
    scene.frame_set(BREAK - 1)
    assert not glazed.hide_viewport


def test_a_modifier_that_keeps_the_shape_changes_nothing(glazed, scene):
    glazed.modifiers.new("Subdivision", "SUBSURF")
    _, _, (collection,) = run(bpy.context, [glazed])
    assert warnings(collection) == ["a warning"]
    assert [obj.name for obj in collection.objects] == ["Cube Fragment 001", "Cube Fragment 002"]
    scene.frame_set(BREAK - 1)
    assert not glazed.hide_viewport


def test_a_body_that_never_breaks_keeps_its_shape_to_the_end(glazed, scene):
    animate(glazed)
    _, _, (collection,) = run(bpy.context, [glazed], break_frame=NEVER)
    scene.frame_set(12)
    assert [obj.name for obj in seen(collection.objects)] == ["Cube Whole"]


def test_clear_takes_the_whole_body_away(glazed, scene):
    animate(glazed)
    before = set(bpy.data.objects), set(bpy.data.meshes), set(bpy.data.actions)
    run(bpy.context, [glazed])
    results.clear(bpy.context, [glazed])
    assert (set(bpy.data.objects), set(bpy.data.meshes), set(bpy.data.actions)) == before
    assert not glazed.hide_viewport


def test_a_released_collider_has_its_shape_of_the_release(cube, scene):
    ball = add("cube", kind="ACTIVE", size=0.2, location=(3.0, 0.0, 0.0))
    animate(ball)
    switch(ball.rigid_body, "kinematic", {1: True, 4: False})
    assert collider(job_of(cube)).surface.points[:, 2].max() == pytest.approx(0.1 + 0.2, abs=1e-5)


def test_a_collider_whose_shape_is_animated_is_reported(glazed, scene):
    animate(add("cube", size=0.2, location=(3.0, 0.0, 0.0)))
    _, _, (collection,) = run(bpy.context, [glazed])
    assert "'Cube.001' collides in its shape of frame 1" in warnings(collection)[-1]
    assert not glazed.hide_viewport


@pytest.mark.parametrize(
    ("told", "impacts", "frame"), [(0, (), 3), (1, (7,), 3), (4, (7,), 6), (None, (), 3), (None, (9, 7), 7)]
)
def test_the_frame_whose_shape_is_simulated(told, impacts, frame):
    assert shape_changes.simulated_frame(3, told, impacts) == frame
