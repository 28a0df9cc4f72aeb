"""The scene of a blast in front of a wooden door: it splits along its grain, and the strip at the hinges stays."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets

# A long run of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def test_the_door_splits_into_upright_boards_that_fly_into_the_room(scene):
    presets.build(bpy.context, presets.find("door_blast", presets.SCENES))
    door = bpy.data.objects["Door"]
    door.fracture.resolution, scene.frame_end = 1500, 20
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    pieces = result_lookup.pieces_of(result_lookup.collection_of(door))
    assert len(pieces) >= 5
    sizes, moved = [], []
    for piece in pieces:
        corners = np.array([point.co for point in piece.data.vertices])
        sizes.append(np.ptp(corners, axis=0))
        places = []
        for number in (1, 20):
            scene.frame_set(number)
            graph = bpy.context.evaluated_depsgraph_get()
            places.append(np.array(piece.evaluated_get(graph).matrix_world.translation))
        moved.append(places[1] - places[0])
    sizes, moved = np.array(sizes), np.array(moved)
    volumes = sizes.prod(axis=1)
    # Boards are longer along the grain, which is vertical, than wide.
    long = sizes[:, 2] > 1.5 * sizes[:, 0]
    assert volumes[long].sum() > 0.6 * volumes.sum()
    still = np.linalg.norm(moved, axis=1) < 1e-4
    assert still.any()
    assert (moved[~still, 1] > 0.0).mean() > 0.8
