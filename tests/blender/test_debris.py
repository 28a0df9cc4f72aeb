"""Grains in the scene: seen from their birth, flying, and at rest where the run left them."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake, results
from fracture_addon.core.data.recording import Debris
from fracture_addon.core.numerics.rotations import matrices
from tests.blender import halves
from tests.blender.snapshot import snapshot
from tests.blender.test_one_object import instances

BIRTHS = np.array([5, 5, 8], np.int32)
SIZES = np.array([0.01, 0.004, 0.007])


def run(cube):
    cube.fracture.dust = "DEBRIS"
    job = read_job(bpy.context, [cube], settings.frame_range(bpy.context.scene))
    random = np.random.default_rng(0)
    poses = random.normal(size=(12, 3, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=2, keepdims=True)
    debris = Debris(0, BIRTHS, SIZES, random.normal(size=(3, 3)), poses)
    recording = replace(halves.recording(job), debris=(debris,))
    return job, debris, bake.bake(bpy.context, job, recording, [cube], {})[0]


@pytest.fixture
def dusty(cube, scene):
    """A cube that breaks into halves and three grains, on a short timeline."""
    scene.frame_start, scene.frame_end = 1, 12
    return cube


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_grains_are_seen_from_their_birth_where_the_poses_say(dusty, scene, unit):
    scene.unit_settings.scale_length = unit
    job, debris, collection = run(dusty)
    assert job.bodies[0].settings.pieces.dust == "debris"
    grains = collection.objects["Cube Debris"]
    for frame in (1, 4, 5, 7, 8, 12):
        scene.frame_set(frame)
        shown = instances(grains)
        assert len(shown) == 3
        for row, (matrix, points) in enumerate(shown):
            if frame < BIRTHS[row]:
                assert not matrix[:3, :3].any()
                continue
            pose = debris.poses[frame - 1, row]
            assert np.allclose(matrix[:3, :3], matrices(pose[3:]), atol=1e-6)
            assert np.allclose(matrix[:3, 3], pose[:3] / unit, atol=1e-6 / unit)
            across = np.ptp(points, axis=0).max() * unit
            assert SIZES[row] < across < 4.0 * SIZES[row]


def test_grains_carry_their_births_velocities_and_sizes(dusty, scene):
    _, debris, collection = run(dusty)
    grains = collection.objects["Cube Debris"]
    assert grains["fracture_source"] == "Cube"
    attributes = grains.data.attributes
    assert [item.value for item in attributes["fracture_birth_frame"].data] == BIRTHS.tolist()
    assert [item.value for item in attributes["fracture_size"].data] == pytest.approx(SIZES.tolist())
    assert np.allclose([item.vector[:] for item in attributes["velocity"].data], debris.velocities)


def test_grains_are_of_the_interiors_material(dusty, scene):
    run(dusty)
    scene.frame_set(12)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    used = set()
    for item in depsgraph.object_instances:
        if item.is_instance and item.parent.name == "Cube Debris":
            mesh = item.object.data
            used |= {mesh.materials[face.material_index].name for face in mesh.polygons}
    assert used == {"Fracture Interior"}
    assert sum("Fracture Interior" in material.name for material in bpy.data.materials) == 1


def test_clear_takes_grains_away(dusty, scene):
    dusty.fracture.dust = "DEBRIS"
    before = snapshot()
    run(dusty)
    results.clear(bpy.context, [dusty])
    assert snapshot() == before
