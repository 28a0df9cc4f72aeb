"""The scene of blocks that fall on a floor: its middle falls into the room below, and its ends stay on the walls."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets

# A long run of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def test_the_middle_of_the_floor_falls_and_its_ends_stay(scene):
    presets.build(bpy.context, presets.find("floor_collapse", presets.SCENES))
    floor = bpy.data.objects["Floor"]
    for obj in bpy.context.selected_objects:
        obj.fracture.resolution = 1000 if obj is floor else 100
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    pieces = result_lookup.pieces_of(result_lookup.collection_of(floor))
    places = []
    for number in (1, scene.frame_end):
        scene.frame_set(number)
        graph = bpy.context.evaluated_depsgraph_get()
        worlds = [piece.evaluated_get(graph).matrix_world for piece in pieces]
        middles = [np.mean([point.co for point in piece.data.vertices], axis=0) for piece in pieces]
        places.append(np.array([world @ Vector(middle) for world, middle in zip(worlds, middles, strict=True)]))
    fallen = places[0][:, 2] - places[1][:, 2] > 0.5
    assert fallen.sum() >= 5
    assert (~fallen).sum() >= 2
    # What stays is at the walls.
    assert np.abs(places[0][~fallen, 0]).min() > np.abs(places[0][fallen, 0]).min()
