"""What the artist does to the scene during a run, and where the result goes then."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.process import run
from fracture_addon.blender.process.job_process import Progress
from fracture_addon.blender.scene import result_lookup, result_motion
from fracture_addon.blender.write import results
from fracture_addon.core.data.errors import SceneError
from tests.blender import halves
from tests.blender.reading import add


@pytest.fixture
def begun(cube, scene, monkeypatch):
    """A run of the cube with a ball beside it, whose result is there at once."""
    scene.frame_start, scene.frame_end = 1, 6
    add("cube", kind="ACTIVE", size=0.1, location=(3.0, 0.0, 1.0)).name = "Ball"
    monkeypatch.setattr("fracture_addon.blender.process.job_process.JobProcess.start", lambda process, job: None)
    started = run.begin(bpy.context, [cube])
    started.process.result = halves.recording(started.job, 3)
    yield started
    run.stop()


def test_a_renamed_source_gets_its_result(begun, cube, scene, tmp_path):
    scene.fracture.cache_path = str(tmp_path)
    cube.name = "Vase"
    begun.bake(bpy.context)
    assert result_lookup.collection_of(cube).name == "Vase Fragments"
    results.clear(bpy.context, [cube])
    run.stop()
    assert bpy.ops.fracture.bake() == {"FINISHED"}
    assert result_lookup.collection_of(cube) is not None


def test_another_object_of_the_old_name_is_left_alone(begun, cube):
    cube.name = "Vase"
    other = bpy.data.objects["Ball"].copy()
    bpy.context.scene.collection.objects.link(other)
    other.name = "Cube"
    begun.bake(bpy.context)
    assert result_lookup.collection_of(cube) is not None
    assert result_lookup.collection_of(other) is None
    assert not other.constraints


def test_a_renamed_projectile_moves_as_computed(begun, scene):
    ball = bpy.data.objects["Ball"]
    ball.name = "Stone"
    begun.bake(bpy.context)
    assert result_motion.is_taken(ball)
    scene.frame_set(6)
    there = np.array(ball.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, 3]
    assert there == pytest.approx(begun.process.result.projectiles[0].poses[-1, :3], abs=1e-5)


def test_undo_during_the_run_does_not_lose_the_source(begun, cube):
    bpy.ops.ed.undo_push(message="before")
    cube.name = "Vase"
    bpy.ops.ed.undo_push(message="renamed")
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    (source,) = begun.objects(bpy.context)
    assert source.name == "Vase"


def test_a_renamed_scene_gets_its_result(begun, cube, scene):
    scene.name = "Take 2"
    begun.bake(bpy.context)
    assert result_lookup.collection_of(cube) is not None


def test_a_result_waits_for_its_scene(begun, cube, scene):
    assert not begun.is_delayed(bpy.context)
    bpy.context.window.scene = bpy.data.scenes.new("Other")
    assert begun.is_delayed(bpy.context)
    assert begun.process.progress == Progress("Done: waiting until the scene 'Scene' is shown again", 1.0)
    bpy.context.window.scene = scene
    assert not begun.is_delayed(bpy.context)


def test_the_result_of_a_removed_scene_is_an_error_at_once(begun, scene):
    bpy.context.window.scene = bpy.data.scenes.new("Other")
    bpy.data.scenes.remove(scene)
    assert not begun.is_delayed(bpy.context)
    with pytest.raises(SceneError, match="for the scene 'Scene'"):
        begun.bake(bpy.context)


def test_a_result_waits_for_the_end_of_edit_mode(begun, cube):
    bpy.context.view_layer.objects.active = bpy.data.objects["Ball"]
    bpy.ops.object.mode_set(mode="EDIT")
    assert begun.is_delayed(bpy.context)
    assert "Object Mode" in begun.process.progress.stage
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not begun.is_delayed(bpy.context)
