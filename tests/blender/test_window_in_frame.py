"""The scene of a window pane that is joined to its frame: a ball flies through, and shards stay in the frame."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets

# A long run of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def test_shards_stay_in_the_frame_and_the_middle_falls_out(scene):
    presets.build(bpy.context, presets.find("window_in_frame", presets.SCENES))
    pane, frame, ball = (bpy.data.objects[name] for name in ("Pane", "Frame", "Ball"))
    pane.fracture.resolution, frame.fracture.resolution = 1500, 300
    scene.frame_end = 30
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    pieces = result_lookup.pieces_of(result_lookup.collection_of(pane))
    assert len(pieces) >= 15
    places = []
    for number in (1, 30):
        scene.frame_set(number)
        graph = bpy.context.evaluated_depsgraph_get()
        places.append(np.array([piece.evaluated_get(graph).matrix_world.translation for piece in pieces]))
    stayed = np.linalg.norm(places[1] - places[0], axis=1) < 1e-4
    assert stayed.sum() >= 2
    assert (~stayed).sum() >= 10
    # The ball has flown through.
    graph = bpy.context.evaluated_depsgraph_get()
    assert ball.evaluated_get(graph).matrix_world.translation.y > 0.3
