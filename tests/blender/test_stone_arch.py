"""The scene of an arch of loose stones, which stands until one of its piers slides away."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets

# A long run of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def heights(scene, stones, frame):
    """Return the lowest point, m, of each stone or its pieces."""
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    lowest = []
    for stone in stones:
        collection = result_lookup.collection_of(stone)
        shown = result_lookup.pieces_of(collection) if collection else []
        corners = [
            obj.evaluated_get(graph).matrix_world @ point.co for obj in shown or [stone] for point in obj.data.vertices
        ]
        lowest.append(np.array(corners)[:, 2].min())
    return np.array(lowest)


def test_an_arch_stands_without_mortar_and_falls_when_its_pier_slides(scene):
    presets.build(bpy.context, presets.find("stone_arch", presets.SCENES))
    stones = [obj for obj in bpy.context.selected_objects if obj.name.startswith("Stone")]
    at_first = heights(scene, stones, 1)
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    # The joints close by some millimetres under the weight.
    closed = heights(scene, stones, 10)
    np.testing.assert_allclose(closed, at_first, atol=0.02)
    np.testing.assert_allclose(heights(scene, stones, 28), closed, atol=0.006)
    fallen = heights(scene, stones, 84)
    assert (fallen < at_first - 0.5).sum() >= 5
