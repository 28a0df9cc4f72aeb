"""Own weight in Blender: the scenes in which a wall loses a pillar and a chimney topples."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets

# Long runs of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def heights(scene, frame):
    """Heights of all pieces of the blocks on a frame, m."""
    scene.frame_set(frame)
    results = (result_lookup.collection_of(obj) for obj in scene.objects if obj.name.startswith("Block"))
    pieces = [piece for collection in results if collection for piece in result_lookup.pieces_of(collection)]
    return np.array([piece.matrix_world.translation.z for piece in pieces])


def test_the_wall_of_the_scene_stands_until_a_ball_hits_its_pillar(scene):
    presets.build(bpy.context, presets.find("wall_loses_pillar", presets.SCENES))
    wall, scene.frame_end = bpy.context.object, 24
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(wall)
    assert "Own weight on the first frame: 0." in collection["fracture_report"]
    assert collection["fracture_break_frame"] == 5
    fallen = heights(scene, 5) - heights(scene, 24)
    assert (fallen > 0.2).sum() > 5
    assert (np.abs(fallen) < 1e-3).sum() >= 2


def test_the_chimney_of_the_scene_breaks_in_mid_fall(scene):
    presets.build(bpy.context, presets.find("felled_chimney", presets.SCENES))
    chimney, scene.frame_end = bpy.context.object, 100
    chimney.fracture.seed = 7
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(chimney)
    assert "by its inertia" in collection["fracture_report"]
    assert 60 < collection["fracture_break_frame"] < 90
