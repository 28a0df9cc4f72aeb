"""The scene in which a cushion catches one jar, and another one breaks on the floor."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets

# A long run of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def test_the_cushion_catches_a_jar_and_the_floor_breaks_one(scene):
    presets.build(bpy.context, presets.find("jar_on_cushion", presets.SCENES))
    broken = bpy.data.objects["Jar.001"]
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    assert len(result_lookup.pieces_of(result_lookup.collection_of(broken))) >= 5
    heights, caught = [], bpy.data.objects["Jar"]
    for frame in (44, 48):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        shown = result_lookup.pieces_of(result_lookup.collection_of(caught)) or [caught]
        assert len(shown) == 1
        corners = [shown[0].evaluated_get(graph).matrix_world @ point.co for point in shown[0].data.vertices]
        heights.append(np.array(corners)[:, 2].min())
    # On the cushion, which is 0.18 m high where nothing lies on it, and nearly at rest.
    assert heights[-1] > 0.08
    assert abs(heights[1] - heights[0]) < 0.03
