"""Soft bodies in Blender: what is read of the scene, the mesh cache that is baked, and that it plays."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from fracture_addon.blender.process import run
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake, mesh_cache, results
from fracture_addon.core.data.errors import SceneError, SettingsError, WorkerError
from fracture_addon.core.data.recording import Deformed, Recording, Track
from fracture_addon.core.timeline.deformable.run import deformable_rows
from tests.blender.snapshot import snapshot


@pytest.fixture
def jelly(cube, scene):
    scene.frame_start, scene.frame_end = 1, 6
    cube.fracture.method, cube.fracture.dynamics = "LATTICE", "DEFORMABLE"
    return cube


def job_of(*objects):
    return read_job(bpy.context, objects, (1, 6))


def deformed_recording(job):
    """The body stretches evenly along Z, by a half a frame."""
    body = job.bodies[0]
    points = np.array([body.surface.points * [1.0, 1.0, 1.0 + 0.5 * row] for row in range(6)], np.float32)
    faces = len(body.surface.faces)
    deformed = Deformed(0, body.surface, np.zeros(faces, bool), np.zeros(faces, np.int32), points)
    still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (6, 1))
    return Recording(1, (Track(body.name, np.zeros(3), 1, still),), deformed=(deformed,))


def baked(obj, tmp_path):
    bpy.context.scene.fracture.cache_path = str(tmp_path)
    job = job_of(obj)
    (collection,) = bake.bake(bpy.context, job, deformed_recording(job), [obj], {})
    (shown,) = collection.objects
    return shown


def height(obj):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    places = np.array([obj.matrix_world @ vertex.co for vertex in mesh.vertices])
    return float(np.ptp(places[:, 2]))


def test_settings_and_keys_are_read(jelly, scene):
    jelly.fracture.softening = 250.0
    for frame, stiffness, gravity in ((1, 1.0, -10.0), (5, 0.2, 30.0)):
        jelly.fracture.stiffness = stiffness
        jelly.keyframe_insert("fracture.stiffness", frame=frame)
        scene.gravity[2] = gravity
        scene.keyframe_insert("gravity", frame=frame)
    job = job_of(jelly)
    body = job.bodies[0]
    assert (body.settings.motion.dynamics, body.settings.motion.softening) == ("deformable", 250.0)
    assert body.stiffness_track[[0, 4, 5]] == pytest.approx([1.0, 0.2, 0.2], rel=1e-5)
    assert job.gravity_track[[0, 5], 2] == pytest.approx([-10.0, 30.0])
    scene.animation_data_clear()


def test_a_rigid_object_takes_no_notice_of_all_that(cube, scene):
    cube.fracture.stiffness = 0.5
    cube.keyframe_insert("fracture.stiffness", frame=1)
    bpy.ops.object.effector_add(type="WIND")
    job = job_of(cube)
    assert not len(job.bodies[0].stiffness_track)
    assert not len(job.gravity_track)
    assert job.winds == ()


def test_force_fields_are_winds(jelly, scene):
    bpy.ops.object.effector_add(type="WIND", location=(1.0, 2.0, 3.0), rotation=(0.0, np.pi / 2, 0.0))
    bpy.context.object.field.strength = 6.0
    bpy.ops.object.effector_add(type="TURBULENCE")
    bpy.context.object.field.strength, bpy.context.object.field.size = 2.0, 0.5
    bpy.ops.object.effector_add(type="FORCE")
    turbulence, wind = job_of(jelly).winds
    assert (wind.kind, wind.speed) == ("uniform", 6.0)
    assert wind.direction == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert (turbulence.kind, turbulence.speed, turbulence.size) == ("turbulence", 2.0, 0.5)


def test_pins_come_from_a_vertex_group(jelly):
    jelly.vertex_groups.new(name="Root").add([v.index for v in jelly.data.vertices if v.co.z > 0], 1.0, "REPLACE")
    jelly.fracture.pin_group = "Root"
    pins = job_of(jelly).bodies[0].settings.motion.pinned
    assert np.array_equal(pins.weights > 0.5, pins.points[:, 2] > pins.points[:, 2].mean())
    jelly.fracture.pin_group = "Nowhere"
    with pytest.raises(SettingsError, match="'Nowhere' does not exist"):
        job_of(jelly)


def test_what_is_pinned_and_rigid_stays_until_keys_let_it_go(jelly, scene):
    jelly.fracture.dynamics = "RIGID"
    jelly.vertex_groups.new(name="Root").add([v.index for v in jelly.data.vertices if v.co.z > 0], 1.0, "REPLACE")
    assert job_of(jelly).bodies[0].track is None
    jelly.fracture.pin_group = "Root"
    body = job_of(jelly).bodies[0]
    assert len(body.track) == 1
    assert body.settings.motion.pinned.weights.max() == 1.0
    jelly.fracture.held = True
    jelly.keyframe_insert("fracture.held", frame=scene.frame_start + 4)
    jelly.fracture.held = False
    jelly.keyframe_insert("fracture.held", frame=scene.frame_start + 5)
    assert len(job_of(jelly).bodies[0].track) == 5


def test_glue_is_read_and_needs_both(jelly):
    other = jelly.copy()
    other.data = jelly.data.copy()
    other.name = "Handle"
    bpy.context.collection.objects.link(other)
    other.fracture.glue_object, other.fracture.glue_kind = jelly, "NODES"
    other.fracture.glue_distance, other.fracture.glue_strength = 0.02, 0.5
    (glue,) = job_of(jelly, other).glues
    assert (glue.first, glue.second, glue.kind, glue.strength) == (1, 0, "nodes", 0.5)
    assert glue.distance == pytest.approx(0.02)
    with pytest.raises(SceneError, match="not selected"):
        job_of(other)


def copies(obj, *names):
    for name in names:
        other = obj.copy()
        other.data, other.name = obj.data.copy(), name
        bpy.context.collection.objects.link(other)
    return [bpy.data.objects[name] for name in names]


def select(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def test_an_object_is_glued_to_any_number_of_others(jelly):
    left, right, handle = copies(jelly, "Left", "Right", "Handle")
    handle.fracture.glue_object, handle.fracture.glue_strength = jelly, 0.5
    select(handle, jelly, left, right)
    assert bpy.ops.fracture.add_glue() == {"FINISHED"}
    assert [glue.glue_object for glue in handle.fracture.more_glue] == [left, right]
    found = job_of(jelly, left, right, handle).glues
    assert [(glue.first, glue.second, glue.strength) for glue in found] == [(3, 0, 0.5), (3, 1, 0.5), (3, 2, 0.5)]
    # What is glued already, from either side, is not glued twice.
    bpy.ops.fracture.add_glue()
    select(left, handle)
    bpy.ops.fracture.add_glue()
    assert len(job_of(jelly, left, right, handle).glues) == 3
    with pytest.raises(SceneError, match="'Handle' is glued to 'Right', which is not selected"):
        job_of(jelly, left, handle)
    select(handle)
    bpy.ops.fracture.remove_glue(index=0)
    assert [glue.glue_object for glue in handle.fracture.more_glue] == [right]
    with pytest.raises(RuntimeError, match="Nothing else is selected to glue 'Handle' to"):
        bpy.ops.fracture.add_glue()


def test_the_first_glue_is_that_of_older_files(jelly):
    (other,) = copies(jelly, "Other")
    select(other, jelly)
    bpy.ops.fracture.add_glue()
    assert other.fracture.glue_object == jelly
    assert not other.fracture.more_glue


def test_the_cache_plays_and_the_source_hides(jelly, scene, tmp_path):
    shown = baked(jelly, tmp_path)
    assert shown.modifiers[mesh_cache.MODIFIER].type == "MESH_CACHE"
    rest = height(shown)
    for frame in (1, 3, 6):
        scene.frame_set(frame)
        assert height(shown) == pytest.approx(rest * (1.0 + 0.5 * (frame - 1)), rel=1e-4)
        assert jelly.hide_render
    (file,) = tmp_path.iterdir()
    assert file.match("Cube_Deformed_*.pc2")


def test_a_new_result_leaves_the_file_of_the_earlier_one(jelly, scene, tmp_path):
    """A saved .blend, a copy of it, Undo or another Blender may still show the earlier one."""
    first = Path(bpy.path.abspath(baked(jelly, tmp_path).modifiers[mesh_cache.MODIFIER].filepath))
    content = first.read_bytes()
    jelly.scale.x = 2.0
    bpy.context.view_layer.update()
    again = Path(bpy.path.abspath(baked(jelly, tmp_path).modifiers[mesh_cache.MODIFIER].filepath))
    assert again != first
    assert first.read_bytes() == content
    # These names differ only in what a file name cannot hold.
    recording = deformed_recording(job_of(jelly))
    paths = {mesh_cache.path_of(scene, name, recording.deformed[0], 1) for name in ("Cube.001", "Cube_001")}
    assert len(paths) == 2


def test_clear_takes_it_away(jelly, tmp_path):
    meshes, objects = set(bpy.data.meshes), set(bpy.data.objects)
    baked(jelly, tmp_path)
    results.clear(bpy.context, [jelly])
    assert (set(bpy.data.meshes), set(bpy.data.objects)) == (meshes, objects)
    assert not jelly.hide_render


def test_a_saved_file_takes_its_caches_along(jelly, tmp_path):
    shown = baked(jelly, tmp_path)
    target = tmp_path / "shot.blend"
    mesh_cache.copy_files_for(target)
    modifier = shown.modifiers[mesh_cache.MODIFIER]
    (copy,) = (tmp_path / "shot_fracture").iterdir()
    assert modifier.filepath == f"//shot_fracture/{copy.name}"
    assert copy.read_bytes() == (tmp_path / copy.name).read_bytes()


def test_normals_turn_with_the_faces(jelly, scene, tmp_path):
    shown = baked(jelly, tmp_path)
    scene.frame_set(6)
    mesh = shown.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert all(abs(abs(normal.vector.normalized()[axis]) - 1.0) < 0.02 for normal, axis in _flat(mesh))


def _flat(mesh):
    for polygon in mesh.polygons:
        axis = int(np.argmax(np.abs(polygon.normal)))
        for loop in polygon.loop_indices:
            yield mesh.corner_normals[loop], axis


def test_rigid_and_deformable_objects_go_together(jelly, cube):
    other = jelly.copy()
    other.data = jelly.data.copy()
    bpy.context.collection.objects.link(other)
    other.fracture.dynamics = "RIGID"
    assert deformable_rows(job_of(other, jelly)) == [1]


def test_flow_and_checkpoints_are_read(jelly, scene):
    jelly.fracture.creep, jelly.fracture.yield_share, jelly.fracture.self_collision = 3.0, 0.25, True
    scene.fracture.checkpoint_interval = 5
    job = job_of(jelly)
    assert job.bodies[0].settings.lattice.self_collision
    assert (job.bodies[0].settings.lattice.creep, job.bodies[0].settings.lattice.yield_share) == (3.0, 0.25)
    assert (job.checkpoint_interval, job.continue_from) == (5, None)
    scene.fracture.use_continue, scene.fracture.continue_from = True, 4
    assert job_of(jelly).continue_from == 4


@pytest.mark.once
def test_the_threshold_is_found_by_trial(jelly):
    jelly.fracture.softening, jelly.fracture.threshold = 1e5, 50.0
    bpy.ops.mesh.primitive_plane_add(size=10, location=(0, 0, -1))
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    bpy.ops.object.select_all(action="DESELECT")
    jelly.select_set(True)
    bpy.context.view_layer.objects.active = jelly
    assert bpy.ops.fracture.try_thresholds() == {"FINISHED"}
    assert run.message.text.endswith(f"set to {jelly.fracture.threshold:.2g}")
    assert 0.1 <= jelly.fracture.threshold <= 10.0


def test_a_folder_that_cannot_be_written_leaves_the_scene_as_it_was(jelly, scene, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    before = snapshot()
    with pytest.raises(WorkerError, match="cannot be written"):
        baked(jelly, taken)
    scene.fracture.cache_path = ""
    assert snapshot() == before
