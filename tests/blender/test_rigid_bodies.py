"""Pieces as rigid bodies of Blender."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.panels import loads
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.write import bake
from tests.blender import halves
from tests.blender.snapshot import snapshot

SIDE = 0.2


@pytest.fixture
def broken(cube, scene):
    """A cube whose two halves have no keyframes."""
    scene.frame_start, scene.frame_end = 1, 30
    cube.fracture.density = 1000.0
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    recording = halves.recording(job, 1)
    bake.bake(bpy.context, job, recording, [cube], {})
    for piece in pieces_of(cube):
        piece.animation_data_clear()
    return cube


def pieces_of(obj):
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def test_masses_hulls_and_joints_of_the_right_strength(broken, scene):
    assert bpy.ops.fracture.give_rigid_bodies() == {"FINISHED"}
    *pieces, joint = pieces_of(broken)
    for piece in pieces:
        assert piece.rigid_body.mass == pytest.approx(piece["fracture_mass"])
        assert piece.rigid_body.collision_shape == "CONVEX_HULL"
    constraint = joint.rigid_body_constraint
    assert {constraint.object1, constraint.object2} == set(pieces)
    step = 1.0 / (scene.render.fps * scene.rigidbody_world.substeps_per_frame)
    expected = broken.fracture.tensile_strength * SIDE**2 * step
    assert constraint.use_breaking
    # The crack is rough, so its area is larger than that of a plane.
    assert expected < constraint.breaking_threshold < 1.25 * expected


def test_pressing_again_replaces_the_joints_and_clear_removes_everything(broken, scene):
    bpy.ops.fracture.give_rigid_bodies()
    first = snapshot()
    bpy.ops.fracture.give_rigid_bodies()
    assert snapshot() == first
    bpy.ops.fracture.give_rigid_bodies(jointed=False)
    assert not any("fracture_joint" in piece for piece in pieces_of(broken))
    bpy.ops.fracture.give_rigid_bodies()
    bpy.ops.fracture.clear()
    assert [obj.name for obj in bpy.data.objects] == ["Cube"]


def test_pieces_are_no_colliders_of_the_next_run(broken, scene):
    bpy.ops.fracture.give_rigid_bodies()
    job = read_job(bpy.context, [broken], settings.frame_range(scene))
    assert not job.colliders


def test_joints_are_hidden_and_hold(broken, scene):
    bpy.ops.fracture.give_rigid_bodies()
    first, second, joint = pieces_of(broken)
    assert joint.hide_viewport
    first.rigid_body.type = "PASSIVE"
    height = second.matrix_world.translation.z
    for frame in range(1, 11):
        scene.frame_set(frame)
    hanging = second.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert hanging.matrix_world.translation.z == pytest.approx(height, abs=0.01)


def test_the_panel_names_no_pieces_that_the_next_run_replaces(broken):
    bpy.ops.fracture.give_rigid_bodies()
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 3.0, 0.0))
    other = bpy.context.object
    assert loads.sentence(bpy.context, other).startswith("Hit by: Cube Fragment")
    pieces_of(broken)[0].select_set(True)
    assert loads.sentence(bpy.context, other) == "Nothing hits it yet"


def test_blender_drops_the_pieces(broken, scene):
    bpy.ops.fracture.give_rigid_bodies(jointed=False)
    heights = [piece.matrix_world.translation.z for piece in pieces_of(broken)]
    for frame in range(1, 11):
        scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    fallen = [piece.evaluated_get(depsgraph).matrix_world.translation.z for piece in pieces_of(broken)]
    assert (np.array(heights) - fallen > 0.1).all()


def test_keyframed_pieces_are_refused(cube, scene):
    scene.frame_start, scene.frame_end = 1, 12
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    bake.bake(bpy.context, job, halves.recording(job, 4), [cube], {})
    before = snapshot()
    with pytest.raises(RuntimeError, match="'Cube' have keyframes; use Hand Over to Rigid Bodies"):
        bpy.ops.fracture.give_rigid_bodies()
    assert snapshot() == before
